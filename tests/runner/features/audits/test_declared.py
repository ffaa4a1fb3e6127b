"""Audit all declarations of heuristics and algorithms, in families of small instances and random larger instances.

The tests are parametrised over the registry, so they include each new entry. Each audit takes a sample of a large
family, which is the same in every run; the long tests take whole families.
"""

from __future__ import annotations

import contextlib
import json
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
import runner.examples.pancake
from numpy.typing import NDArray

import runner
from algorithms.interface.algorithm import ALGORITHMS, SearchAlgorithm
from algorithms.spaces.distances import INFINITY, distances_to_goals
from algorithms.spaces.state_space import StateSpace
from algorithms.spaces.state_values import values
from heuristics.interface.heuristic import HEURISTICS
from runner.base.errors import Incompatible
from runner.base.parameters import parameters_of
from runner.config.cell import sections
from tests.audited import violations
from tests.domains import DOMAINS, FEWER, MIN_SOLVED, MIN_STATES, SAMPLE, too_few
from tests.gridmaps import refuses
from tests.registered import OF_FILES, ONLY_IN, SEARCHES
from worlds.interface.instance import Instance, Unsolvable

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "as_published": [{"as_published": True}],
    "corrected": [{"corrected": True}],
    "metric": [{"metric": "plane"}],
    "patterns": [{"patterns": "systematic"}, {"patterns": "ipdb"}],
    "regions": [{"regions": False}],
    "definition": [{"k": 2}, {"k": 1, "definition": "alcazar"}, {"k": 2, "definition": "holte"}],
}
"""Parameters that change what a heuristic declares or computes."""
SLOW = {"ipdb": 1, "systematic": 10, "operator_counting": 1, "pattern_database": 20, "differential": 40}
"""Names and values of parameters that are slow, and how many instances of a family the short audits have of each."""
LIMITS = {"nodes": 200_000, "memory": "1GiB"}

NEEDS_MORE = {"gridmap": 170}
"""Domains that need more than `SIZE` instances of a family in short audits, so that there are `MIN_STATES`."""
SIZE = 80

WHOLE = pytest.param(None, marks=pytest.mark.long)
"""Instead of the largest number of instances of a family in an audit."""

AUDITED = [(d, n) for d, n, _ in HEURISTICS.entries() if d in DOMAINS and n not in {"none", "table", *OF_FILES}]


def stacks(domain: str, name: str) -> list[list[dict[str, Any]]]:
    """Return the documented stack that ends with a heuristic, with each variant of this last heuristic."""
    cls = HEURISTICS.find(name, domain=domain)
    before = [{"name": each} for each in cls.builds_on]
    own: list[dict[str, Any]] = [{}]
    for parameter in parameters_of(cls):
        own += VARIANTS.get(parameter, [])
    return [[*before, {"name": name, **parameters}] for parameters in own]


@cache
def loaded(parameters: str) -> list[Instance]:
    """Return the instances of a family, whose parameters are given as JSON."""
    family = json.loads(parameters)
    return list(runner.load(family.pop("world"), **family))


def loaded_one(domain: str) -> Instance:
    """Return an instance of a domain."""
    return loaded(json.dumps(DOMAINS[domain].families[0]))[0]


def instances_of(family: dict[str, Any], size: int | None, *seed: str) -> list[Instance]:
    """Return a sample of a family, in its order."""
    found = loaded(json.dumps(family))
    if size is None or len(found) <= size:
        return found
    return [found[number] for number in sorted(random.Random(repr((family, seed))).sample(range(len(found)), size))]


@pytest.mark.parametrize("size", [SIZE, WHOLE])
@pytest.mark.parametrize(("domain", "name"), AUDITED, ids=map("-".join, AUDITED))
def test_heuristics_keep_their_declarations(domain: str, name: str, size: int | None) -> None:
    if domain == "pddl":
        pytest.importorskip("fast_downward")
    states = 0
    size = size and NEEDS_MORE.get(domain, size)
    for stack in stacks(domain, name):
        count = size and min([size, *(SLOW.get(value, size) for value in stack[-1].values())])
        for family in DOMAINS[domain].families:
            if domain == "gridmap" and refuses(name, family):
                with pytest.raises(Incompatible, match=name):
                    runner.audit(heuristic=stack, shrink=False, workers=0, **family)
                continue
            audit = runner.audit(instances_of(family, count, name), stack, shrink=False, workers=0)
            assert violations(audit) == {}
            states += sum(each.states for each in audit.statistics if each.name == "mean h* - h")
    assert states >= MIN_STATES, too_few(f"states for {name}", states, domain, "families")


INVERTIBLE = [
    (d, n)
    for d, n, _ in HEURISTICS.entries()
    if d in DOMAINS and n not in OF_FILES and loaded_one(d).world.is_invertible
]
WITH_BACKWARD = [(d, n) for d, n in INVERTIBLE if HEURISTICS.find(n, domain=d)().has_backward]


