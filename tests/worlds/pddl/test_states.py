"""Many states of a planning task as arrays, and the task as simple data."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import runner
from tests.planning import any_task, instance, needs_translator, reachable
from worlds.interface.instance import Unsolvable
from worlds.pddl.conditions import atom_name
from worlds.pddl.lifted import Simulator
from worlds.pddl.packing import Packing
from worlds.pddl.states import PlanningStates
from worlds.pddl.task import Task, Values
from worlds.pddl.world import PlanningWorld

LIMITS = {"nodes": 300}


def solvable() -> list[PlanningWorld]:
    """Return the tasks of the suite for which the translator has no proof that they have no solution."""
    found = []
    for each in runner.load("pddl/static"):
        assert isinstance(each.world, PlanningWorld)
        with suppress(Unsolvable):
            assert each.world.task
            found.append(each.world)
    assert len(found) == 10
    return found


def check_arrays(task: Task, states: list[Values]) -> None:
    """Compare the arrays of states with the mappings of single states."""
    where, packing = instance(task).world, Packing(task)
    batch = where.describe_all(np.array([packing.pack(values) for values in states]))
    assert isinstance(batch, PlanningStates)
    assert batch.values.tolist() == [[*values] for values in states]
    names = where.fact_table.names
    for number, state in enumerate(batch):
        assert {*state.items()} == {*zip(task.names, (names[fact] for fact in batch.fact_numbers[number]), strict=True)}
    assert np.array_equal(batch.fact_numbers, where.fact_table.numbers(batch.values))
    assert list(batch[1:3]) == list(batch)[1:3]
    assert np.array_equal(batch[1:3].values, batch.values[1:3])


@pytest.mark.parametrize(("variables", "values"), [(2, 4), (12, 3), (40, 9), (90, 4)], ids=str)
def test_arrays_of_random_tasks_are_their_mappings(variables: int, values: int) -> None:
    source, words = random.Random(f"arrays {variables} {values}"), set()
    for _ in range(10):
        task = any_task(source, variables, values=values)
        words.add(Packing(task).words)
        check_arrays(task, reachable(task, 50))
    assert (max(words) > 1) == (variables >= 40)


@needs_translator
def test_arrays_of_the_suite_are_their_mappings() -> None:
    for world in solvable():
        check_arrays(world.task, reachable(world.task, 100))


def test_a_batch_has_the_values_of_single_states() -> None:
    """Integers in an array are taken as they are; other arrays are checked one by one."""

    def register(kind: str, dtype: type, wrong: float | None = None) -> None:
        @runner.python_heuristic(f"batch {kind} of tests", domain="pddl", batch=True)
        def unheld(states: PlanningStates, where: PlanningWorld) -> np.ndarray:
            goal = where.fact_table.goal
            counts = len(goal) - np.isin(states.fact_numbers, goal).sum(axis=1)
            return (counts if wrong is None else np.full(len(states), wrong)).astype(dtype)

    kinds = {"int": np.int64, "unsigned": np.uint8, "float": np.float64}
    for kind, dtype in kinds.items():
        register(kind, dtype)
    wrong = {"negative": -1, "half": 0.5}
    for kind, value in wrong.items():
        register(kind, type(value), value)
    source, solved = random.Random("batch"), 0
    for number in range(6):
        where = instance(any_task(source, 40 if number % 2 else 5))
        for algorithm in ("astar", {"name": "greedy", "batch": 64}):
            expected = runner.solve(where, algorithm, ["goal_count"], limits=LIMITS)
            solved += expected.cost is not None
            for kind in kinds:
                found = runner.solve(where, algorithm, [f"batch {kind} of tests"], limits=LIMITS)
                assert (found.plan, found.expanded, found.evaluated) == (
                    expected.plan, expected.expanded, expected.evaluated,
                )  # fmt: skip
        for kind, value in wrong.items():
            with pytest.raises(ValueError, match=f"batch {kind} of tests' gave {value} for the state"):
                runner.heuristic(where, f"batch {kind} of tests")(where.problem().initial)
    assert solved > 3


@needs_translator
def test_facts_have_predicates_and_objects() -> None:
    for world in solvable():
        lifted, table, task = world.lifted, world.fact_table, world.task
        assert (table.predicates, table.objects) == (tuple(lifted.predicates), tuple(lifted.objects))
        atoms = [name for names in task.atoms for name in names]
        for atom, predicate, arguments in zip(atoms, table.predicate, table.arguments, strict=True):
            if atom is None:
                assert (predicate, {*arguments.tolist()}) == (-1, {-1})
                continue
            name, objects = table.predicates[predicate], [table.objects[each] for each in arguments if each >= 0]
            assert len(objects) == lifted.predicates[name]
            assert atom == (f"{name}({', '.join(objects)})" if objects else name)
        assert {table.names[fact] for fact in table.goal} >= world.goal_facts


def test_a_task_without_pddl_numbers_its_predicates_and_objects_by_name() -> None:
    task = Task(("v", "w"), (("on(b, a)", "not on(b, a)"), ("free", "none of those")), (0, 0), ((1, 0),), ())
    table = instance(task).world.fact_table
    assert (table.predicates, table.objects) == (("free", "on"), ("a", "b"))
    assert table.predicate.tolist() == [1, -1, 0, -1]
    assert table.arguments.tolist() == [[1, 0], [-1, -1], [-1, -1], [-1, -1]]
    assert (table.first.tolist(), table.goal.tolist()) == ([0, 2], [2])
    with pytest.raises(runner.UserError, match=r"a SAS\+ file has no PDDL"):
        _ = instance(task).world.lifted


REPAIR = """
(define (domain repair) (:requirements :typing :negative-preconditions)
  (:types place thing - object nut man - thing)
  (:predicates (at ?t - thing ?p - place) (loose ?n - nut) (free ?m - man) (rusty ?n - nut) (clean ?p - place))
  (:action walk :parameters (?m - man ?a ?b - place) :precondition (at ?m ?a)
    :effect (and (at ?m ?b) (not (at ?m ?a)) (not (clean ?b))))
  (:action carry :parameters (?m - man ?n - nut) :precondition (and (free ?m) (rusty ?n)) :effect (not (free ?m)))
  (:action shine :parameters (?m - man ?n - nut) :precondition (free ?m) :effect (and (not (free ?m)) (free ?m)))
  (:action tighten :parameters (?m - man ?n - nut ?p - place) :precondition (and (at ?m ?p) (at ?n ?p) (free ?m))
    :effect (not (loose ?n)))
  (:action age :parameters (?n - nut) :precondition (and (rusty ?n) (loose ?n)) :effect (rusty ?n)))
