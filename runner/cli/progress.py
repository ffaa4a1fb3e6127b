"""Progress on standard error: a bar if that is a terminal; otherwise lines, ever less often, and before long steps."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from runner.base import message, one_line
from runner.execution import SEARCHING, WorkerState
from worlds.compile import BEGINS, Identity, compile_seconds, watch_compiling

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_REFRESH_SECONDS = 0.1
FIRST_LINE_SECONDS, _MAX_LINE_SECONDS = 20.0, 600.0
"""Time to the first line of progress without a terminal, and the largest time between two lines; it doubles."""
LOADING_SECONDS = 1.5
"""Time after which the user is told that kernels are loaded or compiled. Loading alone usually takes less."""
COMPILING = "loading or compiling kernels (compiling takes some seconds, once per version)"


class TerminalProgress:
    """Display of the number of searches that have ended, and of the search of a worker.

    Parameters
    ----------
    title : str
        Text before the bar.
    total : int
        Number of searches, or of other steps.
    enabled : bool
        Show a bar on a terminal, and lines elsewhere.
    """

    def __init__(self, title: str, total: int, enabled: bool) -> None:
        self._title, self._total, self._enabled = title, total, enabled
        self._pause = FIRST_LINE_SECONDS
        self._line_due = time.monotonic() + self._pause
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._done, self._refreshed, self._is_announced, self._instance = 0, 0.0, False, ""
        self._timer, self._kernels = threading.Timer(LOADING_SECONDS, self._show_compiling), 0
        is_terminal = False
        with suppress(AttributeError, ValueError):
            is_terminal = sys.stderr.isatty()
        if enabled and is_terminal:
            from rich.console import Console
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

    def __enter__(self) -> TerminalProgress:
        self._compiled_before = compile_seconds()[0]
        watch_compiling(self._watch)
        if self._bar is not None:
            self._task = self._bar.add_task(self._title, total=self._total, detail="")
        return self

    def __exit__(self, *exception: object) -> None:
        watch_compiling(None)
        if self._bar is not None:
            self._bar.stop()

    def advance(self, count: int = 1) -> None:
        """Count searches that have ended."""
        self._done += count

    def show_building(self, title: str, share: float) -> None:
        """Show what is built before the first instance, and the share of it that is done."""
        if self._bar is not None:
            self.show(f"{title}: {share:.0%}")
        elif share == 0:
            message(f"building the {title} (once)")

    def show_workers(self, workers: Sequence[WorkerState]) -> None:
        """Show the kernel that a worker compiles, or the search of the first worker that searches."""
        searching = [worker for worker in workers if worker.phase == SEARCHING]
        if compiling := [each for each in workers if each.is_compiling and each.compile_seconds > LOADING_SECONDS]:
            self._show_compiling(compiling[0].kernel.decode(errors="replace"))
        elif searching and self._is_due():
            expanded, nodes = (searching[0].counts[name] or 0 for name in ("expanded", "peak_nodes"))
            speed = expanded / max(1e-9, searching[0].search_seconds)
            with suppress(ValueError):  # the worker is writing its columns
                self._instance = one_line(str(searching[0].columns["instance"]))
            self.show(f"{self._instance}: {expanded:,} expanded ({speed:,.0f}/s), {nodes:,} nodes")

    def _is_due(self) -> bool:
        if self._bar is None:
            return self._enabled and time.monotonic() > self._line_due
        return time.monotonic() > self._refreshed + _REFRESH_SECONDS

    def _watch(self, kernel: Identity, event: str) -> None:
        """Start a timer when this process loads or compiles a kernel, because its main thread is busy."""
        self._timer.cancel()
        if event == BEGINS:
            self._kernels += 1
            rest = LOADING_SECONDS + self._compiled_before - compile_seconds()[0]
            words = f"{self._kernels}: {kernel[0]}.{kernel[1]}"
            self._timer = threading.Timer(max(0.0, rest), self._show_compiling, (words,))
            self._timer.start()

    def _show_compiling(self, kernel: str) -> None:
        """Say once that kernels are compiled, if there is no bar; then show the number and the name of the kernel."""
        if self._bar is None and not self._is_announced:
            self._is_announced = True
            message(COMPILING)
        name = re.sub(r"\.[0-9a-f]{16}$", "", kernel)  # without the digest of the functions that it calls
        self.show(f"compiling kernel {name} (once)")

    def show(self, detail: str) -> None:
        """Show a text beside the bar at most every 0.1 s; without a bar, in a line if one is due."""
        if not self._is_due():
            return
        if self._bar is None:
            message(f"{self._title}: {self._done:,} of {self._total:,} done; {detail}")
            self._pause = min(2 * self._pause, _MAX_LINE_SECONDS)
            self._line_due = time.monotonic() + self._pause
        elif self._task is not None:
            self._bar.start()
            self._bar.update(self._task, completed=self._done, detail=detail)
            self._bar.refresh()
            self._refreshed = time.monotonic()
