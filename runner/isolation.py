"""Instances searched in child processes: what happens to a child happens to one instance, and the others go on.

A child is forked for some hundred instances, of which it searches one after the other. It sends what comes of each, and
goes on when that is on disk. The operating system enforces the limits on processor time and memory, and this process
the one on time, somewhat later than the search itself does: for code that does not look at them, or hangs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import multiprocessing
import os
import select
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from algorithms.engine.search import CPU_LIMIT, TIME_LIMIT, Counts, Limits
from runner import interrupts
from runner.child import BEGUN, GRACE, LATER, WARM, work
from runner.progress import LOADING_SECONDS
from runner.registry import UserError
from runner.result import CRASHED, INTERRUPTED, Improvement, Result
from runner.schema import Isolation
from runner.solver import Listener, Results, Solver
from worlds.interface import Instance
from worlds.kernel import BEGINS, READY, Identity, load
from worlds.signals import interrupts_deferred

PROCESS = "process"
UNWILLING = "did not stop at its limit"
_BATCH, _BATCH_SECONDS = 256, 0.2
_MOST_SECONDS_TO_END = 5.0
_FOR_EVER = 1e6  # seconds; what the operating system is asked for are milliseconds in 32 bits
log = logging.getLogger(__name__)
_needed: dict[Identity, None] = {}
"""Kernels that children of this process have needed and could load, also those of other cells."""


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

    A child that dies is the row of its instance: `crashed`, with the signal, or the limit that was enforced. No code of
    an instance runs in this process; the kernels that a child has needed are loaded here, for those that follow.
    """
    is_warm = False
    for batch in _batches(instances):
        while batch:
            load(_needed)
            with contextlib.ExitStack() as stack:
                with interrupts_deferred(), interrupts.blocked():  # what libraries do when a process forks must end
                    child = stack.enter_context(_Child(solver, batch, limits, listener, is_warm))
                while batch and not child.has_ended:
                    result = child.next_result(batch[0])
                    if result is None:
                        break
                    yield result
                    batch.popleft()
                    child.acknowledge()
            is_warm = is_warm or child.is_warm


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
    is_warm : bool
        It has loaded the kernels of its cell.
    """

    def __init__(
        self,
        solver: Solver,
        batch: Sequence[Instance],
        limits: Limits,
        listener: Listener,
        is_warm: bool,
    ) -> None:
        self._solver, self._limits, self._listener = solver, limits, listener
        self.has_ended = self.is_warm = False
        self._has_begun = self._has_results = self._is_compiling = False
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=work, args=(solver, list(batch), limits, theirs, self._pipe, os.getpid(), is_warm)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which hold no locks of ours
            self._process.start()
        theirs.close()
        self._pid = self._process.pid or 0
        # whoever it has started may hold its pipe, so its own end is looked at, too
        self._end_of_process = os.pidfd_open(self._pid) if hasattr(os, "pidfd_open") else os.dup(self._process.sentinel)
        self._poll = select.poll()  # made once, because that takes longer than to look
        self._poll.register(self._pipe, select.POLLIN)
        self._poll.register(self._end_of_process, select.POLLIN)

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pipe.close()
        if not any(exception):
            self._wait_for_end()
        self._kill()
        os.close(self._end_of_process)
        self._process.close()

    def next_result(self, instance: Instance) -> Result | None:
        """Wait for what comes of an instance, however long it takes, or for the end of the child.

        None if the child ended after one instance, and before it began with the next: that is for another child.
        """
        self._listener.begins(instance)
        began = time.monotonic()
        self._has_begun = False
        try:
            result = self._receive(instance)
        except KeyboardInterrupt:
            return self._stopped(instance, INTERRUPTED, began)
        if result is None and not self.has_ended:
            return dataclasses.replace(self._stopped(instance, TIME_LIMIT, began), reason=UNWILLING)
        if result is None:
            return None if self._has_results and not self._has_begun else self._fate(instance, began)
        self._has_results = True
        if result.status == INTERRUPTED:  # by a signal that was not ours
            self.has_ended = True
            return dataclasses.replace(result, status=CRASHED)
        return result

    def acknowledge(self) -> None:
        """Its last result is on disk: it may go on."""
        if not self.has_ended:
            with contextlib.suppress(OSError):
                self._pipe.send(None)

    def _receive(self, instance: Instance) -> Result | None:
        """The next result; None if there is none before the time is up, or the child has ended."""
        allowed = None if self._limits.time is None else self._limits.time * LATER + GRACE
        while True:
            waited, limit = time.monotonic(), LOADING_SECONDS if self._is_compiling else allowed
            sent = self._next(limit)
            interrupts.raise_if_received()
            if allowed is not None and not self._is_compiling:
                allowed -= time.monotonic() - waited
            if isinstance(sent, Result):
                return sent
            if sent is None and (self.has_ended or not self._is_compiling):
                return None
            if sent is None:
                self._listener.compiling()
            elif isinstance(sent, Counts):
                self._listener.watch(sent)
            elif isinstance(sent, Improvement):
                self._listener.improved(instance, sent)
            elif sent == BEGUN:
                self._has_begun = True
            elif sent == WARM:
                self.is_warm = True
            else:
                identity, event = sent
                self._is_compiling = event == BEGINS
                if event == READY:
                    _needed[identity] = None

    def _next(self, seconds: float | None) -> Any:
        """What the child sends next; None if that is nothing within some seconds, or never."""
        ready = self._poll.poll(None if seconds is None or seconds > _FOR_EVER else max(0.0, seconds) * 1000)
        if not ready:
            return None
        sent = None
        if any(file == self._pipe.fileno() for file, _ in ready):
            with contextlib.suppress(Exception):  # the end, and whatever is wrong with half a message
                sent = self._pipe.recv()
        self.has_ended = sent is None
        return sent

    def _stopped(self, instance: Instance, status: str, began: float) -> Result:
        """Stop the child, which has a moment to send what it has so far."""
        sent = None
        with contextlib.suppress(KeyboardInterrupt):
            self._signal(signal.SIGTERM)
            deadline = time.monotonic() + _MOST_SECONDS_TO_END
            while not isinstance(sent, Result) and not self.has_ended and time.monotonic() < deadline:
                sent = self._next(deadline - time.monotonic())
        self.has_ended = True
        self._kill()
        if not isinstance(sent, Result):
            return self._lost(instance, status, began)
        return dataclasses.replace(sent, status=status, error=None) if sent.status == INTERRUPTED else sent

    def _fate(self, instance: Instance, began: float) -> Result:
        """What became of a child that has ended without a result."""
        has_ended = self._wait_for_end()
        self._kill()
        code = self._process.exitcode or 0
        if code == -signal.SIGXCPU:
            return self._lost(instance, CPU_LIMIT, began, reason=UNWILLING)
        if not has_ended:
            fate = "the process has closed its files, and was ended"
        else:
            fate = f"killed by {signal.Signals(-code).name}" if code < 0 else f"the process ended with exit code {code}"
        log.error("instance %s: %s", instance.id, fate)
        return self._lost(instance, CRASHED, began, error=fate)

    def _lost(self, instance: Instance, status: str, began: float, **found: Any) -> Result:
        return self._solver.result(instance, status, search_seconds=time.monotonic() - began, **found)

    def _wait_for_end(self) -> bool:
        """Give the child a moment to end by itself; returns whether it has."""
        poll = select.poll()
        poll.register(self._end_of_process, select.POLLIN)
        return bool(poll.poll(_MOST_SECONDS_TO_END * 1000))

    def _kill(self) -> None:
        """End the child and all processes that it has started, before its number may be given to others."""
        self._signal(signal.SIGKILL)
        self._process.join()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._pid, number)
        except (ProcessLookupError, PermissionError):  # it does not lead its group yet
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)
