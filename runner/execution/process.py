"""Worker processes, seen from their parent."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from algorithms.programs.interface import ExternalPlanner
from runner.base import CRASHED, INTERRUPTED, MEMORY_LIMIT, Result, blocked, end_with, exit_reason, reset_signals
from runner.config import Cell
from runner.execution.attempt import NOT_VALIDATED
from runner.execution.places import Place
from runner.execution.stop import Stop
from runner.execution.worker_state import WorkerState
from runner.machine import resident_bytes

TICK_SECONDS = 0.25
_MEMORY_SECONDS = 0.02
STOP_SECONDS = 5.0
"""Time for which workers that were asked to stop may finish what they do."""
KILLED_AT_LIMIT = "did not stop at its limit"
NOT_READ = "what the program printed or wrote could not be read in time"
_SECONDS_TO_END = 5.0


class WorkerProcess:
    """Worker process, with the parent's end of its pipe.

    Parameters
    ----------
    place : Place
        Where it runs.
    work : callable
        Work of the process, which takes its end of the pipe and the state that it shares.
    others : sequence of WorkerProcess
        Workers that have been started before.

    Attributes
    ----------
    state : WorkerState
        State in memory that the worker shares.
    ended_at : str or None
        Name of the status for the limit at which the parent or the system has killed the worker.
    """

    def __init__(
        self,
        place: Place,
        work: Callable[[Connection, WorkerState], None],
        others: Sequence[WorkerProcess] = (),
    ) -> None:
        self.place = place
        place.prepare()
        self.state = WorkerState.shared()
        self.ended_at: str | None = None
        self._look_at = 0.0
        self._pause = TICK_SECONDS
        self._pipe, theirs = multiprocessing.Pipe()
        parent = os.getpid()

        def main() -> None:
            _begin(parent)
            for each in (self, *others):
                each._pipe.close()
            place.enter()
            work(theirs, self.state)

        self._process = multiprocessing.get_context("fork").Process(target=main)
        with warnings.catch_warnings(), blocked():
            warnings.simplefilter("ignore", DeprecationWarning)  # about threads, which hold no lock that a worker needs
            self._process.start()
        theirs.close()
        # a process that the worker has started may keep the pipe open, so the end of the worker is watched, too
        try:
            self._end = os.pidfd_open(self._process.pid or 0)
        except (AttributeError, OSError):  # not on this system
            self._end = os.dup(self._process.sentinel)

    @property
    def files(self) -> tuple[Connection, int]:
        """Files that become readable when a message comes or the worker ends."""
        return self._pipe, self._end

    def send(self, message: object) -> None:
        """Send a message to the worker."""
        with contextlib.suppress(OSError):  # it has ended, and `receive` will return None
            self._pipe.send(message)

    def receive(self) -> Any:
        """Return the message of the worker; None if it has ended."""
        if self._pipe.poll():
            with contextlib.suppress(Exception):  # the worker died while it sent
                return self._pipe.recv()
        return None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the worker and to all processes that it has started."""
        pid = self._process.pid or 0
        try:
            os.killpg(pid, number)
        except (ProcessLookupError, PermissionError):  # the worker has no process group yet
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    @property
    def tick_seconds(self) -> float:
        """Seconds after which `enforce_limits` is due again."""
        return max(0.0, self._look_at - time.monotonic())

    def enforce_limits(self) -> None:
        """Kill the worker if it is far beyond a limit that it does not check itself. Does nothing before it is due."""
        now = time.monotonic()
        if now < self._look_at:
            return
        state, pid = self.state, self._process.pid or 0
        left = state.seconds_left(_processor_seconds(pid))
        most_bytes = state.most_bytes
        if most_bytes:
            self._pause = _MEMORY_SECONDS  # from now on: the next search with a limit must be seen as soon
            if resident_bytes(pid) > most_bytes == state.most_bytes:  # and none began meanwhile
                left[MEMORY_LIMIT.name] = -1.0
        self.ended_at = self.ended_at or next((name for name, seconds in left.items() if seconds < 0), None)
        if self.ended_at is not None:
            self.signal(signal.SIGKILL)
        self._look_at = now + max(0.0, min(self._pause, *left.values(), math.inf))

    def end(self, *, at_once: bool = False) -> int:
        """End the worker and the processes that it has started, and return its exit code.

        Parameters
        ----------
        at_once : bool
            Do not wait until the worker ends by itself.
        """
        self._pipe.close()
        wait([self._end], 0.0 if at_once else _SECONDS_TO_END)
        self.signal(signal.SIGKILL)  # before `join`: afterwards the system may reuse the process id
        self._process.join()
        os.close(self._end)
        code = self._process.exitcode or 0
        self._process.close()
        if self.place.leave() and code == -signal.SIGKILL:
            self.ended_at = self.ended_at or MEMORY_LIMIT.name
        return code


