"""Number of instructions that a search executes outside of the operating system, as the processor counts them.

The number is a cost that hardly depends on what else the machine does, unlike time. Linux counts it for a thread, and
for the threads and processes that it starts afterwards, at any depth (manual page perf_event_open(2)). There are no
counts in most virtual machines, in containers that forbid the system call, where
``/proc/sys/kernel/perf_event_paranoid`` is above 2, and on other systems.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import struct
import sys
import threading
import weakref
from typing import NamedTuple


class Event(NamedTuple):
    """Event that a counter counts, by the numbers of Linux: perf_event_attr.type and .config."""

    kind: int
    number: int


INSTRUCTIONS = Event(0, 1)

_NUMBERS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "loongarch64": 241, "ppc64le": 319, "s390x": 331}
"""Number of the system call perf_event_open, by architecture."""
_ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
"""The first version of perf_event_attr: type, size, config, sample_period, sample_type, read_format, flags, ..."""
_TOTAL_TIMES = 1 | 2
"""read_format: the time in which the event was enabled, and in which a counter of the processor was free for it."""
_DISABLED = 1 << 0
_INHERIT = 1 << 1
_EXCLUDE_KERNEL = 1 << 5
_EXCLUDE_HYPERVISOR = 1 << 6
_ENABLE_ON_EXEC = 1 << 12
_FD_CLOEXEC = 8
_COUNT = struct.Struct("=QQQ")


class Count(NamedTuple):
    """Number of events so far, and nanoseconds in which they were to be counted, and were counted."""

    events: int
    enabled: int
    running: int

    def since(self, before: Count) -> int | None:
        """Return the number of events after an earlier count.

        Returns
        -------
        int or None
            None if Linux has shared the counters of the processor among more events than there are counters (for
            example because a profiler runs on the machine), so that the number would be an estimate.
        """
        is_exact = self.running - before.running == self.enabled - before.enabled
        return self.events - before.events if is_exact else None


NOTHING = Count(0, 0, 0)
"""Count of a counter that has just been opened."""


class Counter:
    """Counter of an event, made by `open_counter`.

    Parameters
    ----------
    file : int
        Descriptor of the event, which is closed with the counter.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        weakref.finalize(self, os.close, file)

    def read(self) -> Count:
        """Return the number of events so far. It takes 1 us."""
        return Count(*_COUNT.unpack(os.read(self._file, _COUNT.size)))


def instructions() -> Count | None:
    """Return the number of instructions of this thread since its first call, with all that it has started since then.

    All callers share one counter, because a processor has few. None if the system does not count them.
    """
    counter = _counter_of(threading.get_native_id())  # after a fork, the child has another number
    return None if counter is None else counter.read()


def open_counter(thread: int, *, on_exec: bool = False, event: Event = INSTRUCTIONS) -> Counter | None:
    """Return a counter of what a thread does from now on, with the threads and processes that it will start.

    Parameters
    ----------
    thread : int
        Its number. That of a process is that of its main thread.
    on_exec : bool
        Whether to count only the next program that the thread starts, with all that this one starts, and not the
        thread itself. Each program needs a counter of its own: at the change from a thread to its child, Linux may
        swap their counters, and that of the thread is then used up.
    event : Event
        What to count.

    Returns
    -------
    Counter or None
        None if the system cannot count the event, or does not allow it.
    """
    number = _NUMBERS.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return None
    flags = _INHERIT | _EXCLUDE_KERNEL | _EXCLUDE_HYPERVISOR
    if on_exec:
        flags |= _DISABLED | _ENABLE_ON_EXEC
    attributes = _ATTRIBUTES.pack(event.kind, _ATTRIBUTES.size, event.number, 0, 0, _TOTAL_TIMES, flags, 0, 0, 0)
    any_processor = -1
    no_group = -1
    file = ctypes.CDLL(None).syscall(
        ctypes.c_long(number), ctypes.c_char_p(attributes), ctypes.c_long(thread), ctypes.c_long(any_processor),
        ctypes.c_long(no_group), ctypes.c_ulong(_FD_CLOEXEC),
    )  # fmt: skip
    return None if file < 0 else Counter(file)


_counter_of = functools.lru_cache(maxsize=16)(open_counter)
