"""A progress bar on standard error, where that is a terminal; elsewhere only lines before what takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from runner.execution.board import SEARCHING, Board
from runner.messages import message
from runner.registry import one_line
from worlds.kernel import BEGINS, Identity, watch_compiling

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_REFRESH_SECONDS = 0.1
LOADING_SECONDS = 1.5
"""Loading kernels from the cache takes less than this."""
COMPILING = "compiling the search kernels (once per version, some seconds)"


class Progress:
    """Shows how many instances have rows, and what the workers do.

    Parameters
    ----------
    total : int
        Number of instances.
    """

    def __init__(self, title: str, total: int, enabled: bool) -> None:
        self._title, self._total = title, total
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._done, self._shown, self._has_told, self._instance = 0, 0.0, False, ""
        self._timer = threading.Timer(LOADING_SECONDS, self._tell_compiling)
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

    def __enter__(self) -> Progress:
        watch_compiling(self._watch)
        if self._bar is not None:
            self._task = self._bar.add_task(self._title, total=self._total, detail="")
        return self

    def __exit__(self, *exception: object) -> None:
        watch_compiling(None)
        if self._bar is not None:
            self._bar.stop()

    def advance(self, count: int = 1) -> None:
        """So many instances have got their rows."""
        self._done += count

    def build(self, title: str, share: float) -> None:
        """Something that takes long is being built, before the first instance."""
        if self._bar is None:
            if share == 0:
                message(f"building the {title} (once)")
        else:
            self.show(f"{title}: {share:.0%}")

    def tick(self, boards: Sequence[Board]) -> None:
        """Show what the workers do."""
        if any(board.compiling > LOADING_SECONDS for board in boards):
            self._tell_compiling()
        searching = [board for board in boards if board.phase == SEARCHING]
        if self._bar is not None and searching:
            expanded, nodes = searching[0].counts
            speed = expanded / max(1e-9, searching[0].seconds)
            with suppress(msgspec.DecodeError):  # the worker writes there now
                self._instance = one_line(str(searching[0].columns["instance"]))
            self.show(f"{self._instance}: {expanded:,} expanded ({speed:,.0f}/s), {nodes:,} nodes")

    def _watch(self, _: Identity, event: str) -> None:
        """Notice that this process compiles, which keeps its main thread busy."""
        self._timer.cancel()
        if event == BEGINS:
            self._timer = threading.Timer(LOADING_SECONDS, self._tell_compiling)
            self._timer.start()

    def _tell_compiling(self) -> None:
        if not self._has_told:
            self._has_told = True
            (message if self._bar is None else self.show)(COMPILING)

    def show(self, detail: str) -> None:
        """Show a line beside the bar, unless it has been drawn just now."""
        if self._bar is not None and self._task is not None and time.monotonic() > self._shown + _REFRESH_SECONDS:
            self._bar.start()  # with the first thing to show
            self._bar.update(self._task, completed=self._done, detail=detail)
            self._bar.refresh()
            self._shown = time.monotonic()
