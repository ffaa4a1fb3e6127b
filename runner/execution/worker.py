"""Main function of a worker: a process, forked by the pool, that searches the instances of its tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from runner.config.schema import Cell
from runner.execution.protocol import Loaded, Message, Rows
from runner.execution.searcher import Searcher
from runner.execution.stop import reset_signals
from runner.execution.system_limits import SystemLimits
from runner.execution.worker_state import WorkerState
from worlds.compile_clock import BEGINS, READY, Identity, watch_compiling
from worlds.signals import end_with


def work(
    cells: Sequence[Cell], pipe: Connection, state: WorkerState, parent: int, close_inherited: Callable[[], None]
) -> None:
    """Search the tasks that come through a pipe, until it is closed or the worker is asked to stop.

    Parameters
    ----------
    pipe : Connection
        Pipe for tasks, messages, and an acknowledgement of every `Rows`.
    state : WorkerState
        State that the parent reads.
    parent : int
        Process id of the parent. The worker ends when the parent ends.
    close_inherited : callable
        Closes the files of the parent: files with locks, and its ends of pipes.
    """
    os.setsid()
    reset_signals()
    close_inherited()
    end_with(parent)  # on systems other than Linux the pipe breaks instead
    _forbid_core_dumps()
    process, system_limits = os.getpid(), SystemLimits(state)

    def send(message: Message) -> None:
        if os.getpid() != process:  # a process that the code of an instance has forked
            os._exit(1)
        pipe.send(message)
        if isinstance(message, Rows):
            pipe.recv()

    def watch(kernel: Identity, event: str) -> None:
        state.set_compiling(event == BEGINS)
        (system_limits.pause if event == BEGINS else system_limits.resume)()
        if event == READY:
            send(Loaded(kernel))

    watch_compiling(watch)
    searcher = Searcher(cells, send, state, lambda: state.is_stopped, system_limits)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while not state.is_stopped:
            searcher.run(pipe.recv())


def _forbid_core_dumps() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
