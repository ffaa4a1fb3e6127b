"""``runner collect FOLDER``: write the rows of a sweep so far to one table, and count the missing ones."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from runner.base import FAILED, REFUSED, SUCCESS, UserError, import_own, message, plural, show, shown
from runner.cli.outcome import show_sweep
from runner.config import ArgumentParser, command
from runner.records import RecordFile, RunProgress, SweepFolder, SweepLogs, collect, progress_of

_PARQUET = "parquet"


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner collect",
        description="Write results.csv from the rows that a sweep has so far. The sweep may still be running.",
    )
    result.add_argument("folder", metavar="FOLDER", help="folder of the sweep; latest is the newest in outputs")
    result.add_argument(
        "--format", choices=["csv", _PARQUET], default="csv", metavar="FORMAT",
        help="parquet: write results.parquet, too; needs pyarrow (default: csv)",
    )  # fmt: skip
    return result


@command("collect", "write results.csv from the rows that a sweep has so far", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code of the sweep, or 1 if rows are missing."""
    options = parser().parse_args(arguments)
    write = None if options.format == "csv" else import_own("runner.features.archive.parquet_files", "writer")()
    folder = SweepFolder.at(options.folder)
    logs = SweepLogs(folder.path)
    total = sum(progress_of(folder, logs).values(), RunProgress())
    hint = f"python -m runner resume {quote(shown(folder.path))}"
    if 0 < total.missing == total.instances:
        raise UserError(f"{folder.path}: there are no rows yet; to make them: {hint}")
    totals = collect(folder, logs)
    if write is not None:
        write(folder.path, folder.path / f"results.{options.format}")
    overrides = {job.folder: job.overrides for job in folder.jobs()}
    is_shown = show(lambda: show_sweep(totals, overrides, folder.path))
    if total.missing:
        message(f"{total.missing:,} of {plural(total.instances, 'instance')} have no row; to run them: {hint}")
    if folder.problems(RecordFile.REFUSED):
        return REFUSED
    is_wrong = folder.problems(RecordFile.FAILED) or any(each.faulty for each in totals)
    return FAILED if is_wrong or total.missing or not is_shown else SUCCESS
