"""Compiled heuristics from functions: values as in plain Python, parameters, dead ends, errors, cache on disk."""

# Functions are typed by numba, and some are wrong on purpose.
# mypy: allow-untyped-defs, disable-error-code="name-defined,return,no-untyped-def"

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from msgspec import Meta

import runner
from algorithms.spaces.state_space import StateSpace
from algorithms.spaces.state_values import values, values_along_steps
from heuristics.interface.heuristic import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.interface.stack import BoundStack, Stack
from runner import compiled_heuristic, python_heuristic
from runner.base.errors import Incompatible, UserError
from runner.base.own_places import PACKAGES
from tests.isolated import isolated
from tests.sampling import covering
from worlds.compile.errors import CompileError, KernelError
from worlds.compile.kernels import kernel
from worlds.gridmap.search import goal_x_of, x_of
from worlds.interface.instance import Instance, Problem
from worlds.npuzzle.search import CELLS, tile_at
from worlds.snake.search import length_of
from worlds.wumpus.search import HAS_GOLD, has

CAVE = runner.load("wumpus/static")[2]
START = CAVE.problem().initial


@pytest.fixture(autouse=True)
def _own_entries() -> Iterator[None]:
    with isolated(PACKAGES):
        sys.modules.pop("runner.examples.two_legs", None)
        yield


def bound(instance: Instance, *names: str, **parameters: Any) -> BoundStack:
    heuristics = [HEURISTICS.find(name, domain=instance.world.domain)(**parameters) for name in names]
    return Stack(tuple(heuristics)).prepare(instance.problem())


def value(function: Callable[..., Any]) -> float:
    """Register a function for caves, and return its value at the start."""
    compiled_heuristic("tested", domain="wumpus")(function)
    return runner.heuristic(CAVE, ["tested"])(START)


def slow_legs(play: Any, instance: Any, actions: bool = True) -> float:
    cave = instance.cave
    if play.climbed_out or not play.alive:
        return 0 if play.alive and play.has_gold else math.inf
    stops = [play.square, cave.exit] if play.has_gold else [play.square, cave.gold, cave.exit]
    distance = sum(abs(x1 - x2) + abs(y1 - y2) for (x1, y1), (x2, y2) in pairwise(stops))
    return distance + (len(stops) - 1 if actions else 0)


def slow_wrong_tiles(board: Any, instance: Any) -> int:
    goal = instance.puzzle.goal
    return sum(tile not in (0, goal[cell]) for cell, tile in enumerate(board))


@pytest.mark.parametrize("actions", [True, False])
@pytest.mark.parametrize("pruning", ["none", "best"])
def test_a_function_of_one_word_equals_its_twin_in_every_state(pruning: str, actions: bool) -> None:
    import_module("runner.examples.two_legs")
    python_heuristic("slow_legs", domain="wumpus")(slow_legs)
    for instance in runner.load("wumpus/random", count=5, size=4, formulation="primitive", pruning=pruning):
        space = StateSpace(instance.problem())
        fast, slow = (bound(instance, name, actions=actions) for name in ("two_legs", "slow_legs"))
        found = values(fast, space.all_states())
        assert found.tolist() == values(slow, space.all_states()).tolist()
        assert found.tolist()[0] == runner.heuristic(instance, [{"name": "two_legs", "actions": actions}])(
            space.state(0)
        )
        assert values_along_steps(fast, space, found).tolist() == found[space.target].tolist()


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_a_function_of_any_words_equals_its_twin_and_itself_in_plain_python(size: int) -> None:
    function = import_module("runner.examples.two_legs").wrong_tiles
    python_heuristic("slow", domain="npuzzle")(slow_wrong_tiles)
    for goal in ("blank_first", "blank_last"):
        for board in runner.load("npuzzle/random", size=size, count=10, goal=goal):
            problem = board.problem()
            state = problem.initial
            fast, slow = (runner.heuristic(board, [name])(state) for name in ("wrong_tiles", "slow"))
            assert fast == slow == function(problem.constants, state, 0)


