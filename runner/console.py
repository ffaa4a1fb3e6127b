"""Standard output, as tables are written to it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

from rich.console import Console

from runner.messages import message

_PLAIN_WIDTH = 160


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader has gone, as in `... | head`: say no more, but that is no failure."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Return standard output; of a fixed width where it is not a terminal."""
    if sys.stdout is None:
        return _Console(file=io.StringIO())
    return _Console(highlight=False, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)


def show(action: Callable[[], None]) -> bool:
    """Show results; if standard output cannot be written to, say so, but go on.

    Returns
    -------
    bool
        Whether they could be shown.
    """
    try:
        action()
    except OSError as error:
        message(f"error: standard output: {error.strerror}")
        return False
    return True
