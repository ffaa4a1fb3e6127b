"""Several agents on grid maps, for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.gridmaps import cells_of
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface.instance import Instance
from worlds.mapf.rules import Objective
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfInstance, MapfWorld


def instance(
    rows: Sequence[str], starts: Sequence[GridCell], goals: Sequence[GridCell], objective: Objective = "sum_of_costs"
) -> MapfInstance:
    roadmap = Roadmap(SharedMap(GridMap("test", tuple(rows), None)))
    return Instance(MapfWorld(roadmap, tuple(starts), tuple(goals), objective), "test")


def any_instance(source: random.Random, agents: int = 2, largest: int = 4) -> MapfInstance:
    """Return a random team on a map with some terrains and enough cells."""
    rows: list[str] = []
    cells: list[GridCell] = []
    while len(cells) < agents:
        width, height = source.randint(1, largest), source.randint(1, largest)
        rows = ["".join(source.choice("...@TG") for _ in range(width)) for _ in range(height)]
        cells = cells_of(GridMap("test", tuple(rows), None))
    objective: Objective = "makespan" if source.random() < 0.3 else "sum_of_costs"
    return instance(rows, source.sample(cells, agents), source.sample(cells, agents), objective)
