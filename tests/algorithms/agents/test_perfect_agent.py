"""The perfect agent against all optimal paths, and against the optimal score."""

from __future__ import annotations

import csv
import random

import runner
from algorithms.agents.perfect_agent import plan
from tests.algorithms.agents.suite import SCORES, suite
from tests.algorithms.typed import not_none
from worlds.interface.instance import Instance
from worlds.wumpus import rules
from worlds.wumpus.online import as_played
from worlds.wumpus.rules import CLIMB, GRAB, LEFT, MOVE, RIGHT, SHOOT, Cave, ahead
from worlds.wumpus.sources import classic
from worlds.wumpus.world import CaveWorld


def scores_of_optimal_paths(cave: Cave) -> set[int]:
    """Return the scores of all optimal paths to the gold, walked there and back.

    The description of the agent allows each of these paths.
    """
    best: dict[tuple[rules.Square, str], int] = {(cave.hunter, cave.facing): 0}
    paths: dict[tuple[rules.Square, str], list[tuple[str, ...]]] = {(cave.hunter, cave.facing): [()]}
    for cost in range(10 * cave.size[0] * cave.size[1]):
        for state in [state for state, reached in best.items() if reached == cost]:
            square, facing = state
            turn = rules.FACINGS.index(facing)
            for action, after in (
                (MOVE, (ahead(square, facing), facing)),
                (LEFT, (square, rules.FACINGS[turn - 1])),
                (RIGHT, (square, rules.FACINGS[(turn + 1) % 4])),
            ):
                shoots = action == MOVE and after[0] == cave.wumpus
                total = cost + (10 if shoots else 1)
                if not cave.is_open(after[0]) or after[0] in cave.pits or best.get(after, total) < total:
                    continue
                if best.get(after) != total:
                    best[after], paths[after] = total, []
                paths[after] += [(*path, *((SHOOT, MOVE) if shoots else (action,))) for path in paths[state]]
                paths[after] = list(dict.fromkeys(paths[after]))[:500]
    ends = [state for state in best if state[0] == cave.gold]
    if not ends or cave.gold in cave.pits:
        return {-1}
    cheapest = min(best[state] for state in ends)
    return {
        rules.simulate(cave, there_and_back(path)).reward
        for state in ends
        if best[state] == cheapest
        for path in paths[state]
    }


def there_and_back(path: tuple[str, ...]) -> list[str]:
    back = [{LEFT: RIGHT, RIGHT: LEFT}.get(action, action) for action in reversed(path) if action != SHOOT]
    if path[0] == LEFT:
        back = back[:-1]
    return [*path, GRAB, LEFT, LEFT, *back, CLIMB]


def optimum(cave: Cave) -> int:
    """Return the score of an optimal plan."""
    return not_none(runner.solve(Instance(CaveWorld(cave), "test"), "astar", "relaxed_shot").reward)


def test_scores_are_the_best_of_all_optimal_paths_and_at_most_2_below_the_optimum() -> None:
    source = random.Random(7)
    suboptimal = 0
    for _ in range(150):
        side = source.randint(2, 6)
        cave = as_played(classic(side, side, source.choice([0.1, 0.3]), source.randrange(10**6)))
        score = rules.simulate(cave, plan(cave)).reward
        assert score == max(scores_of_optimal_paths(cave)), cave
        assert 0 <= optimum(cave) - score <= 2
        suboptimal += score < optimum(cave)
    assert suboptimal > 0


def test_it_grabs_gold_in_the_first_room_and_leaves() -> None:
    assert plan(Cave((2, 2), (0, 0), "E", (0, 0), (0, 0), (1, 1))) == [GRAB, CLIMB]


def test_scores_in_the_suite_are_those_of_optimal_paths_as_published() -> None:
    """If the published score differs, both are scores of optimal paths. A* finds the published optimum."""
    caves = suite()
    differing = 0
    with open(SCORES, encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            cave = caves[row["file"]]
            score, published = rules.simulate(cave, plan(cave)).reward, int(row["published_perfect"])
            assert optimum(cave) == int(row["optimum"]), row["file"]
            if score != published:
                differing += 1
                assert {score, published} <= scores_of_optimal_paths(cave), row["file"]
    assert differing == 21
