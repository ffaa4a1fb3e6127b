"""Tables of pattern databases: distances of all states of a small space to one of them, and files of tables on disk.

A table on disk is built once, checked whenever a process opens it, and mapped into memory. A file holds a header (one
line of JSON, padded to `HEADER_BYTES`) and the table. Files are written atomically, so two processes may build the same
table at once.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError, atomic_write, cache_root
from worlds.compile import ADDRESS, call, kernel
from worlds.interface import NOWHERE, STEPS, PerfectIndex

UNREACHED = 255
"""Entry of a table for a state from which there is no path."""

HEADER_BYTES = 4096
MIN_STORED = 1 << 20
"""Size in bytes from which a table of distances is stored; smaller ones take a few milliseconds to compute."""
MAX_FOLDER = 2 << 30
"""Largest size of all stored tables of distances in bytes."""
_CHUNK = 1 << 24

Report = Callable[[str, float], None]
"""Function that is called with a description of the work and the share of it that is done (0 to 1)."""


def folder_of(kind: str) -> Path:
    """Return the folder of a kind of tables, in the user's cache directory. It may not exist yet."""
    return cache_root() / kind


@dataclass(frozen=True)
class StoredTable:
    """Table in a file.

    Attributes
    ----------
    file : Path
    about : mapping
        JSON-compatible description of the content. A file with another description is not valid.
    size : int
        Number of bytes of the table.
    """

    file: Path
    about: Mapping[str, Any]
    size: int

    def is_valid(self, report: Report, title: str) -> bool:
        """Return whether the file exists, belongs to this table, and is complete and uncorrupted.

        A file that this process has found valid is not read again.
        """
        if self.file in verified():
            return True
        try:
            if not self.file.is_file():
                return False
            with open(self.file, "rb") as file:
                header = json.loads(file.read(HEADER_BYTES))
                if not isinstance(header, dict) or header != self._header(header.get("crc32", -1)):
                    return False
                checksum = done = 0
                while chunk := file.read(_CHUNK):
                    checksum = zlib.crc32(chunk, checksum)
                    done += len(chunk)
                    report(f"checking the {title}", done / self.size)
        except (OSError, ValueError, RecursionError):
            return False
        if done != self.size or checksum != header["crc32"]:
            return False
        verified().add(self.file)
        return True

    def ensure(self, kind: str, title: str, build: Callable[[], NDArray[Any]], report: Report) -> None:
        """Build a pattern database unless a valid file exists.

        Parameters
        ----------
        kind, title : str
            What `report` calls the table while it is checked, and while it is built.
        build : callable
            Returns the table.

        Raises
        ------
        UserError
            If the memory does not suffice, or the file cannot be written.
        """
        if self.is_valid(report, kind):
            return
        report(title, 0.0)
        try:
            table = build()
        except MemoryError:
            raise UserError(f"pattern_database: not enough memory to build the {title}; use smaller groups") from None
        try:
            self.write(table)
        except OSError as error:
            raise UserError(
                f"pattern_database: {self.file}: {error.strerror or error} ({self.size:,} bytes are needed)"
            ) from None

    def write(self, *tables: NDArray[Any]) -> None:
        """Write the file, from one array or several, one after the other.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        contents = [np.ascontiguousarray(table).reshape(-1).view(np.uint8).data for table in tables]
        checksum = 0
        for content in contents:
            for start in range(0, len(content), _CHUNK):
                checksum = zlib.crc32(content[start : start + _CHUNK], checksum)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.file, "wb") as file:
            file.write(json.dumps(self._header(checksum)).encode().ljust(HEADER_BYTES - 1) + b"\n")
            file.writelines(contents)

    def mapped(self, dtype: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
        """Return the table of a valid file, mapped into memory.

        Raises
        ------
        OSError
            If the file has been removed.
        """
        with suppress(OSError):
            os.utime(self.file)  # `limit_folder` removes the tables that were not used for the longest time
        return np.memmap(self.file, dtype, "r", HEADER_BYTES, shape)

    def _header(self, checksum: int) -> dict[str, Any]:
        return {**self.about, "bytes": self.size, "crc32": checksum}


@cache
def verified() -> set[Path]:
    """Return the set of files that this process has found valid."""
    return set()


def computed_once(
    kind: str,
    about: Mapping[str, Any],
    shape: tuple[int, ...],
    compute: Callable[[], NDArray[np.int32]],
    report: Report,
    title: str,
) -> NDArray[np.int32]:
    """Return a table of distances: from its file or, if there is none, computed, and written if possible.

    Parameters
    ----------
    kind : str
        First word of the file's name.
    about : mapping
        JSON-compatible description of the content.
    shape : tuple of int
    compute : callable
        Returns the table.
    title : str
        What `report` calls the table while it is checked.
    """
    name = hashlib.sha256(repr(about).encode()).hexdigest()[:32]
    stored = StoredTable(folder_of("pivots") / f"{kind}-{name}.dh", about, 4 * math.prod(shape))
    if stored.size < MIN_STORED:
        return compute()
    with suppress(OSError):  # another process has removed it
        if stored.is_valid(report, title):
            return stored.mapped(np.int32, shape)
    table = compute()
    with suppress(OSError):  # the table in memory is enough
        stored.write(table)
        limit_folder(stored.file.parent, MAX_FOLDER)
    return table


def limit_folder(folder: Path, max_bytes: int) -> None:
    """Remove files of a folder until all have at most `max_bytes`, those that were not used for the longest time first.

    Processes that have mapped a file keep its content.
    """
    files = []
    with suppress(OSError):
        for file in folder.iterdir():
            with suppress(OSError):  # another process has removed it
                status = file.stat()
                files.append((status.st_mtime, status.st_size, file))
    total = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if total <= max_bytes:
            break
        with suppress(OSError):
            file.unlink()
        verified().discard(file)
        total -= size


def distances(index: PerfectIndex, goal: int) -> NDArray[np.uint8]:
    """Return the distance of each state of an index to the state with a number; `UNREACHED` if there is none.

    All distances must be smaller than `UNREACHED`.
    """
    table = np.full(index.blocks * index.size, UNREACHED, np.uint8)
    table[goal] = 0
    now, following = np.zeros((2, index.blocks), np.uint8)
    now[goal // index.size] = 1
    steps, out = index.steps.address(STEPS), np.empty(2 * index.max_steps, np.int64)
    depth, ranks = 0, np.empty(index.size, np.int64)
    while now.any():
        if depth + 1 == UNREACHED:
            raise ValueError("a distance does not fit into a byte")
        fill_level.compiled(steps, index.data, index.maps, table, depth, now, following, ranks, out)
        now, following, depth = following, now, depth + 1
    return table


@kernel(
    f"int64({ADDRESS}, int64[::1], uint16[:, ::1], uint8[::1], int64, uint8[::1], uint8[::1], int64[::1], int64[::1])"
)
def fill_level(steps, data, maps, table, depth, now, following, ranks, out):
    """Expand the states at a depth in the blocks that `now` marks, and mark the blocks of new states."""
    size = ranks.size
    for block in range(now.size):
        if now[block] == 0:
            continue
        now[block] = 0
        n = 0
        for rank in range(size):
            if table[block * size + rank] == depth:
                ranks[n] = rank
                n += 1
        for k in range(call(STEPS, steps, data, block, out)):
            target, chosen, new = out[2 * k], out[2 * k + 1], 0
            for i in range(n):
                to = np.int64(maps[chosen, ranks[i]])
                if to != NOWHERE and table[target * size + to] == UNREACHED:
                    table[target * size + to] = depth + 1
                    new = 1
            if new != 0:
                following[target] = 1
    return 0
