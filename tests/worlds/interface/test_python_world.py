"""Worlds and heuristics in plain Python: their results, and how their mistakes are reported."""

from __future__ import annotations

import math
import random
import re
import signal
import sys
import time
from dataclasses import dataclass, make_dataclass
from typing import Any

import numpy as np
import pytest
from runner.examples.pancake import Pancake

import runner
from algorithms.breadth_first import BreadthFirst
from algorithms.engine.search import Limits, Search
from algorithms.interface.algorithm import SearchAlgorithm
from heuristics.interface.python_heuristic import PythonHeuristic, python_heuristic
from heuristics.interface.stack import Stack
from runner.base.errors import Incompatible
from runner.base.own_places import PACKAGES
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.caves import any_cave, instance
from tests.graphs import Graph
from tests.isolated import isolated
from tests.sampling import covering
from worlds.compile.errors import KernelError
from worlds.interface.instance import Instance, looks_of
from worlds.interface.python_world import PythonWorld
from worlds.wumpus.rules import Play
from worlds.wumpus.world import CaveWorld


@dataclass(frozen=True)
class Line(PythonWorld):
    """States 0 to 9, where 9 is the goal. In state 5 the mistake happens that `trouble` names."""

    trouble: str = ""

    def initial(self) -> int:
        return 0

    def successors(self, state: Any) -> list[tuple[str, Any, Any]]:
        if state == 5 and self.trouble == "raise":
            raise ZeroDivisionError("of a user")
        if state == 5 and self.trouble == "interrupt":
            signal.raise_signal(signal.SIGINT)
        if state == 5 and self.trouble == "exit":
            raise SystemExit(3)
        if state == 5 and self.trouble == "unhashable":
            return [("step", [6], 1)]
        if state == 5 and self.trouble == "many":
            return [(f"step {k}", 6, 1) for k in range(self.max_successors + 1)]
        cost = {"negative": -1, "fraction": 0.5, "huge": 1 << 40}.get(self.trouble, 1) if state == 5 else 1
        return [("step", state + 1, cost)] if state < 9 else []

    def is_goal(self, state: Any) -> bool:
        if state == 5 and self.trouble == "goal":
            raise ZeroDivisionError("of a user")
        return state == 9


def line(trouble: str = "") -> Instance:
    return next(iter(Line(trouble).instances()))


def start(algorithm: str, *heuristics: PythonHeuristic) -> Search:
    """Start a search of the line without mistakes."""
    chosen = sections.algorithm_of({"name": algorithm})
    assert isinstance(chosen, SearchAlgorithm)
    return chosen.start(Stack(heuristics).prepare(line().problem()), None)


AlgorithmSection = str | dict[str, Any]
ALGORITHMS: list[AlgorithmSection] = [
    "ucs",
    "bfs",
    {"name": "bfs", "goal_test": "generated"},
    "dfs",
    "ids",
    "idastar",
    "anytime_astar",
]


