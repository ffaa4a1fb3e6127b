"""What is shown while and after a run: progress, tables, and one-line messages."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from algorithms.engine.search import Counts
    from runner.results import Totals
    from runner.solver import Result

_PLAIN_WIDTH = 160
_REFRESH_SECONDS = 0.1
_LOADING_SECONDS = 1.5
COMPILING = "compiling the search kernels (once per version, some seconds)"


def message(text: str) -> None:
    """One line to standard error."""
    print(text, file=sys.stderr, flush=True)


def console() -> Console:
    """Standard output; of a fixed width where it is not a terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)


class Progress:
    """A progress bar on standard error, where that is a terminal; elsewhere only a line before a long compilation."""

    def __init__(self, title: str, total: int, enabled: bool) -> None:
        self._title, self._total = title, total
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._done, self._instance, self._shown = 0, "", 0.0
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
        timer = Timer(_LOADING_SECONDS, message, [COMPILING])
        if self._bar is None:
            timer.start()
        else:
            self._show(COMPILING)
        try:
            yield
        finally:
            timer.cancel()

    def start(self, instance: str) -> None:
        """The next instance."""
        self._instance = instance

    def watch(self, counts: Counts) -> None:
        """Called between the steps of a search."""
        if self._bar is not None and time.monotonic() > self._shown + _REFRESH_SECONDS:
            self._show(f"{self._instance}: {counts.expanded:,} expanded, {counts.peak_nodes:,} nodes")

    def finish(self) -> None:
        """The instance is done."""
        self._done += 1
        if self._bar is not None and time.monotonic() > self._shown + _REFRESH_SECONDS:
            self._show(self._instance)

    def _show(self, detail: str) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, detail=detail)
            self._bar.refresh()
            self._shown = time.monotonic()


def show_run(totals: Totals, first: Sequence[Result], directory: str) -> None:
    """The table of a single run: a line for each instance, and the sums."""
    out = console()
    table = Table("instance", "status", *(_right(name) for name in ("cost", "reward", "expanded", "generated", "time")))
    for result in first:
        table.add_row(
            result.instance,
            _status(result.status, result.valid),
            *map(_number, (result.cost, result.reward, result.expanded, result.generated)),
            _seconds(result.search_seconds),
        )
    if totals.rows > len(first):
        table.add_row(f"... {totals.rows - len(first):,} more", *[""] * 6)
    if totals.rows > 1:
        table.add_section()
        table.add_row(
            f"sum of {totals.rows:,}",
            str(totals),
            *map(_number, (totals.cost, None, totals.expanded, totals.generated)),
            _seconds(totals.search_seconds),
        )
    out.print(table)
    out.print(Text(f"results: {directory}"))


def show_sweep(jobs: Sequence[Totals], skipped: int, refused: int, results: str) -> None:
    """The table of a sweep: a line for each job that ran."""
    out = console()
    numbers = ("rows", "solved", "faulty", "cost", "expanded", "generated", "simulated actions", "time")
    table = Table("job", *map(_right, numbers))
    for job in jobs:
        table.add_row(
            Text(" ".join((job.directory.name, *_overrides(job.directory)))),
            *map(_number, (job.rows, job.statuses["solved"], job.faulty, job.cost)),
            *map(_number, (job.expanded, job.generated, job.simulated_actions)),
            _seconds(job.search_seconds),
        )
    out.print(table)
    if skipped or refused:
        out.print(
            f"{skipped} jobs skipped, {refused} refused: see above, and skipped.txt or refused.txt in their folders"
        )
    out.print(Text(f"results: {results}"))


def _overrides(directory: Path) -> list[str]:
    """The overrides of a job, as Hydra recorded them."""
    import yaml

    try:
        overrides = yaml.safe_load((directory / ".hydra" / "overrides.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return []
    return [str(override) for override in overrides or [] if not str(override).startswith("+experiment=")]


def _right(name: str):  # type: ignore[no-untyped-def]
    from rich.table import Column

    return Column(name, justify="right")


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value * 1000:.2f} ms" if value < 1 else f"{value:,.2f} s"


def _status(status: str, valid: bool | None) -> Text:
    if valid is False:
        return Text(f"{status}, plan INVALID", style="bold red")
    return Text(status, style={"solved": "green", "error": "bold red"}.get(status, "yellow"))
