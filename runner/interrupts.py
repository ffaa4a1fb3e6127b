"""Ctrl-C and SIGTERM, which must not get lost.

An exception that is raised by a signal handler while a library runs Python code of its own may vanish there, or come
out as another one: numba makes a TypeError of it while it takes over arguments. So a signal is remembered, too, and
looked for between the steps of a search, between instances, and when anything else has been raised.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_received: list[int] = []


def install() -> None:
    """Let SIGTERM do what Ctrl-C does, and remember both. A Ctrl-C that is ignored (in the background) stays so."""
    signal.signal(signal.SIGTERM, _remember)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _remember)
    sys.unraisablehook = _say_unraisable


def forget() -> None:
    """As if no signal had come: in a new process."""
    _received.clear()


def received() -> int | None:
    """The first signal that came; None if there was none."""
    return _received[0] if _received else None


def raise_if_received() -> None:
    """Raise what may have got lost.

    Raises
    ------
    KeyboardInterrupt
        If a signal has come.
    """
    if _received:
        raise KeyboardInterrupt


@contextmanager
def not_lost() -> Iterator[None]:
    """Raise KeyboardInterrupt instead of what a library may have made of it."""
    try:
        yield
    except Exception:
        raise_if_received()
        raise


@contextmanager
def blocked() -> Iterator[None]:
    """Let signals wait; a process that is forked meanwhile gets its own when it calls `unblock`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock() -> None:
    """Receive signals that have waited."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _remember(number: int, _: Any) -> None:
    _received.append(number)
    raise KeyboardInterrupt


def _say_unraisable(unraisable: Any) -> None:
    """Say what Python cannot raise, in a destructor for example, unless it is a signal, which is remembered."""
    if not (_received and unraisable.exc_type is KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
