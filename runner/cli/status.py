"""``runner status FOLDER``: how far a sweep has come, by its rows on disk, and what of it waits or runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from shlex import quote

from rich.table import Table
from rich.text import Text

from runner.cli.arguments import ArgumentParser
from runner.console import console
from runner.execution import slurm
from runner.messages import FAILED, SUCCESS, message
from runner.records.folder import SweepFolder
from runner.records.progress import Progress, progress_of

_WAIT_SECONDS, _MAX_WAIT_SECONDS = 1.0, 10.0


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner status",
        description="How far a sweep has come. Only rows on disk count as finished; the accounting of a cluster is not "
        "asked. Exit code 1: nothing runs any more, and rows are missing or failed.",
    )
    result.add_argument("folder", metavar="FOLDER", help="of the sweep")
    result.add_argument("--wait", action="store_true", help="until none of its tasks waits or runs")
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code: 1 if nothing runs any more, and rows are missing or failed."""
    options = parser().parse_args(arguments)
    return _show(SweepFolder.at(options.folder), options.wait)


def _show(folder: SweepFolder, is_patient: bool) -> int:
    tasks = slurm.tasks_of(folder.path)
    if _is_unknown(tasks):
        message("note: squeue does not answer, so it is not known what waits or runs")
    wait = _WAIT_SECONDS
    while is_patient and _is_active(folder, tasks):
        time.sleep(wait)
        wait = min(1.2 * wait, _MAX_WAIT_SECONDS)
        tasks = slurm.tasks_of(folder.path)
    is_active = _is_active(folder, tasks)  # asked first: rows read after the end are all there are
    found = progress_of(folder)
    total = sum(found.values(), Progress())
    out = console()
    if tasks:
        out.print(_table(tasks, found))
    failed = f", {total.failed:,} failed" if total.failed else ""
    out.print(Text(f"{len(found):,} cells, {total.done:,} of {total.instances:,} instances done{failed}"))
    if is_active:
        unknown = _is_unknown(tasks)
        out.print(Text(f"another process {'may be' if unknown else 'is'} writing to this folder"))
        return SUCCESS
    where = quote(str(folder.path))
    if total.failed or total.missing:
        out.print(
            Text(f"go on: python -m runner resume {where}, or on a cluster python -m runner submit --resume {where}")
        )
        return FAILED
    out.print(Text("complete" if folder.is_collected() else f"collect: python -m runner collect {where}"))
    return SUCCESS


def _table(tasks: list[slurm.TaskState], found: dict[str, Progress]) -> Table:
    table = Table("task", "state", *("cells", "instances"))
    for task, state in tasks:
        shown = state.lower()
        folders = {piece.folder for piece in task.pieces}
        if slurm.is_over(state):
            is_missing = any(found[folder].missing for folder in folders if folder in found)
            shown = f"{shown}, rows are missing: see {slurm.log_of(task.id)}" if is_missing else "finished"
        table.add_row(Text(task.id), shown, f"{len(folders):,}", f"{sum(len(piece) for piece in task.pieces):,}")
    return table


def _is_unknown(tasks: list[slurm.TaskState]) -> bool:
    return any(state == slurm.UNKNOWN for _, state in tasks)


def _is_active(folder: SweepFolder, tasks: list[slurm.TaskState]) -> bool:
    """Whether a process works there, or a task will. Tasks in an unknown state count until all rows are there."""
    if _is_unknown(tasks) and not sum(progress_of(folder).values(), Progress()).missing:
        return folder.is_locked(by_tasks=True)
    return folder.is_locked(by_tasks=True) or any(not slurm.is_over(state) for _, state in tasks)
