"""One rule for `limits.memory`: the bytes that a search has needed are enough for it, and it never uses more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import runner
from algorithms.engine.search import Counts, Limits
from algorithms.interface.algorithm import ALGORITHMS, SearchAlgorithm
from algorithms.mapf.team_search import TeamAlgorithm
from heuristics.interface.stack import Stack
from runner.base.status import CUTOFF, MEMORY_LIMIT, SOLVED, UNSOLVABLE
from runner.config.cell.sections import stack_of_entries
from tests.algorithms import test_node_limit
from tests.algorithms.mapf.teams import UNSOLVABLE as UNSOLVABLE_TEAMS
from tests.algorithms.mapf.teams import any_teams
from tests.algorithms.searching import run
from tests.algorithms.typed import effective, search_algorithm
from tests.planning import any_task, instance
from tests.registered import ONLY_IN
from worlds.interface.instance import Problem

TEAMS = [name for name in ALGORITHMS.names() if issubclass(ALGORITHMS.find(name), TeamAlgorithm)]
VARIANTS: list[dict[str, Any]] = [
    *test_node_limit.VARIANTS,
    *({"name": name} for name in TEAMS),
    *({"name": "astar", "ties": ties} for ties in ("random", "fifo")),
    *(
        {"name": "greedy", "open": kind, "lazy": lazy}
        for kind in ("standard", "epsilon", "type_based", "alternating")
        for lazy in (False, True)
    ),
    *({"name": "greedy", "open": kind, "batch": 1000} for kind in ("standard", "epsilon", "type_based")),
    {"name": "astar", "batch": 1000},
    *({"name": "greedy", "preferred": "helpful", "lazy": lazy} for lazy in (False, True)),
    {"name": "beam", "width": 1000},
    {"name": "bae", "side": "cardinality"},
    {"name": "cbs", "heuristic": "wdg"},
    {"name": "dfbnb", "cycle_check": "visited"},
    {"name": "idastar", "cycle_check": "parent"},
    {"name": "idastar", "table": 100_000},
    {"name": "iw", "iterated": True},
    {"name": "k_best", "simple": False},
    *({"name": name, "lookahead": 1000} for name in ("lss_lrta", "rtaa")),
    {"name": "weighted_astar", "weight": 1.1},
]
_MOST = 40_000
"""Expansions after which a search without a limit of memory is left out."""
_WORLDS = (
    ("gridmap/random", {"size": 40, "seed": 2}, ["octile"]),
    ("pancake/random", {"size": 8, "seed": 2}, [{"name": "gap", "k": 2}]),
    ("npuzzle/random", {"size": 3, "seed": 3}, ["manhattan"]),
)


@cache
def _general() -> list[tuple[Stack, Problem]]:
    found = []
    for name, parameters, entries in _WORLDS:
        (where,) = runner.load(name, count=1, **parameters)
        found.append((stack_of_entries(where.world.domain, entries, "sum"), where.problem()))
    return found


def problems(algorithm: SearchAlgorithm) -> Iterator[tuple[Stack, Problem]]:
    """Yield stacks and problems; some are large enough for arrays to grow."""
    name = algorithm.registered_name
    if name in TEAMS:
        teams = [*UNSOLVABLE_TEAMS.values(), *any_teams(3, 4, 4, 12)]
        yield from ((Stack(), each.problem()) for each in teams if each.world.proof_of_unsolvability() is None)
    elif name in ONLY_IN:
        yield from ((Stack(), each.problem()) for each in test_node_limit.OWN[name])
    elif getattr(algorithm, "preferred", "none") != "none":
        for seed in range(4):
            where = instance(any_task(random.Random(seed)))
            yield stack_of_entries(where.world.domain, ["ff"], "sum"), where.problem()
    else:
        for stack, problem in _general():
            if problem.world.unit_costs or not algorithm.needs_unit_costs:
                yield Stack() if algorithm.heuristic == "ignored" else stack, problem


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(map(str, variant.values())))
def test_a_search_needs_the_bytes_that_it_reports_and_never_uses_more(variant: dict[str, Any]) -> None:
    algorithm, weighting = effective(search_algorithm(**variant), None)
    tried = 0
    for stack, problem in problems(algorithm):
        bound = stack.prepare(problem)

        def ends(memory: int | None, bound: Any = bound) -> tuple[str, Counts]:
            search = algorithm.start(bound, weighting)
            return run(search, Limits(memory=memory, nodes=_MOST if memory is None else None)), search.counts

        status, counts = unlimited = ends(None)
        needed = counts.memory_bytes
        if status not in (SOLVED.name, UNSOLVABLE.name, CUTOFF.name):
            continue
        tried += 1
        if needed == 0:  # a function in plain Python that does not count them
            continue
        for memory in (needed, needed + needed // 5):
            assert ends(memory) == unlimited
        for memory in (needed - 1, needed * 4 // 5, needed // 2):
            ended, used = ends(memory)
            assert ended in (status, MEMORY_LIMIT.name)
            if used.expanded:  # else the first arrays are larger
                assert used.memory_bytes <= memory
    assert tried
