"""Sources of instances with several agents: scenarios of the user, and a suite in the package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.base import UserError, file_error, find_files, plural
from worlds.gridmap import formats
from worlds.gridmap.formats import ScenarioEntry
from worlds.gridmap.scenario_sources import ScenarioMaps, scenario_names
from worlds.gridmap.sources import Moves
from worlds.gridmap.world import SharedMap
from worlds.interface import chosen_numbers, source, suite_paths
from worlds.mapf.rules import Objective
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfInstance, MapfWorld

SUITES = Path(__file__).parent / "suites"
MAX_AGENTS = 10_000
_LAST_NUMBER = re.compile(r"-?[0-9]*\Z", re.ASCII)


class StraightMoves(Moves):
    """Moves of agents, which have no weights of terrains."""

    has_weights = False


STRAIGHT = StraightMoves(directions=4)


@dataclass(frozen=True)
class TeamObjective:
    """Parameter of all sources: what a plan costs.

    Attributes
    ----------
    objective : {"sum_of_costs", "makespan"}
        Cost of a plan: the sum over the agents of the time of the last arrival at the goal, or the largest of these
        times.
    """

    objective: Objective = "sum_of_costs"


@dataclass(frozen=True)
class Team(TeamObjective):
    """Parameters of sources that choose the number of agents.

    Attributes
    ----------
    agents : int, or list of int or "a-b"
        Number of agents. Of a list, each number is an instance; the agents of a small team are the first of a large
        one. Numbers that a scenario does not have are left out.
    """

    agents: int | list[int | str] = 10

    @property
    def sizes(self) -> list[int]:
        """The numbers of agents."""
        return team_sizes(self.agents)


def team_sizes(agents: int | list[int | str]) -> list[int]:
    """Return the numbers of agents that a parameter gives."""
    items = agents if isinstance(agents, list) else [agents]
    return chosen_numbers(items, 1, MAX_AGENTS, "world.agents")


def find_scenarios(path: str) -> list[Path]:
    """Return the scenarios of a file, of a folder and the folders in it, or of a pattern."""
    return find_files(path, (".scen",), "scenarios", is_recursive=True)


def largest_on_each_map(_: Any, instances: Iterator[MapfInstance]) -> list[MapfInstance]:
    """Return the instance with most agents on each map: algorithms may refuse many agents."""
    largest: dict[Roadmap, MapfInstance] = {}
    for instance in instances:
        world = instance.world
        known = largest.setdefault(world.roadmap, instance)
        if world.agents > known.world.agents:
            largest[world.roadmap] = instance
    return [*largest.values()]


def small_scenarios(parameters: Any) -> Iterator[str]:
    """Yield a note if some teams are larger than their scenarios."""
    largest = max(team_sizes(parameters.agents))
    scenarios = find_scenarios(parameters.path)
    sizes = {path: len(formats.load_scenario(path)) for path in scenarios}
    small = [path for path in scenarios if sizes[path] < largest]
    if small:
        yield (
            f"world.agents: {len(small):,} of {plural(len(scenarios), 'scenario')} have fewer than {largest:,} agents, "
            f"such as {small[0].name} with {sizes[small[0]]:,}; larger teams are left out"
        )


@source("mapf/scenario", sampled=True, samples=largest_on_each_map, notes=small_scenarios)
def teams_of_scenarios(team: Team, *, path: str, maps: str | None = None) -> Iterator[tuple[str, MapfWorld]]:
    """Scenarios of the MovingAI benchmark for several agents: the first lines are the agents.

    Parameters
    ----------
    path : str
        File, folder or glob pattern of scenarios (.scen), relative to the working directory. A folder stands for those
        in its folders, too.
    maps : str, optional
        Folder of the maps. Unless given, a map lies beside its scenario.
    """
    return _teams(find_scenarios(path), ScenarioMaps(STRAIGHT, maps), team.sizes, team.objective)


@source("mapf/static", sampled=True, samples=largest_on_each_map)
def teams_of_suite(
    given: TeamObjective, suite: str = "tiny", agents: int | list[int | str] | None = None
) -> Iterator[tuple[str, MapfWorld]]:
    """Scenarios for several agents that come with the package.

    Parameters
    ----------
    suite : str
        Name of a folder under ``worlds/mapf/suites``: `tiny` has up to four agents, `benchmark` a scenario of 32.
    agents : int, or list of int or "a-b", optional
        Number of agents: the first lines of each scenario. Of a list, each number is an instance. Unless given, all.
    """
    sizes = None if agents is None else team_sizes(agents)
    return _teams(suite_paths(SUITES, suite, "*.scen"), ScenarioMaps(STRAIGHT), sizes, given.objective)


def _teams(
    scenarios: Sequence[Path], maps: ScenarioMaps, sizes: Sequence[int] | None, objective: Objective
) -> Iterator[tuple[str, MapfWorld]]:
    """Yield the instances of scenarios, of all their agents unless there are sizes. Those on one map share it."""
    roadmaps: dict[SharedMap, Roadmap] = {}
    largest = 0
    for name, path in scenario_names(scenarios).items():
        entries = formats.load_scenario(path)
        if not entries:
            raise file_error(path, "a scenario without agents")
        largest = max(largest, len(entries))
        chosen = [size for size in sizes or [len(entries)] if size <= len(entries)]
        if not chosen:
            continue
        used = entries[: max(chosen)]
        (shared, *_) = [maps.map_of(path, entry) for entry in used]
        _check_ends(path, used)
        roadmap = roadmaps.setdefault(shared, Roadmap(shared))
        starts = tuple(entry.start for entry in used)
        goals = tuple(entry.goal for entry in used)
        kind = _kind(name, shared.grid.name)
        for size in chosen:
            team = MapfWorld(roadmap, starts[:size], goals[:size], objective, kind)
            yield f"{name}-k{size}" if sizes else name, team
    if sizes and not roadmaps:
        raise UserError(f"world.agents: no scenario has {plural(min(sizes), 'agent')}; the largest has {largest:,}")


def _kind(scenario: str, map_name: str) -> str:
    """Return the type of a scenario, such as "random" of room-32-32-4-random-1; empty if its name has another form."""
    rest = scenario.removeprefix(f"{map_name}-")
    return "" if rest == scenario else _LAST_NUMBER.sub("", rest)


def _check_ends(path: Path, entries: Sequence[ScenarioEntry]) -> None:
    """Refuse agents that start on one cell or have one goal, or are on different maps."""
    seen: dict[object, int] = {}
    for number, entry in enumerate(entries, 1):
        if entry.map != entries[0].map:
            raise file_error(path, f"agents on different maps, {entries[0].map} and {entry.map}", line=entry.line)
        for what, cell in (("start", entry.start), ("goal", entry.goal)):
            other = seen.setdefault((what, cell), number)
            if other != number:
                raise file_error(path, f"agents {other} and {number} have the same {what} {cell}", line=entry.line)
