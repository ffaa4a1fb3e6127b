"""State of a worker in memory that it shares with its parent, and limits by which the system ends the worker.

The parent can read the state after the worker has died.
"""

from __future__ import annotations

import ctypes
import gc
import json
import math
import mmap
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import msgspec

from algorithms.engine import Counts, Limits
from runner.base import CPU_LIMIT, TIME_LIMIT, unblock
from runner.machine import ControlGroup, resident_bytes
from worlds.compile import AHEAD, BEGINS, READY, Identity, watch_compiling

IDLE, BUILDING, ITERATING, SEARCHING = range(4)
"""Phases: waiting for a task, building what heuristics need, generating the next instance, searching an instance."""

_MAX_TEXT = 1 << 20
_COUNTS, _NONE = tuple(field.name for field in fields(Counts)), -1
_FACTOR, _GRACE, _MAX_SECONDS = 1.2, 1.0, 1e8
_KILL_FACTOR, _KILL_GRACE = 2.0, 1.0
_PLANNER_GRACE = 15.0
"""Seconds in which a planner ends at its limit, is killed, and its folder is removed."""
_UNCOUNTED_BYTES = 1 << 28
"""Memory beyond the limit, which the search does not count itself: Python's objects, and what libraries need."""


class WorkerState(ctypes.Structure):
    """State of one worker.

    Attributes
    ----------
    phase : int
        What the worker does: IDLE, BUILDING, ITERATING or SEARCHING.
    number : int
        Number of the instance that is searched, or was searched last.
    is_stopped : bool
        Whether the worker is asked to stop. A search checks this between its steps.
    """

    phase: int
    number: int
    is_stopped: bool
    _began: float
    _compiling: float
    _compiled: float
    _kill_at: float
    _most_bytes: int
    _fields_ = (
        ("phase", ctypes.c_int64),
        ("number", ctypes.c_int64),
        ("is_stopped", ctypes.c_bool),
        ("_began", ctypes.c_double),
        ("_compiling", ctypes.c_double),
        ("_compiled", ctypes.c_double),
        ("_kill_at", ctypes.c_double),
        ("_most_bytes", ctypes.c_int64),
        ("_counts", ctypes.c_int64 * len(_COUNTS)),
        ("_columns", ctypes.c_char * _MAX_TEXT),
    )

    __hash__ = object.__hash__

    @classmethod
    def shared(cls) -> WorkerState:
        """Return a state in memory that a process shares with those that it forks."""
        return cls.from_buffer(mmap.mmap(-1, ctypes.sizeof(cls)))

    def begin_search(self, number: int, columns: Mapping[str, Any]) -> None:
        """Begin to search an instance, or to validate its solution.

        Parameters
        ----------
        number : int
            Number of the instance in its source.
        columns : mapping
            Columns of its row that are known before the search, or after it; with the plan, unless that is too long.
        """
        text = _encoded(columns)
        if len(text) > _MAX_TEXT:
            text = _encoded({**columns, "plan": None})[:_MAX_TEXT]
        self.phase = ITERATING  # nobody may read the columns while they are written
        self._columns = text
        self.number = number
        self.set_counts(Counts())
        self._began, self._compiled = time.monotonic(), 0.0
        self.phase = SEARCHING

    def set_counts(self, counts: Counts) -> None:
        """Set the counts of the search so far."""
        for place, count in enumerate(counts.by_column().values()):
            self._counts[place] = _NONE if count is None else count

    @property
    def counts(self) -> dict[str, int | None]:
        """Counts at the last check of the limits, by their columns; zeros before the first, and in a game."""
        return {name: None if count == _NONE else count for name, count in zip(_COUNTS, self._counts, strict=True)}

    @property
    def columns(self) -> dict[str, Any]:
        """Known columns of the instance that is searched.

        Raises
        ------
        ValueError
            If the worker is writing them.
        """
        found: dict[str, Any] = json.loads(self._columns)
        return found

    @property
    def search_seconds(self) -> float:
        """Seconds since the search of the instance began."""
        return time.monotonic() - self._began

    @property
    def compile_seconds(self) -> float:
        """Seconds for which kernels have been compiled or loaded since the last search began."""
        began = self._compiling  # once: the worker may change it meanwhile
        return self._compiled + (time.monotonic() - began if began else 0.0)

    @property
    def is_compiling(self) -> bool:
        """Whether a kernel is being compiled or loaded."""
        return self._compiling > 0

    @property
    def seconds_to_kill(self) -> float:
        """Seconds until the parent kills the worker, because it is far beyond its time limit."""
        kill_at = self._kill_at  # once: the worker may change it meanwhile
        return kill_at - time.monotonic() if kill_at else math.inf

    @property
    def most_bytes(self) -> int:
        """Resident memory of the worker and its descendants beyond which the parent kills it; 0 without a limit."""
        return int(self._most_bytes)


