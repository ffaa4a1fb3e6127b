"""Locks on files. The operating system ends them with the process, however that ends, so none is ever stale."""

from __future__ import annotations

from typing import IO, Any
from weakref import WeakSet

_held: WeakSet[IO[Any]] = WeakSet()


def acquire(file: IO[Any], shared: bool = False) -> bool:
    """Lock an open file as long as it is open, for this process or for all that share it; False if another has it.

    True, without a lock, where there are none: on Windows, and on some file systems.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    _held.add(file)
    return True


def disown() -> None:
    """Close, in a forked process, what its parent has locked: what it leaves behind must not hold the locks."""
    for file in list(_held):
        file.close()
