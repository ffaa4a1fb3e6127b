"""``runner collect FOLDER``: one table of all rows that a sweep has so far, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from runner.cli.arguments import ArgumentParser
from runner.cli.terminal import show_sweep
from runner.console import show
from runner.execution.recorder import FAILED_FILE, REFUSED_FILE
from runner.messages import FAILED, REFUSED, SUCCESS, message, shown
from runner.records.collect import collect
from runner.records.folder import SweepFolder
from runner.records.progress import Progress, progress_of
from runner.records.writer import RESULTS
from runner.registry import UserError


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner collect",
        description="Write results.csv of a sweep from the rows that are there, also while it runs.",
    )
    result.add_argument("folder", metavar="FOLDER", help="of the sweep")
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code, that of the sweep, or 1 if it is not complete."""
    given = parser().parse_args(arguments).folder
    folder = SweepFolder.at(given)
    total = sum(progress_of(folder).values(), Progress())
    hint = f"python -m runner resume {quote(given)}"
    if total.missing and not total.done and not total.failed:
        raise UserError(f"{folder.path}: there are no rows yet: {hint}")
    totals = collect(folder)
    overrides = {job.folder: job.overrides for job in folder.jobs()}
    is_shown = show(lambda: show_sweep(totals, overrides, shown(folder.path / RESULTS)))
    if total.missing:
        message(f"{total.missing:,} of {total.instances:,} instances have no row: {hint}")
    names = {path.name for path in folder.path.glob("*/*.txt")}
    if REFUSED_FILE in names:
        return REFUSED
    is_wrong = FAILED_FILE in names or any(each.faulty for each in totals)
    return FAILED if is_wrong or total.missing or not is_shown else SUCCESS
