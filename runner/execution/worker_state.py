"""State of a worker in memory that it shares with its parent. The parent can read it after the worker has died."""

from __future__ import annotations

import json
import math
import mmap
import time
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec

from algorithms.engine.search import Counts

_TEXT_AT, _SIZE = 72, 1 << 20
_PHASE, _STOPPED, _NUMBER, _LENGTH = range(4)
_COUNTS, _NONE = tuple(field.name for field in fields(Counts)), -1
_BEGAN, _COMPILING, _KILL_AT = range(3)

IDLE, BUILDING, ITERATING, SEARCHING = range(4)
"""Phases: waiting for a task, building what heuristics need, generating the next instance, searching an instance."""


class WorkerState:
    """Shared memory of one worker and its parent."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)
        view = memoryview(self._memory)
        self._integers, self._seconds = view[:48].cast("q"), view[48:_TEXT_AT].cast("d")
        self._counts = memoryview(mmap.mmap(-1, 8 * len(_COUNTS))).cast("q")
        self.seconds_to_kill = math.inf

    def enter(self, phase: int) -> None:
        """Begin a phase other than searching."""
        self._integers[_PHASE] = phase

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
        if len(text) > _SIZE - _TEXT_AT:
            text = _encoded({**columns, "plan": None})[: _SIZE - _TEXT_AT]
        self._integers[_PHASE] = ITERATING  # nobody may read the columns while they are written
        self._memory[_TEXT_AT : _TEXT_AT + len(text)] = text
        integers = self._integers
        integers[_LENGTH], integers[_NUMBER] = len(text), number
        self.set_counts(Counts())
        self._seconds[_BEGAN] = time.monotonic()
        integers[_PHASE] = SEARCHING

    def set_counts(self, counts: Counts) -> None:
        """Set the counts of the search so far."""
        for place, count in enumerate(counts.by_column().values()):
            self._counts[place] = _NONE if count is None else count

    def set_compiling(self, is_compiling: bool) -> None:
        """Set whether a kernel is being compiled or loaded."""
        self._seconds[_COMPILING] = time.monotonic() if is_compiling else 0.0

    def stop(self) -> None:
        """Ask the worker to stop. A search checks this between its steps."""
        self._integers[_STOPPED] = 1

    @property
    def is_stopped(self) -> bool:
        """Whether the worker was asked to stop."""
        return self._integers[_STOPPED] == 1

    @property
    def phase(self) -> int:
        """Phase of the worker."""
        return self._integers[_PHASE]

    @property
    def number(self) -> int:
        """Number of the instance that is searched, or was searched last."""
        return self._integers[_NUMBER]

    @property
    def counts(self) -> dict[str, int | None]:
        """Counts at the last check of the limits, by their columns; zeros before the first, and in a game."""
        return {name: None if count == _NONE else count for name, count in zip(_COUNTS, self._counts, strict=True)}

    @property
    def search_seconds(self) -> float:
        """Seconds since the search of the instance began."""
        return time.monotonic() - self._seconds[_BEGAN]

    @property
    def compile_seconds(self) -> float:
        """Seconds for which a kernel has been compiled or loaded; 0 if none is."""
        began = self._seconds[_COMPILING]
        return time.monotonic() - began if began else 0.0

    @property
    def seconds_to_kill(self) -> float:
        """Seconds until the parent kills the worker, because it is far beyond its time limit."""
        return self._seconds[_KILL_AT] - time.monotonic()

    @seconds_to_kill.setter
    def seconds_to_kill(self, seconds: float) -> None:
        self._seconds[_KILL_AT] = time.monotonic() + seconds

    @property
    def columns(self) -> dict[str, Any]:
        """Known columns of the instance that is searched.

        Raises
        ------
        ValueError
            If the worker is writing them.
        """
        found: dict[str, Any] = json.loads(self._memory[_TEXT_AT : _TEXT_AT + self._integers[_LENGTH]])
        return found


def _encoded(columns: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(columns)
    except UnicodeEncodeError:  # the other library escapes characters without an encoding
        return json.dumps(columns).encode()