class Workers:
    """Worker processes, and the loop that waits for their messages. A context, after which all have ended.

    Parameters
    ----------
    stop : Stop
        After a signal, all workers are asked to stop, and those that do not are killed after five seconds.

    Attributes
    ----------
    running : list of WorkerProcess
    """

    def __init__(self, stop: Stop) -> None:
        self.running: list[WorkerProcess] = []
        self._stop = stop
        self._stopped_at = math.inf

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        for worker in list(self.running):
            self.end(worker, at_once=error is not None)

    def start(self, place: Place, work: Callable[[Connection, WorkerState], None]) -> WorkerProcess:
        """Start a worker. For the parameters see `WorkerProcess`."""
        worker = WorkerProcess(place, work, self.running)
        self.running.append(worker)
        return worker

    def wait(self) -> Iterator[tuple[WorkerProcess, Any]]:
        """Wait for a moment, and yield messages with their workers, None from one that has ended. Enforce limits."""
        seconds = min((worker.tick_seconds for worker in self.running), default=TICK_SECONDS)
        worker_of = {file: worker for worker in self.running for file in worker.files}
        for worker in {worker_of[file] for file in wait([*worker_of], seconds)}:  # type: ignore[index]
            yield worker, worker.receive()
        for worker in self.running:
            worker.enforce_limits()
            if self._stop.requested:
                worker.state.is_stopped = True
                self._stopped_at = min(self._stopped_at, time.monotonic())
                if time.monotonic() > self._stopped_at + STOP_SECONDS:
                    worker.signal(signal.SIGKILL)

    def end(self, worker: WorkerProcess, *, at_once: bool = False) -> int:
        """End a worker, and return its exit code."""
        self.running.remove(worker)
        return worker.end(at_once=at_once)


def _processor_seconds(process: int) -> float:
    """Return the processor time of a process; 0 if the system does not tell."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) of Linux makes it
    except OSError:
        return 0.0


def _begin(parent: int) -> None:
    import resource

    os.setsid()
    reset_signals()
    end_with(parent)  # on systems other than Linux the pipe breaks instead
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # no core dumps


def last_result(state: WorkerState, code: int, cell: Cell, ended_at: str | None) -> Result:
    """Return the result of the instance that a worker was searching when it ended. A solution stands.

    Parameters
    ----------
    code : int
        Exit code of the worker; negative after a signal.
    ended_at : str or None
        Name of the status for the limit at which the worker was killed.
    """
    columns = state.columns
    if "status" in columns:
        plan = None if columns["plan"] is None else tuple(columns["plan"])
        columns.update(plan=plan, reason=f"{NOT_VALIDATED}: {ended_at or exit_reason(code)}")
        return Result(**{**columns, "status": INTERRUPTED.name} if state.is_stopped else columns)
    columns["search_seconds"] = state.search_seconds
    if state.counts["expanded"]:
        columns.update(state.counts)
    if ended_at is not None:
        is_planner = isinstance(cell.algorithm, ExternalPlanner)
        return Result(status=ended_at, reason=NOT_READ if is_planner else KILLED_AT_LIMIT, **columns)
    if state.is_stopped:
        return Result(status=INTERRUPTED.name, **columns)
    return Result(status=CRASHED.name, error=exit_reason(code), **columns)
