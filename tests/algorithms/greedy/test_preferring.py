"""Greedy search with preferred successors, compared with a naive one on random planning tasks, and what it refuses."""

from __future__ import annotations

import random
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest

import runner
from algorithms.best_first.best_first import Ties
from algorithms.engine.search import Limits
from algorithms.greedy import preferring_list as turns_list
from algorithms.greedy.greedy import Greedy
from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.stack import BoundStack
from runner.base.errors import Incompatible
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.domains import DOMAINS
from tests.graphs import plain
from tests.naive.preferring import preferring
from tests.planning import any_task, instance, layered_task
from tests.registered import OF_FILES
from tests.sampling import covering
from worlds.pddl.task import Effect, Operator, Task

STACKS = [["ff"], ["hadd", "goal_count"], ["goal_count", "ff", "blind"], ["goal_count", "hmax", "hadd", "ff"]]


@covering({"given": ["standard", "alternating"], "lazy": [False, True]})
def test_preferring_search_equals_the_naive_one(lazy: bool, given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_list, "_FIRST_ENTRIES", 1)
    source, statuses, reopened, differs = random.Random(f"{lazy} {given}"), [], 0, 0
    for number in range(90):
        task = [walks, layered_task, any_task][number % 3](source)
        stack = {"stack": source.choice(STACKS), "combine": source.choice(["sum", "max"])}
        bound = sections.stack_of("pddl", stack).prepare(instance(task).problem())
        p, ties, reopen = plain(bound), source.choice(get_args(Ties)), source.random() < 0.5
        boost, seed = source.choice([0, 1, 1000]), source.choice([0, 2**62 - 1])
        terms = [plain(BoundStack(bound.stack, bound.problem, (each,))).h for each in bound.bound_terms]
        keys = [p.h] if given == "standard" else terms
        order = (ties, reopen, lazy, boost, seed)
        arguments = p.initial, p.successors, p.is_goal, p.h, keys
        expected, path = preferring(*arguments, partial(marked, bound), *order)
        algorithm = Greedy(ties, reopen, given, lazy=lazy, preferred="helpful", boost=boost, seed=seed)
        search = algorithm.start(bound, None)
        status = run(search, Limits())
        counts = {name: getattr(search.counts, name) for name in expected if name not in ("status", "cost")}
        assert {"status": status, "cost": search.cost if path else None, **counts} == expected
        assert not path or states_of(bound, search.path()) == path
        statuses.append(status)
        reopened += counts["reopened"]
        differs += expected != preferring(*arguments, nothing, *order)[0]
    assert min(statuses.count("solved"), statuses.count("unsolvable"), differs, reopened) > 5


def walks(source: random.Random) -> Task:
    """Return a random task with many paths to each state. Half of them are unsolvable, which no relaxation proves."""
    operators, is_solvable = [], source.random() < 0.5
    for number in range(120):
        variable = number % 2
        needed = [(variable, source.randrange(10)), (1 - variable, source.randrange(10))][: source.choice([1, 1, 2])]
        value = source.randrange(10)
        effects = [Effect(variable, value)]
        if value == 9 and not is_solvable:
            effects.append(Effect(1 - variable, 0))
        operators.append(Operator(f"act {number}", tuple(sorted(needed)), tuple(effects), source.randint(0, 40)))
    facts = tuple(tuple(f"is({variable}, {value})" for value in range(10)) for variable in range(2))
    return Task(("a", "b"), facts, (0, 0), ((0, 9), (1, 9)), tuple(operators))


def marked(bound: BoundStack, state: bytes) -> set[int]:
    """Return the places of the preferred successors of a state."""
    marks = np.zeros(bound.problem.max_successors, np.int16)
    for term in bound.bound_terms:
        if term.preferred is not None:
            term.preferred.compiled(term.params, np.frombuffer(state, np.uint64).copy(), 0, marks, 0)
    return {*np.flatnonzero(marks).tolist()}


def nothing(state: bytes) -> set[int]:
    return set()


def states_of(bound: BoundStack, codes: list[int]) -> list[bytes]:
    """Return the states on the path of some actions from the start."""
    states = [bound.problem.initial.tobytes()]
    for code in codes:
        steps = bound.problem.successors(np.frombuffer(states[-1], np.uint64).copy())
        states.append(next(after.tobytes() for after, _, each in steps if each == code))
    return states


@pytest.mark.parametrize("domain", [name for name in DOMAINS if name not in ("pddl", "plain_pancake")])
def test_a_stack_that_prefers_nothing_is_refused(domain: str) -> None:
    data = DOMAINS[domain]
    where = runner.load(data.start, **data.small[data.start])[0]
    with pytest.raises(Incompatible, match=rf"^heuristic: greedy needs one that prefers .* of {domain} there is none$"):
        runner.solve(where, {"name": "greedy", "preferred": "helpful"}, [data.heuristics[0]])


def test_landmarks_may_prefer_nothing() -> None:
    where, algorithm = instance(any_task(random.Random(2))), {"name": "greedy", "preferred": "helpful"}
    with pytest.raises(Incompatible, match=r"^heuristic: .* there are hadd, ff, landmark_count$"):
        runner.solve(where, algorithm, [{"name": "landmark_count", "prefers": False}])
    problem = where.problem()
    bound = sections.stack_of("pddl", {"stack": [{"name": "landmark_count", "prefers": False}]}).prepare(problem)
    assert bound.bound_terms[0].preferred is None


@pytest.mark.parametrize("name", [name for name in HEURISTICS.names(domain="pddl") if name not in OF_FILES])
def test_heuristics_declare_whether_they_prefer_successors(name: str) -> None:
    problem = instance(any_task(random.Random(2), conditional=False)).problem()
    heuristic = HEURISTICS.build(name, {}, domain="pddl")
    term = heuristic.term(problem)
    assert heuristic.prefers == (term is not None and term.preferred is not None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"open": "epsilon"}, "algorithm.preferred: .*algorithm.open=epsilon"),
        ({"open": "type_based"}, "algorithm.preferred: .*algorithm.open=type_based"),
        ({"batch": 2}, "algorithm.preferred: .*algorithm.batch=2"),
    ],
)
def test_other_open_lists_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(Incompatible, match=message):
        runner.solve(
            instance(any_task(random.Random(1))), {"name": "greedy", "preferred": "helpful", **options}, ["ff"]
        )
