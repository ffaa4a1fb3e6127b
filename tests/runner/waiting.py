"""Wait for other processes."""

from __future__ import annotations

import time
from collections.abc import Callable

HANGING = 600
"""Seconds after which a process hangs, on the slowest machine, too; below `faulthandler_timeout` of pytest."""


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition is true. Fail if that takes too long."""
    deadline = time.monotonic() + HANGING
    while not condition():
        assert time.monotonic() < deadline, f"the condition was not true within {HANGING} s"
        time.sleep(0.02)