def _encoded(columns: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(columns)
    except UnicodeEncodeError:  # the other library escapes characters without an encoding
        return json.dumps(columns).encode()


def exceeded(number: int, limits: Limits) -> str | None:
    """Return the status for a limit whose signal ended a process; None for other signals."""
    if number == signal.SIGALRM and limits.time is not None:
        return TIME_LIMIT.name
    return CPU_LIMIT.name if number == signal.SIGPROF and limits.cpu is not None else None


class NoLimits:
    """Limits of a process that must not end: none."""

    def begin(self, limits: Limits, *, is_planner: bool = False) -> None:
        """Set the limits of the next instance."""

    def pause(self) -> None:
        """Lift all limits."""


class SystemLimits(NoLimits):
    """Limits of a worker on the wall time (SIGALRM), the processor time (SIGPROF) and the resident memory.

    They are larger than the limits that a search checks itself, and serve for code that does not check its limits. The
    growth of a hash table, which no search interrupts, takes a tenth of the time of the search on a loaded machine. If
    a process ignores SIGALRM or does not run at all, its parent kills it: at twice the limit and a second. If it takes
    more memory than it had at the begin of the instance, the limit and 256 MiB, its parent kills it, too. The limits
    pause while kernels are compiled or loaded.

    A planner is a program whose limits this process enforces itself. Here they bound what this process does with its
    output: its parent kills it at twice the limit of time and 15 seconds.

    Parameters
    ----------
    state : WorkerState
        State of this process, through which the parent knows when to kill it, and whether a kernel is being compiled.
    group : ControlGroup, optional
        Control group of this process, by which the system limits the memory; otherwise the parent does.
    loaded : callable, optional
        Called with each kernel that is ready.
    """

    def __init__(
        self,
        state: WorkerState,
        group: ControlGroup | None = None,
        loaded: Callable[[Identity], None] = lambda _: None,
    ) -> None:
        self._state = state
        self._left = (0.0, 0.0, math.inf)  # seconds: of SIGALRM, of SIGPROF, and until the parent kills this process
        self._memory = _MemoryLimit(state, group)

        def watch(kernel: Identity, event: str) -> None:
            if event == AHEAD:
                self._memory.begin(None)  # until the search begins, because compilers take memory
                return
            if event == BEGINS:
                state._compiling = time.monotonic()
                self.pause()
            else:
                state._compiled, state._compiling = state.compile_seconds, 0.0
                self._resume()
            if event == READY:
                gc.freeze()  # to collect what the compiler has left takes a second, which would count for a search
                loaded(kernel)

        watch_compiling(watch)

    def begin(self, limits: Limits, *, is_planner: bool = False) -> None:
        """Set the limits of the next instance, and let signals end this process, unless a planner is at work."""
        unblock()
        own = Limits() if is_planner else limits
        real, cpu = (
            0.0 if each is None else min(each * _FACTOR + _GRACE, _MAX_SECONDS) for each in (own.time, own.cpu)
        )
        grace = _PLANNER_GRACE if is_planner else _KILL_GRACE
        self._left = (real, cpu, math.inf if limits.time is None else limits.time * _KILL_FACTOR + grace)
        self._memory.begin(own.memory)
        self._resume()

    def pause(self) -> None:
        """Lift all limits, while kernels are compiled and after a search."""
        real, cpu = (signal.setitimer(timer, 0)[0] for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF))
        self._left = (real, cpu, self._state.seconds_to_kill)
        self._state._kill_at = 0.0
        self._memory.pause()

    def _resume(self) -> None:
        self._memory.resume()
        real, cpu, to_kill = self._left
        self._state._kill_at = time.monotonic() + to_kill
        signal.setitimer(signal.ITIMER_REAL, real)
        signal.setitimer(signal.ITIMER_PROF, cpu)


class _MemoryLimit:
    """Limit of the memory that this process and its descendants take in addition to what they have at the beginning."""

    def __init__(self, state: WorkerState, group: ControlGroup | None) -> None:
        self._state = state
        self._group = group
        self._left: int | None = None
        self._most = 0

    def begin(self, limit: int | None) -> None:
        """Set the limit, which `resume` lets hold."""
        self.pause()
        self._left = None if limit is None else limit + _UNCOUNTED_BYTES

    def resume(self) -> None:
        """Let what is left of the limit hold."""
        if self._left is not None:
            self._set(self._used() + self._left)

    def pause(self) -> None:
        """Lift the limit. What has been used until now counts. If it did not hold, there is none to `resume`."""
        if self._most == 0:
            self._left = None
            return
        self._left = max(0, self._most - self._used())
        self._set(0)

    def _set(self, most: int) -> None:
        self._most = most
        if self._group is None:
            self._state._most_bytes = most
        else:
            self._group.limit_memory(most or None)

    def _used(self) -> int:
        return resident_bytes(os.getpid()) if self._group is None else self._group.current_bytes or 0
