"""A worker process as its parent sees it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import selectors
import signal
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

from algorithms.engine.search import Limits
from runner.config.schema import Cell
from runner.execution.board import Board
from runner.execution.protocol import Failed, Message, Rows, Task
from runner.execution.stop import blocked
from runner.execution.system_limits import exceeded
from runner.execution.worker import work
from runner.records.result import Result
from runner.status import CRASHED, INTERRUPTED

KILLED_AT_LIMIT = "did not stop at its limit"
_SECONDS_TO_END = 5.0


class WorkerProcess:
    """A worker process, as its parent sees it.

    Parameters
    ----------
    disown : callable
        Closes, in the worker, what belongs to its parent.
    others : sequence of WorkerProcess
        That are there already.

    Attributes
    ----------
    task : Task or None
        That it has.
    received : int
        Rows of the task have come for all instances before this one.
    """

    def __init__(self, cells: Sequence[Cell], disown: Callable[[], None], others: Sequence[WorkerProcess]) -> None:
        self.board = Board()
        self.task: Task | None = None
        self.received = 0
        self._pipe, theirs = multiprocessing.Pipe()

        def disown_all() -> None:
            for each in (self, *others):
                each._pipe.close()
            disown()

        self._process = multiprocessing.get_context("fork").Process(
            target=work, args=(cells, theirs, self.board, os.getpid(), disown_all)
        )
        with warnings.catch_warnings(), blocked():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which hold no locks of ours
            self._process.start()
        theirs.close()
        # processes that it has started may hold its pipe, so its own end is watched, too
        try:
            self._end = os.pidfd_open(self._process.pid or 0)
        except (AttributeError, OSError):  # an older Python, an older kernel
            self._end = os.dup(self._process.sentinel)

    @property
    def files(self) -> tuple[Connection, int]:
        """Files that become readable when a message comes or the worker ends."""
        return self._pipe, self._end

    def assign(self, task: Task) -> None:
        """Give it a task."""
        self.task, self.received = task, task.first
        with contextlib.suppress(OSError):  # it has ended, which will be seen
            self._pipe.send(task)

    def receive(self) -> Message | None:
        """Return what it has sent; None if it has ended."""
        message: Message | None = None
        if self._pipe.poll():
            with contextlib.suppress(Exception):  # the end, and half a message
                message = self._pipe.recv()
        if isinstance(message, Task | Failed):
            self.task = None
        elif isinstance(message, Rows) and message.rows:
            self.received = message.rows[-1].number + 1
        return message

    def acknowledge(self, message: Message) -> None:
        """Let it go on after rows."""
        if isinstance(message, Rows):
            with contextlib.suppress(OSError):
                self._pipe.send(None)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it and to all processes that it has started."""
        pid = self._process.pid or 0
        try:
            os.killpg(pid, number)
        except (ProcessLookupError, PermissionError):  # it does not lead its group yet
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def end(self) -> int:
        """End it, and whatever it has started, before its number may be given to others; returns its exit code."""
        self._pipe.close()
        if self.task is None or self._has_ended(0.0):
            self._has_ended(_SECONDS_TO_END)
        self.signal(signal.SIGKILL)
        self._process.join()
        os.close(self._end)
        code = self._process.exitcode or 0
        self._process.close()
        return code

    def _has_ended(self, seconds: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self._end, selectors.EVENT_READ)
            return bool(selector.select(seconds))


def last_result(board: Board, code: int, limits: Limits) -> Result:
    """Return the result of the instance that a worker searched when it ended.

    Parameters
    ----------
    code : int
        Exit code of the worker; negative after a signal.
    """
    columns = {**board.columns, "search_seconds": board.seconds}
    limit = exceeded(-code, limits)
    if limit is not None:
        return Result(status=limit, reason=KILLED_AT_LIMIT, **columns)
    if board.is_stopped:
        return Result(status=INTERRUPTED.name, **columns)
    return Result(status=CRASHED.name, error=exit_reason(code), **columns)


def exit_reason(code: int) -> str:
    """Say how a process ended."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"the process ended with exit code {code}"
