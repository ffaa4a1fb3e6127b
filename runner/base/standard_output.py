"""Standard output, for tables."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

from rich.console import Console

from runner.base.errors import message

_PLAIN_WIDTH = 160


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Write no more after the reader has gone, as in `... | head`. This is not an error."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Return a console on standard output. Its width is fixed unless the output is a terminal."""
    if sys.stdout is None:
        return _Console(file=io.StringIO())
    return _Console(highlight=False, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)


def show(action: Callable[[], None]) -> bool:
    """Run an action that writes to standard output.

    Returns
    -------
    bool
        False if standard output could not be written. The error is then printed to standard error.
    """
    try:
        action()
    except OSError as error:
        message(f"error: standard output: {error.strerror}")
        return False
    return True
