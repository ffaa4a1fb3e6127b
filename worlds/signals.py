"""Signals while foreign code runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM while foreign code runs that calls back into Python.

    An exception raised in a callback of LLVM would be lost; in one of clingo it would end the process without a
    message. The first signal that arrives is handled at the end. Other threads do not receive signals: nothing is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number in received[:1]:
        handlers[number](number, None)
