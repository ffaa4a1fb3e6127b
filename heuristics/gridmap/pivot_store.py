"""Tables of distances from pivots: one for each map, in memory, and on disk if it takes long to compute."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from weakref import WeakKeyDictionary

import numpy as np

from heuristics.gridmap.pivot_table import Distances, pivot_table
from heuristics.tables import Report, StoredTable, folder_of, limit_folder
from worlds.gridmap.rules import GridCell
from worlds.gridmap.world import SharedMap
from worlds.interface import Problem

FORMAT = "search-runner distances from pivots 1"
MIN_STORED = 1 << 20
"""Size in bytes from which a table is stored; smaller ones take a few milliseconds to compute."""
MAX_FOLDER = 2 << 30
"""Largest size of all stored tables in bytes."""

Pivots = int | tuple[GridCell, ...]
"""Number of pivots, or their cells."""

_tables: WeakKeyDictionary[SharedMap, dict[Pivots, Distances]] = WeakKeyDictionary()


def table_of(problem: Problem, shared: SharedMap, pivots: Pivots, report: Report) -> Distances:
    """Return the table of `pivot_table`. It stays in memory, or mapped into memory, as long as the map does."""
    tables = _tables.setdefault(shared, {})
    if pivots not in tables:
        tables[pivots] = _loaded(problem, shared, pivots, report)
    return tables[pivots]


def _loaded(problem: Problem, shared: SharedMap, pivots: Pivots, report: Report) -> Distances:
    """Return the table from its file. If there is none, compute the table, and write it if possible."""
    cells = shared.grid.width * shared.grid.height
    shape = cells, pivots if isinstance(pivots, int) else len(pivots)
    stored = stored_table(shared, pivots, 4 * shape[0] * shape[1])
    if stored.size < MIN_STORED:
        return pivot_table(problem, pivots, report)
    with suppress(OSError):  # another process has removed it
        if stored.is_valid(report, f"distances from pivots of {shared.grid.name}"):
            return stored.mapped(np.int32, shape)
    table = pivot_table(problem, pivots, report)
    with suppress(OSError):  # the table in memory is enough
        stored.write(table)
        limit_folder(stored.file.parent, MAX_FOLDER)
    return table


def stored_table(shared: SharedMap, pivots: Pivots, size: int) -> StoredTable:
    """Return the file of a table of a size in bytes."""
    chosen = pivots if isinstance(pivots, int) else [list(cell) for cell in pivots]
    about = {"format": FORMAT, "map": shared.digest, "scale": shared.grid.scale, "pivots": chosen}
    name = hashlib.sha256(repr(about).encode()).hexdigest()[:32]
    return StoredTable(folder_of("pivots") / f"gridmap-{name}.dh", about, size)
