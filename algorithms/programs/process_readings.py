"""Readings of the system on a process of a program while it runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_CLOCK_OF_PROCESS = 2


def resident_peak(process: int) -> int | None:
    """Return the largest resident memory of a process until now; None if the system does not tell."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:  # it has ended
        return None
    kilobytes = re.search(r"^VmHWM:\s+(\d+) kB$", text, re.MULTILINE)
    return None if kilobytes is None else int(kilobytes[1]) << 10


def cpu_clock(process: int) -> int | None:
    """Return the number of the clock of a process's processor time, as clock_getcpuclockid(3); None but on Linux."""
    return ~process << 3 | _CLOCK_OF_PROCESS if sys.platform == "linux" else None
