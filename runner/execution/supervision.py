"""Functions in worker processes: one that limits and signals end, and one that is called with many items."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from algorithms.engine import Limits
from runner.base import PluginError, UserError, exit_reason
from runner.execution.display import ProgressDisplay
from runner.execution.places import Place
from runner.execution.process import Workers
from runner.execution.stop import Stop
from runner.execution.worker_state import SystemLimits, WorkerState
from worlds.compile import Identity

S = TypeVar("S")
T = TypeVar("T")


class WorkerLost(Exception):
    """End of a worker process before its function has returned.

    Parameters
    ----------
    reason : str
        How the process ended.
    ended_at : str or None
        Name of the status for the limit at which it was killed.
    state : WorkerState
        Its last state.
    """

    def __init__(self, reason: str, ended_at: str | None, state: WorkerState) -> None:
        super().__init__(reason)
        self.reason = reason
        self.ended_at = ended_at
        self.state = state


@dataclass(frozen=True)
class Supervision:
    """Supervision of a function, seen from its process.

    Attributes
    ----------
    state : WorkerState
        State in which the function shows what it does.
    is_stopped : callable
        Whether the function is asked to stop.
    begin : callable
        Begins what the limits apply to, again at each call.
    leave_to_planner : callable
        Leaves the limits to a planner until `begin` is called.
    announce : callable
        Shows a line to the user.
    progress : ProgressDisplay or None
        Display that the function must serve itself, in the process of the command.
    kernels : list of Identity
        Kernels that its process has loaded or compiled.
    """

    state: WorkerState = field(default_factory=WorkerState)
    is_stopped: Callable[[], bool] = lambda: False
    begin: Callable[[], None] = lambda: None
    leave_to_planner: Callable[[], None] = lambda: None
    announce: Callable[[str], None] = lambda _: None
    progress: ProgressDisplay | None = None
    kernels: list[Identity] = field(default_factory=list)


@dataclass(frozen=True)
class _Line:
    text: str


@dataclass(frozen=True)
class _Outcome(Generic[T]):
    """Result of a function, or the error that it has raised; or that it cannot be sent to another process."""

    result: T | None = None
    error: Exception | None = None
    is_sent: bool = True


def supervised(
    function: Callable[[Supervision], T],
    limits: Limits,
    stop: Stop,
    show: Callable[[str], None],
    progress: ProgressDisplay | None = None,
    *,
    workers: int = 1,
) -> T | None:
    """Call a function in a worker process, which the limits and signals end even if it never returns.

    A function whose result cannot be pickled is called again in this process.

    Parameters
    ----------
    stop : Stop
        Signals, to which this function listens. At the first one the function is asked to stop, and has five seconds.
    show : callable
        Called with each line that the function announces.
    workers : int
        0 calls the function in this process, without limits.

    Returns
    -------
    T or None
        Result of the function; None if it did not return in time after a signal.

    Raises
    ------
    UserError, PluginError
        Those of the function.
    WorkerLost
        If the process ends without a result.
    """
    with stop.listening():
        if workers and hasattr(os, "fork"):
            outcome = _in_worker(function, limits, stop, show, progress)
            if outcome is None or outcome.is_sent:
                return None if outcome is None else _result_of(outcome)
        return function(Supervision(is_stopped=lambda: stop.requested, announce=show, progress=progress))


def _in_worker(
    function: Callable[[Supervision], T],
    limits: Limits,
    stop: Stop,
    show: Callable[[str], None],
    progress: ProgressDisplay | None,
) -> _Outcome[T] | None:
    """Return the outcome of a function in a worker process; None if it did not return in time after a signal."""
    done = 0
    with Workers(stop) as workers:
        worker = workers.start(Place(), partial(_call, function, limits))
        while True:
            for _, message in workers.wait():
                if isinstance(message, _Line):
                    show(message.text)
                    continue
                code = workers.end(worker)
                if message is not None or stop.requested:
                    outcome: _Outcome[T] | None = message
                    return outcome
                raise WorkerLost(exit_reason(code), worker.ended_at, worker.state)
            if progress is not None:
                progress.advance(worker.state.number - done)
                done = worker.state.number
                progress.show_workers([worker.state])


def _call(function: Callable[[Supervision], Any], limits: Limits, pipe: Connection, state: WorkerState) -> None:
    """Call a function in this process, a worker, and send its outcome."""

    def send(message: _Outcome[Any] | _Line) -> None:
        with suppress(OSError):
            pipe.send(message)

    kernels: list[Identity] = []
    system = SystemLimits(state, loaded=kernels.append)
    supervision = Supervision(
        state, lambda: state.is_stopped, partial(system.begin, limits), partial(system.begin, limits, is_planner=True),
        lambda text: send(_Line(text)), kernels=kernels,
    )  # fmt: skip
    outcome = _called(function, supervision)
    system.lift()
    try:
        pickle.loads(pickle.dumps(outcome))
    except Exception:  # of classes of the user
        outcome = _Outcome(is_sent=False)
    send(outcome)


def map_in_workers(
    start: Callable[[], AbstractContextManager[Callable[[S], T]]], items: Sequence[S], workers: int
) -> Iterator[T]:
    """Call a function with each item, and yield the results as they come.

    Parameters
    ----------
    start : callable
        Returns the function, in a context which ends after the last call. Each process has one.
    workers : int
        Number of processes; with 0 or 1 this process calls the function.

    Raises
    ------
    UserError, PluginError
        Those of the function.
    WorkerLost
        If a process ends.
    """
    if workers <= 1:
        with start() as function:
            yield from map(function, items)
        return
    left = list(reversed(items))
    with Workers(Stop()) as running:
        for _ in range(min(workers, len(items))):
            running.start(Place(), partial(_call_each, start)).send(left.pop())
        while running.running:
            for worker, outcome in running.wait():
                if outcome is not None:
                    yield _result_of(outcome)
                    if left:
                        worker.send(left.pop())
                        continue
                code = running.end(worker)
                if outcome is None:
                    raise WorkerLost(exit_reason(code), None, worker.state)


def _call_each(
    start: Callable[[], AbstractContextManager[Callable[[Any], Any]]], pipe: Connection, _: WorkerState
) -> None:
    """Call the function with the items that come through a pipe, until it is closed."""
    with start() as function, suppress(EOFError):
        while True:
            pipe.send(_called(function, pipe.recv()))


def _called(function: Callable[[S], T], argument: S) -> _Outcome[T]:
    try:
        return _Outcome(function(argument))
    except PluginError as error:
        return _Outcome(error=error)
    except UserError as error:
        return _Outcome(error=UserError(str(error)))  # errors of other classes may need more than a message


def _result_of(outcome: _Outcome[T]) -> T:
    if outcome.error is not None:
        raise outcome.error
    return outcome.result  # type: ignore[return-value]