"""
BENCH = """
(define (problem bench) (:domain repair) (:objects bob - man nut1 nut2 - nut shed gate - place)
  (:init (at bob shed) (at nut1 gate) (at nut2 shed) (loose nut1) (loose nut2) (free bob) (clean gate) (clean shed))
  (:goal (and (not (loose nut1)) (not (loose nut2)))))
"""


@needs_translator
def test_facts_and_static_facts_are_the_whole_state(tmp_path: Path) -> None:
    """Facts that always hold are in no variable, though their predicates change. Those without effect are nowhere."""
    (tmp_path / "domain.pddl").write_text(REPAIR)
    (tmp_path / "bench.pddl").write_text(BENCH)
    (loaded,) = runner.load("pddl/file", path=str(tmp_path))
    bench = loaded.world
    assert isinstance(bench, PlanningWorld)
    always = {"at(nut1, gate)", "at(nut2, shed)", "free(bob)"}
    assert bench.static_facts == bench.lifted.static_facts == always
    table = bench.fact_table
    assert table.static_facts == tuple(sorted(always))
    assert [table.predicates[each] for each in table.static_predicate] == ["at", "at", "free"]
    assert [table.objects[each] for each in table.static_arguments.ravel() if each >= 0] == [
        "nut1", "gate", "nut2", "shed", "bob",
    ]  # fmt: skip
    source = random.Random("walks")
    for world in (bench, *solvable()):
        unimportant = {"clean(gate)", "clean(shed)"} if world is bench else set()
        simulator = Simulator(*world.definition.read())
        state, atoms = world.initial(), simulator.initial
        for _ in range(40):
            assert state.facts | world.static_facts == {*map(atom_name, atoms)} - unimportant
            assert state.facts.isdisjoint(world.static_facts)
            steps = [*world.successors(state)]
            if not steps:
                break
            action, state, _ = source.choice(steps)
            atoms, _ = simulator.act(atoms, action)


@needs_translator
def test_the_lifted_task_is_what_the_files_say() -> None:
    lifted = next(world.lifted for world in solvable() if world.lifted.name == "soup-and-tea")
    assert lifted.domain == "kitchen"
    assert lifted.objects == {"soup": "pot", "tea": "pot", "large": "stove", "small": "stove"}
    schema = lifted.schemas[0]
    assert (schema.name, schema.parameters) == ("fill", (("?p", "pot"),))
    assert schema.precondition == ("and", ("not", ("full", "?p")), ("away", "?p"))
    assert schema.effect[-1] == ("increase", ("total-cost",), "1")
    assert lifted.predicates["full"] == 1
    assert lifted.goal[0] == "and"
