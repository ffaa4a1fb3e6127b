"""Usage of the machine by a search: the columns of each row, and the meter of a search in this process."""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from dataclasses import dataclass

from runner.machine.processors import current_core

if sys.platform != "win32":
    import resource

PROCESS = "process"
"""How searches in this process are measured: by `getrusage`."""
_RESET_PEAK = b"5"
_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of ru_maxrss."""


@dataclass
class Usage:
    """Usage of a search. The fields are columns of metrics.csv; None is unknown.

    Attributes
    ----------
    peak_bytes : int or None
        Largest resident memory.
    user_seconds, system_seconds : float or None
        Processor time outside and inside of the operating system.
    page_faults : int or None
    core : int or None
        Number of the processor on which the search ended.
    measured_by : str or None
        How memory and processor time were measured.
    """

    peak_bytes: int | None = None
    user_seconds: float | None = None
    system_seconds: float | None = None
    page_faults: int | None = None
    core: int | None = None
    measured_by: str | None = None


class ProcessMeter:
    """Meter of what this process takes, with its threads and the children that it has waited for.

    The peak is that of this process alone. All calls together take 6 us. After a fork, the child needs its own meter.
    """

    def __init__(self) -> None:
        self._peak: int | None = None
        with contextlib.suppress(OSError):
            self._peak = os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
            weakref.finalize(self, os.close, self._peak)
        self.begin()

    def reset_peak(self) -> None:
        """Let the peak of the resident memory begin at what it is now. Other systems than Linux keep it."""
        if self._peak is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._peak, _RESET_PEAK, 0)

    def begin(self) -> None:
        """Begin to count what a search takes."""
        if sys.platform != "win32":
            self._before = resource.getrusage(resource.RUSAGE_SELF)
            self._children_before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def usage(self) -> Usage:
        """Return what this process has taken since `begin`, and its peak since `reset_peak`."""
        if sys.platform == "win32":
            return Usage()
        own, before = resource.getrusage(resource.RUSAGE_SELF), self._before
        children, children_before = resource.getrusage(resource.RUSAGE_CHILDREN), self._children_before
        faults = own.ru_minflt - before.ru_minflt + own.ru_majflt - before.ru_majflt
        faults_of_children = (
            children.ru_minflt - children_before.ru_minflt + children.ru_majflt - children_before.ru_majflt
        )
        return Usage(
            peak_bytes=own.ru_maxrss * _UNIT,
            user_seconds=own.ru_utime - before.ru_utime + children.ru_utime - children_before.ru_utime,
            system_seconds=own.ru_stime - before.ru_stime + children.ru_stime - children_before.ru_stime,
            page_faults=faults + faults_of_children,
            core=current_core(),
            measured_by=PROCESS,
        )
