"""Small random problems on grid maps, for tests of jump point search."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from worlds.gridmap.rules import ROOT_2, GridMap, is_passable
from worlds.gridmap.world import GridInstance, GridWorld, SharedMap
from worlds.interface.instance import Instance


def random_map(source: random.Random) -> SharedMap:
    """Return a map with scattered obstacles and blocks of obstacles or water, of up to 25 x 25 or 200 x 25 cells."""
    width, height = source.randint(1, source.choice([25, 25, 25, 200])), source.randint(1, 25)
    cells = [["."] * width for _ in range(height)]
    for _ in range(source.choice([0, 1, 4, 10])):
        x, y, terrain = source.randrange(width), source.randrange(height), source.choice("@OTW")
        for row in cells[y : y + source.randint(1, 6)]:
            for place in range(x, min(width, x + source.randint(1, 6))):
                row[place] = terrain
    density = source.choice([0.0, 0.05, 0.2, 0.4])
    rows = ("".join("@" if source.random() < density else cell for cell in row) for row in cells)
    grid = GridMap("random", tuple(rows), source.choice([ROOT_2, ROOT_2, 1.5, 1.001, 1.999]))
    return SharedMap(grid if source.random() < 0.5 else transposed(grid))


def transposed(grid: GridMap) -> GridMap:
    """Return a map with x and y exchanged."""
    return replace(grid, rows=tuple("".join(column) for column in zip(*grid.rows, strict=True)))


def grid_problems(seed: str, count: int) -> Iterator[tuple[random.Random, GridInstance]]:
    """Yield random problems, four on each map; some have no solution, and some start at the goal."""
    source = random.Random(seed)
    while count > 0:
        shared = random_map(source)
        grid = shared.grid
        cells = [(x, y) for y in range(grid.height) for x in range(grid.width) if is_passable(grid, (x, y))]
        for _ in range(4 if cells else 0):
            yield source, Instance(GridWorld(shared, source.choice(cells), source.choice(cells)), "random")
            count -= 1
