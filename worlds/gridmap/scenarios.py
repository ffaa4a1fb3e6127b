"""Sources of problems from scenarios: files of the user, and a suite in the package."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from runner.base.errors import UserError, one_line
from runner.base.files import checked_id, file_error, find_files
from runner.base.messages import plural
from worlds.gridmap import formats, rules
from worlds.gridmap.formats import Entry
from worlds.gridmap.rules import GridMap
from worlds.gridmap.sources import GridSource, place_of
from worlds.gridmap.world import GridInstance, GridWorld, SharedMap
from worlds.interface import Instance
from worlds.sources import WORLDS, IndependentSource, SampledSource, chosen_numbers, suite_paths

SUITES = Path(__file__).parent / "suites"

_MAX_NUMBER = 1_000_000
"""Largest number of a bucket, and of a problem in a scenario."""


@dataclass(frozen=True)
class _Scenarios(GridSource, SampledSource, IndependentSource):
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

    @abstractmethod
    def scenarios(self) -> list[Path]:
        """Return the files of the scenarios."""

    def map_of(self, scenario: Path, name: str) -> Path:
        """Return the file of the map that a scenario names: the file of that name beside it."""
        return scenario.parent / _parts(name)[-1]

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
        paths = self.scenarios()
        for path in paths:
            name = checked_id(path.name.removesuffix(".scen").removesuffix(".map"), partial(file_error, path))
            if name in names:
                raise file_error(path, f"has the same name as {names[name]}; rename one of them")
            names[name] = path
            for number, entry in enumerate(formats.load_scenario(path), 1):
                if (buckets is None or entry.bucket in buckets) and (problems is None or number in problems):
                    file = self.map_of(path, entry.map)
                    if file not in maps:
                        if not _is_file(file):
                            problem = (
                                f"there is no map '{one_line(str(file))}'; set world.maps to the folder of the maps"
                            )
                            raise file_error(path, problem, line=entry.line)
                        maps[file] = self.shared_map(file.stem, self.load_map(file))
                    _check(path, entry, maps[file].grid)
                    found.append((maps[file], f"{name}#{number}", entry))
        if not found:
            if buckets is not None or problems is not None:
                raise UserError("world: no problem of the scenarios is chosen; change world.buckets or world.problems")
            others = f", as {plural(len(paths) - 1, 'other scenario')}" if paths[1:] else ""
            raise file_error(paths[0], f"a scenario without problems{others}")
        return self.sampled(found)

    def samples(self) -> Iterator[GridInstance]:
        """Yield the first problem on each map: heuristics build tables for each."""
        maps: set[int] = set()
        for number, (shared, _, _) in enumerate(self._entries):
            if id(shared) not in maps:
                maps.add(id(shared))
                yield self.instance(number)

    def check(self) -> None:
        """Read all files."""
        _ = self._entries

    def instance(self, number: int) -> GridInstance:
        """Return the problem with a number, from 0."""
        shared, name, entry = self._entries[number]
        published = None if shared.grid.variant else entry.length
        rules = GridWorld(shared, entry.start, entry.goal, published, entry.bucket)
        return Instance(rules, name, None, self.registered_name)

    def __len__(self) -> int:
        return len(self._entries)


def _check(path: Path, entry: Entry, grid: GridMap) -> None:
    """Refuse a problem that does not fit its map."""
    if entry.size != (grid.width, grid.height):
        size = f"{entry.size[0]} x {entry.size[1]}, but {grid.name} has {grid.width} x {grid.height}"
        hint = "are width and height swapped?" if entry.size == (grid.height, grid.width) else "maps are not scaled"
        raise file_error(path, f"the map should have {size} cells; {hint}", line=entry.line)
    for what, cell in (("start", entry.start), ("goal", entry.goal)):
        if not rules.is_passable(grid, cell):
            is_swapped = all(rules.is_passable(grid, (y, x)) for x, y in (entry.start, entry.goal))
            hint = "; are x and y swapped? Expected x, the column, before y" if is_swapped else ""
            raise file_error(path, f"the {what} {cell} is {place_of(grid, cell)} of {grid.name}{hint}", line=entry.line)


def _parts(name: str) -> list[str]:
    """Return the parts of the path of a map in a scenario, which cannot lead out of the folder of the maps."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    return parts[-1:] if ".." in parts else parts or [name]


def _is_file(path: Path) -> bool:
    """Return whether there is a file; also False if there cannot be one of this name."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # the name is too long
        return False


@WORLDS.register("gridmap/scenario")
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
        parts, folder = _parts(name), Path(self.maps).expanduser()
        inside = [folder.joinpath(*parts[first:]) for first in range(len(parts))]
        return next((file for file in inside if _is_file(file)), inside[-1])


@WORLDS.register("gridmap/static")
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