def test_states_of_snake_are_read_at_their_own_words() -> None:
    @compiled_heuristic("eaten", domain="snake")
    def eaten(constants, states, at):
        return length_of(constants, states, at)

    board = runner.load("snake/random", count=1, rows=8, columns=8, candies=20, max_capacity=2)[0]
    eaten_of, space = runner.heuristic(board, ["eaten"]), board.problem()
    state, found = space.initial, {0.0}
    assert state.size > 1
    while successors := space.successors(state):
        state = max((after for after, _, _ in successors), key=eaten_of)
        assert eaten_of(state) == len(space.unpack(state).body)
        found.add(eaten_of(state))
        if len(found) == 9:
            break
    assert len(found) > 1


def test_parameters_of_all_types_follow_the_world() -> None:
    @compiled_heuristic("weighted", domain="wumpus")
    def weighted(constants, state, count: int = 2, twice: bool = False, step=0.5, offset: float = 1):
        return count * (2 if twice else 1) + 2 * step + offset

    assert bound(CAVE, "weighted").evaluate(START) == 2 + 1 + 1
    assert bound(CAVE, "weighted", count=7, twice=True, step=-1.5, offset=4.0).evaluate(START) == 14 - 3 + 4
    with pytest.raises(UserError, match="count: expected int"):
        runner.heuristic(CAVE, [{"name": "weighted", "count": "x"}])
    with pytest.raises(UserError, match="parameter count of weighted has more than 64 bits"):
        runner.heuristic(CAVE, [{"name": "weighted", "count": 1 << 70}])


def test_without_parameters_the_world_is_not_copied() -> None:
    compiled_heuristic("zero", domain="wumpus")(lambda constants, state: 0)
    problem = CAVE.problem()
    term = HEURISTICS.find("zero", domain="wumpus")().term(problem)
    assert term is not None
    assert term.params is problem.constants


def test_tables_follow_the_world_and_have_parameters_of_any_type() -> None:
    def table_of(problem: Problem, kind: Literal["squares", "numbers"] = "squares", count: int = 3) -> Any:
        assert problem.instance is CAVE
        return np.arange(count) ** (2 if kind == "squares" else 1)

    @compiled_heuristic("tabulated", domain="wumpus", tables=table_of)
    def tabulated(constants, state, count=3, more=0):
        return constants[constants[-1] + count - 1] + more

    assert bound(CAVE, "tabulated").evaluate(START) == 4
    assert bound(CAVE, "tabulated", kind="numbers", count=9, more=5).evaluate(START) == 8 + 5
    with pytest.raises(UserError, match="kind: expected one of squares, numbers, got 'number'"):
        runner.heuristic(CAVE, [{"name": "tabulated", "kind": "number"}])
    with pytest.raises(TypeError, match=r"the function takes \(problem\), and after these only"):
        compiled_heuristic("tabulated", domain="wumpus", tables=lambda problem, count: np.zeros(count, np.int64))(
            tabulated
        )


