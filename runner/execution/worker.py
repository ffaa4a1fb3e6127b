"""A worker: a process, forked by the pool, that searches the ranges of instances it receives."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from runner.config.schema import Cell
from runner.execution.board import Board
from runner.execution.protocol import Loaded, Message, Rows
from runner.execution.searcher import Searcher
from runner.execution.stop import reset_signals
from runner.execution.system_limits import SystemLimits
from worlds.kernel import BEGINS, READY, Identity, watch_compiling

_PR_SET_PDEATHSIG = 1


def work(cells: Sequence[Cell], pipe: Connection, board: Board, parent: int, disown: Callable[[], None]) -> None:
    """Search tasks that come through a pipe until it is closed, or the board says to stop.

    Parameters
    ----------
    pipe : Connection
        Brings tasks, takes messages. Every `Rows` is acknowledged.
    parent : int
        Without which the worker is not to go on.
    disown : callable
        Closes what belongs to the parent: files with locks, the other ends of pipes.
    """
    os.setsid()
    reset_signals()
    disown()
    _end_with(parent)
    _forbid_core_dumps()
    process, system_limits = os.getpid(), SystemLimits()

    def send(message: Message) -> None:
        if os.getpid() != process:  # a process that an instance has forked, and that came back
            os._exit(1)
        pipe.send(message)
        if isinstance(message, Rows):
            pipe.recv()

    def watch(kernel: Identity, event: str) -> None:
        board.compile(event == BEGINS)
        (system_limits.pause if event == BEGINS else system_limits.resume)()
        if event == READY:
            send(Loaded(kernel))

    watch_compiling(watch)
    searcher = Searcher(cells, send, board, lambda: board.is_stopped, system_limits)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while not board.is_stopped:
            searcher.run(pipe.recv())


def _end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, on systems that can do that; elsewhere the pipe breaks."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _forbid_core_dumps() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
