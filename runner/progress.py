"""What is shown while a cell runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
_LOADING_SECONDS = 1.5
COMPILING = "compiling the search kernels (once per version, some seconds)"


class Progress:
    """A progress bar on standard error, where that is a terminal; elsewhere only a line before a long compilation."""

    def __init__(self, title: str, total: int, enabled: bool) -> None:
        self._title, self._total = title, total
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._done, self._instance, self._began, self._shown = 0, "", 0.0, 0.0
        if enabled and sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[detail]}", markup=False),
            )
            self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=self._total, detail="")
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Say that kernels are being compiled, if that takes longer than loading them from the cache."""

        def say() -> None:
            if is_compiling():  # and not a heuristic being prepared
                (message if self._bar is None else self._show)(COMPILING)

        timer = Timer(_LOADING_SECONDS, say)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def build(self, title: str, share: float) -> None:
        """Something that takes long is being built, before the first instance."""
        if self._bar is None:
            if share == 0:
                message(f"building the {title} (once)")
        elif time.monotonic() > self._shown + _REFRESH_SECONDS:
            self._show(title, share)

    def start(self, instance: str) -> None:
        """The next instance."""
        self._instance, self._began = instance, time.monotonic()

    def watch(self, counts: Counts) -> None:
        """Called between the steps of a search."""
        if self._bar is not None and time.monotonic() > self._shown + _REFRESH_SECONDS:
            speed = counts.expanded / max(1e-9, time.monotonic() - self._began)
            detail = f"{counts.expanded:,} expanded ({speed:,.0f}/s), {counts.peak_nodes:,} nodes"
            self._show(f"{self._instance}: {detail}")

    def finish(self) -> None:
        """The instance is done."""
        self._done += 1
        if self._bar is not None and time.monotonic() > self._shown + _REFRESH_SECONDS:
            self._show(self._instance)

    def _show(self, detail: str, done: float | None = None) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done if done is None else done, detail=detail)
            self._bar.refresh()
            self._shown = time.monotonic()