def test_a_second_function_estimates_the_cost_from_the_start() -> None:
    """It takes the start as a word, or as an array of words, and parameters of its own and of the first function."""

    def from_start(constants, state, start, weight: float = 1.5, offset=0):
        return math.floor(weight * abs(x_of(state) - x_of(start))) + offset + constants[constants[-1]]

    @compiled_heuristic(
        "columns", domain="gridmap", backward=from_start, tables=lambda problem: np.array([7]), consistent=False
    )
    def columns(constants, state, weight: float = 1.5):
        return math.floor(weight * abs(x_of(state) - goal_x_of(state)))

    grid: Any = runner.load("gridmap/random", size=9, kind="open", count=1)[0]
    entry: Any = HEURISTICS.find("columns", domain="gridmap")
    heuristic = entry(weight=2.5, offset=4)
    assert heuristic.has_backward
    stack = Stack((heuristic,)).prepare(grid.problem())
    backward = stack.stack.prepare_backward(stack.problem)
    (start, _), (goal, _) = grid.start, grid.goal
    for x in range(9):
        assert stack.evaluate(grid.state(x, 1)) == math.floor(2.5 * abs(x - goal))
        assert backward.evaluate(grid.state(x, 1)) == math.floor(2.5 * abs(x - start)) + 4 + 7

    def differing(constants, states, at, start, doubled: bool = False):
        count = 0
        for cell in range(constants[CELLS]):
            count += tile_at(constants, states, at, cell) != tile_at(constants, start, 0, cell)
        return 2 * count if doubled else count

    compiled_heuristic("zero", domain="npuzzle", backward=differing)(lambda constants, states, at: 0)
    make_zero: Any = HEURISTICS.find("zero", domain="npuzzle")
    for size in (3, 5):
        boards: Any = runner.load("npuzzle/random", size=size, count=2)
        one, other = boards
        for doubled in (False, True):
            zero = Stack((make_zero(doubled=doubled),))
            value = zero.prepare_backward(one.problem()).evaluate(other.problem().initial)
            tiles = zip(one.puzzle.board, other.puzzle.board, strict=True)
            assert value == (1 + doubled) * sum(each != another for each, another in tiles)


def test_wrong_functions_from_the_start_are_refused() -> None:
    def zero(constants, state):
        return 0

    with pytest.raises(TypeError, match=r"the function of `backward` takes \(constants, state, start\) or"):
        compiled_heuristic("zero", domain="wumpus", backward=zero)(zero)
    with pytest.raises(TypeError, match=r"the function of `backward` takes \(state\) or \(state, world\)"):
        python_heuristic("zero", domain="wumpus", backward=lambda: 0)(zero)
    compiled_heuristic("zero", domain="npuzzle", backward=lambda constants, state, start: 0)(
        lambda constants, states, at: 0
    )
    board = runner.load("npuzzle/random", size=5, count=1)[0]
    with pytest.raises(Incompatible, match=r"takes \(constants, state, start\), for states of one word"):
        runner.solve(board, "nbs", ["zero"])


@pytest.mark.parametrize("batch", [False, True])
def test_a_second_function_in_plain_python_has_its_parameters(batch: bool) -> None:
    def distance(cell: Any, other: Any) -> int:
        return sum(abs(a - b) for a, b in zip(cell, other, strict=True))

    def from_start(given: Any, world: Any, weight: int = 1, offset: int = 0) -> Any:
        found = [weight * distance(cell, world.start) + offset for cell in (given if batch else [given])]
        return found if batch else found[0]

    @python_heuristic("walk", domain="gridmap", batch=batch, backward=from_start)
    def walk(given, world, weight: int = 1):
        found = [weight * distance(cell, world.goal) for cell in (given if batch else [given])]
        return found if batch else found[0]

    grid: Any = runner.load("gridmap/random", size=9, kind="open", count=1, directions=4)[0]
    entry: Any = HEURISTICS.find("walk", domain="gridmap")
    stack = Stack((entry(weight=2, offset=3),))
    backward = stack.prepare_backward(grid.problem())
    assert backward.evaluate(grid.state(4, 5)) == 2 * distance((4, 5), grid.start) + 3
    assert runner.solve(grid, "nbs", ["walk"]).cost == runner.solve(grid, "ucs").cost


def refuse_even(heuristic: Any) -> None:
    if heuristic.factor % 2 == 0:
        raise UserError("heuristic.factor: expected an odd number")


def refuse_large(heuristic: Any, instance: Instance) -> None:
    if instance is CAVE and heuristic.factor > 3:
        raise Incompatible("heuristic: the factor is too large for this cave")


