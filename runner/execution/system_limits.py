"""Limits that the operating system enforces on the process that searches an instance."""

from __future__ import annotations

import signal
import sys

from algorithms.engine.search import CPU_LIMIT, TIME_LIMIT, Limits
from runner.execution.stop import unblock

_FACTOR, _GRACE, _MAX_SECONDS = 1.05, 0.5, 1e8
_UNCOUNTED_BYTES, _UNCOUNTED_SHARE = 1 << 28, 0.5
"""Memory beyond the limit, for Python's objects and for arrays that are copied while they grow."""


def exceeded(number: int, limits: Limits) -> str | None:
    """Return the status for a limit whose signal ended a process; None for other signals."""
    if number == signal.SIGALRM and limits.time is not None:
        return TIME_LIMIT
    return CPU_LIMIT if number == signal.SIGPROF and limits.cpu is not None else None


class SystemLimits:
    """Limits on the wall time (SIGALRM), the processor time (SIGPROF) and the address space (MemoryError).

    They are larger than the limits that a search checks itself, and serve for code that does not check its limits.
    """

    def __init__(self) -> None:
        self._left = (0.0, 0.0)

    def begin(self, limits: Limits) -> None:
        """Set the limits of the next instance, and let signals end this process."""
        import resource

        unblock()
        if sys.platform == "linux":
            allowed = resource.getrlimit(resource.RLIMIT_AS)[1]
            if limits.memory is not None:
                with open("/proc/self/statm", encoding="ascii") as file:
                    used = int(file.read().split()[0]) * resource.getpagesize()
                wanted = used + limits.memory + int(limits.memory * _UNCOUNTED_SHARE) + _UNCOUNTED_BYTES
                allowed = min(wanted, sys.maxsize if allowed == resource.RLIM_INFINITY else allowed)
            resource.setrlimit(resource.RLIMIT_AS, (allowed, resource.getrlimit(resource.RLIMIT_AS)[1]))
        bounds = (0.0 if each is None else each * _FACTOR + _GRACE for each in (limits.time, limits.cpu))
        self._left = (min(next(bounds), _MAX_SECONDS), min(next(bounds), _MAX_SECONDS))
        self.resume()

    def pause(self) -> None:
        """Stop both clocks, while kernels are compiled and after a search."""
        self._left = (signal.setitimer(signal.ITIMER_REAL, 0)[0], signal.setitimer(signal.ITIMER_PROF, 0)[0])

    def resume(self) -> None:
        """Continue both clocks."""
        signal.setitimer(signal.ITIMER_REAL, self._left[0])
        signal.setitimer(signal.ITIMER_PROF, self._left[1])
