"""Pattern databases of Rubik's cube against sets of slots, and IDA* in place against the search that writes states."""

from __future__ import annotations

import math
import random
from statistics import mean, stdev
from typing import Any

import pytest

import runner
from algorithms.depth_first.depth_first import Deepening, DepthFirstSearch, IterativeDeepeningAStar
from algorithms.depth_first.factors import UNWEIGHTED, Factors
from algorithms.depth_first.in_place import InPlaceSearch, in_place_of
from algorithms.engine.search import Limits, StepStatus
from heuristics.interface.stack import BoundStack
from heuristics.rubik.pattern_database import CubePatternDatabase
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.algorithms.searching import run
from worlds.interface.instance import Instance
from worlds.rubik.patterns import Pattern, added_ranks
from worlds.rubik.rules import CORNERS, CUBIES, EDGES, SOLVED, TURNS, State, slots_after, turned
from worlds.rubik.world import Cube

QUARTER = tuple(turn for turn in TURNS if not turn.endswith("2"))
ALL = [["URF", "UFL", "ULB"], ["UBR", "DFR"], ["DLF", "DBL", "DRB"], *(list(EDGES[i : i + 3]) for i in (0, 3, 6, 9))]
"""Groups that have all cubies."""


def naive(group: list[str], turns: tuple[str, ...]) -> dict[tuple[int, ...], int]:
    """Return the distance of the slots of some cubies."""
    distance = {tuple(SOLVED[CUBIES.index(name)] for name in group): 0}
    for slots, depth in (queue := list(distance.items())):
        for turn in turns:
            after = tuple(slots_after(turn)[slot] for slot in slots)
            if after not in distance:
                distance[after] = depth + 1
                queue.append((after, depth + 1))
    return distance


def prepared(state: State, turns: tuple[str, ...], partition: list[list[str]]) -> BoundStack:
    stack = sections.stack_of("rubik", {"stack": [{"name": "pattern_database", "partition": partition}]})
    return stack.prepare(Instance(Cube(state, turns), "any").problem())


def scrambled(source: random.Random, turns: tuple[str, ...], depth: int) -> State:
    state = SOLVED
    for turn in source.choices(turns, k=depth):
        state = turned(state, turn)
    return state


@pytest.mark.parametrize(
    ("partition", "turns"),
    [([["URF"]], TURNS), ([["UFL", "DRB"], ["BL", "UR", "DF"]], TURNS), ([["UR", "UF"], ["DLF"]], QUARTER)],
)
def test_values_are_the_largest_distance_of_a_group(partition: list[list[str]], turns: tuple[str, ...]) -> None:
    source = random.Random(str(partition))
    bound = prepared(SOLVED, turns, partition)
    tables = [naive(group, turns) for group in partition]
    for _ in range(30):
        state = scrambled(source, turns, source.randint(0, 20))
        values = [
            table[tuple(state[CUBIES.index(name)] for name in group)]
            for table, group in zip(tables, partition, strict=True)
        ]
        assert bound.evaluate(bound.problem.pack(state)) == max(values)


@pytest.mark.parametrize("turns", [TURNS, QUARTER, ("U2", "F2", "R2")])
def test_values_from_the_start_are_those_of_the_same_turns_of_the_solved_cube(turns: tuple[str, ...]) -> None:
    source = random.Random(str(turns))
    partition = [["URF", "DLF"], ["UR", "BL", "DF"]]
    for _ in range(10):
        start = scrambled(source, turns, 20)
        bound = prepared(start, turns, partition)
        backward = bound.stack.prepare_backward(bound.problem)
        for depth in range(6):
            sequence = source.choices(turns, k=depth)
            cube, solved = start, SOLVED
            for turn in sequence:
                cube, solved = turned(cube, turn), turned(solved, turn)
            pack = bound.problem.pack
            assert backward.evaluate(pack(cube)) == bound.evaluate(pack(solved)) <= depth