@pytest.mark.parametrize("decorator", [compiled_heuristic, python_heuristic])
def test_functions_declare_stacks_checks_and_properties_that_depend_on_parameters(decorator: Any) -> None:
    @decorator(
        "odd", domain="wumpus", builds_on=("manhattan",), stands_alone=False, validate=refuse_even, check=refuse_large,
        admissible=lambda heuristic: heuristic.factor == 1, consistent=None, safe=True,
    )  # fmt: skip
    def odd(constants, state, factor=1):
        return 0

    entry: Any = HEURISTICS.find("odd", domain="wumpus")
    one, three = entry(factor=1), entry(factor=3)
    assert (one.admissible, three.admissible, one.consistent, three.safe) == (True, False, None, True)
    assert (one.builds_on, one.stands_alone) == (("manhattan",), False)
    assert runner.solve(CAVE, "astar", ["manhattan", {"name": "odd", "factor": 3}]).status == "solved"
    with pytest.raises(UserError, match=r"^heuristic\.factor: expected an odd number$"):
        runner.solve(CAVE, "astar", [{"name": "odd", "factor": 2}])
    with pytest.raises(Incompatible, match="the factor is too large for this cave"):
        runner.solve(CAVE, "astar", [{"name": "odd", "factor": 5}])
    with pytest.raises(TypeError, match="heuristic 'odd': unknown keyword admisible; did you mean 'admissible'"):
        decorator("odd", domain="wumpus", admisible=True)(odd)
    with pytest.raises(TypeError, match="odd: safe: expected true or false"):
        decorator("odd", domain="wumpus", safe="yes")(odd)


@pytest.mark.parametrize("count", [1, 8, 16, 32, 100_000])
def test_dead_ends_can_be_added(count: int) -> None:
    @compiled_heuristic("dead_ends", domain="wumpus")
    def dead_ends(constants, state, count: int = 1):
        total = 0
        for _ in range(count):
            total += UNREACHABLE
        return total

    assert bound(CAVE, "dead_ends", count=count).evaluate(START) == math.inf


@kernel(TERM)
def many_dead_ends(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    for k in range(n):
        for _ in range(params[-1]):
            h[slot + k] += UNREACHABLE
    return 0


class DeadEnds(Heuristic):
    """Batch kernel that adds several dead ends."""

    registered_name = "dead_ends"

    def __init__(self, count: int) -> None:
        self.count = count

    def term(self, problem: Problem) -> Term:
        return Term(many_dead_ends, np.append(problem.constants, self.count))


@covering({"count": [1, 4, 16, 32], "combine": ["sum", "max"]})
def test_stacks_of_dead_ends_are_dead_ends(count: int, combine: Any) -> None:
    for terms in (1, 2, 8):
        stack = Stack((DeadEnds(count),) * terms, combine).prepare(CAVE.problem())
        assert stack.evaluate(START) == math.inf
        assert (values(stack, np.tile(START, 9)) > UNREACHABLE).all()


def test_infinity_is_a_dead_end() -> None:
    assert value(lambda constants, state: math.inf) == math.inf
    assert value(lambda constants, state: 3.0) == 3


@covering(
    {
        "safe,status": [(True, "unsolvable"), (False, "cutoff"), (None, "cutoff")],
        "algorithm": ["astar", "idastar", "greedy", "anytime_astar"],
    }
)
def test_searches_do_not_enter_dead_ends(algorithm: str, safe: bool | None, status: str) -> None:
    @compiled_heuristic("no_gold", domain="wumpus", safe=safe)
    def no_gold(constants, state):
        return 32 * UNREACHABLE if has(state, HAS_GOLD) else 0

    for cave in runner.load("wumpus/all", size=2, pits=0)[::4]:
        assert runner.solve(cave, algorithm, ["manhattan"]).status == "solved"
        result = runner.solve(cave, algorithm, ["no_gold"])
        assert result.status == status
        assert ("no_gold is not declared safe" in str(result.reason)) is (status == "cutoff")


@pytest.mark.parametrize("algorithm", ["astar", "greedy"])
def test_a_search_without_dead_ends_proves_that_there_is_no_plan(algorithm: str) -> None:
    @compiled_heuristic("nothing_known", domain="wumpus")
    def nothing_known(constants, state):
        return 0

    caves = runner.load("wumpus/all", size=2)[::20]
    statuses = {runner.solve(cave, algorithm, ["nothing_known"]).status for cave in caves}
    assert statuses == {"solved", "unsolvable"}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda constants, state: -1, "the value of heuristic tested is negative"),
        (lambda constants, state: -math.inf, "the value of heuristic tested is negative"),
        (lambda constants, state: 0.5, "the value of heuristic tested is not an integer"),
        (lambda constants, state: math.nan, "the value of heuristic tested is not an integer"),
    ],
)
def test_other_values_are_errors_that_name_the_heuristic(function: Callable[..., float], message: str) -> None:
    with pytest.raises(KernelError, match=f"^{message}$"):
        value(function)


