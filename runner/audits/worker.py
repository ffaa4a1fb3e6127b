"""Audits in a worker process, which the limit of time and signals end even if a heuristic never returns."""

from __future__ import annotations

import math
import os
import pickle
import selectors
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection

from algorithms.engine.search import Counts, Limits
from runner.audits.auditor import SIMPLIFYING, Audit, Watcher, run
from runner.audits.request import Request
from runner.base.errors import PluginError, UserError
from runner.execution.pool import STOP_SECONDS, TICK_SECONDS, ProgressDisplay
from runner.execution.process import WorkerProcess, exit_reason
from runner.execution.stop import Stop, Stopped
from runner.execution.worker_state import SystemLimits, WorkerState, exceeded


@dataclass(frozen=True)
class _Outcome:
    """Message of the worker: an audit or an error; neither if the audit cannot be sent."""

    audit: Audit | None = None
    problem: str = ""
    is_plugin: bool = False


def supervise(request: Request, workers: int, stop: Stop, progress: ProgressDisplay | None = None) -> Audit | None:
    """Audit in a worker process.

    Parameters
    ----------
    workers : int
        0 audits in this process.
    stop : Stop
        Signals, to which this function listens. A signal ends the audit, which then has what has been found so far.

    Returns
    -------
    Audit or None
        None if the worker did not stop within five seconds after a signal, and was killed.

    Raises
    ------
    UserError, PluginError
        As `runner.audits.auditor.run`, and if the worker exceeds the limit of time, or dies.
    """
    with stop.listening():
        outcome = _Outcome()
        if workers and hasattr(os, "fork"):
            found = _supervised(request, stop, progress)
            if found is None:
                return None
            outcome = found
        if outcome.is_plugin:
            raise PluginError(outcome.problem)
        if outcome.problem:
            raise UserError(outcome.problem)
        if outcome.audit is not None:
            return outcome.audit
        return run(request, _Local(stop, progress))  # also if classes of the user cannot be pickled


def _supervised(request: Request, stop: Stop, progress: ProgressDisplay | None) -> _Outcome | None:
    """Return the outcome of a worker; None if it has ended without one after a signal."""
    worker, outcome = WorkerProcess(partial(_work, request)), None
    try:
        outcome = _received(worker, stop, progress)
    finally:
        if outcome is None:
            worker.signal(signal.SIGKILL)
        code = worker.end()
    if outcome is not None or stop.requested:
        return outcome
    try:
        title = str(worker.state.columns["instance"])
    except ValueError:  # it died while it wrote them
        title = request.world
    if exceeded(-code, request.limits) is None and not worker.was_overdue:
        return _Outcome(problem=f"{title}: the worker process of the audit ended ({exit_reason(code)})")
    took = f"more than {request.limits.time:g} s (limits.time), without a return from the heuristic or the world"
    remedy = "audit.shrink=false" if title.startswith(SIMPLIFYING) else "smaller instances"
    return _Outcome(problem=f"{title}: {took}; choose {remedy}")


def _received(worker: WorkerProcess, stop: Stop, progress: ProgressDisplay | None) -> _Outcome | None:
    """Wait for the outcome of a worker; None if it ends, or does not stop in time after a signal."""
    deadline, done = math.inf, 0
    with selectors.DefaultSelector() as selector:
        for file in worker.files:
            selector.register(file, selectors.EVENT_READ)
        if stop.fileno() >= 0:
            selector.register(stop.fileno(), selectors.EVENT_READ)
        while time.monotonic() < deadline:
            if any(key.fileobj in worker.files for key, _ in selector.select(TICK_SECONDS)):
                outcome = worker.receive()
                return outcome if isinstance(outcome, _Outcome) else None
            if worker.state.seconds_to_kill <= 0:
                worker.was_overdue = True
                return None
            stop.drain()
            if stop.requested and deadline == math.inf:
                worker.state.is_stopped = True
                deadline = time.monotonic() + STOP_SECONDS
            if progress is not None:
                progress.advance(worker.state.number - done)
                done = worker.state.number
                progress.show_workers([worker.state])
    return None


def _work(request: Request, pipe: Connection, state: WorkerState) -> None:
    """Audit in this process, a worker, and send the outcome."""
    limits = SystemLimits(state)
    try:
        outcome = _Outcome(run(request, _Reporter(state, lambda: state.is_stopped, limits, request.limits.time)))
    except PluginError as error:
        outcome = _Outcome(problem=str(error), is_plugin=True)
    except UserError as error:
        outcome = _Outcome(problem=str(error))
    except BaseException as error:  # of the source of the instances, which may be the user's
        outcome = _Outcome(problem=str(PluginError(f"{request.world}: cannot be audited", error)), is_plugin=True)
    limits.pause()
    try:
        pickle.loads(pickle.dumps(outcome))
    except Exception:
        outcome = _Outcome()
    with suppress(OSError):
        pipe.send(outcome)


class _Reporter(Watcher):
    """Watcher that writes the state of a worker, and sets its limit of time."""

    def __init__(
        self, state: WorkerState, is_stopped: Callable[[], bool], limits: SystemLimits | None, seconds: float | None
    ) -> None:
        self._state, self._is_stopped, self._limits, self._seconds = state, is_stopped, limits, seconds
        self._done = 0

    def start(self, title: str) -> None:
        """Show the title in the state."""
        self._state.begin_search(self._done, {"instance": title})
        self._raise_if_stopped()

    def limit(self) -> None:
        """Start the clock."""
        if self._limits is not None:
            self._limits.begin(Limits(time=self._seconds))

    def explored(self, states: int) -> None:
        """Show the number of states in the state of the worker."""
        self._state.set_counts(Counts(expanded=states, peak_nodes=states))
        self._raise_if_stopped()

    def finish(self) -> None:
        """Count the instance."""
        self._done += 1

    def _raise_if_stopped(self) -> None:
        if self._is_stopped():
            raise Stopped


class _Local(_Reporter):
    """Watcher of an audit in the process of the command."""

    def __init__(self, stop: Stop, progress: ProgressDisplay | None) -> None:
        super().__init__(WorkerState(), lambda: stop.requested, None, None)
        self._progress = progress

    def explored(self, states: int) -> None:
        """Show the number of states."""
        super().explored(states)
        if self._progress is not None:
            self._progress.show_workers([self._state])

    def finish(self) -> None:
        """Count the instance."""
        super().finish()
        if self._progress is not None:
            self._progress.advance(1)
