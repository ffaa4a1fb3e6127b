"""Algorithms for several agents keep their promises on every placement on tiny maps; A* over joint states judges."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import runner
from algorithms.interface import ALGORITHMS, PlanningAlgorithm
from algorithms.mapf.team_search import TeamAlgorithm
from worlds.interface import Instance

TEAMS = sorted(name for name in ALGORITHMS.names() if issubclass(ALGORITHMS.find(name), TeamAlgorithm))
CHOSEN: list[dict[str, Any]] = [
    *({"name": name} for name in TEAMS),
    {"name": "lacam", "star": True},
    {"name": "cbs", "disjoint": True, "heuristic": "wdg"},
    {"name": "ecbs", "w": 1.0},
]
SMALL = [(2, 3, 2, "sum_of_costs"), (2, 2, 3, "makespan")]
LARGE = [(3, 3, 2, "sum_of_costs"), (3, 3, 2, "makespan"), (3, 3, 3, "sum_of_costs")]


@cache
def optima(width: int, height: int, agents: int, objective: str) -> list[tuple[Instance, float | None]]:
    """Return all placements with their optimal costs (None: no plan)."""
    teams = runner.load("mapf/all", width=width, height=height, agents=agents, objective=objective)
    return [(team, runner.solve(team, "astar", ["distances"]).cost) for team in teams]


def check(placements: tuple[int, int, int, str], chosen: dict[str, Any]) -> None:
    """Solve all placements."""
    algorithm = ALGORITHMS.find(chosen["name"])(**{key: value for key, value in chosen.items() if key in ("star", "w")})
    assert isinstance(algorithm, PlanningAlgorithm)
    promised = algorithm.promised_bound(None, admissible=True, consistent=True, unit_costs=False)
    for team, optimum in optima(*placements):
        result = runner.solve(team, chosen)
        if optimum is None:
            is_proven = algorithm.complete or bool(result.reason)  # the world itself proves some
            assert result.status == ("unsolvable" if is_proven else "cutoff"), team.id
        elif result.cost is None:
            assert (algorithm.complete, result.status) == (False, "cutoff"), team.id
        else:
            assert result.valid, team.id
            assert result.cost >= optimum, team.id
            assert promised is None or result.cost <= promised * optimum, team.id


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@pytest.mark.parametrize("placements", SMALL, ids=str)
def test_promises_hold_on_every_placement(placements: tuple[int, int, int, str], chosen: dict[str, Any]) -> None:
    check(placements, chosen)


@pytest.mark.long
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@pytest.mark.parametrize("placements", LARGE, ids=str)
def test_promises_hold_on_every_placement_of_3x3(placements: tuple[int, int, int, str], chosen: dict[str, Any]) -> None:
    check(placements, chosen)
