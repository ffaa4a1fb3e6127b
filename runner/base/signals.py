"""Signals while foreign code runs, and ends of processes."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from runner.base.errors import INTERRUPTED_LINE, UserError

STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a process to stop."""
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # here, because a forked process must not load libraries
_PR_SET_PDEATHSIG = 1
_SHOW_CURSOR = "\x1b[?25h"

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True)
class Harmless:
    """Handler of signals that raises nothing, so that it may run while foreign code calls back into Python.

    Attributes
    ----------
    handle : callable
        Function that does the work.
    """

    handle: Callable[[int, FrameType | None], object]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.handle(number, frame)


def end_process(number: int, _: FrameType | None = None) -> None:
    """End this process at once. Handler of signals while there are no results to lose."""
    is_terminal = False
    with suppress(AttributeError, ValueError):
        is_terminal = sys.stderr.isatty()
    with suppress(OSError):
        os.write(2, f"{_SHOW_CURSOR if is_terminal else ''}{INTERRUPTED_LINE}\n".encode())
    os._exit(128 + number)


def end_at_signals() -> None:
    """Let SIGINT, SIGTERM and SIGHUP end this process at once, with one line and exit code 128 + N."""
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, Harmless(end_process))


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM while foreign code runs that calls back into Python.

    An exception raised in a callback of LLVM would be lost; in one of clingo it would end the process without a
    message. The first signal that arrives is handled at the end. Other threads do not receive signals: nothing is done.
    Nor is it for handlers that are `Harmless`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    found: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {n: each for n, each in found.items() if callable(each) and not isinstance(each, Harmless)}
    for number in handlers:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in received[:1]:
            handlers[number](number, None)


def limited(function: Callable[[S], T], seconds: float | None) -> Callable[[S], T]:
    """Return a function whose calls are ended by a `TimeoutError` after some seconds of processor time.

    A timer of the system (SIGVTALRM) ends what Python executes step by step. A call that waits, or stays in compiled
    code, goes on.

    Parameters
    ----------
    seconds : float or None
        None returns the function itself.

    Raises
    ------
    UserError
        If this is not the main thread, which alone can handle signals.
    """
    if seconds is None:
        return function
    if threading.current_thread() is not threading.main_thread():
        raise UserError("limits.call: works in the main thread only")
    set_timer, timer = signal.setitimer, signal.ITIMER_VIRTUAL

    def end(*_: object) -> None:
        raise TimeoutError(f"a call of the heuristic took more than limits.call={seconds:.10g} seconds")

    def timed(argument: S) -> T:
        set_timer(timer, seconds)
        try:
            return function(argument)
        finally:
            set_timer(timer, 0.0)

    signal.signal(signal.SIGVTALRM, end)
    return timed


def exit_reason(code: int) -> str:
    """Return a text on how a process ended."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    known = {number.value: number.name for number in signal.Signals}
    return f"killed by {known.get(-code, f'signal {-code}')}"


def end_with(parent: int, *ignored: signal.Signals) -> None:
    """Let the system kill this process when its parent ends. Only Linux can.

    Parameters
    ----------
    parent : int
        Process id of the parent, which may have ended already.
    ignored : signal
        Signals that this process ignores from now on, if its end does not depend on them.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
    if os.getppid() != parent:
        os._exit(1)


@contextmanager
def blocked() -> Iterator[None]:
    """Block signals in this context. A process that is forked here receives its own after `unblock`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def reset_signals() -> None:
    """Remove the handlers of the parent in a new worker. Ignored signals stay ignored."""
    signal.set_wakeup_fd(-1)
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def unblock() -> None:
    """Receive signals again, including those that came while they were blocked."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
