"""Exhaustive source: all problems on all maps up to a size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any

from msgspec import Meta

from runner.base import UserError
from worlds.gridmap import rules
from worlds.gridmap.sources import Moves
from worlds.gridmap.world import GridInstance, GridWorld
from worlds.interface import Instance, sizes_up_to, source

MAX_PROBLEMS = 10**7
Side = Annotated[int, Meta(ge=1, le=16)]


def _validate(parameters: Any) -> None:
    terrains, known = parameters.terrains, parameters.known_terrains
    if terrains.strip(known) or len(set(terrains)) < len(terrains) or not _passable(parameters):
        raise UserError(
            f"world.terrains: expected different characters of {known}, at least one of them passable, got "
            f"{terrains[:50]!r}"
        )
    count = _number(parameters)
    if not 0 < count <= MAX_PROBLEMS:
        raise UserError(
            f"world.width: expected maps with 1 to {MAX_PROBLEMS:,} problems, but {parameters.width} x "
            f"{parameters.height} cells of {len(terrains)} terrains have {float(count):,.3g}"
        )


def _passable(parameters: Any) -> list[str]:
    """Return the terrains that are passable."""
    weighted = parameters.weights or ()
    return [terrain for terrain in parameters.terrains if terrain not in rules.OBSTACLES or terrain in weighted]


def _number(parameters: Any) -> int:
    """Return the number of problems: the sum over all maps of the squared number of passable cells."""
    passable, terrains = len(_passable(parameters)), len(parameters.terrains)
    sizes = (width * height for width, height in sizes_up_to(parameters.width, parameters.height))
    return sum(n * passable * terrains ** (n - 2) * ((n - 1) * passable + terrains) for n in sizes)


def _set(parameters: Any) -> str:
    size = f"{parameters.width}x{parameters.height}"
    return f"problems on maps of up to {size} cells of the terrains {parameters.terrains}"


def _on_mixed_map(parameters: Any, _: Iterator[GridInstance]) -> list[GridInstance]:
    """Return the last problem on a largest map in which the terrains alternate."""
    cells = parameters.width * parameters.height
    terrains = (parameters.terrains * cells)[:cells]
    name, world = list(_problems(parameters, parameters.width, terrains))[-1]
    return [Instance(world, name)]


@source(
    "gridmap/all", validate=_validate, count=_number, exhaustive=_set, samples=_on_mixed_map, small_space={},
)  # fmt: skip
def all_problems(
    moves: Moves, width: Side = 3, height: Side = 3, terrains: str = ".@"
) -> Iterator[tuple[str, GridWorld]]:
    """Every start and goal on every map up to a size.

    Parameters
    ----------
    width, height : int
        Sides of the largest maps. The smallest have two cells.
    terrains : str
        Terrains of the cells, such as `.@` or `.@SW`.
    """
    for columns, rows in sizes_up_to(width, height):
        for cells in product(terrains, repeat=columns * rows):
            yield from _problems(moves, columns, "".join(cells))


def _problems(moves: Moves, width: int, terrains: str) -> Iterator[tuple[str, GridWorld]]:
    """Yield all problems on the map with these cells, row by row."""
    rows = tuple(terrains[first : first + width] for first in range(0, len(terrains), width))
    name = f"{width}x{len(rows)}-{terrains}"
    shared = moves.shared_map(name, rows)
    cells = [(x, y) for y in range(len(rows)) for x in range(width) if rules.is_passable(shared.grid, (x, y))]
    for number, (start, goal) in enumerate(product(cells, repeat=2), 1):
        yield f"{name}#{number}", GridWorld(shared, start, goal)
