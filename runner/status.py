"""``python -m runner.status DIR``: how far a sweep has come, by its rows on disk, and what of it waits or runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from rich.table import Table
from rich.text import Text

from runner.command import FAILED, Parser, guarded
from runner.sweep import slurm
from runner.sweep.advance import Advance, advances_of
from runner.sweep.folder import is_locked, sweep_at
from runner.terminal import console, message

_WAIT_SECONDS, _MOST_WAIT_SECONDS = 1.0, 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0 if nothing is missing or failed, or it still runs."""
    parser = Parser(
        prog="python -m runner.status",
        description="How far a sweep has come. What is finished is told by rows on disk, never by the accounting of a "
        "cluster. Exit code 1: nothing runs any more, and rows are missing or failed.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="of the sweep")
    parser.add_argument("--wait", action="store_true", help="until none of its tasks waits or runs")
    options = parser.parse_args(arguments)
    return guarded(lambda: _show(sweep_at(options.folder), options.wait), options.folder)


Tasks = list[tuple[slurm.Submission, str]]


def _show(folder: Path, is_patient: bool) -> int:
    tasks = slurm.tasks_of(folder)
    if _is_unknown(tasks):
        message("note: squeue does not answer, so it is not known what waits or runs")
    wait = _WAIT_SECONDS
    while is_patient and _is_going_on(folder, tasks):
        time.sleep(wait)
        wait = min(1.2 * wait, _MOST_WAIT_SECONDS)
        tasks = slurm.tasks_of(folder)
    is_going_on = _is_going_on(folder, tasks)  # asked first: rows read after the end are all there are
    advances = advances_of(folder)
    total = sum(advances.values(), Advance())
    out = console()
    if tasks:
        table = Table("task", "state", *("jobs", "instances", "done", "failed", "left"))
        for task, state in tasks:
            advance = sum((advances.get(name, Advance()) for name in task.folders), Advance())
            shown = state.lower()
            if slurm.is_over(state):
                shown = "finished" if not advance.left else f"{shown}, rows are missing: see {slurm.log_of(task.id)}"
            counts = (len(task.folders), advance.instances, advance.done, advance.failed, advance.left)
            table.add_row(Text(task.id), shown, *(f"{count:,}" for count in counts))
        out.print(table)
    of = f" of {total.instances:,}" if total.instances else ""
    failed = f", {total.failed:,} failed" if total.failed else ""
    waiting = f", jobs not begun: {total.waiting:,}" if total.waiting else ""
    out.print(Text(f"{len(advances):,} jobs, {total.done:,}{of} instances done{failed}{waiting}"))
    if is_going_on:
        out.print(Text("perhaps somebody works there" if _is_unknown(tasks) else "somebody works there"))
        return 0
    if total.failed or not total.is_whole:
        where = quote(str(folder))
        out.print(
            Text(f"go on: python -m runner.resume {where}, or on a cluster python -m runner.submit --resume {where}")
        )
        return FAILED
    out.print(Text(f"collect: python -m runner.collect {quote(str(folder))}"))
    return 0


def _is_unknown(tasks: Tasks) -> bool:
    return any(state == slurm.UNKNOWN for _, state in tasks)


def _is_going_on(folder: Path, tasks: Tasks) -> bool:
    """Whether some process works there, or a task will; those of which nothing is known, until all rows are there."""
    if _is_unknown(tasks) and sum(advances_of(folder).values(), Advance()).is_whole:
        return is_locked(folder)
    return is_locked(folder) or any(not slurm.is_over(state) for _, state in tasks)


if __name__ == "__main__":
    sys.exit(main())
