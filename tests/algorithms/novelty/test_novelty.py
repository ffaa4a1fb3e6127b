"""Novelty search against naive searches with sets of tuples, on random tasks and on puzzles."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import runner
from algorithms.engine import open_list
from algorithms.engine.nodes import H
from algorithms.engine.search import Limits
from algorithms.engine.values import ValuedNodes
from algorithms.novelty import best_first_width, novelty
from algorithms.novelty.best_first_width import ACHIEVED, OPEN_GOALS, VALUES, BestFirstWidth, BestFirstWidthSearch
from algorithms.novelty.iterated_width import IteratedWidth
from heuristics.interface.heuristic import INFINITE_H
from heuristics.interface.stack import Stack
from heuristics.pddl.relaxation import params_of
from heuristics.pddl.relaxed_facts import write_relaxed_facts
from runner.base.errors import Incompatible
from tests.algorithms.searching import run
from tests.graphs import plain
from tests.naive import planning as naive
from tests.naive.novelty import best_first_width as naive_best_first_width
from tests.naive.novelty import iterated_width
from tests.planning import DATA, any_task, instance, layered_task, reachable, unpacked
from tests.runner.features.explorer.recordings import recorded
from worlds.compile.kernels import kernel
from worlds.hanoi import Hanoi
from worlds.interface.instance import Instance
from worlds.pancake import Pancakes
from worlds.pddl.packing import Packing
from worlds.pddl.task import Effect, Fact, Operator, Task, Values
from worlds.pddl.world import PlanningInstance
from worlds.topspin import TopSpin

PUZZLES = {"hanoi/random": {"disks": 4}, "pancake/random": {"size": 6}, "topspin/random": {"tokens": 6}}
LONG = [Pancakes((3, 0, *range(4, 18), 1, 2)), TopSpin((2, 1, 0, *range(3, 18)), 4), Hanoi((0,) * 9, (1,) * 9, 4)]
"""Worlds whose states take several words, or many bits of one."""


@kernel("int64(int64[::1], uint64[::1], int32[::1])")
def relaxed_facts(params: Any, state: Any, facts: Any) -> Any:
    """Write the facts of the relaxed plan of a state."""
    return write_relaxed_facts(params, state, 0, facts, 0)


def relaxed_of(where: PlanningInstance) -> Callable[[Values], frozenset[Fact] | None]:
    """Return the function of the compiled relaxed plans: those of the naive implementation depend on ties."""
    task, params = where.world.task, params_of(where.problem(), "normal")
    names = [(variable, value) for variable, facts in enumerate(task.facts) for value in range(len(facts))]
    found = np.zeros(len(names) + 1, np.int32)

    def relaxed(values: Values) -> frozenset[Fact] | None:
        count = relaxed_facts.compiled(params, Packing(task).pack(values), found)
        return None if count < 0 else frozenset(names[fact] for fact in found[:count])

    return relaxed


def tasks(seed: object, count: int) -> Iterator[Task]:
    source = random.Random(str(seed))
    for number in range(count):
        yield layered_task(source, 7) if number % 3 == 0 else any_task(source, source.randint(2, 9))


def switch_tasks(seed: object, count: int) -> Iterator[Task]:
    """Yield tasks with many states: each operator sets one of 7 switches, if another one has the right value."""
    source = random.Random(str(seed))
    for _ in range(count):
        task, goal = any_task(source, 7, values=2), source.sample(range(7), 3)
        operators = [
            Operator(f"set {number} {value}", ((source.choice(others), source.randrange(2)),), (effect,), 1)
            for number in range(7)
            for value in range(2)
            for effect in [Effect(number, value)]
            for others in [[other for other in range(7) if other != number]]
        ]
        facts = tuple((f"off({number})", f"on({number})") for number in range(7))
        yield replace(
            task,
            facts=facts,
            initial=tuple(source.randrange(2) for _ in range(7)),
            goal=tuple((number, source.randrange(2)) for number in sorted(goal)),
            operators=tuple(operators),
        )


def others() -> Iterator[Instance]:
    """Yield small puzzles and the starts of large ones."""
    for world, parameters in PUZZLES.items():
        yield from runner.load(world, count=3, **parameters)


@pytest.mark.parametrize("world", LONG, ids=lambda world: world.domain)
def test_variables_are_the_parts_of_a_state(world: Any) -> None:
    parts = [each for state in world.successors(world.initial()) for each in [state[1]]]
    for state in (world.initial(), *parts):
        words = world.pack(state)
        assert tuple(words[each.word] >> each.shift & each.mask for each in world.state_variables()) == state
        assert all(value < each.values for value, each in zip(state, world.state_variables(), strict=True))


@pytest.mark.parametrize(("k", "iterated"), [(1, False), (2, False), (2, True)])
def test_iterated_width_equals_the_naive_search(k: Any, iterated: bool) -> None:
    ends = Counter[str]()
    for where in [*map(instance, [*tasks(k, 50), *switch_tasks(k, 25)]), *others()]:
        bound = Stack().prepare(where.problem())
        p, kernels = plain(bound), where.world.kernels
        assert kernels is not None
        assert kernels.state_variables is not None
        places = kernels.state_variables()

        def facts(state: bytes, places: Any = places) -> list[tuple[int, int]]:
            words = np.frombuffer(state, np.uint64).tolist()
            return [(number, words[each.word] >> each.shift & each.mask) for number, each in enumerate(places)]

        sizes = [1, 2] if iterated else [k]
        expected = iterated_width(p.initial, p.successors, p.is_goal, facts, sizes)
        search = IteratedWidth(k, iterated).start(bound, None)
        status = run(search, Limits())
        counts = search.counts
        found = {"status": status, "cost": search.cost if status == "solved" else None}
        assert {**found, "expanded": counts.expanded, "generated": counts.generated} == expected
        if status == "solved":
            replay = where.world.replay(bound.problem.plan(search.path()))
            assert (replay.reaches_goal, replay.cost) == (True, search.cost)
        ends[status] += 1
    assert min(ends[name] for name in ("solved", "unsolvable", "cutoff")) > 1


def test_a_relaxed_plan_makes_the_facts_true_that_its_goals_need() -> None:
    compared = 0
    for task in tasks("relaxed", 30):
        relaxed = relaxed_of(instance(task))
        for values in reachable(task, 8):
            costs, found = naive.fact_costs(task, values, sum), relaxed(values)
            goals = {fact for fact in task.goal if values[fact[0]] != fact[1]}
            if found is None:
                assert any(np.isinf(costs[fact]) for fact in goals)
                continue
            assert goals <= found
            needed = set(goals)
            held = set(enumerate(values))
            for fact in found:
                assert fact not in held
                supports = [
                    conditions - held
                    for conditions, effect, cost, _ in naive.steps_of(task)
                    if effect == fact and sum(costs[each] for each in conditions) + cost == costs[fact]
                ]
                assert any(support <= found for support in supports)
                needed.update(*supports)
            assert found <= needed
            compared += len(found) > len(goals)
    assert compared > 10


def test_best_first_width_equals_the_naive_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the numbers #g and #r and the novelty of each state, while all arrays grow."""
    for module, name in ((novelty, "_FIRST_CLASSES"), (novelty, "_FIRST_WORDS"), (best_first_width, "_FIRST_PLANS")):
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(open_list, "_FIRST_BUCKETS", 1)
    ends, levels = Counter[str](), Counter[int]()
    for task in [*tasks("bfws", 70), *switch_tasks("bfws", 70)]:
        where = instance(task)
        expected, plan, nodes = naive_best_first_width(task, relaxed_of(where))
        bound = Stack().prepare(where.problem())
        search = BestFirstWidth().start(bound, None)
        assert isinstance(search, BestFirstWidthSearch)
        status, counts = run(search, Limits()), search.counts
        assert {"status": status, **{name: getattr(counts, name) for name in expected if name != "status"}} == expected
        store = search._nodes
        assert isinstance(store, ValuedNodes)
        assert counts.peak_nodes == len(nodes)
        for number, node in enumerate(nodes):
            assert unpacked(Packing(task), store.state(number)) == node.values
            values = store.values[number * VALUES :]
            assert (values[OPEN_GOALS], values[ACHIEVED]) == (node.open_goals, node.achieved)
            h = store.field(number, H)
            assert h in (node.novelty * (len(task.goal) + 1) + node.open_goals, INFINITE_H)
            levels[node.novelty] += 1
        if status == "solved":
            assert list(bound.problem.plan(search.path())) == plan
            assert where.world.replay(plan).cost == search.cost
        ends[status] += 1
    assert min(ends["solved"], ends["unsolvable"]) > 10
    assert min(levels.values()) > 45


