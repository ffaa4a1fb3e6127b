"""Audits in a worker process, which the limit of time and signals end even if a heuristic never returns."""

from __future__ import annotations

import math
import os
import pickle
import selectors
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Literal

from algorithms.engine.search import Limits
from runner.base.errors import PluginError, UserError
from runner.base.messages import message
from runner.features.audits.auditor import SIMPLIFYING, Watcher, run
from runner.features.audits.finding import Audit, Counterexample
from runner.features.audits.request import Request
from runner.plugin import (
    STOP_SECONDS,
    TICK_SECONDS,
    ProgressDisplay,
    Stop,
    SystemLimits,
    WorkerProcess,
    WorkerState,
    exceeded,
    exit_reason,
)

_Message = Audit[Counterexample] | UserError | Literal["cannot be sent"]


@dataclass(frozen=True)
class _Line:
    """Line that the parent shows while the worker continues."""

    text: str


def supervise(
    request: Request, workers: int, stop: Stop, progress: ProgressDisplay | None = None
) -> Audit[Counterexample] | None:
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
        As `runner.features.audits.auditor.run`, and if the worker exceeds the limit of time, or dies.
    """
    with stop.listening():
        if workers and hasattr(os, "fork"):
            result = _supervised(request, stop, progress)
            if isinstance(result, UserError):
                raise result
            if result != "cannot be sent":
                return result
        return run(request, Watcher(is_stopped=lambda: stop.requested, progress=progress))


def _supervised(request: Request, stop: Stop, progress: ProgressDisplay | None) -> _Message | None:
    """Return the result of a worker; None if it has ended without one after a signal."""
    worker, result = WorkerProcess(partial(_work, request)), None
    try:
        result = _received(worker, stop, progress)
    finally:
        if result is None:
            worker.signal(signal.SIGKILL)
        code = worker.end()
    if result is not None or stop.requested:
        return result
    try:
        title = str(worker.state.columns["instance"])
    except ValueError:  # it died while it wrote them
        title = request.world
    if exceeded(-code, request.limits) is None and not worker.was_overdue:
        return UserError(f"{title}: the worker process of the audit ended ({exit_reason(code)})")
    took = f"more than {request.limits.time:g} s (limits.time), without a return from the heuristic or the world"
    remedy = "audit.shrink=false" if title.startswith(SIMPLIFYING) else "smaller instances"
    return UserError(f"{title}: {took}; choose {remedy}")


def _received(worker: WorkerProcess, stop: Stop, progress: ProgressDisplay | None) -> _Message | None:
    """Wait for the result of a worker, and show its lines; None if it ends, or does not stop in time after a signal."""
    deadline, done = math.inf, 0
    with selectors.DefaultSelector() as selector:
        for file in worker.files:
            selector.register(file, selectors.EVENT_READ)
        if stop.fileno() >= 0:
            selector.register(stop.fileno(), selectors.EVENT_READ)
        while time.monotonic() < deadline:
            if any(key.fileobj in worker.files for key, _ in selector.select(TICK_SECONDS)):
                received: _Message | _Line | None = worker.receive()
                if not isinstance(received, _Line):
                    return received
                message(received.text)
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
    """Audit in this process, a worker, and send the results or an error."""

    def send(result: _Message | _Line) -> None:
        with suppress(OSError):
            pipe.send(result)

    limits = SystemLimits(state)
    watcher = Watcher(
        state,
        lambda: state.is_stopped,
        lambda: limits.begin(Limits(time=request.limits.time)),
        announce=lambda text: send(_Line(text)),
    )
    result: _Message
    try:
        result = run(request, watcher)
    except PluginError as error:
        result = error
    except UserError as error:
        result = UserError(str(error))  # errors of other classes may need more than a message
    except BaseException as error:  # of the source of the instances, which may be the user's
        result = PluginError(f"{request.world}: cannot be audited", error)
    limits.pause()
    try:
        pickle.loads(pickle.dumps(result))
    except Exception:  # of classes of the user
        result = "cannot be sent"
    send(result)
