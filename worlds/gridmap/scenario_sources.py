"""Sources of problems from scenarios: files of the user, and a suite in the package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from runner.base import UserError, checked_id, file_error, find_files, one_line, plural
from worlds.gridmap import formats, rules
from worlds.gridmap.formats import ScenarioEntry
from worlds.gridmap.rules import GridMap
from worlds.gridmap.sources import Moves, place_of
from worlds.gridmap.world import GridInstance, GridWorld, SharedMap
from worlds.interface import chosen_numbers, source, suite_paths

SUITES = Path(__file__).parent / "suites"

_MAX_NUMBER = 1_000_000
"""Largest number of a bucket, and of a problem in a scenario."""


@dataclass(frozen=True)
class ProblemChoice:
    """Choice of problems of scenarios.

    Attributes
    ----------
    buckets : list of int or "a-b", optional
        Buckets of the problems, and ranges of buckets with both ends included. Unless given, all.
    problems : list of int or "a-b", optional
        Numbers of the problems in each scenario, from 1, and ranges of numbers. Unless given, all.
    """

    buckets: list[int | str] | None = None
    problems: list[int | str] | None = None


def _first_on_each_map(_: Any, problems: Iterator[GridInstance]) -> Iterator[GridInstance]:
    """Yield the first problem on each map: heuristics build tables for each."""
    maps: set[int] = set()
    for problem in problems:
        shared = problem.world.shared
        if id(shared) not in maps:
            maps.add(id(shared))
            yield problem


_OF_TEAMS = re.compile(r".*-(random|even)-\d+")
"""Names of the scenarios of the MAPF benchmark."""


def _notes(parameters: Any) -> Iterator[str]:
    """Yield a note about the first scenario of the MAPF benchmark: its lines are meant to be searched together."""
    for path in find_files(parameters.path, (".scen",), "scenarios"):
        if _OF_TEAMS.fullmatch(path.stem) and _is_of_team(formats.load_scenario(path)):
            yield (
                f"{path} is a scenario of several agents (MAPF); gridmap/scenario searches them one by one, "
                "mapf/scenario all together"
            )
            return


def _is_of_team(entries: Sequence[ScenarioEntry]) -> bool:
    """Return whether all starts differ, and all goals."""
    starts = {entry.start for entry in entries}
    goals = {entry.goal for entry in entries}
    return len(starts) == len(goals) == len(entries) > 1


@source("gridmap/scenario", sampled=True, samples=_first_on_each_map, notes=_notes)
def problems_of_scenarios(
    moves: Moves, choice: ProblemChoice, *, path: str, maps: str | None = None
) -> Iterator[tuple[str, GridWorld]]:
    """Problems of scenarios in the format of the MovingAI benchmarks.

    Parameters
    ----------
    path : str
        File, folder or glob pattern of scenarios (.scen), relative to the working directory.
    maps : str, optional
        Folder of the maps. Unless given, a map lies beside its scenario.
    """
    return _problems(find_files(path, (".scen",), "scenarios"), ScenarioMaps(moves, maps), choice)


@source("gridmap/static", sampled=True, samples=_first_on_each_map)
def problems_of_suite(moves: Moves, choice: ProblemChoice, suite: str = "small") -> Iterator[tuple[str, GridWorld]]:
    """Problems on small maps that come with the package.

    Parameters
    ----------
    suite : str
        Name of a folder under ``worlds/gridmap/suites``.
    """
    return _problems(suite_paths(SUITES, suite, "*.scen"), ScenarioMaps(moves), choice)


class ScenarioMaps:
    """Maps of scenarios, each read once, so that its problems share it.

    Parameters
    ----------
    moves : Moves
    folder : str, optional
        Folder of the maps. Unless given, a map lies beside its scenario.
    """

    def __init__(self, moves: Moves, folder: str | None = None) -> None:
        self._moves, self._folder = moves, folder
        self._maps: dict[Path, SharedMap] = {}

    def map_of(self, scenario: Path, entry: ScenarioEntry) -> SharedMap:
        """Return the map of a problem, which fits it.

        Raises
        ------
        UserError
            If there is no such map, its size differs, or one cannot stand at the start or the goal.
        """
        file = self._file(scenario, entry.map)
        if file not in self._maps:
            if not _is_file(file):
                problem = f"there is no map '{one_line(str(file))}'; set world.maps to the folder of the maps"
                raise file_error(scenario, problem, line=entry.line)
            self._maps[file] = self._moves.shared_map(file.stem, self._moves.load_map(file), file)
        _check(scenario, entry, self._maps[file].grid)
        return self._maps[file]

    def _file(self, scenario: Path, name: str) -> Path:
        """Return the file of a map: in the folder, by its path or its name; else beside the scenario."""
        parts = _parts(name)
        if self._folder is None:
            return scenario.parent / parts[-1]
        folder = Path(self._folder).expanduser()
        inside = [folder.joinpath(*parts[first:]) for first in range(len(parts))]
        return next((file for file in inside if _is_file(file)), inside[-1])


def scenario_names(scenarios: Sequence[Path]) -> dict[str, Path]:
    """Return scenarios by their names.

    Raises
    ------
    UserError
        If two have the same name.
    """
    names: dict[str, Path] = {}
    for path in scenarios:
        name = checked_id(path.name.removesuffix(".scen").removesuffix(".map"), partial(file_error, path))
        if name in names:
            raise file_error(path, f"has the same name as {names[name]}; rename one of them")
        names[name] = path
    return names


def _problems(scenarios: Sequence[Path], maps: ScenarioMaps, choice: ProblemChoice) -> Iterator[tuple[str, GridWorld]]:
    """Yield the chosen problems of scenarios."""
    buckets = _numbers(choice.buckets, 0, "world.buckets")
    problems = _numbers(choice.problems, 1, "world.problems")
    is_empty = True
    for name, path in scenario_names(scenarios).items():
        for number, entry in enumerate(formats.load_scenario(path), 1):
            if (buckets is None or entry.bucket in buckets) and (problems is None or number in problems):
                shared = maps.map_of(path, entry)
                published = None if shared.grid.variant else entry.length
                yield f"{name}#{number}", GridWorld(shared, entry.start, entry.goal, published, entry.bucket)
                is_empty = False
    if is_empty:
        if buckets is not None or problems is not None:
            raise UserError("world: no problem of the scenarios is chosen; change world.buckets or world.problems")
        others = f", as {plural(len(scenarios) - 1, 'other scenario')}" if scenarios[1:] else ""
        raise file_error(scenarios[0], f"a scenario without problems{others}")


def _numbers(items: list[int | str] | None, first: int, key: str) -> frozenset[int] | None:
    return None if items is None else frozenset(chosen_numbers(items, first, _MAX_NUMBER, key))


def _check(path: Path, entry: ScenarioEntry, grid: GridMap) -> None:
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
