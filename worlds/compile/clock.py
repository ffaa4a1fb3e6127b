"""Time that this process spends on compiling kernels, and who watches it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Identity = tuple[str, str, str]
"""Module and name of a kernel's function, and the signature."""

AHEAD, BEGINS, READY, FAILED = "ahead", "begins", "ready", "failed"
Observer = Callable[[Identity, str], None]
"""Called with the identity of a kernel and `BEGINS`, `READY` or `FAILED` when it is compiled or loaded.

`AHEAD` comes before: another process has begun to compile it for this one.
"""


class _Clock:
    """Time spent inside `compiling`, which does not nest."""

    wall = 0.0
    cpu = 0.0
    observer: Observer | None = None


_clock = _Clock()


@contextmanager
def compiling(identity: Identity) -> Iterator[None]:
    """Measure the time in which a kernel is compiled or loaded, and inform the observer."""
    wall, cpu = time.perf_counter(), time.process_time()
    observer, outcome = _clock.observer, FAILED
    if observer is not None:
        observer(identity, BEGINS)
    try:
        yield
        outcome = READY
    finally:
        if observer is not None:
            observer(identity, outcome)
        _clock.wall += time.perf_counter() - wall
        _clock.cpu += time.process_time() - cpu


def announce_ahead(identity: Identity) -> None:
    """Inform the observer that another process compiles a kernel for this one."""
    if _clock.observer is not None:
        _clock.observer(identity, AHEAD)


def compile_seconds() -> tuple[float, float]:
    """Return the wall and processor seconds spent on compiling kernels or loading them from the cache."""
    return _clock.wall, _clock.cpu


def watch_compiling(observer: Observer | None) -> None:
    """Set the observer of compilation; None removes it."""
    _clock.observer = observer
