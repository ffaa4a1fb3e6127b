"""Sources of several agents on single maps and on random maps, and how random teams are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from runner.base import UserError, plural
from worlds.gridmap.generators import Kind
from worlds.gridmap.rules import GridCell
from worlds.gridmap.sources import check_size, map_with, random_map
from worlds.gridmap.world import SharedMap
from worlds.interface import Count, Instance, Seed, generator_of, sides_of, source
from worlds.mapf.search import Roadmap
from worlds.mapf.sources import MAX_AGENTS, STRAIGHT, Team, TeamObjective
from worlds.mapf.world import MapfInstance, MapfWorld

Cells = tuple[GridCell, ...]
AgentCount = Annotated[int, Meta(ge=1, le=MAX_AGENTS)]


def random_team(shared: SharedMap, agents: int, seed: int, advice: str) -> tuple[Cells, Cells]:
    """Return different random starts, and different goals that their agents can reach.

    The agents of a small team are the first of a large one with the same seed.

    Parameters
    ----------
    advice : str
        What to change if the map has too few cells.
    """
    cells = shared.passable
    if agents > cells.size:
        found = plural(cells.size, "passable cell")
        raise UserError(
            f"world.agents: {plural(agents, 'agent')} do not fit on {shared.grid.name}, which has {found}; {advice}"
        )
    generator = generator_of(seed)
    starts = cells[generator.random(cells.size).argsort(kind="stable")]
    goals = cells[generator.random(cells.size).argsort(kind="stable")]
    # The goals of the agents that start in a component are the first goals there, in their order.
    order_of_starts = np.argsort(shared.components[starts], kind="stable")
    order_of_goals = np.argsort(shared.components[goals], kind="stable")
    goal_of_start = np.empty_like(goals)
    goal_of_start[order_of_starts] = goals[order_of_goals]
    return _cells(shared, starts[:agents].tolist()), _cells(shared, goal_of_start[:agents].tolist())


def _cells(shared: SharedMap, numbers: list[int]) -> Cells:
    width = shared.grid.width
    return tuple((number % width, number // width) for number in numbers)


def _check_ends(parameters: Any) -> None:
    """Refuse starts and goals that are not those of a team."""
    starts, goals = parameters.starts, parameters.goals
    if (starts is None) != (goals is None):
        raise UserError("world.starts and world.goals: give both or none")
    if starts is None:
        return
    for key, cells in (("starts", starts), ("goals", goals)):
        if not 1 <= len(cells) <= MAX_AGENTS or any(len(cell) != 2 for cell in cells):
            raise UserError(f"world.{key}: expected 1 to {MAX_AGENTS} cells [x, y], got {str(cells)[:100]}")
        for number, cell in enumerate(cells, 1):
            first = cells.index(cell) + 1
            if first < number:
                raise UserError(f"world.{key}: agents {first} and {number} have the same cell {cell}")
    if len(starts) != len(goals):
        raise UserError(f"world.goals: expected one for each of {plural(len(starts), 'start')}, got {len(goals)}")


def _number(parameters: Any) -> int:
    """Return the number of instances."""
    return 1 if parameters.starts else len(parameters.sizes) * int(parameters.count)


def _largest_of_first(parameters: Any, instances: Iterator[MapfInstance]) -> list[MapfInstance]:
    """Return the instance with most agents: those of the first seed have all numbers."""
    return [max(islice(instances, len(parameters.sizes)), key=lambda instance: instance.world.agents)]


@source("mapf/map", validate=_check_ends, count=_number, samples=_largest_of_first)
def teams_on_map(
    team: Team,
    *,
    path: str,
    starts: list[list[int]] | None = None,
    goals: list[list[int]] | None = None,
    count: Count = 10,
    seed: Seed = 0,
) -> Iterator[MapfInstance]:
    """Several agents on one map: with given starts and goals, or random ones.

    Parameters
    ----------
    path : str
        File of the map (.map), relative to the working directory.
    starts, goals : list of [x, y], optional
        Cells of each agent from the upper left corner, (0, 0). Both or none; with them, `agents` has no effect.
    count : int
        Number of random teams of each size, if no starts and goals are given. Each agent can reach its goal.
    seed : int
        Team number i has seed `seed` + i.
    """
    shared = map_with(path, STRAIGHT, starts=starts or [], goals=goals or [])
    roadmap = Roadmap(shared)
    name = shared.grid.name
    if starts and goals:
        yield Instance(MapfWorld(roadmap, _ends(starts), _ends(goals), team.objective), name)
        return
    for seed_of_team in range(seed, seed + count):
        for size in team.sizes:
            ends = random_team(shared, size, seed_of_team, "choose fewer agents or another map")
            yield Instance(MapfWorld(roadmap, *ends, team.objective), f"{name}-k{size}#{seed_of_team}", seed_of_team)


def _ends(cells: list[list[int]]) -> Cells:
    return tuple((x, y) for x, y in cells)


def _check_room(parameters: Any) -> None:
    """Refuse more agents than there are cells."""
    check_size(parameters)
    width, height = sides_of(parameters.size) or (0, 0)
    most = _most_agents(parameters.agents)
    if most > width * height:
        raise UserError(
            f"world.agents: {most} agents do not fit on {width} x {height} cells; choose fewer agents or a larger "
            "world.size"
        )


def _most_agents(agents: int | list[int]) -> int:
    if agents == []:
        raise UserError("world.agents: the list is empty")
    return max(agents) if isinstance(agents, list) else agents


def _largest(parameters: Any, _: Iterator[MapfInstance]) -> list[MapfInstance]:
    """Return the first instance with most agents, without making those before it."""
    given, seed, most = TeamObjective(parameters.objective), parameters.seed, _most_agents(parameters.agents)
    name, world = teams_on_random_maps(seed, given, parameters.size, parameters.kind, parameters.density, most)
    return [Instance(world, name, seed)]


@source("mapf/random", each="agents", validate=_check_room, samples=_largest)
def teams_on_random_maps(
    seed: int,
    given: TeamObjective,
    size: int | str | list[int] = 32,
    kind: Kind = "obstacles",
    density: Annotated[float, Meta(ge=0, lt=1)] = 0.2,
    agents: AgentCount | list[AgentCount] = 10,
) -> tuple[str, MapfWorld]:
    """Random teams on random maps. Each agent can reach its goal.

    Parameters
    ----------
    size : int, "WxH" or [width, height]
        Sides of the maps, 2 to 1,024.
    kind : {"obstacles", "rooms", "maze", "open"}
        `obstacles`: each cell is an obstacle with the probability `density`. `rooms`: rooms of 7 x 7 cells with doors
        in random places, and obstacles in them. `maze`: a maze without cycles. `open`: no obstacles.
    density : float
        Share of obstacles.
    agents : int or list of int
        Number of agents. Of a list, each number has `count` instances on the same maps, and the agents of a small team
        are the first of a large one.
    """
    assert isinstance(agents, int)  # one number of the list (`each`)
    name, make_rows = random_map(size, kind, density, seed)
    shared = STRAIGHT.shared_map(name, make_rows())
    advice = "choose fewer agents, a larger world.size, a smaller world.density or another world.kind"
    return f"{name}-k{agents}", MapfWorld(Roadmap(shared), *random_team(shared, agents, seed, advice), given.objective)
