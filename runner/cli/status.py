"""``runner status FOLDER``: count the finished instances of a sweep, and list its tasks on a cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from rich.table import Table
from rich.text import Text

from runner.base import FAILED, SUCCESS, console, import_own, message, own_entries, plural
from runner.config import COMMANDS, ArgumentParser, command
from runner.records import RecordFile, RunProgress, SweepFolder, SweepLogs, cell_of, progress_of, searched_instances

_WAIT_SECONDS, _MAX_WAIT_SECONDS = 0.25, 10.0
_OF_CLUSTERS = "part"
"""Command of the feature that knows the tasks of a sweep."""


@dataclass(frozen=True)
class SubmittedTask:
    """Task of a cluster that runs instances of a sweep.

    Attributes
    ----------
    id : str
    state : str
        State as the scheduler calls it, with its reason, such as that of a task that waits.
    instances : dict of str to list of range
        Numbers of its instances, by the folders of their cells, relative to that of the sweep.
    log : str
        Its log, relative to the folder of the sweep; empty if it has none.
    is_over : bool
        Whether it has ended.
    unknown : str
        Why its state is unknown; empty if it is known.
    """

    id: str
    state: str
    instances: Mapping[str, Sequence[range]]
    log: str
    is_over: bool
    unknown: str = ""


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


@command("status", "show how many instances of a sweep are finished", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if nothing is running, and rows are missing or failed."""
    options = parser().parse_args(arguments)
    return _show(SweepFolder.at(options.folder), options.wait)


def _show(folder: SweepFolder, is_patient: bool) -> int:
    tasks = _tasks(folder.path)
    for reason in dict.fromkeys(task.unknown for task in tasks if task.unknown):
        message(f"note: {reason}, so it is unknown which tasks are active")
    wait = _WAIT_SECONDS
    while is_patient and _activity(folder, tasks):
        time.sleep(wait)
        wait = min(1.2 * wait, _MAX_WAIT_SECONDS)
        tasks = _tasks(folder.path)
    activity = _activity(folder, tasks)  # before the rows are read: after the end none is added
    found = progress_of(folder)
    total = sum(found.values(), RunProgress())
    out = console()
    if tasks:
        out.print(_table(folder, tasks))
    counts = {"failed": total.failed, "capped": total.capped}
    others = "".join(f", {count:,} {name}" for name, count in counts.items() if count)
    instances = plural(total.instances, "instance")
    out.print(Text(f"{plural(len(found), 'cell')}, {total.done:,} of {instances} done{others}"))
    refused = {cell_of(file): file.relative_to(folder.path) for file in folder.problems(RecordFile.REFUSED)}
    if refused:
        where = f"{next(iter(refused.values()))}" + ", ..." * (len(refused) > 1)
        out.print(Text(f"{plural(len(refused), 'cell')} refused: see {where}"))
    if activity:
        out.print(Text(activity))
        return SUCCESS
    where = quote(str(folder.path))
    if total.failed or total.missing or total.capped:
        out.print(Text(f"to continue: python -m runner resume {where}"))
        out.print(Text(f"to continue on a cluster: python -m runner submit --resume {where}"))
        return FAILED
    is_collected = folder.is_collected()
    if not refused or not is_collected:
        out.print(Text("complete" if is_collected else f"to collect: python -m runner collect {where}"))
    return SUCCESS


def _tasks(sweep: Path) -> Sequence[SubmittedTask]:
    """Return the tasks of a sweep; none if this copy has no feature for clusters."""
    if _OF_CLUSTERS not in COMMANDS.names():
        return ()
    tasks: Sequence[SubmittedTask] = import_own(own_entries.COMMANDS[_OF_CLUSTERS], "submitted_tasks")(sweep)
    return tasks


def _table(folder: SweepFolder, tasks: Sequence[SubmittedTask]) -> Table:
    """Return the table of the tasks. The rows of its own instances decide whether a task is finished."""
    logs = SweepLogs()
    searched = {job.folder: searched_instances(job, logs.of(folder.path / job.folder)) for job in folder.jobs()}
    table = Table("task", "state", "cells", "instances")
    for task in tasks:
        state = task.state
        if task.is_over:
            is_missing = any(
                not searched[cell].issuperset(numbers)
                for cell, ranges in task.instances.items()
                if cell in searched
                for numbers in ranges
            )
            log = f": see {task.log}" if task.log else ""
            state = f"{state}, rows are missing{log}" if is_missing else "finished"
        instances = sum(len(numbers) for ranges in task.instances.values() for numbers in ranges)
        table.add_row(Text(task.id), Text(state), f"{len(task.instances):,}", f"{instances:,}")
    return table


def _activity(folder: SweepFolder, tasks: Sequence[SubmittedTask]) -> str:
    """Return who writes to the folder, or will; empty if nobody. Tasks of unknown state may until no row is missing."""
    if folder.is_locked(by_tasks=True):
        return "another process is writing to this folder"
    if any(task.unknown for task in tasks):
        is_missing = sum(progress_of(folder).values(), RunProgress()).missing
        return "another process may be writing to this folder" if is_missing else ""
    waiting = sum(not task.is_over for task in tasks)
    verb = "is" if waiting == 1 else "are"
    return f"{plural(waiting, 'task')} {verb} queued or running; none writes to this folder now" if waiting else ""
