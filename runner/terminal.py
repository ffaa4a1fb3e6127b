"""What is shown after a run: tables, and one-line messages."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from algorithms.engine.search import SOLVED
from runner.metrics import BY_NAME, TERMINAL, Metric
from runner.result import FAULTY, Result
from runner.results import overrides
from worlds.wumpus.online import DIED, ESCAPED_WITH_GOLD

if TYPE_CHECKING:
    from runner.totals import Totals

LOG = "runner.log"
MOST_JOBS = 100
_PLAIN_WIDTH = 160


def message(text: str) -> None:
    """One line to standard error, if that is open."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text.encode(errors="replace").decode() + "\n")
        sys.stderr.flush()


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader has gone, as in `... | head`: say no more, but that is no failure."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Standard output; of a fixed width where it is not a terminal."""
    if sys.stdout is None:
        return _Console(file=io.StringIO())
    return _Console(highlight=False, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)


def show(action: Callable[[], None]) -> bool:
    """Show results; that standard output cannot be written to is said, and is a failure, but no reason to stop.

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


def shown(path: Path) -> str:
    """A path relative to the working directory where that is shorter."""
    with suppress(ValueError, OSError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)


def show_run(totals: Totals, first: Sequence[Result], directory: str) -> None:
    """The table of a single run: a line for each instance, and what they sum up to."""
    out = console()
    metrics = _shown([totals])
    table = Table("instance", "status", *(_right(metric.title) for metric in metrics))
    for result in first:
        table.add_row(
            Text(result.instance),
            _status(result),
            *(metric.readable(getattr(result, metric.name)) for metric in metrics),
        )
    if totals.rows > len(first):
        table.add_row(f"... {totals.rows - len(first):,} more", *[""] * (len(metrics) + 1))
    if totals.rows > 1:
        table.add_section()
        sums = (metric.readable(totals.total(metric)) for metric in metrics)
        table.add_row(f"all {totals.rows:,}", str(totals), *sums)
    out.print(table)
    scored = totals.metrics["reward"].count
    if totals.games and scored > 1:
        score, error, gold, deaths = _scores(totals)
        over = f" over the {scored:,} games that ended" if scored < totals.rows else ""
        out.print(Text(f"mean score {score} ± {error} (standard error){over}, gold {gold}, died {deaths}"))
    _show_errors(totals)
    out.print(Text(f"results: {directory}"))


def show_sweep(jobs: Sequence[Totals], skipped: int, refused: int, failed: int, results: str) -> None:
    """The table of a sweep: a line for each job that ran."""
    out = console()
    has_games = any(job.games for job in jobs)
    shown = _shown(jobs, every=has_games)
    metrics = [metric for metric in shown if not has_games or metric.name not in ("cost", "reward")]
    names = ("rows", "errors", "solved", *(_SCORES if has_games else ()))
    table = Table("job", *map(_right, (*names, *(metric.title for metric in metrics))))
    chosen = [[text for text in overrides(job.directory) if not text.startswith("+experiment=")] for job in jobs]
    common = [text for text in chosen[0] if all(text in others for others in chosen)] if len(jobs) > 1 else []
    if common:
        out.print(Text(f"in all jobs: {' '.join(common)}"))
    for job, own in islice(zip(jobs, chosen, strict=True), MOST_JOBS):
        table.add_row(
            Text(" ".join((job.directory.name, *(text for text in own if text not in common)))),
            *(f"{count:,}" if count else "" for count in (job.rows, job.faulty, job.statuses[SOLVED])),
            *(_scores(job) if has_games else ()),
            *(metric.readable(job.total(metric)) for metric in metrics),
        )
    if len(jobs) > MOST_JOBS:
        table.add_row(f"... {len(jobs) - MOST_JOBS:,} more")
    out.print(table)
    for job in jobs:
        _show_errors(job)
    for count, done in ((skipped, "skipped"), (refused, "refused"), (failed, "failed")):
        if count:
            out.print(f"{count} {'job' if count == 1 else 'jobs'} {done}: see above, or {done}.txt in their folders")
    out.print(Text(f"results: {results}"))


_SCORES = ("mean score", "standard error", "gold", "died")


def _shown(jobs: Sequence[Totals], every: bool = False) -> list[Metric]:
    """The metrics that any job has values of, or that every job has."""
    has = all if every else any
    return [BY_NAME[name] for name in TERMINAL if has(job.metrics[name].count for job in jobs)]


def _scores(job: Totals) -> tuple[str, ...]:
    """Mean score, its standard error, and the shares of games (or plans) with the gold, and of deaths."""
    score = job.metrics["reward"]
    if not score.count:
        return ("",) * len(_SCORES)
    gold, deaths = job.share(ESCAPED_WITH_GOLD, SOLVED), job.share(DIED)
    error = "" if math.isnan(score.standard_error) else f"{score.standard_error:,.1f}"
    return f"{score.mean:,.1f}", error, f"{gold:.1%}", f"{deaths:.1%}"


def _show_errors(totals: Totals) -> None:
    """What went wrong in error rows, each message once."""
    for error, count in totals.errors.items():
        message(f"{count:,} {'row' if count == 1 else 'rows'} with error: {error} (see {totals.directory / LOG})")
    others = totals.faulty - totals.errors.total()
    if others:
        message(f"{others:,} {'row' if others == 1 else 'rows'} with other errors, or plans that failed validation")


def _right(name: str) -> Column:
    return Column(name, justify="right")


def _status(result: Result) -> Text:
    status = result.status
    if result.valid is False:
        return Text(f"{status}, plan INVALID", style="bold red")
    shown = f"{status}: {result.reason}" if result.reason else status
    return Text(shown, style="green" if status == SOLVED else "bold red" if status in FAULTY else "yellow")