def undefined(constants, state):
    gold = 3
    return no_such_name + gold  # noqa: F821


def without_a_number(constants, state):
    if constants[0] > 1000:
        return 1
    return None


def plain(state):
    return state


def not_marked(constants, state):
    return plain(state)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (undefined, "undefined cannot be compiled: NameError: .*'no_such_name'.* line [0-9]+: return no_such_name"),
        (without_a_number, "without_a_number cannot be compiled: it must return a number on every path"),
        (not_marked, "not_marked cannot be compiled: .*'plain'.*@helper .*: return plain"),
    ],
)
def test_errors_of_the_compiler_take_one_line(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(CompileError) as caught:
        value(function)
    assert re.match(message, str(caught.value))
    assert "\n" not in str(caught.value)
    assert "test_compiled_heuristic.py, line" in str(caught.value)


def test_a_function_of_one_word_is_refused_for_several_words(tmp_path: Path) -> None:
    compiled_heuristic("zero", domain="npuzzle")(lambda constants, state: 0)
    large, small = (runner.load("npuzzle/random", size=size, count=1)[0] for size in (5, 4))
    assert runner.heuristic(small, ["zero"])(small.problem().initial) == 0
    with pytest.raises(Incompatible, match=r"takes \(constants, state\).* takes 2; write \(constants, states, at\)"):
        runner.heuristic(large, ["zero"])


def test_ranges_of_parameters_hold() -> None:
    @compiled_heuristic("ranged", domain="npuzzle")
    def ranged(world: Any, state: Any, least: Annotated[float, Meta(ge=0, le=9)] = 1) -> float:
        return least

    board = runner.load("npuzzle/random", size=3, count=1)[0]
    assert runner.solve(board, "astar", [{"name": "ranged", "least": 9}]).initial_h == 9
    with pytest.raises(UserError, match=r"least: expected float <= 9\.0, got 10"):
        runner.solve(board, "astar", [{"name": "ranged", "least": 10}])


def test_one_function_has_several_names() -> None:
    """Errors name the heuristic, so each has a kernel of its own."""
    compiled_heuristic("one", domain="wumpus")(compiled_heuristic("other", domain="wumpus")(lambda constants, state: 3))
    assert [bound(CAVE, name).evaluate(START) for name in ("one", "other")] == [3, 3]


def test_functions_of_one_qualified_name_are_not_confused() -> None:
    compiled_heuristic("one", domain="wumpus")(lambda constants, state: 3)
    compiled_heuristic("other", domain="wumpus")(lambda constants, state: 4)
    assert [bound(CAVE, name).evaluate(START) for name in ("one", "other")] == [3, 4]
    kernels = [bound(CAVE, name).kernels[0].identity for name in ("one", "other")]
    assert kernels[0] != kernels[1]


def test_functions_of_another_form_are_refused() -> None:
    register = compiled_heuristic("tested", domain="wumpus")
    with pytest.raises(TypeError, match=r"takes \(constants, state\) or \(constants, states, at\), .* takes \(state\)"):
        register(lambda state: 0)
    with pytest.raises(TypeError, match=r"takes \(constants, state, \*rest\)"):
        register(lambda constants, state, *rest: 0)
    with pytest.raises(TypeError, match="parameter mode is <class 'str'>; a compiled function takes bool, int, float"):
        register(lambda constants, state, mode="fast": 0)
    with pytest.raises(TypeError, match=r"takes \(state\) or \(state, world\)"):
        python_heuristic("tested", domain="wumpus")(lambda state, world, factor: 0)
