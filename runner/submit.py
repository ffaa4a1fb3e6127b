"""``python -m runner.submit ARGUMENTS``: hand a sweep to SLURM as a job array, and return at once."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from runner import app, resume
from runner.command import Parser, guarded
from runner.composition import Claims, cell_of
from runner.explain import MISTAKES, explain
from runner.registry import Unsuitable, UserError
from runner.schema import HowToRun
from runner.sweep import slurm
from runner.sweep.dry_run import Job, count_done
from runner.sweep.finished import Finished
from runner.sweep.folder import Opened, note_instances, sweep_at
from runner.sweep.sweeper import SearchSweeper
from runner.terminal import message, shown
from worlds.signals import interrupts_deferred


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = Parser(
        prog="python -m runner.submit",
        usage="python -m runner.submit [options] KEY=VALUE1,VALUE2 ...",
        description="Hand a sweep to SLURM: arguments as of python -m runner -m. Every cell is checked first. "
        "Then: python -m runner.status FOLDER, python -m runner.collect FOLDER.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--tasks", type=_positive, default=8, help="of the job array, among which the jobs are dealt out"
    )
    parser.add_argument("--parallel", type=_positive, default=256, help="tasks that may run at the same time")
    parser.add_argument("--minutes", type=_positive, default=60, help="limit of SLURM's for a task")
    parser.add_argument("--cpus", type=_positive, default=1, help="of a task")
    parser.add_argument("--memory", type=float, metavar="GB", help="of a task")
    parser.add_argument("--partition", help="of SLURM's")
    parser.add_argument("--setup", action="append", metavar="COMMAND", help="that a task runs first; may be repeated")
    parser.add_argument("--resume", metavar="FOLDER", help="go on with the sweep there instead of beginning one")
    options, overrides = parser.parse_known_args(arguments)
    return guarded(lambda: _run(options, overrides), options.resume or "submit")


def _run(options: argparse.Namespace, overrides: Sequence[str]) -> int:
    sweep = [override for override in overrides if override not in ("-m", "--multirun")]
    if options.resume is not None:
        sweep = [*resume.command_for(sweep_at(options.resume))[1:], *sweep]
    parameters = {
        "timeout_min": options.minutes,
        "cpus_per_task": options.cpus,
        "mem_gb": options.memory,
        "slurm_partition": options.partition,
        "slurm_setup": options.setup,
        "slurm_array_parallelism": options.parallel,
        "name": "search-runner",
    }
    given = {name: value for name, value in parameters.items() if value is not None}
    SearchSweeper.queue = lambda jobs, sweep, how: _submit(jobs, sweep, how, options.tasks, given)
    sys.argv[1:] = ["-m", *sweep]
    return app.main()


def _positive(text: str) -> int:
    """A whole number from 1, as the type of an option."""
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got '{text}'")
    return int(text)


def _busy(sweep: Path) -> set[str]:
    """Folders of jobs that tasks have which wait or run.

    Raises
    ------
    UserError
        If there are tasks, and the queue cannot be asked.
    """
    tasks = slurm.tasks_of(sweep)
    if any(state == slurm.UNKNOWN for _, state in tasks):
        raise UserError("submit: squeue does not answer, so it is not known which jobs wait or run already")
    return {folder for task, state in tasks if not slurm.is_over(state) for folder in task.folders}


def _submit(jobs: Iterator[Job], sweep: Path, how: HowToRun, most: int, parameters: dict[str, Any]) -> None:
    """Check all jobs, deal those with something to do out among tasks, and hand them to SLURM.

    Raises
    ------
    UserError
        If one is wrong, or SLURM does not take them.
    """
    claims, finished, busy = Claims(), Finished(sweep, how.retry), _busy(sweep)
    counts: list[int] = []
    waiting: list[tuple[int, str]] = []
    for number, job in enumerate(jobs):
        try:
            cell = cell_of(job.configuration)
            claims.add(cell, number)
        except Unsuitable as error:
            message(f"{job.label}: skipped: {error}")
            counts.append(0)
            continue
        except MISTAKES as error:
            raise UserError(f"{job.label}: {explain(error)}") from None
        counts.append(len(cell.part))
        if job.folder.name in busy:
            message(f"{job.label}: a task has it already")
        elif count_done(cell, finished) < len(cell.part):
            waiting.append((number, job.folder.name))
    note_instances(sweep, counts)
    if not waiting:
        message("nothing is to do")
        return
    dealt = [waiting[task::most] for task in range(min(most, len(waiting)))]
    tasks = [slurm.Task(str(sweep.resolve()), tuple(n for n, _ in each), (f"retry={how.retry}",)) for each in dealt]
    with interrupts_deferred():  # what was handed over is noted
        ids = slurm.submit(sweep.resolve(), tasks, [[name for _, name in each] for each in dealt], parameters)
    assert Opened.current is not None
    Opened.current.is_part = True  # its rows are collected later
    count = "1 job" if len(waiting) == 1 else f"{len(waiting):,} jobs"
    message(f"submitted: {count} in {len(ids):,} tasks, {ids[0].partition('_')[0]} of SLURM")
    print(f"sweep: {shown(sweep)}")


if __name__ == "__main__":
    sys.exit(main())
