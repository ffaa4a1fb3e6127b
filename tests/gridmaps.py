"""Grid maps for tests, and the costs of their optimal paths by the rules in plain Python."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runner.base.own_places import ROOT
from worlds.gridmap import rules
from worlds.gridmap.rules import TERRAIN, GridCell, GridMap
from worlds.gridmap.world import GridInstance, GridWorld, SharedMap
from worlds.interface.instance import Instance

DATA = ROOT / "runner" / "features" / "atlas" / "sturtevant2012_maps"
DIAGONALS = [rules.ROOT_2, None, rules.ROOT_2, None, 1.5, 1.0, 2.0]
WEIGHTS: list[dict[str, float]] = [{}, {}, {"S": 2.0, "T": 5.0}, {".": 0.3, "G": 1.7, "W": 0.5, "T": 3.25}]


def cells_of(grid: GridMap) -> list[GridCell]:
    """Return the passable cells of a map."""
    cells = ((x, y) for y in range(grid.height) for x in range(grid.width))
    return [cell for cell in cells if rules.is_passable(grid, cell)]


def successors(grid: GridMap, cell: GridCell) -> list[tuple[str, GridCell, int]]:
    """Return the possible moves from a cell as (move, cell, cost), in the engine's units."""
    costs = ((move, rules.step_cost(grid, cell, move)) for move in rules.STEP)
    return [(move, rules.after(cell, move), cost) for move, cost in costs if cost is not None]


def any_map(source: random.Random, width: int, height: int, terrains: str = TERRAIN) -> GridMap:
    """Return a random map with eight or four directions, and some with weights. Some cell is passable."""
    while True:
        likely = source.choice(terrains)
        rows = tuple(
            "".join(source.choice((likely, source.choice(terrains))) for _ in range(width)) for _ in range(height)
        )
        grid = GridMap("random", rows, source.choice(DIAGONALS), source.choice(WEIGHTS))
        if cells_of(grid):
            return grid


def any_maps(seed: object, count: int, largest: int = 9) -> Iterator[GridMap]:
    source = random.Random(str(seed))
    for _ in range(count):
        yield any_map(source, source.randint(1, largest), source.randint(1, largest))


def instance(rows: Sequence[str] | GridMap, start: GridCell = (0, 0), goal: GridCell = (0, 0)) -> GridInstance:
    grid = rows if isinstance(rows, GridMap) else GridMap("test", tuple(rows))
    return Instance(GridWorld(SharedMap(grid), start, goal), "test")


def any_instance(source: random.Random, largest: int = 9) -> GridInstance:
    grid = any_map(source, source.randint(1, largest), source.randint(1, largest))
    return instance(grid, source.choice(cells_of(grid)), source.choice(cells_of(grid)))


def costs_from(grid: GridMap, start: GridCell, *, backward: bool = False) -> dict[GridCell, int]:
    """Return the costs of optimal paths from a cell to all cells, or from all cells to it, by the rules."""
    steps: dict[GridCell, list[tuple[GridCell, int]]] = {cell: [] for cell in cells_of(grid)}
    for cell in steps:
        for _, to, cost in successors(grid, cell):
            steps[to if backward else cell].append((cell if backward else to, cost))
    found: dict[GridCell, int] = {}
    heap = [(0, start)]
    while heap:
        cost, cell = heapq.heappop(heap)
        if cell not in found:
            found[cell] = cost
            for to, step in steps[cell]:
                heapq.heappush(heap, (cost + step, to))
    return found


def refuses(name: str, parameters: Mapping[str, Any]) -> bool:
    """Return whether a heuristic or an algorithm refuses the maps of a source with these parameters."""
    is_straight, is_weighted = parameters.get("directions") == 4, "weights" in parameters
    refused = {"manhattan": not is_straight, "differential": is_weighted, "jps": is_straight or is_weighted}
    return refused.get(name, False)
