"""Kernels of planning tasks, compared with the rules in plain Python on random tasks."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import runner
from tests.naive import planning as naive
from tests.planning import any_task, instance, reachable, unpacked, with_axioms
from tests.sampling import covering
from worlds.compile.errors import KernelError
from worlds.pddl import rules
from worlds.pddl.packing import Packing
from worlds.pddl.search import MAX_APPLICABLE
from worlds.pddl.task import NONE_OF_THOSE, Axiom, Effect, Operator, Task

SIZES = [(2, 4), (5, 4), (12, 3), (40, 9), (90, 4)]


@covering({"variables,values": SIZES, "derived": [0, 30]})
def test_successors_are_those_of_the_rules_in_the_order_of_operators(variables: int, values: int, derived: int) -> None:
    source, steps = random.Random(f"{variables} {values}"), 0
    for _ in range(6 if derived else 25):
        task = any_task(source, variables, values=values)
        task = with_axioms(source, task, derived) if derived else task
        where = instance(task)
        problem, packing = where.problem(), Packing(task)
        for state in reachable(task, 20):
            found = [(unpacked(packing, s), c) for s, c, _ in problem.successors(packing.pack(state))]
            assert found == [(after, operator.cost) for operator, after in rules.successors(task, state)]
            assert problem.recognises(packing.pack(state)) == rules.is_goal(task, state)
            steps += len(found)
    assert steps > (20 if derived else 100)


@pytest.mark.parametrize(("variables", "values"), SIZES, ids=str)
def test_packing_is_invertible_and_takes_no_word_too_many(variables: int, values: int) -> None:
    source = random.Random(variables)
    for _ in range(20):
        task = any_task(source, variables, values=values)
        packing = Packing(task)
        assert unpacked(packing, packing.pack(task.initial)) == task.initial
        bits = [(len(facts) - 1).bit_length() for facts in task.facts]
        assert packing.words >= max(1, -(-sum(bits) // 64))
        assert packing.words <= 1 + sum(bits) // (64 - max(bits))
        assert all(shift + each <= 64 for (_, shift, _), each in zip(packing.fields, bits, strict=True))


def test_plans_are_optimal_and_replayed_by_the_rules() -> None:
    source, solved = random.Random("plans"), 0
    for number in range(60):
        task = any_task(source, source.randint(2, 6))
        task = with_axioms(source, task) if number % 2 else task
        result = runner.solve(instance(task), "ucs")
        expected = naive.h_star(task, task.initial)
        assert (result.status == "solved") == (expected < float("inf"))
        if result.status == "solved":
            assert (result.cost, result.valid) == (expected, True)
            solved += expected > 0
    assert solved > 10


def test_states_can_be_given_as_facts() -> None:
    source = random.Random("facts")
    task = any_task(source, 5)
    where = instance(task)
    for values in reachable(task, 10):
        state = where.world.describe(Packing(task).pack(values))
        assert where.world.describe(where.world.state(state)) == state
        assert where.world.describe(where.world.state(state.facts)) == state
        assert dict(state) == {f"var{n}": f"is({n}, {value})" for n, value in enumerate(values)}
    for facts, message in [({"is(9, 9)"}, "must hold|no variable has"), ({"var0": "is(7, 7)"}, "var0 has the values")]:
        with pytest.raises(runner.UserError, match=message):
            where.world.state(facts)


def test_derived_facts_are_computed_and_checked() -> None:
    source = random.Random("derived")
    task = with_axioms(source, any_task(source, 5))
    where, packing = instance(task), Packing(task)
    for values in reachable(task, 10):
        state = where.world.describe(packing.pack(values))
        for number in task.defaults:
            given = {name: value for name, value in state.items() if name != f"var{number}"}
            assert unpacked(packing, where.world.state(given)) == values
            assert unpacked(packing, where.world.state(given.values())) == values
            wrong = f"is({number}, {1 - values[number]})"
            for description in ({**given, f"var{number}": wrong}, [*given.values(), wrong]):
                with pytest.raises(
                    runner.UserError, match=r"'is.*' is derived and does not hold here, but 'is.*' does"
                ):
                    where.world.state(description)


def test_facts_of_the_translator_are_not_shown() -> None:
    facts = (("lit(a)", "not lit(a)"), ("new-axiom@3", "not new-axiom@3"))
    effects = (Effect(0, 0),)
    axioms = (Axiom(((0, 0),), 1, 0),)
    task = Task(("v", "w"), facts, (1, 1), ((1, 0),), (Operator("light", (), effects, 1),), axioms, (-1, 0))
    where = instance(task)
    assert where.world.goal_facts == frozenset()
    assert where.world.describe(where.world.state(["lit(a)"])).facts == {"lit(a)"}
    assert where.world.render(["light"]) == "(lit a)\ngoal: (derived condition) holds"


@pytest.mark.parametrize(("variables", "values"), SIZES, ids=str)
def test_names_of_facts_are_those_of_the_values(variables: int, values: int) -> None:
    source, goals = random.Random(f"names {variables} {values}"), 0
    for _ in range(10):
        task = any_task(source, variables, values=values)
        named = tuple(
            (*facts[:-1], "not seen" if number % 3 else NONE_OF_THOSE) for number, facts in enumerate(task.facts)
        )
        task = replace(task, facts=named)
        where, packing = instance(task), Packing(task)
        for state in reachable(task, 30):
            described = where.world.describe(packing.pack(state))
            assert described.facts == task.true_facts(state)
            assert dict(described) == {name: task.facts[n][state[n]] for n, name in enumerate(task.names)}
            if all(task.atoms[variable][value] for variable, value in task.goal):
                assert (where.world.goal_facts <= described.facts) == rules.is_goal(task, state)
                goals += 1
    assert goals > 0


def test_too_many_applicable_operators_are_an_error() -> None:
    task = Task(
        ("v",), (("a", "b"),), (0,), ((0, 1),), tuple(Operator(f"o{n}", (), (Effect(0, 0),), 1) for n in range(9))
    )
    problem = instance(task).problem()
    assert len(problem.successors(problem.initial)) == 9
    problem.constants[MAX_APPLICABLE] = 8
    with pytest.raises(KernelError, match="operators are applicable in one state"):
        problem.successors(problem.initial)


def test_many_operators_are_sorted() -> None:
    """Operators without preconditions and with one of many preconditions are found in different parts of the tree."""
    source = random.Random(0)
    values = tuple(f"v{n}" for n in range(3))
    rows = [
        Operator(f"o{n}", tuple((v, 0) for v in source.sample(range(8), source.randint(0, 3))), (Effect(0, n % 3),), n)
        for n in range(2_000)
    ]
    source.shuffle(rows)
    task = Task(tuple("abcdefgh"), (values,) * 8, (0,) * 8, ((0, 2),), tuple(rows))
    problem = instance(task).problem()
    assert [cost for _, cost, _ in problem.successors(problem.initial)] == [row.cost for row in rows]
    assert np.unique([code for _, _, code in problem.successors(problem.initial)]).size == 2_000


def test_operators_may_share_thousands_of_preconditions() -> None:
    count = 3_000
    conditions = tuple((variable, 1) for variable in range(count))
    needs_all = Operator("all", conditions, (Effect(0, 2),), 1)
    others = [Operator(f"but {kept}", conditions[:kept], (Effect(0, 0),), 1) for kept in (count, count - 1, 2_000)]
    names = tuple(f"v{number}" for number in range(count))
    task = Task(names, (("a", "b", "c"),) * count, (1,) * count, ((0, 2),), (*others, needs_all))
    assert runner.solve(instance(task), "astar", ["blind"]).plan == ("all",)
