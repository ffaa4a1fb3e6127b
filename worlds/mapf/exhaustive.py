"""Exhaustive source: all teams on all maps up to a size, one of those that are equal but for symmetry or names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import comb, perm
from typing import Annotated, Any

from msgspec import Meta

from runner.base import UserError
from worlds.interface import Instance, sizes_up_to, source
from worlds.mapf.search import Roadmap
from worlds.mapf.sources import STRAIGHT, TeamObjective
from worlds.mapf.world import MapfInstance, MapfWorld

MAX_TEAMS = 10**7
MAX_MAP = 12
"""Largest number of cells of a map."""
Side = Annotated[int, Meta(ge=1, le=MAX_MAP)]
Rows = tuple[str, ...]


def _validate(parameters: Any) -> None:
    if not 2 <= parameters.width * parameters.height <= MAX_MAP:
        raise UserError(
            f"world.width: expected maps of 2 to {MAX_MAP} cells, got {parameters.width} x {parameters.height}"
        )
    count = _number(parameters)
    if not 0 < count <= MAX_TEAMS:
        raise UserError(
            f"world.agents: expected 1 to {MAX_TEAMS:,} teams, but {parameters.agents} agents on maps of up to "
            f"{parameters.width} x {parameters.height} cells are {float(count):,.3g}"
        )


def _number(parameters: Any) -> int:
    """Return the number of teams: of each map, the sets of starts times the goals in all orders."""
    agents = parameters.agents
    sizes = (sum(row.count(".") for row in rows) for rows in _maps(parameters.width, parameters.height))
    return sum(comb(cells, agents) * perm(cells, agents) for cells in sizes)


def _set(parameters: Any) -> str:
    size = f"{parameters.width}x{parameters.height}"
    return f"placements of {parameters.agents} agents on maps of up to {size} cells, but for symmetries of the map"


def _on_open_map(parameters: Any, _: Iterator[MapfInstance]) -> list[MapfInstance]:
    """Return the first team on the largest map, without obstacles."""
    rows = list(_maps(parameters.width, parameters.height))[-1]
    name, world = next(_on(rows, parameters.agents, parameters))
    return [Instance(world, name)]


@source(
    "mapf/all", validate=_validate, count=_number, exhaustive=_set, samples=_on_open_map,
    small_space={"width": 2, "height": 2},
)  # fmt: skip
def all_teams(
    given: TeamObjective, width: Side = 3, height: Side = 3, agents: Annotated[int, Meta(ge=1, le=MAX_MAP)] = 2
) -> Iterator[tuple[str, MapfWorld]]:
    """Every placement of some agents, starts and goals, on every map up to a size.

    Of maps that are reflections or rotations of each other there is one, and none with obstacles alone along an edge,
    which are smaller maps. Agents are named by their starts, row by row.

    Parameters
    ----------
    width, height : int
        Sides of the largest maps, which have at most 12 cells.
    agents : int
        Number of agents.
    """
    for rows in _maps(width, height):
        yield from _on(rows, agents, given)


def _maps(width: int, height: int) -> Iterator[Rows]:
    """Yield one of the maps that are equal but for symmetry, the smallest first, and that without obstacles last."""
    for columns, lines in sizes_up_to(width, height):
        for cells in product("@.", repeat=columns * lines):
            rows = tuple("".join(cells[first : first + columns]) for first in range(0, columns * lines, columns))
            if _fills_size(rows) and rows == min(_images(rows, width, height)):
                yield rows


def _fills_size(rows: Rows) -> bool:
    """Return whether there is a passable cell along each edge."""
    edges = (rows[0], rows[-1], *("".join(row[side] for row in rows) for side in (0, -1)))
    return all("." in edge for edge in edges)


def _images(rows: Rows, width: int, height: int) -> Iterator[Rows]:
    """Yield the reflections and rotations of a map that are not too large."""
    turned = tuple(map("".join, zip(*rows, strict=True)))
    for image in (rows, turned):
        if len(image[0]) <= width and len(image) <= height:
            for lines in (image, image[::-1]):
                yield lines
                yield tuple(row[::-1] for row in lines)


def _on(rows: Rows, agents: int, given: TeamObjective) -> Iterator[tuple[str, MapfWorld]]:
    """Yield all teams on a map."""
    name = f"{len(rows[0])}x{len(rows)}-{''.join(rows)}"
    roadmap = Roadmap(STRAIGHT.shared_map(name, rows))
    teams = product(combinations(roadmap.cells, agents), permutations(roadmap.cells, agents))
    for number, (starts, goals) in enumerate(teams, 1):
        yield f"{name}-k{agents}#{number}", MapfWorld(roadmap, starts, goals, given.objective)
