"""Functions and classes of students as entries of ours, and messages on what is wrong with them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

from algorithms.interface import SearchProblem, python_algorithm
from algorithms.pacman_project.modules import GameState, Grid, successors_of
from algorithms.pacman_project.reading import run
from heuristics.interface import python_heuristic
from runner.base import UserError, limited
from worlds.interface import Instance, Looks, Step, source
from worlds.pacman.rules import STEP, PacmanState

SEARCHES = ("depthFirstSearch", "breadthFirstSearch", "uniformCostSearch", "aStarSearch")
_MAX_EXPANDED, _MAX_SECONDS, _NO_PATH = 30_000, 10, 999_999
"""Expansions and seconds of a search, and the cost of actions that are not possible, as in the project."""


def load(file: Path, kind: str, name: str | None, instances: Sequence[Instance]) -> list[str]:
    """Run a file, register the part `name` of it, or without one the four searches, and return their names.

    The lengths of the paths of ``findPathToClosestDot`` are a heuristic. A world has the boards of `instances`.
    """
    names, wanted = run(file), [*SEARCHES] if name is None else [name]
    for each in wanted:
        if kind == "algorithm":
            python_algorithm(each)(_as_algorithm(names, each))
        elif kind == "heuristic":
            as_heuristic = _as_paths if each == "findPathToClosestDot" else _as_heuristic
            python_heuristic(each, domain="pacman")(as_heuristic(names, each))
        else:
            problem = _part(names, each)
            boards = [(board.id, _StudentWorld(each, problem(_start_of(board.world)))) for board in instances]
            source(each, domain=each)(lambda: boards)  # noqa: B023  # a world has one name
    return wanted


def _part(names: dict[str, Any], name: str) -> Any:
    """Return a function or class that the file itself defines."""
    if getattr(names.get(name), "__module__", None) != names["__name__"]:
        raise UserError(f"the file has no {name}")
    return names[name]


def _refuse(part: Any, text: str) -> NoReturn:
    """Raise an error on a function, with its line."""
    code = getattr(part, "__code__", None)
    raise UserError(f"{'' if code is None else f'line {code.co_firstlineno}: '}{text}")


def _asked(function: Any, *arguments: Any) -> Any:
    """Return the answer of a function, which must be one."""
    if (found := function(*arguments)) is None:
        _refuse(function, f"{function.__name__} returned None: is a return missing?")
    return found


def _start_of(world: Any, state: PacmanState | None = None) -> GameState:
    """Return the board in a state; by default before the first move. Food is on corners that must be visited, too."""
    (square, food), (width, height) = state or (world.board.pacman, world.targets), world.board.size
    return GameState(Grid(width, height, True, world.board.squares), Grid(width, height, False, food), square)


class _Problem:
    """Problem of the grader as searches see it. A state is a node, a square, or a square and what is left."""

    def __init__(self, problem: SearchProblem, function: Any) -> None:
        self._problem, self._function = problem, function
        self._numbers, self._steps = dict[Any, int](), dict[Any, dict[str, tuple[int, Any, float]]]()
        start: Any = problem.describe(problem.start)
        self._is_square = isinstance(start, PacmanState) and len(start.left) == 1
        self._start = self._shown(problem.start)

    def _shown(self, number: int) -> Any:
        state: Any = self._problem.describe(number)
        shown = state.square if self._is_square else tuple(state) if isinstance(state, PacmanState) else state
        self._numbers[shown] = number
        return shown

    def _number(self, state: Any) -> int:
        try:
            return self._numbers[state]
        except (KeyError, TypeError):
            raise UserError(f"the problem is asked about {state!r}, which is no state that it has given") from None

    def getStartState(self) -> Any:
        return self._start

    def isGoalState(self, state: Any) -> bool:
        return self._problem.is_goal(self._number(state))

    def getSuccessors(self, state: Any) -> list[tuple[Any, str, float]]:
        if self._problem.counts.expanded >= _MAX_EXPANDED:
            raise UserError(f"{_MAX_EXPANDED:,} expansions without an end: does it remember what it has expanded?")
        steps = self._steps[state] = {}
        for code, after, cost in self._problem.expand(self._number(state)):
            shown = self._shown(after)
            steps[shown if isinstance(shown, str) else [*STEP][code]] = code, shown, cost
        return [(shown, action, cost) for action, (_, shown, cost) in steps.items()]

    def getCostOfActions(self, actions: Sequence[str]) -> float:
        state, total = self._start, 0.0
        for action in actions:
            _, state, cost = self._steps.get(state, {}).get(action, (0, None, _NO_PATH))
            total += cost
        return min(total, _NO_PATH)

    expand, getCostOfActionSequence = getSuccessors, getCostOfActions

    def h(self, state: Any, problem: Any) -> float:
        return self._problem.h(self._number(state))

    def plan(self, actions: Any) -> list[int]:
        state, codes, name = self._start, list[int](), self._function.__name__
        if not isinstance(actions, list | tuple) or not all(isinstance(each, str) for each in actions):
            _refuse(self._function, f"{name} returned {actions!r}: expected a list of actions")
        for place, action in enumerate(actions, 1):
            steps = self._steps.get(state, {})
            if action not in [*steps]:
                given = f"getSuccessors gave {', '.join(steps)}" if steps else "getSuccessors was not asked"
                _refuse(self._function, f"{name}: action {place} of the path is {action!r}; for {state}, {given}")
            code, state, _ = steps[action]
            codes.append(code)
        if not self.isGoalState(state):
            _refuse(self._function, f"{name} returned a path to {state}, which is no goal: {actions!r}")
        return codes


def _as_algorithm(names: dict[str, Any], name: str) -> Callable[[SearchProblem], list[int] | None]:
    def search(problem: SearchProblem) -> list[int] | None:
        function = _part(names, name)
        shown = _Problem(problem, function)
        call: Callable[[Any], Any] = (lambda each: function(each, each.h)) if name == SEARCHES[-1] else function
        try:
            found = limited(call, _MAX_SECONDS)(shown)
        except TimeoutError as error:
            raise UserError(f"no end after {_MAX_SECONDS} seconds").with_traceback(error.__traceback__) from None
        return None if found is None else shown.plan(found)

    return search


def _as_heuristic(names: dict[str, Any], name: str) -> Callable[[PacmanState, Instance], float]:
    function, boards = _part(names, name), list[_States]()

    def value(state: PacmanState, instance: Instance) -> float:
        if not boards or boards[0].instance is not instance:
            boards[:] = [_States(names, instance)]
        theirs = boards[0].of(state)
        before = repr(theirs)
        found = _asked(function, theirs, boards[0].problem)
        if repr(theirs) != before:
            _refuse(function, f"{name} changes its argument, the state: work on a copy of it")
        if hasattr(found, "__float__") and found >= 0:
            return float(found)
        _refuse(function, f"{name} returned {found!r}: an estimate is a number of at least 0")

    return value


def _as_paths(names: dict[str, Any], name: str) -> Callable[[PacmanState, Instance], float]:
    agent = object.__new__(_part(names, "ClosestDotSearchAgent"))  # what agents do when they are made is for games
    function = getattr(agent, name)

    def value(state: PacmanState, instance: Instance) -> float:
        world: Any = instance.world
        if world.is_goal(state):
            return 0
        path, square = _asked(function, _start_of(world, state)), state.square
        for action in path if isinstance(path, list | tuple) else ():
            if action not in world.board.moves(square):
                _refuse(function, f"{name} returned {path!r}, but {action!r} is not possible on {square}")
            square = world.board.moves(square)[action]
        if square not in state.left:
            _refuse(function, f"{name} returned {path!r}, which leads from {state.square} to no food")
        return len(path)

    return value


class _States:
    """States of a student by ours, on one board: of the corners, those of ``CornersProblem`` after the same moves."""

    def __init__(self, names: dict[str, Any], instance: Instance) -> None:
        self.instance, world = instance, cast("Any", instance.world)
        self._world, self._is_food, start = world, world.problem == "food", _start_of(world)
        if self._is_food:
            given = SimpleNamespace(startingGameState=start, walls=start.walls, heuristicInfo={})
            self.problem = names["FoodSearchProblem"](start) if "FoodSearchProblem" in names else given
        else:
            self.problem = _part(names, "CornersProblem")(start)
            self._theirs = {world.initial(): self.problem.getStartState()}
            self._waiting = deque(self._theirs)

    def of(self, state: PacmanState) -> Any:
        """Return the state of the student."""
        if self._is_food:
            walls = self.problem.walls
            return state.square, Grid(walls.width, walls.height, False, state.left)
        while state not in self._theirs:
            ours = self._waiting.popleft()
            steps = {action: after for after, action, _ in _successors(self.problem, self._theirs[ours])}
            for action, after, _ in self._world.successors(ours):
                if action not in steps:
                    _refuse(successors_of(self.problem), f"there is no step {action} from {self._theirs[ours]!r}")
                if after not in self._theirs:
                    self._theirs[after] = steps[action]
                    self._waiting.append(after)
        return self._theirs[state]


def _successors(problem: Any, state: Any) -> list[tuple[Any, str, Any]]:
    function = successors_of(problem)
    found = _asked(function, state)
    try:
        return [(after, str.__str__(action), cost) for after, action, cost in found]
    except (TypeError, ValueError):
        said = "a successor is (state, action, cost), and its second item is a text"
        _refuse(function, f"{function.__name__} returned {found!r}: {said}")


@dataclass(frozen=True, eq=False)
class _StudentWorld(Looks):
    domain: str = ""
    problem: Any = None
    max_successors = len(STEP)

    def initial(self) -> Any:
        return self._hashable(self.problem.getStartState())

    def successors(self, state: Any) -> Iterator[Step]:
        return ((action, self._hashable(after), cost) for after, action, cost in _successors(self.problem, state))

    def is_goal(self, state: Any) -> bool:
        return bool(_asked(self.problem.isGoalState, state))

    def _hashable(self, state: Any) -> Any:
        try:
            return {state: state}[state]
        except TypeError:
            _refuse(successors_of(self.problem), f"the state {state!r} cannot be hashed: use tuples instead of lists")
