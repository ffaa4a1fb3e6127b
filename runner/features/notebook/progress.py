"""Messages and progress bar of a sweep in a notebook or a script."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from html import escape
from importlib import import_module
from typing import Any

from runner.base.messages import plural
from runner.plugin import (
    PlannedCell,
    ProgressDisplay,
    SweepPlan,
    TerminalDisplay,
    TerminalProgress,
    Totals,
    WorkerState,
)

_REFRESH_SECONDS = 0.2


def is_notebook() -> bool:
    """Return whether this code runs in a notebook that shows HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


class NotebookDisplay(TerminalDisplay):
    """Display of a sweep in a notebook or a script: problems and progress, but no totals of cells."""

    def begins(self, planned: SweepPlan, totals: Sequence[Totals]) -> None:
        """Print nothing."""

    def finished(self, cell: PlannedCell, totals: Totals) -> None:
        """Print nothing."""

    def progress(self, title: str, total: int, enabled: bool) -> AbstractContextManager[ProgressDisplay]:  # noqa: ARG002
        """Return a bar below the cell of a notebook; outside of notebooks, that of the command."""
        return NotebookProgress(title, total) if is_notebook() else TerminalProgress(title, total, enabled=True)


class NotebookProgress:
    """Display of the number of instances that have rows, below the cell of a notebook.

    Parameters
    ----------
    title : str
        Text before the bar.
    total : int
        Number of instances.
    """

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total, self._done = title, total, 0
        self._began = self._refreshed = time.monotonic()
        self._ipython: Any = import_module("IPython.display")
        self._handle: Any = None

    def __enter__(self) -> NotebookProgress:
        self._handle = self._ipython.display(self._ipython.HTML(self._bar()), display_id=True)
        return self

    def __exit__(self, *exception: object) -> None:
        self._show(self._bar())

    def advance(self, count: int) -> None:
        """Count instances that have got a row."""
        self._done += count

    def show_building(self, title: str, share: float) -> None:
        """Show what is built, and the share of it that is done."""
        self._show(f"{escape(title)}: {share:.0%}")

    def show_workers(self, workers: Sequence[WorkerState]) -> None:  # noqa: ARG002
        """Show the bar, unless it was shown less than 0.2 s ago."""
        if time.monotonic() > self._refreshed + _REFRESH_SECONDS:
            self._show(self._bar())

    def _show(self, text: str) -> None:
        self._refreshed = time.monotonic()
        if self._handle is not None:
            self._handle.update(self._ipython.HTML(text))

    def _bar(self) -> str:
        seconds = time.monotonic() - self._began
        done = f"{self._done:,} of {plural(self._total, 'instance')}, {seconds:.1f} s"
        bar = f'<progress value="{self._done}" max="{max(1, self._total)}" style="width: 16em"></progress>'
        return f"{escape(self._title)} {bar} {done}"
