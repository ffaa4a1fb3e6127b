"""``runner submit ARGUMENTS``: submit a sweep to SLURM as a job array, without waiting for it."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from runner.cli.arguments import ArgumentParser, RunArguments, parse_run, run_parser
from runner.cli.resume import recorded_arguments
from runner.cli.run import execute
from runner.cli.session import composer_of, settings
from runner.cli.sweep import common_to_all, prepare_sweep
from runner.config.schema import Parser
from runner.execution import slurm
from runner.execution.candidates import candidate_of
from runner.execution.plan import Plan, PlannedCell
from runner.execution.plan import plan as plan_cells
from runner.execution.stop import Stop
from runner.messages import FAILED, SUCCESS, message, plural, shown
from runner.records.folder import SweepFolder
from runner.records.index import Index
from runner.registry import UserError


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner submit",
        usage="python -m runner submit [options] KEY=VALUE1,VALUE2 ...",
        description="Submit a sweep to SLURM as a job array, with the arguments of python -m runner -m. All cells are "
        "checked first. Then: python -m runner status FOLDER, python -m runner collect FOLDER.",
        allow_abbrev=False,
    )
    result.add_argument(
        "--tasks", type=_positive, default=8, help="number of tasks, which share the instances (default: %(default)s)"
    )
    result.add_argument(
        "--parallel", type=_positive, default=256, help="maximum number of tasks at a time (default: %(default)s)"
    )
    result.add_argument(
        "--minutes", type=_positive, default=60, help="time limit of a task in minutes (default: %(default)s)"
    )
    result.add_argument(
        "--cpus", type=_positive, default=1, help="processors and workers of a task (default: %(default)s)"
    )
    result.add_argument("--memory", type=float, metavar="GB", help="memory of a task in GB")
    result.add_argument("--partition", help="partition of SLURM")
    result.add_argument(
        "--setup", action="append", metavar="COMMAND", help="shell command that a task runs first; may be repeated"
    )
    result.add_argument("--resume", metavar="FOLDER", help="continue the sweep in this folder")
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options, rest = parser().parse_known_args(arguments)
    if options.resume is not None:
        given = recorded_arguments(SweepFolder.at(options.resume).path, [each for each in rest if each != "-m"])
    else:
        given = replace(parse_run(run_parser("python -m runner submit"), rest)[1], is_sweep=True)
    return _submit(given, options)


def _positive(text: str) -> int:
    """Return the value of an option, which must be a whole number from 1."""
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got '{text}'")
    return int(text)


def _submit(given: RunArguments, options: argparse.Namespace) -> int:
    prepared = prepare_sweep(given)
    wrong = [each for each in prepared.candidates if each.is_wrong]
    if wrong:
        raise UserError(f"{wrong[0].label}: {wrong[0].problem}")
    folder = prepared.folder
    busy = _busy(folder.path)
    planned = prepared.begin()
    waiting = [each for each in planned.cells if each.waiting]
    for each in [each for each in waiting if each.folder.name in busy]:
        message(f"{each.label}: skipped: a task that is queued or running has this cell")
    waiting = [each for each in waiting if each.folder.name not in busy]
    if not waiting:
        message("nothing to do")
        return SUCCESS
    overrides = (f"retry={prepared.settings.retry}", f"workers={options.cpus}")
    path = folder.path.resolve()
    pieces_of_tasks = slurm.split_into_tasks(waiting, options.tasks)
    tasks = [slurm.Task(run_task, str(path), pieces, overrides) for pieces in pieces_of_tasks]
    parameters = {
        "timeout_min": options.minutes,
        "cpus_per_task": options.cpus,
        "mem_gb": options.memory,
        "slurm_partition": options.partition,
        "slurm_setup": options.setup,
        "slurm_array_parallelism": options.parallel,
        "name": "search-runner",
    }
    try:
        with Stop().listening():  # a submitted task must be recorded
            ids = slurm.submit(path, tasks, {name: value for name, value in parameters.items() if value is not None})
            prepared.record(planned)  # the tasks wait until the folder is unlocked
    except UserError:
        folder.discard()
        raise
    job = ids[0].partition("_")[0]
    message(f"submitted: {plural(len(waiting), 'cell')} in {plural(len(ids), 'task')}, SLURM job {job}")
    print(f"sweep: {shown(folder.path)}")
    return SUCCESS


def _busy(sweep: Path) -> set[str]:
    """Return the folders of the cells that belong to queued or running tasks."""
    tasks = slurm.tasks_of(sweep) if sweep.is_dir() else []
    if any(state == slurm.UNKNOWN for _, state in tasks):
        raise UserError("submit: squeue does not answer, so it is unknown which tasks are active; try again later")
    return {piece.folder for task, state in tasks if not slurm.is_over(state) for piece in task.pieces}


def run_task(sweep: str, pieces: Sequence[slurm.Piece], overrides: Sequence[str]) -> int:
    """Run pieces of a submitted sweep, as one task of the job array, and return the exit code."""
    from runner import packages

    packages.load()
    folder = SweepFolder.at(sweep)
    given = recorded_arguments(folder.path, overrides)
    jobs = {job.folder: job for job in folder.jobs()}
    name = f"{os.environ.get('SLURM_ARRAY_JOB_ID', 'task')}_{os.environ.get('SLURM_ARRAY_TASK_ID', os.getpid())}"
    folder.lock_as_task(name)
    cells: list[PlannedCell] = []
    composer = composer_of(given)
    chosen, parser = settings(common_to_all(composer, given)), Parser()
    for piece in pieces:
        job = jobs.get(piece.folder)
        candidate = None if job is None else candidate_of(piece.folder, composer.compose(job.overrides), parser)
        if job is None or candidate is None or candidate.cell is None or candidate.cell.identity() != job.cell:
            raise UserError(
                f"{folder.path}: cell {piece.folder} has changed since its submission; submit the sweep again"
            )
        index = Index.of(folder.path / piece.folder, chosen.retry)
        (cell,) = plan_cells([candidate], [folder.path / piece.folder / piece.part], index).cells
        parts = (range(max(each.start, piece.first), min(each.stop, piece.last)) for each in cell.missing)
        cells.append(replace(cell, missing=[part for part in parts if part]))
    stop = Stop()
    recorder = execute(Plan([], cells, Index(chosen.retry)), folder, chosen, stop)
    return max(FAILED if recorder.failures or recorder.mistakes else SUCCESS, stop.exit_code)
