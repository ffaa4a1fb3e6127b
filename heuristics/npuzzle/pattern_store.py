"""Pattern databases on disk, in files of `heuristics.tables`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from heuristics.npuzzle.pattern_table import build, geometry
from heuristics.tables import Report, StoredTable, folder_of

FORMAT = "search-runner pattern database 1"


@dataclass(frozen=True)
class TilePattern:
    """Board, tiles and blank of a table.

    Attributes
    ----------
    rows, columns : int
    cells : tuple of int
        Goal cells of the tiles, in rising order.
    blank : int
        Goal cell of the blank.
    regions : bool
        Whether values depend on the region of the blank.
    """

    rows: int
    columns: int
    cells: tuple[int, ...]
    blank: int
    regions: bool = True

    @property
    def stored(self) -> StoredTable:
        """File of the table."""
        cells = "_".join(map(str, self.cells))
        name = f"npuzzle-{self.rows}x{self.columns}-blank_{self.blank}-{cells}{'' if self.regions else '-minimum'}.pdb"
        about = {"format": FORMAT, **asdict(self), "cells": list(self.cells)}
        return StoredTable(folder_of("patterns") / name, about, self.size)

    @property
    def size(self) -> int:
        """Number of bytes of the table."""
        blocks = geometry(self.rows, self.columns, len(self.cells)).blocks
        return (blocks * factorial(len(self.cells)) + 1) // 2


def ensure(pattern: TilePattern, report: Report) -> None:
    """Build the table of a pattern unless a valid file exists.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    kind = f"pattern database of {len(pattern.cells)} tiles"
    title = f"{kind}, {pattern.size / 1e6:,.1f} MB"
    pattern.stored.ensure(
        kind, title, lambda: build(**asdict(pattern), report=lambda share: report(title, share)), report
    )


@cache
def table(pattern: TilePattern) -> NDArray[np.uint8]:
    """Return the table of a pattern, built if necessary, and mapped into memory as long as the process lives."""
    ensure(pattern, lambda *_: None)
    return pattern.stored.mapped(np.uint8, (pattern.size,))
