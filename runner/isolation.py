"""Instances searched in child processes: what happens to a child happens to one instance, and the others go on.

A child is forked for some hundred instances, of which it searches one after the other. It sends what comes of each, and
goes on when that is on disk. The operating system enforces the limits on processor time and memory, and this process
the one on time, somewhat later than the search itself does: for code that does not look at them, or hangs.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import multiprocessing
import os
import select
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from algorithms.engine.search import CPU_LIMIT, TIME_LIMIT, Counts, Limits
from runner import interrupts
from runner.registry import UserError
from runner.result import CRASHED, INTERRUPTED, Result
from runner.schema import Isolation
from runner.solver import Listener, Results, Solver
from worlds.interface import Instance

PROCESS = "process"
UNWILLING = "did not stop at its limit"
_BATCH, _BATCH_SECONDS = 256, 0.2
_GRACE, _LATER = 5.0, 1.1
"""A limit on time is enforced after so many more seconds, and so many times the limit."""
_MOST_SECONDS_TO_END = 5.0
_UNCOUNTED_BYTES, _UNCOUNTED_SHARE = 1 << 28, 0.5
"""Of memory beyond the limit, for what it does not count: Python's objects, arrays that are copied while they grow."""
_WATCH_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


def is_isolated(isolation: Isolation, is_sweep: bool) -> bool:
    """Whether instances are searched in child processes.

    Raises
    ------
    UserError
        If that is asked for where processes cannot be forked.
    """
    if isolation == "process" and not hasattr(os, "fork"):
        raise UserError("isolation: this system cannot fork processes; choose isolation=none")
    return isolation == "process" or (isolation == "auto" and is_sweep and hasattr(os, "fork"))


def description(limits: Limits) -> str:
    """The column `isolation`: which limits this operating system does not enforce."""
    unenforced = [] if sys.platform == "linux" or limits.memory is None else ["memory"]
    return PROCESS + "".join(f", limits.{name} not enforced" for name in unenforced)


def solve_each(solver: Solver, instances: Iterable[Instance], limits: Limits, listener: Listener) -> Results:
    """Search instances one after the other in child processes.

    A child that dies is the row of its instance: `crashed`, with the signal, or the limit that was enforced.
    """
    for batch in _batches(instances):
        while batch:
            with _Child(solver, batch, limits, listener) as child:
                while batch and not child.has_ended:
                    yield child.next_result(batch[0])
                    batch.popleft()
                    child.acknowledge()


def _batches(instances: Iterable[Instance]) -> Iterator[deque[Instance]]:
    """Instances some hundred at a time, or as many as are made in a moment."""
    batch: deque[Instance] = deque()
    enough = time.monotonic() + _BATCH_SECONDS
    try:
        for instance in instances:
            batch.append(instance)
            if len(batch) == _BATCH or time.monotonic() > enough:
                yield batch
                batch, enough = deque(), time.monotonic() + _BATCH_SECONDS
    except Exception:
        yield batch  # those before the one that could not be made
        raise
    yield batch


