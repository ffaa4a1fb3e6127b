"""What a child process does in which instances are searched: see `runner.isolation`."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import signal
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from algorithms.engine.search import Counts, Limits
from runner import interrupts
from runner.locks import disown
from runner.result import INTERRUPTED, Improvement
from runner.solver import Solver
from worlds.interface import Instance
from worlds.kernel import BEGINS, Identity, watch_compiling

BEGUN, WARM = "begun", "warm"
"""Sent before an instance is begun, and when the kernels of its cell are loaded."""

GRACE, LATER = 5.0, 1.1
"""A limit on time is enforced after so many more seconds, and so many times the limit."""
_UNCOUNTED_BYTES, _UNCOUNTED_SHARE = 1 << 28, 0.5
"""Of memory beyond the limit, for what it does not count: Python's objects, arrays that are copied while they grow."""
_WATCH_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


def work(
    solver: Solver,
    batch: Sequence[Instance],
    limits: Limits,
    pipe: Connection,
    theirs: Connection,
    parent: int,
    is_warm: bool,
) -> None:
    """What a child does."""
    os.setsid()
    theirs.close()
    disown()
    end_with(parent)  # elsewhere the pipe breaks
    interrupts.forget()
    interrupts.install()
    sender = _Sender(pipe)
    watch_compiling(sender.compiling)
    _forbid_core_dumps()
    with contextlib.suppress(BrokenPipeError, EOFError, KeyboardInterrupt):
        interrupts.unblock()
        for instance in batch:
            sender.send(BEGUN)
            _limit_memory(limits)
            sender.limit_processor_time(limits)
            if not is_warm:
                is_warm = solver.warm(instance)
                if is_warm:
                    sender.send(WARM)
                sender.limit_processor_time(limits)
            result = solver.solve(instance, sender.watch, sender.improved)
            if result.status == INTERRUPTED:
                number = interrupts.received()
                stopped = "KeyboardInterrupt" if number is None else f"killed by {signal.Signals(number).name}"
                sender.send(dataclasses.replace(result, error=stopped))
                break
            sender.send(result)
            pipe.recv()


class _Sender:
    """Sends what the parent wants to know, and stops the clock of the system's while kernels are compiled."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._sent, self._process = pipe, time.monotonic(), os.getpid()
        self._left: float | None = None

    def send(self, message: Any) -> None:
        if os.getpid() != self._process:  # a process that an instance has forked, and that came back
            os._exit(1)
        self._pipe.send(message)

    def watch(self, counts: Counts) -> None:
        interrupts.raise_if_received()
        if time.monotonic() > self._sent + _WATCH_SECONDS:
            self._sent = time.monotonic()
            self.send(counts)

    def improved(self, improvement: Improvement) -> None:
        self.send(improvement)

    def compiling(self, identity: Identity, event: str) -> None:
        import resource

        if self._left is not None and event == BEGINS:
            self._left -= time.process_time() - self._began
            _set_soft(resource.RLIMIT_CPU, resource.RLIM_INFINITY)
        elif self._left is not None:
            self._enforce(self._left)
        self.send((identity, event))

    def limit_processor_time(self, limits: Limits) -> None:
        if limits.cpu is not None:
            self._enforce(limits.cpu * LATER + GRACE)

    def _enforce(self, seconds: float) -> None:
        import resource

        self._left, self._began = seconds, time.process_time()
        _set_soft(resource.RLIMIT_CPU, int(min(self._began + seconds, sys.maxsize // 2)) + 1)


def end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, on systems that can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _forbid_core_dumps() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _limit_memory(limits: Limits) -> None:
    """Bound what this process may have beyond what it has now."""
    import resource

    if limits.memory is not None and sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        allowed = used + limits.memory + int(limits.memory * _UNCOUNTED_SHARE) + _UNCOUNTED_BYTES
        _set_soft(resource.RLIMIT_AS, min(allowed, sys.maxsize))


def _set_soft(kind: int, allowed: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY and not 0 <= allowed <= hard:  # infinity is negative
        allowed = hard
    resource.setrlimit(kind, (allowed, hard))
