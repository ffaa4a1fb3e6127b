"""Tables of the control array, metrics that searches declare, and what plug-ins may import of the engine."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from itertools import islice

import pytest

import runner
from algorithms import engine
from algorithms.depth_first.in_place import PREDICTED
from algorithms.engine import control
from algorithms.engine.search import Limits, Search
from algorithms.interface.algorithm import SearchAlgorithm
from algorithms.k_best import SpurSearch
from algorithms.plan_sets import DIVERSE, HYPERVOLUME, SOLUTIONS
from heuristics.interface.heuristic import HEURISTICS
from runner.base.errors import Incompatible
from runner.config.cell.schema import SearchParts
from tests.algorithms import test_memory_limit
from tests.algorithms.searching import run
from tests.algorithms.typed import effective, search_algorithm
from tests.domains import DOMAINS
from tests.registered import ONLY_IN, SEARCHES
from tests.runner_cli import ROOT

TABLES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts) for file in (ROOT / "algorithms").rglob("control_*.py")
]


@pytest.mark.parametrize("table", sorted({*TABLES} - {control.__name__}))
def test_the_array_is_large_enough_for_the_table_of_a_family(table: str) -> None:
    assert import_module(table).END <= control.SIZE


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_measures_the_metrics_that_its_algorithm_declares(name: str) -> None:
    """In the domains that alone accept it, or where a node is found by its state, by its number, and in place.

    Only the heuristics of some plug-ins predict expansions (``tests/algorithms/depth_first/test_in_place.py``). The
    solver measures sets of plans.
    """
    algorithm = search_algorithm(name)
    declared = {
        metric.name for metric in algorithm.metrics if metric not in (PREDICTED, SOLUTIONS, HYPERVOLUME, DIVERSE)
    }
    measured: list[set[str]] = []
    for domain in ONLY_IN.get(name, ("graph", "gridmap", "npuzzle")):
        has = DOMAINS[domain]
        (instance, *_) = runner.load(has.start, **has.small[has.start])
        last = has.heuristics[0]
        first = [*HEURISTICS.find(last, domain=domain).builds_on, last][0]
        heuristic = "none" if algorithm.heuristic == "ignored" else first
        try:
            parts = SearchParts.of(domain, name, heuristic, None, "sum").fitted([instance])
        except Incompatible:
            continue
        assert isinstance(parts.algorithm, SearchAlgorithm)
        search = parts.algorithm.start(parts.stack.prepare(instance.problem()), parts.weighting)
        run(search, Limits(nodes=20))
        assert {*search.measured} <= declared, domain
        measured.append({*search.measured})
    assert measured
    assert declared == set().union(*measured)


def test_every_class_of_searches_measures_what_its_algorithm_declares() -> None:
    """Parameters choose other classes, which measure less, or the same by another kernel."""
    used = set[type[Search]]()
    for variant in test_memory_limit.VARIANTS:
        algorithm, weighting = effective(search_algorithm(**variant), None)
        for stack, problem in islice(test_memory_limit.problems(algorithm), 3):
            search = algorithm.start(stack.prepare(problem), weighting)
            run(search, Limits(nodes=20))
            assert {*search.measured} <= {metric.name for metric in algorithm.metrics}, variant
            used.add(type(search))
    used.add(SpurSearch)  # part of another search
    unused = [each.__name__ for each in classes_below(Search) if not any(issubclass(one, each) for one in used)]
    assert unused == [], "add parameters that choose these classes to the variants"


def classes_below(cls: type) -> list[type]:
    """Return the classes of `algorithms` that derive from a class."""
    directly: list[type] = cls.__subclasses__()
    below = [each for one in directly for each in (one, *classes_below(one))]
    return [each for each in dict.fromkeys(below) if each.__module__.startswith("algorithms.")]


PUBLIC = {
    name for names in re.findall(r"^    (\S.*?) {2,}", engine.__doc__ or "", re.MULTILINE) for name in names.split(", ")
}


@pytest.mark.parametrize("example", ["compiled_astar", "compiled_hill_climbing"])
def test_examples_import_of_the_engine_what_plug_ins_may(example: str) -> None:
    tree = ast.parse((ROOT / "examples" / f"{example}.py").read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    nodes = [node for node in nodes if f"{node.module}.".startswith(f"{engine.__name__}.")]
    assert {node.module for node in nodes} == {engine.__name__}
    assert {each.name for node in nodes for each in node.names} <= PUBLIC


def test_what_plug_ins_may_import_exists() -> None:
    assert len(PUBLIC) > 20
    assert {*dir(engine)} >= PUBLIC
