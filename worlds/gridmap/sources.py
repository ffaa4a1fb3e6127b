"""Sources of problems on grid maps: single maps and random maps, and the base of all sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from runner.base.errors import UserError
from runner.base.files import checked_id, file_error, find_files
from worlds.gridmap import formats, rules
from worlds.gridmap.generators import Kind, random_problem, random_rows
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.search import passable_cells
from worlds.gridmap.world import GridInstance, GridWorld, SharedMap
from worlds.interface import Instance
from worlds.sources import WORLDS, Count, IndependentSource, Seed, Source, sides_of

Weight = Annotated[float, Meta(gt=0, le=1000)]
_MAX_GENERATED = 1024
"""Largest side of a random map."""


@dataclass(frozen=True)
class GridSource(Source):
    """Base of all sources of problems on grid maps.

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

    domain: ClassVar[str] = GridWorld.domain

    directions: Literal[8, 4] = 8
    diagonal: Annotated[float, Meta(ge=1, le=2)] = rules.ROOT_2
    weights: dict[str, Weight] | None = None

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
        return formats.load_map(file, self.known_terrains)

    @property
    def known_terrains(self) -> str:
        """Characters of the terrains of the benchmarks, and of those with a weight."""
        return "".join(dict.fromkeys([*rules.TERRAIN, *(self.weights or ())]))

    def shared_map(self, name: str, rows: tuple[str, ...]) -> SharedMap:
        """Return a map with the moves of this source."""
        return SharedMap(GridMap(name, rows, self.diagonal if self.directions == 8 else None, self.weights or {}))


def place_of(grid: GridMap, cell: GridCell) -> str:
    """Return the reason why one cannot stand on a cell."""
    inside = 0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height
    return f"an obstacle ({rules.at(grid, cell)})" if inside else "outside"


@WORLDS.register("gridmap/map")
@dataclass(frozen=True)
class SingleMap(GridSource, IndependentSource):
    """Problems on one map: a given start and goal, or random ones.

    Attributes
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

    path: str = field(kw_only=True)
    start: list[int] | None = None
    goal: list[int] | None = None
    count: Count = 10
    seed: Seed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.start is None) != (self.goal is None):
            raise UserError("world.start and world.goal: give both or none")
        for key, cell in (("start", self.start), ("goal", self.goal)):
            if cell is not None and len(cell) != 2:
                raise UserError(f"world.{key}: expected [x, y], got {cell}")

    @cached_property
    def _map(self) -> SharedMap:
        file, *others = find_files(self.path, (".map",), "maps")
        if others:
            raise UserError(f"world.path: expected one map, got {file}, {others[0]}{', ...' if others[1:] else ''}")
        shared = self.shared_map(checked_id(file.stem, partial(file_error, file)), self.load_map(file))
        for key, given in (("start", self.start), ("goal", self.goal)):
            cell = (given[0], given[1]) if given else None
            if cell is not None and not rules.is_passable(shared.grid, cell):
                raise UserError(f"world.{key}: {cell} is {place_of(shared.grid, cell)} of {file}")
        if not passable_cells(shared.grid).any():
            raise file_error(file, "no cell is passable")
        return shared

    def check(self) -> None:
        """Read the map."""
        _ = self._map

    def instance(self, number: int) -> GridInstance:
        """Return the problem with a number, from 0."""
        shared = self._map
        if self.start is not None and self.goal is not None:
            start, goal = (self.start[0], self.start[1]), (self.goal[0], self.goal[1])
            return Instance(GridWorld(shared, start, goal), shared.grid.name, None, self.registered_name)
        seed = self.seed + number
        start, goal = random_problem(shared, seed)
        return Instance(GridWorld(shared, start, goal), f"{shared.grid.name}#{seed}", seed, self.registered_name)

    def __len__(self) -> int:
        return self.count if self.start is None else 1


@WORLDS.register("gridmap/random")
@dataclass(frozen=True)
class RandomMaps(GridSource, IndependentSource):
    """Random problems on random maps.

    Attributes
    ----------
    count : int
        Number of problems.
    size : int, "WxH" or [width, height]
        Sides of the maps, 2 to 1,024.
    kind : {"obstacles", "rooms", "maze", "open"}
        `obstacles`: each cell is an obstacle with the probability `density`. `rooms`: rooms of 7 x 7 cells with doors
        in random places, and obstacles in them. `maze`: a maze without cycles. `open`: no obstacles.
    density : float
        Share of obstacles.
    per_map : int
        Number of problems on each map.
    seed : int
        Problem number i has seed `seed` + i; its map has the seed of the map's first problem.
    """

    count: Count = 100
    size: int | str | list[int] = 64
    kind: Kind = "obstacles"
    density: Annotated[float, Meta(ge=0, lt=1)] = 0.2
    per_map: Count = 1
    seed: Seed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        sides = sides_of(self.size)
        if sides is None or not all(2 <= side <= _MAX_GENERATED for side in sides):
            raise UserError(
                f"world.size: expected sides of 2 to {_MAX_GENERATED}, such as 64, 80x60 or [80, 60], got {self.size!r}"
            )

    @cached_property
    def _maps(self) -> dict[int, SharedMap]:
        return {}

    def instance(self, number: int) -> GridInstance:
        """Return the problem with a number, from 0."""
        seed = self.seed + number
        map_seed = seed - number % self.per_map
        shared = self._maps.get(map_seed)
        if shared is None:
            width, height = sides_of(self.size) or (0, 0)
            density = self.density if self.kind in ("obstacles", "rooms") else 0.0
            rows = random_rows(self.kind, width, height, density, map_seed)
            shared = self.shared_map(f"{self.kind}-{width}x{height}-{map_seed}", rows)
            self._maps.clear()  # problems on one map follow each other
            self._maps[map_seed] = shared
        start, goal = random_problem(shared, seed)
        name = shared.grid.name if self.per_map == 1 else f"{shared.grid.name}#{number % self.per_map + 1}"
        return Instance(GridWorld(shared, start, goal), name, seed, self.registered_name)

    def __len__(self) -> int:
        return self.count