@pytest.mark.parametrize("algorithm", [{"name": "iw", "iterated": True}, {"name": "bfws"}], ids=str)
def test_a_recorded_search_equals_an_ordinary_one(algorithm: dict[str, Any]) -> None:
    for task in [*tasks("recorded", 15), *switch_tasks("recorded", 5)]:
        recording, result = recorded(instance(task), **algorithm), runner.solve(instance(task), algorithm)
        assert (recording.status, len(recording.recorder.expanded)) == (result.status, result.expanded)
        assert recording.found.get("plan") == result.plan


@pytest.mark.parametrize("algorithm", ["iw", "bfws"])
def test_memory_is_limited(algorithm: str) -> None:
    (task,) = runner.load("pddl/sas", path=str(DATA / "two_balls.sas"))
    assert runner.solve(task, algorithm, limits={"memory": "20kB"}).status == "memory_limit"


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        ("iw", "algorithm: iw needs states that consist of variables, and gridmap declares none; choose a world such"),
        ("bfws", "algorithm: bfws searches planning tasks only, not gridmap; choose a world such as pddl/file"),
    ],
)
def test_other_worlds_are_refused(algorithm: str, message: str) -> None:
    with pytest.raises(Incompatible, match=message):
        runner.solve(runner.load("gridmap/static")[0], algorithm)