def test_heuristics_of_worlds_with_predecessors_have_estimates_from_the_start() -> None:
    """The heuristic of a graph is given in its file, for one direction only."""
    assert {*INVERTIBLE} - {*WITH_BACKWARD} == {("graph", "table")}


@pytest.mark.parametrize("size", [25, WHOLE])
@pytest.mark.parametrize(("domain", "name"), WITH_BACKWARD, ids=map("-".join, WITH_BACKWARD))
def test_estimates_from_the_start_keep_the_declarations(domain: str, name: str, size: int | None) -> None:
    """Compare them with the distances from the start, in all states that can be reached."""
    states = positive = 0
    for entries in stacks(domain, name):
        stack = sections.stack_of(domain, {"stack": entries})
        for family in DOMAINS[domain].families:
            if domain == "gridmap" and refuses(name, family):
                continue
            for instance in instances_of(family, size, name):
                with contextlib.suppress(Unsolvable):
                    bound = stack.prepare(instance.problem())
                    space = StateSpace(bound.problem)
                    h = values(stack.prepare_backward(bound.problem), space.all_states())
                    if stack.admissible:
                        assert (h <= distances_from_start(space)).all(), (str(stack), instance.id)
                    if stack.consistent:
                        source = np.repeat(np.arange(space.count), np.diff(space.first))
                        assert (h[space.target] <= h[source] + space.cost).all(), (str(stack), instance.id)
                        assert h[0] == 0
                    states += space.count
                    positive += int(np.count_nonzero(h))
    assert states > 200, too_few(f"states for {name} from the start", states, domain, "families")
    assert positive > states / 2


def distances_from_start(space: StateSpace) -> NDArray[np.int64]:
    """Return the cost of an optimal path from the start to each state."""
    distance, toward = np.full(space.count, INFINITY), np.full(space.count, -1, np.int32)
    heap = np.zeros(space.target.size + space.count + 1, np.int64)
    is_start = np.arange(space.count) == 0
    distances_to_goals.compiled(space.first, space.target, space.cost, is_start, distance, toward, heap)
    return distance


EACH = len(DOMAINS)
COMBINED = [
    pytest.param(
        domain, name, marks=() if domain in ONLY_IN.get(name, ()) or not (row + column) % EACH else (pytest.mark.long,)
    )
    for row, domain in enumerate(DOMAINS)
    for column, name in enumerate(SEARCHES)
]
"""Domains and algorithms. The short tests have each algorithm in one domain, or in those that only it accepts."""


@pytest.mark.parametrize("size", [SAMPLE, WHOLE])
@pytest.mark.parametrize(("domain", "name"), COMBINED)
def test_algorithms_keep_their_promises(domain: str, name: str, size: int | None) -> None:
    """Run each algorithm with heuristics that are consistent, only admissible, or neither.

    With several heuristics, each takes every second family; if there is only one, they share its instances.
    """
    if domain == "pddl":
        pytest.importorskip("fast_downward")
    has = DOMAINS[domain]
    heuristics, families = has.heuristics, has.families_for_algorithms or has.families
    needs = ALGORITHMS.find(name).heuristic
    limits = {**LIMITS, "nodes": 30_000} if domain == "pddl" else LIMITS  # IDA* sees states often
    chosen = {"needed": heuristics, "ignored": ["none"]}.get(needs, ["none", *heuristics])
    solved = promised = 0
    has_unit_costs = False
    is_single = len(families) == 1
    step = 1 if size is None else len(chosen) if is_single else min(len(chosen), 2)
    for number, heuristic in enumerate(chosen):
        part = slice(number % step, None, step)
        for family in families if is_single else families[part]:
            small: dict[str, Any] = {key: FEWER.get(key, value) for key, value in family.items()}
            try:
                instances = instances_of(small, size, name, heuristic)
                instances = instances[part] if is_single else instances
                has_unit_costs |= all(each.world.unit_costs for each in instances)
                audit = runner.audit(instances, heuristic, name, limits=limits, shrink=False, workers=0)
            except Incompatible:
                continue
            assert violations(audit) == {}
            findings = {each.check: each for each in audit.findings}
            solved += findings["valid_plan"].instances
            promised += findings["optimal" if "optimal" in findings else "optimal_front"].declaring
    algorithm = sections.algorithm_of({"name": name})
    assert isinstance(algorithm, SearchAlgorithm)
    if solved and algorithm.optimal in ("always", "admissible"):
        what = f"promises of {name}"
        assert promised >= MIN_SOLVED, too_few(what, promised, domain, "families_for_algorithms")
    fits = domain in ONLY_IN.get(name, (domain,)) and (not algorithm.needs_inverse or has.is_invertible)
    fits = fits and (not algorithm.needs_unit_costs or has_unit_costs)
    least = 3 if name == "iw" else MIN_SOLVED  # it solves few tasks with several goals
    if fits:
        assert solved >= least, too_few(f"solved by {name}", solved, domain, "families_for_algorithms` or `searches")
    else:
        assert solved < least, (
            f"{name} solves {solved}: add it to `searches` of DOMAINS[{domain!r}] in tests/domains.py"
        )
