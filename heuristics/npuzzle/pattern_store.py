"""Pattern databases on disk: built once, checked whenever a process opens them, and mapped into memory.

A file holds a header (one line of JSON, padded to `HEADER_BYTES`) and the table. Files are written atomically, so two
processes may build the same table at once.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.npuzzle.pattern_table import build, geometry
from runner.registry import UserError
from worlds.files import atomic_write, cache_root

HEADER_BYTES = 4096
FORMAT = "search-runner pattern database 1"
_CHUNK = 1 << 24

Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Pattern:
    """Board, tiles and blank of a table.

    Attributes
    ----------
    rows, columns : int
    cells : tuple of int
        Goal cells of the tiles, in rising order.
    blank : int
        Goal cell of the blank.
    """

    rows: int
    columns: int
    cells: tuple[int, ...]
    blank: int

    @property
    def file(self) -> Path:
        """File of the table."""
        cells = "_".join(map(str, self.cells))
        return cache_root() / "patterns" / f"npuzzle-{self.rows}x{self.columns}-blank_{self.blank}-{cells}.pdb"

    @property
    def size(self) -> int:
        """Number of bytes of the table."""
        blocks = geometry(self.rows, self.columns, len(self.cells)).blocks
        return (blocks * factorial(len(self.cells)) + 1) // 2

    def header(self, checksum: int) -> dict[str, Any]:
        """Return the header of the file."""
        about = {"rows": self.rows, "columns": self.columns, "cells": list(self.cells), "blank": self.blank}
        return {"format": FORMAT, **about, "bytes": self.size, "crc32": checksum}


def ensure(pattern: Pattern, report: Report) -> None:
    """Build the table of a pattern unless a valid file exists.

    Parameters
    ----------
    report : callable
        Called with a description of the work and the share of it that is done (0 to 1).

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    if _is_valid(pattern, report):
        return
    title = f"pattern database of {len(pattern.cells)} tiles, {pattern.size / 1e6:,.1f} MB"
    report(title, 0.0)
    try:
        table = build(pattern.rows, pattern.columns, pattern.cells, pattern.blank, lambda share: report(title, share))
    except MemoryError:
        raise UserError(f"pattern_database: not enough memory to build the {title}; use smaller groups") from None
    checksum = 0
    for start in range(0, table.size, _CHUNK):
        checksum = zlib.crc32(table[start : start + _CHUNK].data, checksum)
    header = json.dumps(pattern.header(checksum)).encode()
    try:
        pattern.file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(pattern.file, "wb") as file:
            file.write(header.ljust(HEADER_BYTES - 1) + b"\n")
            file.write(table)
    except OSError as error:
        raise UserError(
            f"pattern_database: {pattern.file}: {error.strerror or error} ({pattern.size:,} bytes are needed)"
        ) from None


@cache
def table(pattern: Pattern) -> NDArray[np.uint8]:
    """Return the table of a pattern, built if necessary, and mapped into memory as long as the process lives."""
    ensure(pattern, lambda *_: None)
    return np.memmap(pattern.file, np.uint8, "r", HEADER_BYTES, (pattern.size,))


@cache
def _verified() -> set[Pattern]:
    """Return the set of patterns whose files this process has checked."""
    return set()


def _is_valid(pattern: Pattern, report: Report) -> bool:
    """Return whether the file exists, belongs to this pattern, and is complete and uncorrupted."""
    if pattern in _verified():
        return True
    try:
        if not pattern.file.is_file():
            return False
        with open(pattern.file, "rb") as file:
            header = json.loads(file.read(HEADER_BYTES))
            if not isinstance(header, dict) or header != pattern.header(header.get("crc32", -1)):
                return False
            checksum = done = 0
            while chunk := file.read(_CHUNK):
                checksum = zlib.crc32(chunk, checksum)
                done += len(chunk)
                report(f"checking the pattern database of {len(pattern.cells)} tiles", done / pattern.size)
    except (OSError, ValueError, RecursionError):
        return False
    if done != pattern.size or checksum != header["crc32"]:
        return False
    _verified().add(pattern)
    return True
