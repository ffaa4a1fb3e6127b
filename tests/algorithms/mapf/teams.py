"""Small teams for tests of the algorithms for several agents."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tests.gridmaps import cells_of
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface.instance import Instance
from worlds.mapf.rules import Objective
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfInstance, MapfWorld


def team(
    rows: Sequence[str], starts: Sequence[GridCell], goals: Sequence[GridCell], objective: Objective = "sum_of_costs"
) -> MapfInstance:
    roadmap = Roadmap(SharedMap(GridMap("test", tuple(rows), None)))
    return Instance(MapfWorld(roadmap, tuple(starts), tuple(goals), objective), "test")


def any_teams(
    seed: int, count: int, agents: int, cells: int, largest: int = 4, objective: Objective = "sum_of_costs"
) -> Iterator[MapfInstance]:
    """Yield teams on random maps with at most a number of passable cells."""
    source = random.Random(seed)
    while count > 0:
        width, height = source.randint(1, largest), source.randint(1, largest)
        rows = tuple("".join(source.choice("...@") for _ in range(width)) for _ in range(height))
        free = cells_of(GridMap("test", rows, None))
        if agents <= len(free) <= cells:
            yield team(rows, source.sample(free, agents), source.sample(free, agents), objective)
            count -= 1


UNSOLVABLE = {
    "exchange in a corridor": team(["..."], [(0, 0), (2, 0)], [(2, 0), (0, 0)]),
    "full map without a cycle": team(["..", ".@"], [(0, 0), (1, 0), (0, 1)], [(1, 0), (0, 0), (0, 1)]),
}
