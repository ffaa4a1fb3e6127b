"""When Ctrl-C may come."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM as long as foreign code runs that calls back into Python.

    Raised inside a callback they would be lost, as in LLVM's, or end the process without a word to us, as in clingo's.
    What came meanwhile is raised at the end. Only in the main thread, to which signals go.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: list[int] = []
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, lambda number, _: seen.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number in seen[:1]:
        handlers[number](number, None)
