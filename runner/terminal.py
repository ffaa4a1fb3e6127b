"""What is shown after a run: tables, and one-line messages."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from algorithms.engine.search import SOLVED
from worlds.wumpus.online import DIED, ESCAPED_WITH_GOLD

if TYPE_CHECKING:
    from runner.result import Result
    from runner.results import Totals

LOG = "runner.log"
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


def show_run(totals: Totals, first: Sequence[Result], directory: str) -> None:
    """The table of a single run: a line for each instance, and the sums."""
    out = console()
    counts = ("actions", "rooms_explored") if totals.games else ("expanded", "generated")
    names = [name for name in ("cost", "reward", *counts) if any(getattr(result, name) is not None for result in first)]
    table = Table("instance", "status", *(_right(name.replace("_", " ")) for name in (*names, "time")))
    for result in first:
        table.add_row(
            Text(result.instance),
            _status(result),
            *(_number(getattr(result, name)) for name in names),
            _seconds(result.search_seconds),
        )
    if totals.rows > len(first):
        table.add_row(f"... {totals.rows - len(first):,} more", *[""] * (len(names) + 2))
    if totals.rows > 1:
        table.add_section()
        table.add_row(
            f"sum of {totals.rows:,}",
            str(totals),
            *(_number(getattr(totals, name, None)) for name in names),
            _seconds(totals.search_seconds),
        )
    out.print(table)
    if totals.games and totals.scored > 1:
        score, error, gold, deaths = _scores(totals)
        over = f" over the {totals.scored:,} games that ended" if totals.scored < totals.rows else ""
        out.print(Text(f"mean score {score} ± {error} (standard error){over}, gold {gold}, died {deaths}"))
    _show_errors(totals)
    out.print(Text(f"results: {directory}"))


def show_sweep(jobs: Sequence[Totals], skipped: int, refused: int, failed: int, results: str) -> None:
    """The table of a sweep: a line for each job that ran."""
    out = console()
    has_games = any(job.games for job in jobs)
    numbers = ("mean score", "standard error", "gold", "died") if has_games else _SEARCH_TOTALS
    table = Table("job", *map(_right, ("rows", "errors", *numbers, "time")))
    overrides = [_overrides(job.directory) for job in jobs]
    common = [text for text in overrides[0] if all(text in others for others in overrides)] if len(jobs) > 1 else []
    if common:
        out.print(Text(f"in all jobs: {' '.join(common)}"))
    for job, own in zip(jobs, overrides, strict=True):
        table.add_row(
            Text(" ".join((job.directory.name, *(text for text in own if text not in common)))),
            *map(_number, (job.rows, job.faulty)),
            *(_scores(job) if has_games else _search_totals(job)),
            _seconds(job.search_seconds),
        )
    out.print(table)
    for job in jobs:
        _show_errors(job)
    for count, done in ((skipped, "skipped"), (refused, "refused"), (failed, "failed")):
        if count:
            out.print(f"{count} {'job' if count == 1 else 'jobs'} {done}: see above, or {done}.txt in their folders")
    out.print(Text(f"results: {results}"))


_SEARCH_TOTALS = ("solved", "cost", "expanded", "generated", "simulated actions")


def _search_totals(job: Totals) -> tuple[str, ...]:
    counts = (job.statuses[SOLVED], job.cost, job.expanded, job.generated, job.simulated_actions)
    return tuple(map(_number, counts))


def _scores(job: Totals) -> tuple[str, ...]:
    """Mean score, its standard error, and the shares of games (or plans) with the gold, and of deaths."""
    score, error = job.score
    if not job.scored:
        return ("",) * 4
    gold, deaths = job.share(ESCAPED_WITH_GOLD, SOLVED), job.share(DIED)
    return f"{score:,.1f}", "" if math.isnan(error) else f"{error:,.1f}", f"{gold:.1%}", f"{deaths:.1%}"


def _show_errors(totals: Totals) -> None:
    """What went wrong in error rows, each message once."""
    for error, count in totals.errors.items():
        message(f"{count:,} {'row' if count == 1 else 'rows'} with error: {error} (see {totals.directory / LOG})")
    others = totals.faulty - totals.errors.total()
    if others:
        message(f"{others:,} {'row' if others == 1 else 'rows'} with other errors, or plans that failed validation")


def _overrides(directory: Path) -> list[str]:
    """The overrides of a job, as Hydra recorded them."""
    import yaml

    try:
        overrides = yaml.safe_load((directory / ".hydra" / "overrides.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return []
    return [str(override) for override in overrides or [] if not str(override).startswith("+experiment=")]


def _right(name: str) -> Column:
    return Column(name, justify="right")


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value * 1000:.2f} ms" if value < 1 else f"{value:,.2f} s"


def _status(result: Result) -> Text:
    status = result.status
    if result.valid is False:
        return Text(f"{status}, plan INVALID", style="bold red")
    shown = f"{status}: {result.reason}" if result.reason else status
    return Text(shown, style={"solved": "green", "error": "bold red"}.get(status, "yellow"))
