"""Landmark counts and preferred successors, compared with the definition of landmarks."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest

import runner
from heuristics.interface.heuristic import HEURISTICS, UNREACHABLE, Term
from heuristics.pddl.facts import first_facts
from heuristics.pddl.landmark_extraction import CANDIDATES, landmarks_of
from heuristics.pddl.landmark_labels import relaxation_of
from heuristics.pddl.relaxation import unary_operators
from tests.naive import landmarks as naive
from tests.naive.planning import goal_count
from tests.planning import any_task, instance, layered_task, needs_translator, reachable, with_axioms
from worlds.interface.instance import Problem
from worlds.interface.world import Unsolvable
from worlds.pddl import rules
from worlds.pddl.packing import Packing
from worlds.pddl.task import CostMode, Effect, Operator, Task, Values
from worlds.pddl.world import PlanningWorld


def random_tasks(name: str) -> Iterator[Task]:
    source = random.Random(name)
    for _ in range(9):
        yield any_task(source, source.randint(2, 8))
        yield layered_task(source)
        yield stages_task(source)
        yield with_axioms(source, any_task(source, source.randint(2, 6)))
        yield with_axioms(source, layered_task(source, 8))


def stages_task(source: random.Random, stages: int = 5, values: int = 4) -> Task:
    """Return a random task in which operators lead from some values of a stage to some of the next one."""
    operators = [
        Operator(
            f"act {stage} {value} {number}",
            ((stage - 1, source.randrange(values)),) if stage else (),
            (Effect(stage, value), Effect(source.randrange(stages), 0)),
            source.randint(0, 3),
        )
        for stage in range(stages)
        for value in range(1, values)
        for number in range(2)
    ]
    return Task(
        tuple(f"var{stage}" for stage in range(stages)),
        tuple(tuple(f"is({stage}, {value})" for value in range(values)) for stage in range(stages)),
        (0,) * stages,
        ((stages - 1, 1), (stages - 2, 2)),
        tuple(operators),
    )


def found(task: Task) -> set[naive.Landmark]:
    """Return the landmarks of the start as the heuristic finds them."""
    unary = unary_operators(task)
    numbers = landmarks_of(task, unary, relaxation_of(task, unary), Packing(task).pack(task.initial))
    facts = [(variable, value) for variable, names in enumerate(task.facts) for value in range(len(names))]
    assert len(facts) == first_facts(task)[-1]
    return {frozenset(facts[number] for number in landmark) for landmark in numbers}


def test_landmarks_of_the_start_are_those_of_the_definition() -> None:
    """All facts that are landmarks, and sets of other facts that are all landmarks."""
    sets = 0
    for task in random_tasks("start"):
        known = found(task)
        single = {landmark for landmark in known if len(landmark) == 1}
        assert single == naive.single_landmarks(task)
        for landmark in known - single:
            assert len(landmark) <= 4
            assert not any(each <= landmark for each in single)
            assert not naive.is_reached(task, task.initial, landmark)
            sets += 1
    assert sets > 9


@pytest.mark.parametrize("cost_type", ["normal", "one", "plus_one"])
def test_values_equal_those_of_the_definition(cost_type: CostMode) -> None:
    infinite, more = 0, 0
    for task in random_tasks(cost_type):
        known = found(task.with_costs(cost_type))
        h = runner.heuristic(instance(task), [{"name": "landmark_count", "cost_type": cost_type}])
        for values in reachable(task, 8):
            expected = naive.landmark_count(task, known, values, cost_type)
            assert h(Packing(task).pack(values)) == expected
            infinite += expected == math.inf
            more += goal_count(task, values) < expected < math.inf
    assert infinite > 9
    assert more > 9


def test_preferred_successors_are_those_by_operators_that_achieve_a_landmark() -> None:
    """Also if the state is the one that was evaluated last, as in a lazy search, or another one."""
    some, others = 0, 0
    for task in random_tasks("preferred"):
        known, term = found(task), bound(Problem.of(instance(task)))
        states = reachable(task, 8)
        for number, values in enumerate(states):
            expected = naive.achievers(task, known, values)
            before = states[number // 2]
            assert value_of(term, task, before) == naive.landmark_count(task, known, before)
            assert preferred(term, task, values) == expected
            some += len(expected)
            others += len(list(rules.successors(task, values))) - len(expected)
    assert min(some, others) > 45


@needs_translator
def test_values_on_random_walks_equal_those_of_the_definition() -> None:
    source, visited, sets = random.Random("walks"), 0, 0
    for where in runner.load("pddl/static"):
        try:
            problem = where.problem()
        except Unsolvable:
            continue
        assert isinstance(where.world, PlanningWorld)
        task = where.world.task
        known, term = found(task), bound(problem)
        sets += any(len(landmark) > 1 for landmark in known)
        values = task.initial
        for _ in range(8):
            assert value_of(term, task, values) == naive.landmark_count(task, known, values)
            assert preferred(term, task, values) == naive.achievers(task, known, values)
            visited += 1
            for _ in range(3):
                values = source.choice([after for _, after in rules.successors(task, values)] or [values])
    assert visited > 60
    assert sets > 2


def test_labels_may_have_several_words_and_candidates_come_in_several_parts() -> None:
    """A chain of more facts than are candidates at a time. Each needs the one before."""
    length = CANDIDATES
    operators = tuple(
        Operator(f"step {number}", ((number - 1, 1),) if number else (), (Effect(number, 1),), 2)
        for number in range(length)
    )
    task = Task(
        tuple(f"var{number}" for number in range(length)),
        tuple((f"no {number}", f"yes {number}") for number in range(length)),
        (0,) * length,
        ((length - 1, 1),),
        operators,
    )
    h = runner.heuristic(instance(task), ["landmark_count"])
    for reached in (0, 1, 63, 64, 65, length - 1, length):
        assert h(Packing(task).pack((1,) * reached + (0,) * (length - reached))) == 2 * (length - reached)


def test_a_landmark_that_is_lost_counts_again() -> None:
    """The key opens the box, and breaks; the box opens the door. The start has the key."""
    key, box, door = 0, 1, 2
    task = Task(
        ("key", "box", "door"),
        (("no key", "key"), ("shut", "open"), ("shut", "open")),
        (1, 0, 0),
        ((key, 1), (door, 1)),
        (
            Operator("unlock", ((key, 1),), (Effect(box, 1), Effect(key, 0)), 3),
            Operator("open", ((box, 1),), (Effect(door, 1),), 5),
            Operator("forge", (), (Effect(key, 1),), 7),
        ),
    )
    h = runner.heuristic(instance(task), ["landmark_count"])
    assert h(Packing(task).pack((1, 0, 0))) == 3 + 5
    assert h(Packing(task).pack((0, 0, 0))) == 7 + 3 + 5
    assert h(Packing(task).pack((0, 1, 0))) == 7 + 5
    assert h(Packing(task).pack((1, 1, 1))) == 0


def test_one_of_two_hands_must_take_the_ball() -> None:
    """The atoms with any hand are a set, and counts as much as the cheaper hand. Neither is a landmark alone."""
    task = Task(
        ("ball", "light"),
        (("at(a)", "in(left, ball)", "in(right, ball)", "at(b)"), ("off(light)", "on(light)")),
        (0, 0),
        ((0, 3),),
        (
            Operator("take left", ((0, 0),), (Effect(0, 1),), 4),
            Operator("take right", ((0, 0),), (Effect(0, 2),), 3),
            Operator("drop left", ((0, 1),), (Effect(0, 3),), 1),
            Operator("drop right", ((0, 2),), (Effect(0, 3),), 1),
            Operator("switch", (), (Effect(1, 1),), 1),
        ),
    )
    assert found(task) == {frozenset({(0, 0)}), frozenset({(0, 1), (0, 2)}), frozenset({(0, 3)})}
    term = bound(Problem.of(instance(task)))
    assert [value_of(term, task, (place, 0)) for place in range(4)] == [3 + 1, 1, 1, 0]
    assert preferred(term, task, (0, 0)) == [0, 1]


def bound(problem: Problem) -> Term:
    term = HEURISTICS.build("landmark_count", {}, domain="pddl").term(problem)
    assert term is not None
    return term


def value_of(term: Term, task: Task, values: Values) -> float:
    """Return the value of a state."""
    state = Packing(task).pack(values)
    h = np.zeros(1, np.int64)
    assert term.kernel.compiled(term.params, state, 0, -1, state, 0, np.zeros(1, np.int16), h, 0, 1) == 0
    return math.inf if h[0] == UNREACHABLE else int(h[0])


def preferred(term: Term, task: Task, values: Values) -> list[int]:
    """Return the places of the successors that a term prefers. Marks begin at a slot of their own."""
    assert term.preferred is not None
    marks = np.zeros(3 + len(task.operators), np.int16)
    assert term.preferred.compiled(term.params, Packing(task).pack(values), 0, marks, 3) == 0
    places: list[int] = (np.flatnonzero(marks) - 3).tolist()
    return places
