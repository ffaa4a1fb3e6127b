"""Main functions of workers. Those of the pool search the instances of their tasks."""

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
from worlds.compile.clock import BEGINS, READY, Identity, watch_compiling
from worlds.signals import end_with


def begin(parent: int, close_inherited: Callable[[], None]) -> None:
    """Make this process, which has just been forked, a worker.

    Parameters
    ----------
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


def limits_of_worker(state: WorkerState, loaded: Callable[[Identity], None] = lambda _: None) -> SystemLimits:
    """Return the system limits of this process. Their clocks pause while kernels are compiled or loaded.

    Parameters
    ----------
    state : WorkerState
        State that shows the parent whether a kernel is being compiled.
    loaded : callable, optional
        Called with each kernel that is ready.
    """
    limits = SystemLimits(state)

    def watch(kernel: Identity, event: str) -> None:
        state.set_compiling(event == BEGINS)
        (limits.pause if event == BEGINS else limits.resume)()
        if event == READY:
            loaded(kernel)

    watch_compiling(watch)
    return limits


def work(cells: Sequence[Cell], pipe: Connection, state: WorkerState) -> None:
    """Search the tasks that come through a pipe, until it is closed or the worker is asked to stop.

    Parameters
    ----------
    pipe : Connection
        Pipe for tasks, messages, and an acknowledgement of every `Rows`.
    state : WorkerState
        State that the parent reads.
    """
    process = os.getpid()

    def send(message: Message) -> None:
        if os.getpid() != process:  # a process that the code of an instance has forked
            os._exit(1)
        pipe.send(message)
        if isinstance(message, Rows):
            pipe.recv()

    system_limits = limits_of_worker(state, lambda kernel: send(Loaded(kernel)))
    searcher = Searcher(cells, send, state, lambda: state.is_stopped, system_limits)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while not state.is_stopped:
            searcher.run(pipe.recv())


def _forbid_core_dumps() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
