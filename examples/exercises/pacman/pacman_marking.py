"""Criteria of the exercises on Pacman: the answers of a problem of students, and paths to a nearest food.

And boards of several sizes, on which corners that are numbers in a file are wrong.
"""

from collections import deque
from dataclasses import dataclass

import runner
from runner.plugin import Criterion, Outcome, criterion
from worlds.pacman.sources import PacmanRules, random_boards

SIZES = "8x7", "7x9", "10x6"


@runner.source("pacman/corners")
def boards_of_sizes(seed):
    """Seeded random boards for the problem of the corners. Three in a row have three sizes."""
    return random_boards(seed, PacmanRules(problem="corners"), SIZES[seed % len(SIZES)])


@criterion("same_answers")
@dataclass(frozen=True)
class SameAnswers(Criterion):
    """The same moves, costs and goals as the world of the exercise after the same actions, whatever the states are.

    Attributes
    ----------
    at_most : float
        Largest number of states, as a multiple of the states of the world.
    """

    judges = ("world",)

    at_most: float = 5.0

    def judge(self, exam):
        """Explore both side by side, breadth-first: the first difference is after as few moves as possible."""
        expected = exam.instances(self.world)
        for instance, submitted in zip(expected, exam.submitted(len(expected)), strict=True):
            fault, actions = self._difference(instance.world, submitted.world)
            if fault:
                path = " ".join(actions)
                after = f"After {path}" if actions else "At the start"
                board = instance.world.show(instance.world.played(actions)[0][-1]) if actions else ""
                text = f"{after}: {fault}\n\n{board or instance.world.show(instance.world.initial())}\n\n{instance.id}"
                return Outcome(0, text, instance.world.picture(actions))
        return Outcome(self.points, f"the same answers on {len(expected)} boards")

    def _difference(self, ours, theirs):
        """Return the first difference, and the actions that lead to it."""
        first = ours.initial(), theirs.initial()
        before, waiting = {first: None}, deque([first])
        states, their_states = set(), set()
        while waiting:
            pair = waiting.popleft()
            state, their_state = pair
            states.add(state)
            their_states.add(their_state)
            is_goal, says_goal = ours.is_goal(state), theirs.is_goal(their_state)
            if is_goal != says_goal:
                said = "isGoalState is True, but a corner is left" if says_goal else "isGoalState is False at the goal"
                return said, _actions_to(pair, before)
            if is_goal:
                continue
            given = {action: (after, cost) for action, after, cost in theirs.successors(their_state)}
            wanted = {action: (after, cost) for action, after, cost in ours.successors(state)}
            if given.keys() != wanted.keys():
                said = (
                    f"getSuccessors gives {' '.join(sorted(given)) or 'nothing'}; possible: {' '.join(sorted(wanted))}"
                )
                return said, _actions_to(pair, before)
            wrong = [action for action in wanted if given[action][1] != wanted[action][1]]
            if wrong:
                return f"{wrong[0]} costs {given[wrong[0]][1]:g}, and should cost 1", _actions_to(pair, before)
            for action, (after, _) in wanted.items():
                next_pair = after, given[action][0]
                if next_pair not in before:
                    before[next_pair] = pair, action
                    waiting.append(next_pair)
            if len(their_states) > self.at_most * 16 * len(ours.board.squares):
                return "there are many more states than squares and visited corners: leave out what does not matter", ()
        return "", ()


def _actions_to(pair, before):
    actions = []
    while before[pair] is not None:
        pair, action = before[pair]
        actions.append(action)
    return actions[::-1]


@criterion("nearest_food")
@dataclass(frozen=True)
class NearestFood(Criterion):
    """Paths to a nearest food from all states. The values of the submission are the lengths of its paths."""

    turn = 0
    asks_all_states = True

    def judge(self, exam):
        """Compare the lengths with breadth-first search over the squares."""
        count = 0
        for analysis in exam.analyses(self.world):
            world, space = analysis.instance.world, analysis.searched
            for number in range(space.count):
                state = space.problem.unpack(space.state(number))
                nearest, length = _nearest(world.board, state), int(analysis.h[number])
                if length != nearest:
                    said = f"Your path has {length} moves, and {nearest} lead to a food: here"
                    text = f"{said}\n\n{world.show(state)}\n\n{analysis.instance.id}"
                    return Outcome(0, text, world.drawing_of([state]))
                count += 1
        return Outcome(self.points, f"a nearest food in {count:,} states")


def _nearest(board, state):
    """Return the number of moves to a nearest food; 0 if none is left."""
    found, steps, waiting = {state.square}, 0, [state.square]
    while state.left and not found.intersection(state.left):
        waiting = [after for square in waiting for after in board.moves(square).values() if after not in found]
        found.update(waiting)
        steps += 1
    return steps
