"""Sources of problems on grid maps: scenarios, single maps, random maps, and a suite in the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from runner.registry import UserError, register
from worlds.files import checked_id, file_error, find_files
from worlds.gridmap import formats, rules
from worlds.gridmap.formats import Entry
from worlds.gridmap.generators import Kind, random_problem, random_rows
from worlds.gridmap.instance import GridInstance, SharedMap
from worlds.gridmap.rules import TERRAIN, Cell, GridMap
from worlds.sources import Count, IndependentSource, Seed, chosen_numbers, sides_of, suite_paths

SUITES = Path(__file__).parent / "suites"

Weight = Annotated[float, Meta(gt=0, le=1000)]
_MAX_NUMBER = 10**9
_MAX_GENERATED = 1024
"""Largest side of a random map."""


@dataclass(frozen=True)
class GridSource(IndependentSource):
    """Base of all sources of problems on grid maps.

    Attributes
    ----------
    directions : {8, 4}
        8: straight steps cost 1, diagonal steps the square root of 2. 4: only straight steps.
    weights : mapping of str to float
        Factors of the costs of steps into cells of a terrain, such as {S: 2, T: 5}. A terrain with a weight is
        passable.
    """

    domain: ClassVar[str] = GridInstance.domain

    directions: Literal[8, 4] = 8
    weights: dict[str, Weight] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for terrain in self.weights:
            if len(terrain) != 1 or terrain not in TERRAIN:
                raise UserError(f"world.weights: there is no terrain {terrain!r}; choose from {', '.join(TERRAIN)}")

    def _shared(self, name: str, rows: tuple[str, ...]) -> SharedMap:
        return SharedMap(GridMap(name, rows, self.directions == 8, self.weights))


@dataclass(frozen=True)
class _Scenarios(GridSource):
    """Problems of scenarios.

    Attributes
    ----------
    buckets : list of int or "a-b", optional
        Buckets of the problems, and ranges of buckets with both ends included. Unless given, all.
    problems : list of int or "a-b", optional
        Numbers of the problems in each scenario, from 1, and ranges of numbers. Unless given, all.
    """

    buckets: list[int | str] | None = None
    problems: list[int | str] | None = None

    def scenarios(self) -> list[Path]:
        """Return the files of the scenarios."""
        raise NotImplementedError

    def map_of(self, scenario: Path, name: str) -> Path:
        """Return the file of the map that a scenario names: the file of that name beside it."""
        return scenario.parent / Path(name.replace("\\", "/")).name

    @cached_property
    def _entries(self) -> list[tuple[SharedMap, str, Entry]]:
        """Map, name and content of each chosen problem."""
        buckets, problems = (
            None if items is None else frozenset(chosen_numbers(items, first, _MAX_NUMBER, key))
            for items, first, key in ((self.buckets, 0, "world.buckets"), (self.problems, 1, "world.problems"))
        )
        found: list[tuple[SharedMap, str, Entry]] = []
        maps: dict[Path, SharedMap] = {}
        names: dict[str, Path] = {}
        for path in self.scenarios():
            name = checked_id(path.name.removesuffix(".scen").removesuffix(".map"), partial(file_error, path))
            if name in names:
                raise file_error(path, f"has the same name as {names[name]}; rename one of them")
            names[name] = path
            for number, entry in enumerate(formats.load_scenario(path), 1):
                if (buckets is None or entry.bucket in buckets) and (problems is None or number in problems):
                    file = self.map_of(path, entry.map)
                    if file not in maps:
                        if not file.is_file():
                            raise file_error(
                                path,
                                f"there is no map {file}; give the folder of the maps: world.maps",
                                line=entry.line,
                            )
                        maps[file] = self._shared(file.stem, formats.load_map(file))
                    _check(path, entry, maps[file].grid)
                    found.append((maps[file], f"{name}#{number}", entry))
        if not found:
            raise UserError("world: no problem of the scenarios is chosen; change world.buckets or world.problems")
        return found

    def check(self) -> None:
        """Read all files."""
        _ = self._entries

    def instance(self, number: int) -> GridInstance:
        """Return the problem with a number, from 0."""
        shared, name, entry = self._entries[number]
        published = None if self.directions == 4 or self.weights else entry.length
        return GridInstance(
            shared, entry.start, entry.goal, name, None, self.registered_name, published, entry.bucket
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self._entries)


def _check(path: Path, entry: Entry, grid: GridMap) -> None:
    """Refuse a problem that does not fit its map."""
    if entry.size != (grid.width, grid.height):
        size = f"{entry.size[0]} x {entry.size[1]}, but {grid.name} has {grid.width} x {grid.height}"
        raise file_error(path, f"the map should have {size} cells; maps are not scaled", line=entry.line)
    for what, cell in (("start", entry.start), ("goal", entry.goal)):
        if not rules.is_passable(grid, cell):
            raise file_error(path, f"the {what} {cell} is {_place(grid, cell)} of {grid.name}", line=entry.line)


def _place(grid: GridMap, cell: Cell) -> str:
    inside = 0 <= cell[0] < grid.width and 0 <= cell[1] < grid.height
    return f"an obstacle ({rules.at(grid, cell)})" if inside else "outside"


@register("world", "gridmap/scenario")
@dataclass(frozen=True)
class ScenarioFiles(_Scenarios):
    """Problems of scenarios in the format of the MovingAI benchmarks.

    Attributes
    ----------
    path : str
        File, folder or glob pattern of scenarios (.scen), relative to the working directory.
    maps : str, optional
        Folder of the maps. Unless given, a map lies beside its scenario.
    """

    path: str = field(kw_only=True)
    maps: str | None = None

    def scenarios(self) -> list[Path]:
        """Return the files that `path` stands for, in natural order."""
        return find_files(self.path, (".scen",), "scenarios")

    def map_of(self, scenario: Path, name: str) -> Path:
        """Return the file of a map: in the folder `maps`, by its path or its name; else beside the scenario."""
        if self.maps is None:
            return super().map_of(scenario, name)
        parts = Path(name.replace("\\", "/")).parts
        inside = [Path(self.maps, *parts[first:]) for first in range(len(parts)) if ".." not in parts]
        return next((file for file in inside if file.is_file()), Path(self.maps, parts[-1] if parts else name))


@register("world", "gridmap/static")
@dataclass(frozen=True)
class StaticMaps(_Scenarios):
    """Problems on small maps that come with the package.

    Attributes
    ----------
    suite : str
        Name of a folder under ``worlds/gridmap/suites``.
    """

    suite: str = "small"

    def scenarios(self) -> list[Path]:
        """Return the scenarios of the suite."""
        return suite_paths(SUITES, self.suite, "*.scen")


@register("world", "gridmap/map")
@dataclass(frozen=True)
class SingleMap(GridSource):
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
        file = Path(self.path)
        shared = self._shared(checked_id(file.stem, partial(file_error, file)), formats.load_map(file))
        for key, given in (("start", self.start), ("goal", self.goal)):
            cell = (given[0], given[1]) if given else None
            if cell is not None and not rules.is_passable(shared.grid, cell):
                raise UserError(f"world.{key}: {cell} is {_place(shared.grid, cell)} of {self.path}")
        if not any(
            terrain not in rules.OBSTACLES or terrain in self.weights for terrain in set("".join(shared.grid.rows))
        ):
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
            return GridInstance(shared, start, goal, shared.grid.name, None, self.registered_name)
        seed = self.seed + number
        start, goal = random_problem(shared.grid, seed)
        return GridInstance(shared, start, goal, f"{shared.grid.name}-{seed}", seed, self.registered_name)

    def __len__(self) -> int:
        return self.count if self.start is None else 1


@register("world", "gridmap/random")
@dataclass(frozen=True)
class RandomMaps(GridSource):
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
            shared = self._shared(f"{self.kind}-{width}x{height}-{map_seed}", rows)
            self._maps.clear()  # problems on one map follow each other
            self._maps[map_seed] = shared
        start, goal = random_problem(shared.grid, seed)
        name = shared.grid.name if self.per_map == 1 else f"{shared.grid.name}#{number % self.per_map + 1}"
        return GridInstance(shared, start, goal, name, seed, self.registered_name)

    def __len__(self) -> int:
        return self.count