class _Child:
    """A process that searches a batch of instances, as its parent sees it.

    Attributes
    ----------
    has_ended : bool
        It will send nothing more.
    """

    def __init__(self, solver: Solver, batch: Sequence[Instance], limits: Limits, listener: Listener) -> None:
        self._solver, self._limits, self._listener = solver, limits, listener
        self.has_ended = False
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=_work, args=(solver, list(batch), limits, theirs, self._pipe, os.getpid())
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which hold no locks of ours
            self._process.start()
        theirs.close()
        self._poll = select.poll()  # made once, because that takes longer than to look
        self._poll.register(self._pipe, select.POLLIN)

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pipe.close()
        if not any(exception):
            wait([self._process.sentinel], _MOST_SECONDS_TO_END)
        self._kill()
        self._process.close()

    def next_result(self, instance: Instance) -> Result:
        """Wait for what comes of an instance, however long it takes, or for the end of the child."""
        self._listener.begins(instance)
        began = time.monotonic()
        deadline = None if self._limits.time is None else began + self._limits.time * _LATER + _GRACE
        try:
            result = self._receive(instance, deadline)
        except KeyboardInterrupt:
            return self._end(signal.SIGINT) or self._lost(instance, INTERRUPTED, began)
        if result is None and not self.has_ended:
            result = self._end(signal.SIGTERM)
            if result is None or result.status == INTERRUPTED:
                result = result or self._lost(instance, TIME_LIMIT, began)
                return dataclasses.replace(result, status=TIME_LIMIT, reason=UNWILLING)
        if result is not None and result.status == INTERRUPTED:  # by a signal that was not ours
            self.has_ended = True
            return dataclasses.replace(result, status=CRASHED, error="killed by SIGTERM")
        return result or self._fate(instance, began)

    def acknowledge(self) -> None:
        """Its last result is on disk: it may go on."""
        if not self.has_ended:
            with contextlib.suppress(OSError):
                self._pipe.send(None)

    def _receive(self, instance: Instance, deadline: float | None) -> Result | None:
        """The next result; None if there is none before the deadline, or the child has ended."""
        while True:
            sent = self._next(deadline)
            interrupts.raise_if_received()
            if sent is None or isinstance(sent, Result):
                return sent
            if isinstance(sent, Counts):
                self._listener.watch(sent)
            else:
                self._listener.improved(instance, sent)

    def _next(self, deadline: float | None) -> Any:
        """What the child sends next; None if that is nothing before the deadline, or never."""
        if deadline is not None and not self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return None
        sent = None
        with contextlib.suppress(Exception):  # the end, and whatever is wrong with half a message
            sent = self._pipe.recv()
        self.has_ended = sent is None
        return sent

    def _end(self, number: signal.Signals) -> Result | None:
        """Ask the child to stop, which gives it a moment to send what it has so far, and then make it stop."""
        sent = None
        with contextlib.suppress(KeyboardInterrupt), contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, number)
            deadline = time.monotonic() + _MOST_SECONDS_TO_END
            while not isinstance(sent, Result) and not self.has_ended and time.monotonic() < deadline:
                sent = self._next(deadline)
        self.has_ended = True
        self._kill()
        return sent if isinstance(sent, Result) else None

    def _fate(self, instance: Instance, began: float) -> Result:
        """What became of a child that has ended without a result."""
        wait([self._process.sentinel], _MOST_SECONDS_TO_END)
        self._kill()
        code = self._process.exitcode or 0
        if code == -signal.SIGXCPU:
            return self._lost(instance, CPU_LIMIT, began, reason=UNWILLING)
        ended = f"killed by {signal.Signals(-code).name}" if code < 0 else f"the process ended with exit code {code}"
        return self._lost(instance, CRASHED, began, error=ended)

    def _lost(self, instance: Instance, status: str, began: float, **found: Any) -> Result:
        return self._solver.result(instance, status, search_seconds=time.monotonic() - began, **found)

    @property
    def _pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def _kill(self) -> None:
        """End the child and all processes that it has started."""
        for kill in (os.killpg, os.kill):  # it may not lead its group yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self._pid, signal.SIGKILL)
        self._process.join()


def _work(
    solver: Solver, batch: Sequence[Instance], limits: Limits, pipe: Connection, theirs: Connection, parent: int
) -> None:
    """What a child does."""
    os.setsid()
    theirs.close()
    end_with(parent)  # elsewhere the pipe breaks
    _limit_memory(limits)
    listener = _Sender(pipe)
    with contextlib.suppress(BrokenPipeError, EOFError, KeyboardInterrupt):
        for instance in batch:
            _limit_processor_time(limits)
            result = solver.solve(instance, listener.watch, partial(listener.improved, instance))
            pipe.send(result)
            if result.status == INTERRUPTED:
                break
            pipe.recv()


class _Sender:
    """Sends what the parent wants to know of searches on their way."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._sent = pipe, time.monotonic()

    def watch(self, counts: Counts) -> None:
        interrupts.raise_if_received()
        if time.monotonic() > self._sent + _WATCH_SECONDS:
            self._sent = time.monotonic()
            self._pipe.send(counts)

    def improved(self, _: Instance, improvement: Any) -> None:
        self._pipe.send(improvement)


def end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, on systems that can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _limit_memory(limits: Limits) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if limits.memory is not None and sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        allowed = used + limits.memory + int(limits.memory * _UNCOUNTED_SHARE) + _UNCOUNTED_BYTES
        _set_soft(resource.RLIMIT_AS, allowed)


def _limit_processor_time(limits: Limits) -> None:
    import resource

    if limits.cpu is not None:
        _set_soft(resource.RLIMIT_CPU, int(time.process_time() + limits.cpu * _LATER + _GRACE) + 1)


def _set_soft(kind: int, allowed: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (allowed if hard == resource.RLIM_INFINITY else min(allowed, hard), hard))
