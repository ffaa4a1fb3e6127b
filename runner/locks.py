"""Locks on files. The operating system ends them with the process, however that ends, so none is ever stale."""

from __future__ import annotations

from typing import IO, Any


def acquire(file: IO[Any]) -> bool:
    """Lock an open file as long as it is open; False if another process has it.

    True, without a lock, where there are none: on Windows, and on some file systems.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