@covering(
    {
        "trouble,error": [
            ("raise", "ZeroDivisionError: of a user"),
            ("goal", "ZeroDivisionError: of a user"),
            ("exit", "SystemExit: 3"),
            ("unhashable", "TypeError: successors() returned the list [6]; states must be hashable: return a tuple"),
            ("many", "max_successors = 1024"),
            ("negative", "ValueError: action 'step' costs -1; costs are at least 0"),
            ("fraction", "which is not an int: declare cost_scale"),
            ("huge", "a path costs more than"),
        ],
        "algorithm": ALGORITHMS,
    }
)
def test_a_mistake_of_a_world_is_an_error_of_its_instance_only(
    algorithm: AlgorithmSection, trouble: str, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    result = runner.solve(line(trouble), algorithm)
    assert result.status == "error"
    assert result.error is not None
    assert error in result.error
    if trouble in ("raise", "goal"):
        assert "in successors" in caplog.text or "in is_goal" in caplog.text
    assert runner.solve(line(), algorithm).status == "solved"


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_control_c_inside_a_world_ends_the_search(algorithm: AlgorithmSection) -> None:
    with pytest.raises(KeyboardInterrupt):
        runner.solve(line("interrupt"), algorithm)


@dataclass(frozen=True)
class Broken(PythonHeuristic):
    """Heuristic with a given value in state 5 of the line, or an exception there; 0 elsewhere."""

    registered_name = "broken"
    at_five: Any = None

    def value(self, state: Any, world: Any) -> Any:
        if state == 5 and self.at_five is ZeroDivisionError:
            raise ZeroDivisionError("of a user")
        return self.at_five if state == 5 else 0


@covering(
    {
        "algorithm": ["astar", "idastar", "greedy", "beam"],
        "value,error": [
            (ZeroDivisionError, "of a user"),
            (-1, "heuristic 'broken' gave -1 for the state 5; expected an integer of at least 0, or math.inf"),
            (0.5, "'broken' gave 0.5 for the state 5"),
            (None, "'broken' gave None for the state 5"),
            (math.nan, "'broken' gave nan"),
            (1e9 + 0.5, "'broken' gave 1000000000.5"),
            (-math.inf, "'broken' gave -inf"),
            ("7", "'broken' gave '7'"),
            ([], r"'broken' gave \[\]"),
        ],
    }
)
def test_a_mistake_in_a_heuristic_is_an_error(value: Any, error: str, algorithm: str) -> None:
    search = start(algorithm, Broken(value))
    with pytest.raises((ValueError, TypeError, ZeroDivisionError, KernelError), match=error):
        run(search, Limits())


@pytest.mark.parametrize(
    ("found", "given"), [(None, "None"), ([("step", 1)], r"\('step', 1\)"), ([7], "7"), ("step", "'s'")]
)
def test_wrong_steps_are_an_error_that_names_the_state(found: Any, given: str) -> None:
    class Wrong(Line):
        def successors(self, state: Any) -> Any:
            return found

    result = runner.solve(next(iter(Wrong().instances())), "ucs")
    assert result.status == "error"
    error = rf"ValueError: successors gave {given} for the state 0; expected steps \(name of the action, state, cost\)"
    assert re.fullmatch(error, str(result.error))


def test_a_time_limit_is_kept_in_a_slow_world() -> None:
    class Endless(Line):
        def successors(self, state: Any) -> list[tuple[str, Any, Any]]:
            time.sleep(0.01)
            return [("step", state + 1, 1)]

        def is_goal(self, state: Any) -> bool:
            return False

    endless = next(iter(Endless().instances()))
    for algorithm in ("ucs", "ids"):
        result = runner.solve(endless, algorithm, limits={"time": 0.1})
        assert result.status == "time_limit"
        assert result.expanded is not None
        assert result.expanded < 200


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ([0], "initial() returned the list [0]; states must be hashable: return a tuple"),
        (([0],), "initial() returned the tuple ([0],); states must be hashable: return a tuple"),
    ],
)
def test_a_start_that_cannot_be_hashed_is_named(start: Any, error: str) -> None:
    world = make_dataclass("Listed", [], bases=(Line,), namespace={"initial": lambda _: start}, frozen=True)()
    assert runner.solve(next(iter(world.instances())), "ucs").error == f"TypeError: {error}"


def test_count_needs_a_seed() -> None:
    with pytest.raises(TypeError, match="Counted: count needs the field seed, too"):

        class Counted(Line):
            count: int = 1


def test_a_mistake_in_goals_is_an_error_for_every_algorithm() -> None:
    class NoGoals(Graph):
        def goals(self) -> Any:
            raise LookupError("of a user")

    for algorithm in ("bidirectional", "ucs"):
        result = runner.solve(NoGoals(((0, 1, 1),), (1,)).instance(), algorithm)
        assert (result.status, result.error) == ("error", "LookupError: of a user")


def test_more_successors_than_action_codes_are_an_error() -> None:
    class Wide(Line):
        max_successors = 40_000

    result = runner.solve(next(iter(Wide().instances())), "ucs")
    assert result.status == "error"
    assert result.error is not None
    assert "from 1 to 32,767" in result.error


