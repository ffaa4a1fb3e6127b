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
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from algorithms.engine import Counts, Limits
from runner.base import CPU_LIMIT, TIME_LIMIT, unblock
from runner.machine import ControlGroup, resident_bytes
from runner.records import json_bytes
from worlds.compile import AHEAD, BEGINS, READY, Identity, watch_compiling

IDLE, BUILDING, ITERATING, SEARCHING = range(4)
"""Phases: waiting for a task, building what heuristics need, generating the next instance, searching an instance."""

_MAX_TEXT = 1 << 20
_COUNTS, _NONE = tuple(field.name for field in fields(Counts)), -1
_FACTOR, _GRACE = 1.2, 1.0
_PLANNER_FACTOR, _PLANNER_GRACE = 2.0, 15.0
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
    kernel : bytes
        Number and name of the kernel that was compiled or loaded last, or is.
    """

    phase: int
    number: int
    is_stopped: bool
    kernel: bytes
    _began: float
    _compiling: float
    _compiled: float
    _last_time: float
    _last_cpu: float
    _most_bytes: int
    _fields_ = (
        ("phase", ctypes.c_int64),
        ("number", ctypes.c_int64),
        ("is_stopped", ctypes.c_bool),
        ("kernel", ctypes.c_char * 256),
        ("_began", ctypes.c_double),
        ("_compiling", ctypes.c_double),
        ("_compiled", ctypes.c_double),
        ("_last_time", ctypes.c_double),
        ("_last_cpu", ctypes.c_double),
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
        """Begin to search the instance with a number in its source, or to validate its solution.

        The columns of its row are those that are known before, with the plan, unless that is too long.
        """
        text = json_bytes(columns)
        if len(text) > _MAX_TEXT:
            text = json_bytes({**columns, "plan": None})[:_MAX_TEXT]
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

    def seconds_left(self, cpu: float) -> dict[str, float]:
        """Return the seconds until the parent kills the worker, by the status for the limit; negative afterwards.

        It has taken `cpu` seconds of processor time.
        """
        if self.is_compiling or not self._last_time:  # or it has only begun
            return {}
        return {TIME_LIMIT.name: self._last_time - time.monotonic(), CPU_LIMIT.name: self._last_cpu - cpu}

    @property
    def most_bytes(self) -> int:
        """Resident memory of the worker and its descendants beyond which the parent kills it; 0 without a limit."""
        return int(self._most_bytes)


class SystemLimits:
    """Limits by which the parent ends this process, a worker whose code may not check its limits.

    They are larger than the limits that a search checks itself: the growth of a hash table, which no search interrupts,
    takes a tenth of the time of the search on a loaded machine. They stand still while kernels are compiled or loaded.

    A planner is a program whose limits this process enforces itself. Here a limit of time bounds what this process does
    with its output.

    Parameters
    ----------
    state : WorkerState
        State of this process, in which the parent reads the limits, and whether a kernel is being compiled.
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
        self._group = group
        self._most_bytes = 0
        self.lift()
        before, kernels = (0.0, 0.0, 0), 0  # wall time, processor time and memory when the compiler began

        def watch(kernel: Identity, event: str) -> None:
            nonlocal before, kernels
            if event == AHEAD:
                self._limit_memory(0)  # until the search begins, because compilers take memory
                return
            now = time.monotonic(), time.process_time(), self._used_bytes()
            if event == BEGINS:
                before, kernels = now, kernels + 1
                state.kernel = f"{kernels}: {kernel[0]}.{kernel[1]}".encode()[:255]
                state._compiling = time.monotonic()
                if self._most_bytes:
                    self._enforce(0)
            else:
                wall, cpu, used = (after - since for since, after in zip(before, now, strict=True))
                state._last_time += wall
                state._last_cpu += cpu
                if self._most_bytes:
                    self._limit_memory(self._most_bytes + int(used))
                state._compiled, state._compiling = state.compile_seconds, 0.0
            if event == READY:
                gc.freeze()  # to collect what the compiler has left takes a second, which would count for a search
                loaded(kernel)

        watch_compiling(watch)

    def begin(self, limits: Limits, *, is_planner: bool = False) -> None:
        """Let the limits of the next search begin, and let signals end this process."""
        unblock()
        factor, grace = (_PLANNER_FACTOR, _PLANNER_GRACE) if is_planner else (_FACTOR, _GRACE)
        own = Limits() if is_planner else limits
        self._state._last_time = math.inf if limits.time is None else time.monotonic() + limits.time * factor + grace
        self._state._last_cpu = math.inf if own.cpu is None else time.process_time() + own.cpu * factor + grace
        self._limit_memory(0 if own.memory is None else self._used_bytes() + own.memory + _UNCOUNTED_BYTES)

    def lift(self) -> None:
        """Lift all limits, as after a search."""
        self._state._last_time = self._state._last_cpu = math.inf
        self._limit_memory(0)

    def _limit_memory(self, most: int) -> None:
        """Limit the memory of this process and its descendants; 0 lifts the limit."""
        if most or self._most_bytes:
            self._most_bytes = most
            self._enforce(most)

    def _enforce(self, most: int) -> None:
        if self._group is None:
            self._state._most_bytes = most
        else:
            self._group.limit_memory(most or None)

    def _used_bytes(self) -> int:
        return resident_bytes(os.getpid()) if self._group is None else self._group.current_bytes or 0