def test_numbers_of_a_pattern_have_no_gaps_even_if_a_twist_follows_from_the_others() -> None:
    pattern = Pattern(tuple(range(len(CORNERS))), are_corners=True)
    assert (pattern.blocks, pattern.size) == (40320, 2187)
    source, numbers = random.Random(1), set[int]()
    for _ in range(500):
        state = scrambled(source, TURNS, 30)
        numbers.add(pattern.number(state))
    assert len(numbers) == 500
    assert max(numbers) < pattern.blocks * pattern.size
    assert pattern.number(SOLVED) == 0
    assert [Pattern(tuple(range(6)), are_corners=False).blocks, 2**6] == [665_280, 64]
    assert added_ranks(3, 2)[5].tolist() == [5, 3, 4, 8, 6, 7, 2, 0, 1]  # 12 in base 3, plus 00, 01, 02, 10, ...


@pytest.mark.parametrize("turns", [TURNS, QUARTER], ids=["half turns", "quarter turns"])
def test_in_place_is_the_same_search(turns: tuple[str, ...]) -> None:
    """Both searches visit the same nodes, whatever the weight and the budgets of the steps."""
    source, lengths = random.Random(len(turns)), []
    for number in range(6):
        stack = prepared(scrambled(source, turns, number), turns, ALL)
        factors = Factors.of(1.5) if number > 4 else UNWEIGHTED
        found = in_place_of(stack)
        assert found is not None
        slow = DepthFirstSearch(stack, Deepening("f", cycle_check="parent", factors=factors))
        fast = InPlaceSearch(stack, found, factors)
        assert run(slow, Limits()) == "solved"
        while (status := fast.step(source.randint(1, 500))) != StepStatus.SOLVED:
            assert status == StepStatus.RUNNING or fast.grow(None)
        for name in ("expanded", "generated", "iterations"):
            assert getattr(fast.counts, name) == getattr(slow.counts, name)
        assert (fast.path(), fast.cost) == (slow.path(), slow.cost)
        assert fast.expanded_before_last_layer == slow.expanded_before_last_layer
        lengths.append(fast.cost)
    assert max(lengths) > 3


def test_groups_without_some_cubies_do_not_separate_goals() -> None:
    assert in_place_of(prepared(SOLVED, TURNS, ALL[:-1])) is None


@pytest.mark.parametrize(
    ("partition", "message"),
    [
        ("6-6", "expected auto, korf or lists of cubies, got '6-6'"),
        ([], "expected at least one group of cubies"),
        ([["URF", "UF"]], "expected groups of corners or of edges, each once in a group"),
        ([["UF", "UF"]], "expected groups of corners or of edges, each once in a group"),
        ([["UQ"]], "there is no cubie 'UQ'"),
        ([list(EDGES[:7])], "expected groups with at most 268,435,456 states, got one of 7 cubies with 510,935,040"),
    ],
)
def test_wrong_groups_are_refused(partition: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.heuristic(
            runner.load("rubik/random", count=1)[0], [{"name": "pattern_database", "partition": partition}]
        )


@pytest.mark.parametrize(
    ("name", "entries"), [("auto", [136_080] * 2 + [190_080] * 3), ("korf", [88_179_840, 42_577_920, 42_577_920])]
)
def test_named_groups_have_every_cubie_once(name: str, entries: list[int]) -> None:
    patterns = CubePatternDatabase(name)._patterns()
    assert [pattern.blocks * pattern.size for pattern in patterns] == entries
    for are_corners, number in ((True, 8), (False, 12)):
        cubies = [cubie for each in patterns if each.are_corners == are_corners for cubie in each.cubies]
        assert sorted(cubies) == [*range(number)]


def test_predicted_expansions_are_nearly_those_of_random_cubes() -> None:
    """An iteration of IDA* on cubes far from the goal, with groups of four."""
    stack = sections.stack_of("rubik", {"stack": ["pattern_database"]})
    for f_limit in (7, 8):
        algorithm, expanded, predicted = IterativeDeepeningAStar("parent", f_limit=f_limit), [], set[float]()
        for cube in runner.load("rubik/random", count=150, depth=100):
            search = algorithm.start(stack.prepare(cube.problem()), None)
            assert isinstance(search, InPlaceSearch)
            assert run(search, Limits()) == "cutoff"
            expanded.append(search.counts.expanded)
            predicted.add(search.measured["predicted"] or 0)
        (expected,) = predicted
        assert abs(mean(expanded) - expected) < 3 * stdev(expanded) / math.sqrt(len(expanded)), (f_limit, expected)