def test_an_error_in_a_goal_test_does_not_reach_the_next_search() -> None:
    problem = Stack().prepare(line("goal").problem()).problem
    problem.is_goal.compiled(problem.constants, problem.pack(5), 0)
    assert runner.solve(line(), "ucs").status == "solved"
    with pytest.raises(ZeroDivisionError):
        problem.recognises(problem.pack(5))


def test_a_state_with_an_infinite_value_is_a_dead_end() -> None:
    assert run(start("astar", Broken(math.inf)), Limits()) == "unsolvable"


def test_plans_can_be_replayed_and_rendered() -> None:
    pancakes = next(iter(Pancake(size=5, seed=0).instances()))
    result = runner.solve(pancakes, "astar", ["gap"])
    assert result.plan is not None
    assert pancakes.world.replay(result.plan).reaches_goal
    assert not pancakes.world.replay(result.plan[:-1]).reaches_goal
    assert not pancakes.world.replay(("jump",)).reaches_goal
    text = looks_of(pancakes.world).render(result.plan).splitlines()
    assert len(text) == 1 + len(result.plan)
    assert result.length == len(result.plan)
    assert text[-1].endswith("(0, 1, 2, 3, 4)")
    assert runner.heuristic(pancakes, ["gap"])((1, 0, 2, 3, 4)) == 1


def test_actions_stand_above_states_of_several_lines() -> None:
    class Column(Pancake):
        def show(self, state: tuple[int, ...]) -> str:
            return "\n".join(map(str, state))

    world = Column(size=2, seed=0)
    first = world.initial()
    (name, second, _), *_ = world.successors(first)
    (instance, *_) = world.instances()
    assert looks_of(instance.world).render([name]) == f"{first[0]}\n{first[1]}\n{name}:\n{second[0]}\n{second[1]}"


def test_a_world_with_count_and_seed_has_one_instance_for_each_seed() -> None:
    three = list(Pancake(size=6, count=3, seed=4).instances())
    assert [(i.id, i.seed) for i in three] == [("pancake_4", 4), ("pancake_5", 5), ("pancake_6", 6)]
    alone = next(iter(Pancake(size=6, count=1, seed=6).instances()))
    assert runner.solve(alone, "ucs").run_id == runner.solve(three[2], "ucs").run_id
    assert len({runner.solve(i, "ucs").run_id for i in three}) == 3
    assert len(Pancake(count=7)) == 7
    assert len(Line()) == 1


def test_a_heuristic_in_plain_python_works_on_a_compiled_world() -> None:
    """It takes the unpacked state, and the instance as an optional second argument."""
    source = random.Random(1)
    with isolated(PACKAGES):

        @python_heuristic("test_remaining_actions", domain="wumpus", admissible=True, consistent=True)
        def remaining_actions(state: Play, where: CaveWorld) -> int:
            assert where.cave.is_open(state.square)
            return 0 if state.climbed_out or not state.alive else 1 if state.has_gold else 2

        for _ in range(8):
            where = instance(any_cave(source, 4, 4), source.choice(["cardinal", "primitive"]))
            expected, found = runner.solve(where, "ucs"), runner.solve(where, "astar", ["test_remaining_actions"])
            assert (found.status, found.cost) == (expected.status, expected.cost)
            assert found.expanded is not None
            assert expected.expanded is not None
            assert found.expanded <= expected.expanded
            runner.solve(where, "astar", ["manhattan", "test_remaining_actions"], combine="max")


