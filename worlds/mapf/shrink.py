"""Simpler problems for several agents, to shrink counterexamples: without an agent, or on a simpler map."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.gridmap import shrink
from worlds.gridmap.rules import GridCell
from worlds.gridmap.world import SharedMap

Cells = tuple[GridCell, ...]


def smaller(shared: SharedMap, starts: Cells, goals: Cells) -> Iterator[tuple[SharedMap, Cells, Cells]]:
    """Yield maps with starts and goals that are one step simpler: without an agent first."""
    agents = len(starts)
    if agents > 1:
        for agent in range(agents):
            yield shared, (*starts[:agent], *starts[agent + 1 :]), (*goals[:agent], *goals[agent + 1 :])
    for grid, ends in shrink.smaller(shared.grid, (*starts, *goals)):
        yield SharedMap(grid), ends[:agents], ends[agents:]
