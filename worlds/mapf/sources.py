"""Sources of instances with several agents: scenarios of the user, and a suite in the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from runner.base.files import file_error, find_files
from runner.base.messages import plural
from worlds.gridmap import formats
from worlds.gridmap.formats import ScenarioEntry
from worlds.gridmap.scenarios import ScenarioMaps, scenario_names
from worlds.gridmap.sources import Moves
from worlds.gridmap.world import SharedMap
from worlds.mapf.rules import Objective
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfWorld
from worlds.source_parameters import chosen_numbers
from worlds.sources import source

SUITES = Path(__file__).parent / "suites"
MAX_AGENTS = 10_000
STRAIGHT = Moves(directions=4)
Agents = Annotated[int, Meta(ge=1, le=MAX_AGENTS)]


@dataclass(frozen=True)
class Team:
    """Parameters of scenarios with several agents.

    Attributes
    ----------
    agents : int, or list of int or "a-b"
        Number of agents: the first lines of the scenario. Of a list, each number is an instance.
    objective : {"sum_of_costs", "makespan"}
        Cost of a plan: the sum over the agents of the time of the last arrival at the goal, or the largest of these
        times.
    """

    agents: int | list[int | str] = 10
    objective: Objective = "sum_of_costs"

    @property
    def sizes(self) -> list[int]:
        """The numbers of agents."""
        items = self.agents if isinstance(self.agents, list) else [self.agents]
        return chosen_numbers(items, 1, MAX_AGENTS, "world.agents")


@source("mapf/scenario", sampled=True)
def teams_of_scenarios(team: Team, *, path: str, maps: str | None = None) -> Iterator[tuple[str, MapfWorld]]:
    """Scenarios of the MovingAI benchmark for several agents: the first lines are the agents.

    Parameters
    ----------
    path : str
        File, folder or glob pattern of scenarios (.scen), relative to the working directory.
    maps : str, optional
        Folder of the maps. Unless given, a map lies beside its scenario.
    """
    return _teams(find_files(path, (".scen",), "scenarios"), ScenarioMaps(STRAIGHT, maps), team)


def _teams(scenarios: Sequence[Path], maps: ScenarioMaps, team: Team) -> Iterator[tuple[str, MapfWorld]]:
    """Yield the instances of scenarios. Those on one map share it."""
    roadmaps: dict[SharedMap, Roadmap] = {}
    for name, path in scenario_names(scenarios).items():
        entries = formats.load_scenario(path)
        for size in team.sizes:
            if size > len(entries):
                raise file_error(path, f"expected at least {plural(size, 'agent')} (world.agents), got {len(entries)}")
            first = entries[:size]
            (shared, *_) = [maps.map_of(path, entry) for entry in first]
            _check_ends(path, first)
            roadmap = roadmaps.setdefault(shared, Roadmap(shared))
            starts = tuple(entry.start for entry in first)
            goals = tuple(entry.goal for entry in first)
            yield f"{name}-k{size}", MapfWorld(roadmap, starts, goals, team.objective)


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