@pytest.mark.parametrize("domain", ["pancake", "wumpus"])
def test_a_heuristic_of_many_states_at_once_is_that_of_each(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pancakes are a world in plain Python here; the states of caves are packed."""
    seen: list[int] = []

    def value(state: Any, world: Any) -> int:
        if domain == "pancake":
            return sum(abs(a - b) > 1 for a, b in zip(state, [*state[1:], len(state) + 1], strict=True))
        return 0 if state.climbed_out or not state.alive else 1 if state.has_gold else 2

    own = Pancake.domain if domain == "pancake" else domain
    world = next(iter(Pancake(size=6, count=1).instances())) if domain == "pancake" else runner.load("wumpus/static")[0]
    with isolated({*PACKAGES, "runner"}):
        python_heuristic("test_one", domain=own)(value)

        @python_heuristic("test_batch", domain=own, batch=True)
        def of_batch(states: list[Any], world: Any) -> Any:
            seen.append(len(states))
            return np.array([value(state, world) for state in states])

        python_heuristic("test_short", domain=own, batch=True)(lambda states: [0] * (len(states) - 1))
        for algorithm in ("astar", "greedy"):
            one, batch = (runner.solve(world, algorithm, [name]) for name in ("test_one", "test_batch"))
            assert (one.plan, one.expanded, one.evaluated) == (batch.plan, batch.expanded, batch.evaluated)
            assert len(seen) < sum(seen)
            seen.clear()
        inside = {"name": "greedy", "batch": 3}
        one, batch = (runner.solve(world, inside, [name]) for name in ("test_one", "test_batch"))
        assert (one.plan, one.expanded, one.evaluated) == (batch.plan, batch.expanded, batch.evaluated)
        seen.clear()
        monkeypatch.setattr(sys.modules[PythonHeuristic.__module__], "MAX_BATCH", 1)  # a batch takes several calls
        divided = runner.solve(world, inside, ["test_batch"])
        assert (divided.plan, divided.evaluated) == (batch.plan, batch.evaluated)
        assert max(seen) <= world.problem().max_successors
        with pytest.raises(Incompatible, match=r"algorithm\.batch: lazy=true evaluates nodes one by one"):
            runner.solve(world, {**inside, "lazy": True}, ["test_batch"])
        assert "test_short' gave 0 values for 1 states" in str(runner.solve(world, "astar", ["test_short"]).error)


def test_bidirectional_search_refuses_worlds_without_predecessors() -> None:
    class NoGoals(Graph):
        goals = None  # type: ignore[assignment]

    problem = "bidirectional searches from the goals; Line has no predecessors, goals$"
    with pytest.raises(Incompatible, match=problem):
        runner.solve(line(), "bidirectional")
    with pytest.raises(Incompatible, match=r"wumpus has no predecessors, goals, predecessors_kernel$"):
        runner.solve(runner.load("wumpus/static")[0], "bidirectional")
    without = NoGoals(((0, 1, 1),), (1,)).instance()
    with pytest.raises(Incompatible, match=r"NoGoals has no goals$"):
        runner.solve(without, "bidirectional")
    with pytest.raises(ValueError, match=r"this world has no goals$"):
        without.problem().successors(without.problem().initial, backward=True)
    graph = Graph(((0, 1, 1),), (1,)).instance()
    assert runner.solve(graph, "bidirectional").cost == 1


def test_an_algorithm_that_needs_unit_costs_refuses_other_worlds() -> None:
    class Picky(BreadthFirst):
        registered_name = "picky"
        needs_unit_costs = True

    Picky().check(next(iter(Pancake().instances())))
    with pytest.raises(
        Incompatible, match="picky needs a world where every step costs 1; steps in Line have other costs"
    ):
        Picky().check(line())


class LateStart(PythonWorld):
    """World whose start takes a while."""

    def initial(self) -> int:
        time.sleep(0.02)
        return 0

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("on", state + 1, 1)]

    def is_goal(self, state: int) -> bool:
        return state == 3


def test_packing_counts_for_the_time_limit() -> None:
    found = runner.solve(Instance(LateStart(), "late"), limits={"time": 0.01})
    assert (found.status, found.expanded) == ("time_limit", 0)


def test_two_steps_of_one_name_are_refused_by_name() -> None:
    @dataclass(frozen=True)
    class Ambiguous(PythonWorld):
        def initial(self) -> float:
            return 0.0

        def successors(self, state: float) -> list[tuple[str, float, int]]:
            return [("step", state + 0.5, 1), ("step", state + 1, 1)]

        def is_goal(self, state: float) -> bool:
            return state == 1

    result = runner.solve(next(Ambiguous().instances()), "ucs")
    assert (result.status, result.error) == ("error", "ValueError: two steps from 0.0 have the name 'step'")
