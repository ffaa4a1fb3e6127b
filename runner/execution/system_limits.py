"""Limits that the operating system enforces on the process that searches an instance."""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Callable

from algorithms.engine.search import CPU_LIMIT, TIME_LIMIT, Limits
from runner.execution.stop import unblock
from runner.execution.worker_state import WorkerState
from worlds.compile.clock import BEGINS, READY, Identity, watch_compiling

_FACTOR, _GRACE, _MAX_SECONDS = 1.2, 1.0, 1e8
_KILL_FACTOR, _KILL_GRACE = 2.0, 1.0
_UNCOUNTED_BYTES, _UNCOUNTED_SHARE = 1 << 28, 0.5
"""Memory beyond the limit, for Python's objects and for arrays that are copied while they grow."""


def exceeded(number: int, limits: Limits) -> str | None:
    """Return the status for a limit whose signal ended a process; None for other signals."""
    if number == signal.SIGALRM and limits.time is not None:
        return TIME_LIMIT
    return CPU_LIMIT if number == signal.SIGPROF and limits.cpu is not None else None


class SystemLimits:
    """Limits on the wall time (SIGALRM), the processor time (SIGPROF) and the address space (MemoryError).

    They are larger than the limits that a search checks itself, and serve for code that does not check its limits. The
    growth of a hash table, which no search interrupts, takes a tenth of the time of the search on a loaded machine. If
    a process ignores SIGALRM or does not run at all, its parent kills it: at twice the limit and a second. The clocks
    pause while kernels are compiled or loaded.

    Parameters
    ----------
    state : WorkerState
        State of this process, through which the parent knows when to kill it, and whether a kernel is being compiled.
    loaded : callable, optional
        Called with each kernel that is ready.
    """

    def __init__(self, state: WorkerState, loaded: Callable[[Identity], None] = lambda _: None) -> None:
        self._state = state
        self._seconds = (0.0, 0.0)
        self._seconds_to_kill = math.inf
        self._bytes: int | None = None

        def watch(kernel: Identity, event: str) -> None:
            state.set_compiling(event == BEGINS)
            (self.pause if event == BEGINS else self.resume)()
            if event == READY:
                loaded(kernel)

        watch_compiling(watch)

    def begin(self, limits: Limits) -> None:
        """Set the limits of the next instance, and let signals end this process."""
        unblock()
        bounds = (0.0 if each is None else each * _FACTOR + _GRACE for each in (limits.time, limits.cpu))
        self._seconds = (min(next(bounds), _MAX_SECONDS), min(next(bounds), _MAX_SECONDS))
        self._seconds_to_kill = math.inf if limits.time is None else limits.time * _KILL_FACTOR + _KILL_GRACE
        self._bytes = None
        if sys.platform == "linux":
            _address_space(None)
        if limits.memory is not None and sys.platform == "linux":
            self._bytes = limits.memory + int(limits.memory * _UNCOUNTED_SHARE) + _UNCOUNTED_BYTES
        self.resume()

    def pause(self) -> None:
        """Lift all limits, while kernels are compiled and after a search. What is left of them counts on `resume`."""
        self._seconds = (signal.setitimer(signal.ITIMER_REAL, 0)[0], signal.setitimer(signal.ITIMER_PROF, 0)[0])
        self._seconds_to_kill = self._state.seconds_to_kill
        self._state.seconds_to_kill = math.inf
        if self._bytes is not None:
            self._bytes = max(0, _address_space(None) - _used_bytes())

    def resume(self) -> None:
        """Set the limits again."""
        if self._bytes is not None:
            _address_space(_used_bytes() + self._bytes)
        self._state.seconds_to_kill = self._seconds_to_kill
        signal.setitimer(signal.ITIMER_REAL, self._seconds[0])
        signal.setitimer(signal.ITIMER_PROF, self._seconds[1])


def _used_bytes() -> int:
    """Return the size of the address space of this process."""
    import resource

    with open("/proc/self/statm", "rb", buffering=0) as file:  # half the time of a text file
        return int(file.read(99).split()[0]) * resource.getpagesize()


def _address_space(wanted: int | None) -> int:
    """Limit the address space of this process, or lift the limit, and return the limit before."""
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_AS)
    allowed = sys.maxsize if most == resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_AS, (most if wanted is None else min(wanted, allowed), most))
    return sys.maxsize if before == resource.RLIM_INFINITY else before
