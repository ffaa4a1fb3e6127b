"""Algorithms for several agents keep their promises on every placement on tiny maps; A* over joint states judges.

There are 210,564 teams of three agents on maps up to 3x3 cells. One stands for all that are equal but for a symmetry of
the map and the names of the agents, and each 20th of these 94,484 is searched. All other sets of the long tests are
complete; the short tests search each ninth team on the smallest maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import runner
from algorithms.interface.algorithm import ALGORITHMS, PlanningAlgorithm
from algorithms.mapf.team_search import TeamAlgorithm
from tests.sampling import covering
from worlds.gridmap.rules import GridCell
from worlds.interface.instance import Instance
from worlds.mapf.world import MapfWorld

TEAMS = sorted(name for name in ALGORITHMS.names() if issubclass(ALGORITHMS.find(name), TeamAlgorithm))
CHOSEN: list[dict[str, Any]] = [
    *({"name": name} for name in TEAMS),
    {"name": "lacam", "star": True},
    {"name": "cbs", "prioritize": False, "bypass": False, "disjoint": False, "heuristic": "none"},
    {"name": "ecbs", "w": 1.0},
]
SMALL = [(2, 3, 2, "sum_of_costs"), (2, 2, 3, "makespan")]
SAMPLED = (3, 3, 3, "sum_of_costs")
EACH = 20
LIMITS = {"nodes": 100_000}
"""An endless tree fails with its team."""
SHORT = 9
LARGE = [*SMALL, SAMPLED, (2, 3, 3, "sum_of_costs"), (3, 3, 2, "sum_of_costs"), (3, 3, 2, "makespan")]
IMAGES = [(turned, across, down) for turned in (False, True) for across in (False, True) for down in (False, True)]
"""Symmetries of a square: exchange columns and lines, or not, after reflections."""


@cache
def optima(placements: tuple[int, int, int, str], each: int) -> list[tuple[Instance, float | None]]:
    """Return all placements, or each second one and so on, with their optimal costs (None: no plan)."""
    width, height, agents, objective = placements
    teams = runner.load("mapf/all", width=width, height=height, agents=agents, objective=objective)
    chosen = [team for team in teams if is_least(team)][::EACH] if placements == SAMPLED else teams
    return [(team, runner.solve(team, "astar", ["distances"], limits=LIMITS).cost) for team in chosen[::each]]


def is_least(team: Instance) -> bool:
    """Return whether a team is the least of those that are equal but for a symmetry of the map and names of agents."""
    world = team.world
    assert isinstance(world, MapfWorld)
    passable = {*world.roadmap.cells}
    agents = sorted(zip(world.starts, world.targets, strict=True))
    for image in images(world.grid.width, world.grid.height):
        is_symmetry = {image[cell] for cell in passable} == passable
        if is_symmetry and sorted((image[start], image[goal]) for start, goal in agents) < agents:
            return False
    return True


def images(width: int, height: int) -> Iterator[dict[GridCell, GridCell]]:
    """Yield where each cell of a map is after each symmetry of its outline."""
    for turned, across, down in IMAGES:
        if turned and width != height:
            continue
        cells = {}
        for x in range(width):
            for y in range(height):
                to_x = width - 1 - x if across else x
                to_y = height - 1 - y if down else y
                cells[x, y] = (to_y, to_x) if turned else (to_x, to_y)
        yield cells


def check(placements: tuple[int, int, int, str], chosen: dict[str, Any], each: int = 1) -> None:
    """Solve all placements, or each second one, and so on."""
    algorithm = ALGORITHMS.find(chosen["name"])(**{key: value for key, value in chosen.items() if key in ("star", "w")})
    assert isinstance(algorithm, PlanningAlgorithm)
    promised = algorithm.promised_bound(None, admissible=True, consistent=True, unit_costs=False)
    for team, optimum in optima(placements, each):
        result = runner.solve(team, chosen, limits=LIMITS)
        if optimum is None:
            is_proven = algorithm.complete or bool(result.reason)  # the world itself proves some
            assert result.status == ("unsolvable" if is_proven else "cutoff"), team.id
        elif result.cost is None:
            assert (algorithm.complete, result.status) == (False, "cutoff"), team.id
        else:
            assert result.valid, team.id
            assert result.cost >= optimum, team.id
            assert promised is None or result.cost <= promised * optimum, team.id


@covering({"placements": SMALL, "chosen": CHOSEN})
def test_promises_hold_on_each_ninth_placement(placements: tuple[int, int, int, str], chosen: dict[str, Any]) -> None:
    check(placements, chosen, SHORT)


@pytest.mark.long
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@pytest.mark.parametrize("placements", LARGE, ids=str)
def test_promises_hold_on_every_placement(placements: tuple[int, int, int, str], chosen: dict[str, Any]) -> None:
    check(placements, chosen)
