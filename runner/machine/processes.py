"""Resident memory of a process and of all that it has started."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process and its descendants; 0 if the system does not tell.

    Memory that several processes share counts for each. It takes 30 us for a process without children.
    """
    pages = 0
    processes = [process]
    for member in processes:  # which grows
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended
            pages += int(_text(f"/proc/{member}/statm").split()[1])
            for thread in Path(f"/proc/{member}/task").iterdir():
                processes.extend(map(int, _text(f"{thread}/children").split()))
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _text(file: str) -> str:
    return Path(file).read_text(encoding="ascii")
