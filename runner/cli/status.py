"""``runner status FOLDER``: count the finished instances of a sweep, and list its tasks on a cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from shlex import quote

from rich.table import Table
from rich.text import Text

from runner.base.console import console
from runner.base.messages import FAILED, SUCCESS, message, plural
from runner.config.arguments import ArgumentParser
from runner.execution import slurm
from runner.records.folder import SweepFolder
from runner.records.view import RunProgress, progress_of

_WAIT_SECONDS, _MAX_WAIT_SECONDS = 0.25, 10.0


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner status",
        description="Show how many instances of a sweep are finished, which is decided by the rows on disk alone. "
        "Exit code 1: nothing is running, and rows are missing or failed.",
    )
    result.add_argument("folder", metavar="FOLDER", help="folder of the sweep; latest is the newest in outputs")
    result.add_argument("--wait", action="store_true", help="wait until no task of the sweep is queued or running")
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if nothing is running, and rows are missing or failed."""
    options = parser().parse_args(arguments)
    return _show(SweepFolder.at(options.folder), options.wait)


def _show(folder: SweepFolder, is_patient: bool) -> int:
    tasks = slurm.tasks_of(folder.path)
    if _is_unknown(tasks):
        message("note: squeue failed or timed out, so it is unknown which tasks are active")
    wait = _WAIT_SECONDS
    while is_patient and _is_active(folder, tasks):
        time.sleep(wait)
        wait = min(1.2 * wait, _MAX_WAIT_SECONDS)
        tasks = slurm.tasks_of(folder.path)
    is_active = _is_active(folder, tasks)  # before the rows are read: after the end none is added
    found = progress_of(folder)
    total = sum(found.values(), RunProgress())
    out = console()
    if tasks:
        out.print(_table(tasks, found))
    failed = f", {total.failed:,} failed" if total.failed else ""
    instances = plural(total.instances, "instance")
    out.print(Text(f"{plural(len(found), 'cell')}, {total.done:,} of {instances} done{failed}"))
    if is_active:
        verb = "may be" if _is_unknown(tasks) else "is"
        out.print(Text(f"another process {verb} writing to this folder"))
        return SUCCESS
    where = quote(str(folder.path))
    if total.failed or total.missing:
        out.print(Text(f"to continue: python -m runner resume {where}"))
        out.print(Text(f"to continue on a cluster: python -m runner submit --resume {where}"))
        return FAILED
    out.print(Text("complete" if folder.is_collected() else f"to collect: python -m runner collect {where}"))
    return SUCCESS


def _table(tasks: list[slurm.TaskState], found: dict[str, RunProgress]) -> Table:
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
    """Whether a process writes to the folder, or a task will. Tasks of unknown state count until no row is missing."""
    if _is_unknown(tasks) and not sum(progress_of(folder).values(), RunProgress()).missing:
        return folder.is_locked(by_tasks=True)
    return folder.is_locked(by_tasks=True) or any(not slurm.is_over(state) for _, state in tasks)
