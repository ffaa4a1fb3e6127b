"""``dry_run=true``: what would be run, how much of it is done, and how long the rest might take. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from omegaconf import DictConfig
from rich.table import Table
from rich.text import Text

from runner.command import REFUSED
from runner.composition import Claims, cell_of
from runner.explain import MISTAKES, explain
from runner.registry import Unsuitable
from runner.results import METRICS, read_rows
from runner.schema import Cell
from runner.solver import Solver
from runner.sweep.finished import Finished
from runner.terminal import console, message


class Planned(BaseException):
    """Ends a dry run before Hydra makes any folder. Hydra swallows what is only an Exception in a callback.

    Attributes
    ----------
    exit_code : int
    """

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code


@dataclass(frozen=True)
class Job:
    """One job of a plan, before it is looked at.

    Attributes
    ----------
    label : str
    configuration : DictConfig
    folder : Path
        Where its rows are, or would be.
    """

    label: str
    configuration: DictConfig
    folder: Path


def plan(jobs: Iterable[Job], sweep: Path | None) -> int:
    """Show a plan; returns the exit code, 2 if some cell is wrong.

    Parameters
    ----------
    jobs : iterable of Job
    sweep : Path, optional
        The folder that may hold rows already.
    """
    table = Table("job", *("instances", "done", "to do"))
    claims, finished, totals, refused, skipped = Claims(), None, [0, 0], 0, 0
    seconds: list[tuple[int, float | None]] = []
    for number, job in enumerate(jobs):
        try:
            cell = cell_of(job.configuration, is_dry_run=True)
            claims.add(cell, number)
        except Unsuitable as error:
            skipped += 1
            message(f"{job.label}: skipped: {error}")
            continue
        except MISTAKES as error:
            refused += 1
            message(f"{job.label}: error: {explain(error)}")
            continue
        if finished is None and sweep is not None:
            finished = Finished(sweep, cell.retry)
        count, done = len(cell.part), 0 if finished is None else count_done(cell, finished)
        totals = [totals[0] + count, totals[1] + done]
        seconds.append((count - done, _mean_seconds(job.folder)))
        table.add_row(Text(job.label), f"{count:,}", f"{done:,}", f"{count - done:,}")
    table.add_section()
    table.add_row(
        f"{len(seconds):,} {'cell' if len(seconds) == 1 else 'cells'}",
        *(f"{number:,}" for number in (*totals, totals[0] - totals[1])),
    )
    out = console()
    out.print(table)
    for count, what in ((skipped, "skipped"), (refused, "refused")):
        if count:
            out.print(f"{count} {'job' if count == 1 else 'jobs'} would be {what}: see above")
    out.print(_estimate(seconds, None if finished is None else finished.mean_seconds))
    return REFUSED if refused else 0


def count_done(cell: Cell, finished: Finished) -> int:
    """How many instances of a cell have a row."""
    if finished.mean_seconds is None:
        return 0
    solver = Solver(cell.key(), cell.algorithm, cell.stack, cell.weighting, cell.limits)
    limits = repr(cell.limits)
    return sum(finished.has(solver.run_id(instance), limits) for instance in cell.instances())


def _mean_seconds(folder: Path) -> float | None:
    """The mean time of the rows in a folder; None without rows."""
    if not (folder / METRICS).is_file():
        return None
    times = [float(row["search_seconds"] or 0) for row in read_rows(folder / METRICS)]
    return sum(times) / len(times) if times else None


def _estimate(seconds: list[tuple[int, float | None]], mean: float | None) -> str:
    """The time for what is to do, by the rows that are there: those of the same job, else all."""
    if not sum(count for count, _ in seconds):
        return "nothing is to do"
    if mean is None:
        return "no estimate of the time: there are no rows yet"
    rest = sum(count * (mean if each is None else each) for count, each in seconds)
    return f"about {timedelta(seconds=round(rest))} of search, by the rows that are there"
