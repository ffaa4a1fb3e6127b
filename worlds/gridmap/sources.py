"""Sources of problems on grid maps: single maps and random maps, and the parameters of all sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from runner.base import UserError, checked_id, file_error, find_files
from worlds.gridmap import formats, rules
from worlds.gridmap.generators import Kind, random_problem, random_rows
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.search import passable_cells
from worlds.gridmap.world import GridInstance, GridWorld, SharedMap
from worlds.interface import Count, Instance, Seed, sides_of, source

Weight = Annotated[float, Meta(gt=0, le=1000)]
_MAX_GENERATED = 1024
"""Largest side of a random map."""


@dataclass(frozen=True)
class Moves:
    """Parameters of all sources: the moves, and what they cost.

    Attributes
    ----------
    directions : {8, 4}
        8: straight steps cost 1, diagonal steps `diagonal`. 4: only straight steps.
    diagonal : float
        Cost of a diagonal step: the square root of 2, or a fraction with a denominator of at most 1,000.
    weights : mapping of str to float, optional
        Factors of the costs of steps into cells of a terrain, such as {S: 2, T: 5}. Trees (`T`) with a weight are
        passable, and maps may have any other character that has a weight, such as {A: 1, B: 3}.
    """

    directions: Literal[8, 4] = 8
    diagonal: Annotated[float, Meta(ge=1, le=2)] = rules.ROOT_2
    weights: dict[str, Weight] | None = None
    has_weights: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for terrain in self.weights or ():
            if not rules.may_have_weight(terrain):
                raise UserError(
                    "world.weights: expected terrains (one character of ASCII each, but not @ or O, which are out of "
                    f"bounds), got {terrain[:50]!r}"
                )
        key = "diagonal"
        try:
            rules.integer_steps(self.diagonal)
            key = "weights"
            rules.common_denominator((self.weights or {}).values())
        except ValueError as error:
            raise UserError(f"world.{key}: {error}") from None

    def load_map(self, file: Path) -> tuple[str, ...]:
        """Read a map of terrains that the benchmarks have, or that have a weight."""
        return formats.load_map(file, self.known_terrains, has_weights=self.has_weights)

    @property
    def known_terrains(self) -> str:
        """Characters of the terrains of the benchmarks, and of those with a weight."""
        return "".join(dict.fromkeys([*rules.TERRAIN, *(self.weights or ())]))

    def kept_map(self, name: str, make_rows: Callable[[], tuple[str, ...]]) -> SharedMap:
        """Return a map, which is made unless it is that of the last call: problems on one map follow each other."""
        if name not in self._last_map:
            self._last_map.clear()
            self._last_map[name] = self.shared_map(name, make_rows())
        return self._last_map[name]

    @cached_property
    def _last_map(self) -> dict[str, SharedMap]:
        return {}

    def shared_map(self, name: str, rows: tuple[str, ...], path: Path | None = None) -> SharedMap:
        """Return a map with the moves of this source. Its file, if there is one, is kept for programs."""
        diagonal = self.diagonal if self.directions == 8 else None
        return SharedMap(GridMap(name, rows, diagonal, self.weights or {}), path)


def place_of(grid: GridMap, cell: GridCell) -> str:
    """Return the reason why one cannot stand on a cell."""
    inside = 0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height
    return f"an obstacle ({rules.at(grid, cell)})" if inside else "outside"


def _check_ends(parameters: Any) -> None:
    if (parameters.start is None) != (parameters.goal is None):
        raise UserError("world.start and world.goal: give both or none")
    for key, cell in (("start", parameters.start), ("goal", parameters.goal)):
        if cell is not None and len(cell) != 2:
            raise UserError(f"world.{key}: expected [x, y], got {cell}")


@source(
    "gridmap/map", validate=_check_ends,
    count=lambda parameters: parameters.count if parameters.start is None else 1,
)  # fmt: skip
def problems_on_map(
    moves: Moves,
    *,
    path: str,
    start: list[int] | None = None,
    goal: list[int] | None = None,
    count: Count = 10,
    seed: Seed = 0,
) -> Iterator[GridInstance]:
    """Problems on one map: a given start and goal, or random ones.

    Parameters
    ----------
    path : str
        File of the map (.map), relative to the working directory.
    start, goal : [x, y], optional
        Cells from the upper left corner, (0, 0). Both or none.
    count : int
        Number of random problems, if no start and goal are given. A goal can be reached from its start.
    seed : int
        Problem number i has seed `seed` + i.
    """
    shared = _map_of(path, moves, start, goal)
    if start is not None and goal is not None:
        yield Instance(GridWorld(shared, (start[0], start[1]), (goal[0], goal[1])), shared.grid.name)
        return
    for seed_of_problem in range(seed, seed + count):
        world = GridWorld(shared, *random_problem(shared, seed_of_problem))
        yield Instance(world, f"{shared.grid.name}#{seed_of_problem}", seed_of_problem)


def _map_of(path: str, moves: Moves, start: list[int] | None, goal: list[int] | None) -> SharedMap:
    """Return the map of a file, on which start and goal, if given, are passable."""
    shared = map_with(path, moves, start=[start] if start else [], goal=[goal] if goal else [])
    if not passable_cells(shared.grid).any():
        raise file_error(shared.path or Path(path), "no cell is passable")
    return shared


def map_with(path: str, moves: Moves, **ends: list[list[int]]) -> SharedMap:
    """Return the map of a file, on which the given cells of each parameter are passable."""
    file, *others = find_files(path, (".map",), "maps")
    if others:
        raise UserError(f"world.path: expected one map, got {file}, {others[0]}{', ...' if others[1:] else ''}")
    shared = moves.shared_map(checked_id(file.stem, partial(file_error, file)), moves.load_map(file), file)
    for key, cells in ends.items():
        for x, y in cells:
            if not rules.is_passable(shared.grid, (x, y)):
                raise UserError(f"world.{key}: {(x, y)} is {place_of(shared.grid, (x, y))} of {file}")
    return shared


def check_size(parameters: Any) -> None:
    """Refuse sides of random maps that are none."""
    sides = sides_of(parameters.size)
    if sides is None or not all(2 <= side <= _MAX_GENERATED for side in sides):
        raise UserError(
            f"world.size: expected sides of 2 to {_MAX_GENERATED}, such as 64, 80x60 or [80, 60], got "
            f"{parameters.size!r}"
        )


def random_map(
    size: int | str | list[int], kind: Kind, density: float, seed: int
) -> tuple[str, Callable[[], tuple[str, ...]]]:
    """Return the name of a random map, and the function that makes its rows."""
    width, height = sides_of(size) or (0, 0)
    share = density if kind in ("obstacles", "rooms") else 0.0
    return f"{kind}-{width}x{height}-{seed}", partial(random_rows, kind, width, height, share, seed)


@source("gridmap/random", validate=check_size)
def problems_on_random_maps(
    seed: int,
    number: int,
    moves: Moves,
    size: int | str | list[int] = 64,
    kind: Kind = "obstacles",
    density: Annotated[float, Meta(ge=0, lt=1)] = 0.2,
    per_map: Count = 1,
) -> tuple[str, GridWorld]:
    """Random problems on random maps.

    Parameters
    ----------
    size : int, "WxH" or [width, height]
        Sides of the maps, 2 to 1,024.
    kind : {"obstacles", "rooms", "maze", "open"}
        `obstacles`: each cell is an obstacle with the probability `density`. `rooms`: rooms of 7 x 7 cells with doors
        in random places, and obstacles in them. `maze`: a maze without cycles. `open`: no obstacles.
    density : float
        Share of obstacles.
    per_map : int
        Number of problems on each map. Its seed is that of its first problem.
    """
    name, make_rows = random_map(size, kind, density, seed - number % per_map)
    shared = moves.kept_map(name, make_rows)
    start, goal = random_problem(shared, seed)
    return name if per_map == 1 else f"{name}#{number % per_map + 1}", GridWorld(shared, start, goal)
