"""Tables of distances from pivots: one for each map, in memory, and on disk if it takes long to compute."""

from __future__ import annotations

from functools import partial
from weakref import WeakKeyDictionary

from heuristics.gridmap.pivot_table import Distances, pivot_table
from heuristics.tables import Report, computed_once
from worlds.gridmap.rules import GridCell
from worlds.gridmap.world import SharedMap
from worlds.interface import Problem

FORMAT = "search-runner distances from pivots 1"

Pivots = int | tuple[GridCell, ...]
"""Number of pivots, or their cells."""

_tables: WeakKeyDictionary[SharedMap, dict[Pivots, Distances]] = WeakKeyDictionary()


def table_of(problem: Problem, shared: SharedMap, pivots: Pivots, report: Report) -> Distances:
    """Return the table of `pivot_table`. It stays in memory, or mapped into memory, as long as the map does."""
    tables = _tables.setdefault(shared, {})
    if pivots not in tables:
        chosen = pivots if isinstance(pivots, int) else [list(cell) for cell in pivots]
        about = {"format": FORMAT, "map": shared.digest, "scale": shared.grid.scale, "pivots": chosen}
        shape = shared.grid.width * shared.grid.height, pivots if isinstance(pivots, int) else len(pivots)
        compute = partial(pivot_table, problem, pivots, report)
        title = f"distances from pivots of {shared.grid.name}"
        tables[pivots] = computed_once("gridmap", about, shape, compute, report, title)
    return tables[pivots]
