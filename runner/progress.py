"""What is shown while a cell runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Timer
from typing import TYPE_CHECKING

from rich.console import Console

from runner.terminal import message
from worlds.kernel import is_compiling

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from algorithms.engine.search import Counts

_REFRESH_SECONDS = 0.1
LOADING_SECONDS = 1.5
"""What takes longer than this is no loading."""
COMPILING = "compiling the search kernels (once per version, some seconds)"


@dataclass
class Cells:
    """How far a sweep has come.

    Attributes
    ----------
    total : int or None
        Number of cells, if that is known.
    current : int
        The cell that runs, from 0.
    """

    total: int | None
    current: int = 0
    _began: float = field(default_factory=lambda: time.monotonic())

    def describe(self, share: float) -> str:
        """The current cell, of which a share is done, and the time for the rest if all cells took as long."""
        if self.total is None:
            return f"cell {self.current + 1}"
        done = self.current + share
        text = f"cell {self.current + 1} of {self.total}"
        if not done:
            return text
        left = (time.monotonic() - self._began) * (self.total - done) / done
        return f"{text}, {timedelta(seconds=round(left))} left"


class Progress:
    """A progress bar on standard error, where that is a terminal; elsewhere only a line before a long compilation.

    Parameters
    ----------
    title : str
    total : int
        Number of instances.
    enabled : bool
    cells : Cells, optional
        The sweep of which this is a cell.
    """

    def __init__(self, title: str, total: int, enabled: bool, cells: Cells | None = None) -> None:
        self._title, self._total, self._cells = title, total, cells
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._done, self._instance, self._began, self._shown = 0, "", 0.0, 0.0
        if enabled and sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            columns = (
                TextColumn("{task.fields[cell]}", markup=False),
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[detail]}", markup=False),
            )
            self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._task = self._bar.add_task(self._title, total=self._total, detail="", cell=self._cell())
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Say that kernels are being compiled, if that takes longer than loading them from the cache."""

        def say() -> None:
            if is_compiling():  # and not a heuristic being prepared
                self.say_compiling()

        timer = Timer(LOADING_SECONDS, say)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def say_compiling(self) -> None:
        """Kernels are being compiled."""
        (message if self._bar is None else self._show)(COMPILING)

    def build(self, title: str, share: float) -> None:
        """Something that takes long is being built, before the first instance."""
        if self._bar is None:
            if share == 0:
                message(f"building the {title} (once)")
        elif self._is_due:
            self._show(title, share)

    def start(self, instance: str) -> None:
        """The next instance."""
        self._instance, self._began = instance, time.monotonic()
        if not self._shown:
            self._show(instance)

    def watch(self, counts: Counts) -> None:
        """Called between the steps of a search."""
        if self._is_due:
            speed = counts.expanded / max(1e-9, time.monotonic() - self._began)
            detail = f"{counts.expanded:,} expanded ({speed:,.0f}/s), {counts.peak_nodes:,} nodes"
            self._show(f"{self._instance}: {detail}")

    def explored(self, states: int) -> None:
        """Called while all states of an instance are explored."""
        if self._is_due:
            self._show(f"{self._instance}: {states:,} states")

    def finish(self) -> None:
        """The instance is done."""
        self._done += 1
        if self._is_due:
            self._show(self._instance)

    @property
    def _is_due(self) -> bool:
        """Whether there is a bar, and it has not been drawn just now."""
        return self._bar is not None and time.monotonic() > self._shown + _REFRESH_SECONDS

    def _cell(self) -> str:
        return "" if self._cells is None else f"[{self._cells.describe(self._done / max(1, self._total))}]"

    def _show(self, detail: str, done: float | None = None) -> None:
        if self._bar is not None and self._task is not None:
            completed = self._done if done is None else done
            self._bar.start()  # with the first thing to show
            self._bar.update(self._task, completed=completed, detail=detail, cell=self._cell())
            self._bar.refresh()
            self._shown = time.monotonic()
