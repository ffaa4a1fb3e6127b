"""``runner submit ARGUMENTS``: divide a sweep into parts, submit them to SLURM as a job array, and return at once.

Each task of the array runs the script of a part. With ``--engine none`` nothing is submitted.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

from runner.base import FAILED, SUCCESS, UserError, message, one_line, plural, shown
from runner.cli import TerminalDisplay
from runner.config import ArgumentParser, Request, command, parse_run, run_parser
from runner.execution import Stop, Sweep
from runner.features.cluster import LOGS, SCRIPT, part, slurm
from runner.records import SweepFolder, recorded_request

_SET_HERE = {
    **dict.fromkeys(("array", "ntasks", "nodes"), "use --tasks, and --parallel for those at the same time"),
    "time": "use --minutes",
    "cpus-per-task": "use --cpus",
    "mem": "use --memory",
    "partition": "use --partition",
    **dict.fromkeys(("output", "error", "open-mode", "signal"), "is set by submit"),
    "chdir": "tasks run in the directory of the submission, to which the paths of the sweep belong",
}
"""Options of sbatch that cannot be passed on, and why."""
_MINUTES, _PARALLEL = 60, 256
_OF_SLURM = ("minutes", "parallel", "memory", "partition")
"""Options that only SLURM has."""


def parser() -> ArgumentParser:
    """Return the parser of the command, with the words of a run."""
    result = _options()
    result.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="choice or value")
    return result


def _options() -> ArgumentParser:
    result = ArgumentParser(
        prog="python -m runner submit",
        usage="python -m runner submit [options] KEY=VALUE1,VALUE2 ...\n"
        "       python -m runner submit [options] --resume FOLDER [KEY=VALUE ...]",
        description="Submit a sweep to SLURM as a job array. Takes the arguments of python -m runner -m. Checks all "
        "cells before the submission. Then run: python -m runner status FOLDER, python -m runner collect FOLDER. "
        "With --engine none, write the folder and a script that runs one part of it, for other schedulers.",
        epilog="dry_run=true: show the cells, the array and the script, and submit nothing. "
        "submit.sbatch.OPTION=VALUE: pass an option to sbatch, such as submit.sbatch.account=lab or "
        "submit.sbatch.exclusive=true.",
        allow_abbrev=False,
    )
    result.add_argument(
        "--engine",
        choices=["slurm", "none"],
        default="slurm",
        help="slurm, or none: submit nothing, but divide the sweep into --tasks parts, and write part.sh, which runs "
        "one, into its folder (default: %(default)s)",
    )
    result.add_argument(
        "--tasks",
        type=_positive,
        default=8,
        help="maximum number of tasks; the instances are divided among them (default: %(default)s)",
    )
    result.add_argument(
        "--seed",
        type=int,
        default=0,
        help="seed of the random order in which instances are dealt out to the tasks (default: %(default)s)",
    )
    result.add_argument(
        "--parallel",
        type=_positive,
        help=f"maximum number of tasks that run at the same time (default: {_PARALLEL})",
    )
    result.add_argument(
        "--minutes",
        type=_minutes,
        help="time limit of a task in minutes (at least 2); a task that reaches it is queued again "
        f"(default: {_MINUTES})",
    )
    result.add_argument(
        "--cpus",
        type=_positive,
        default=1,
        help="processors and workers per task (default: %(default)s)",
    )
    result.add_argument("--memory", type=float, metavar="GB", help="memory per task in GB (default: the cluster's)")
    result.add_argument("--partition", help="SLURM partition")
    result.add_argument(
        "--setup", action="append", metavar="COMMAND", help="shell command to run before each task; may be repeated"
    )
    result.add_argument(
        "--resume", metavar="FOLDER", help="continue the sweep in this folder; latest is the newest in outputs"
    )
    return result


@command("submit", "submit a sweep to SLURM", parser=parser, takes_run=True)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options, rest = _options().parse_known_args(arguments)
    sbatch = dict(_sbatch_option(word) for word in rest if word.startswith("submit."))
    rest = [word for word in rest if not word.startswith("submit.")]
    if options.engine == "none":
        given = [f"--{name}" for name in _OF_SLURM if getattr(options, name) is not None]
        given += [f"submit.sbatch.{name}" for name in sbatch]
        if given:
            raise UserError(f"{given[0]}: is for SLURM; with --engine none, tell your scheduler")
    options.minutes = options.minutes or _MINUTES
    options.parallel = options.parallel or _PARALLEL
    if options.resume is not None:
        words = [each for each in rest if each not in ("-m", "--multirun")]  # a submission is always a sweep
        folder = SweepFolder.at(options.resume).path
        request = recorded_request(folder, words).in_folder(folder)
    else:
        flags, request = parse_run(run_parser("python -m runner submit"), rest)
        for flag in ("cfg", "info", "version"):
            if getattr(flags, flag):
                raise UserError(f"submit: takes no --{flag}; use it with python -m runner -m")
    return _submit(request, options, sbatch)


def _sbatch_option(word: str) -> tuple[str, str | bool]:
    """Return the name and the value of an option of sbatch."""
    match = re.fullmatch(r"submit\.sbatch\.([a-zA-Z][\w-]*)=(.+)", word)
    if match is None or not word.isprintable():
        raise UserError(f"{one_line(word)}: expected submit.sbatch.OPTION=VALUE, with OPTION=true for a flag")
    name, value = match[1].replace("_", "-"), match[2]
    if name in _SET_HERE:
        raise UserError(f"submit.sbatch.{match[1]}: {_SET_HERE[name]}")
    return name, value == "true" or value


def _positive(text: str) -> int:
    """Return the value of an option, which must be a positive integer."""
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"expected an integer from 1 to 999999999, got '{text}'")
    return int(text)


def _minutes(text: str) -> int:
    """Return the time limit of a task, and SLURM's resolution must leave something of it."""
    minutes = _positive(text)
    if minutes < 2:
        raise argparse.ArgumentTypeError("expected at least 2; SLURM may signal a task a minute earlier than asked for")
    return minutes


def _seconds_of_warning(minutes: int) -> int:
    """Return how many seconds before its time limit SLURM is asked to signal a task. It may do so a minute earlier."""
    return min(60, 12 * minutes)


def _note_long_searches(limits: Iterable[float | None], minutes: int) -> None:
    """Warn if a limit of the time of a search is longer than a task."""
    seconds = 60 * minutes - _seconds_of_warning(minutes)
    longest = max(limit or 0 for limit in limits)
    if longest > seconds:
        message(
            f"note: limits.time={longest:g} is longer than the {seconds:,} seconds that a task of --minutes {minutes} "
            "has for a search; a search that needs more is interrupted in every task"
        )


def _submit(request: Request, options: argparse.Namespace, sbatch: Mapping[str, str | bool]) -> int:
    """Check, lock, plan, submit and record a sweep."""
    if options.engine == "none":
        return _prepare_parts(request, options)
    prepared = Sweep.of(request, TerminalDisplay())
    prepared.refuse_wrong()
    if prepared.settings.dry_run:
        prepared.plan()
        return _submit_planned(prepared, options, sbatch)
    with prepared.begun():
        return _submit_planned(prepared, options, sbatch)


def _prepare_parts(request: Request, options: argparse.Namespace) -> int:
    """Write the record of a sweep and of its parts, and the script that runs one; show the plan if it is a dry run.

    The parts have all instances, whether or not they have rows, so that a repeated division is the same.
    """
    is_dry = replace(request, is_sweep=True).settings.dry_run
    recorded = tuple(word for word in request.overrides if not word.startswith("dry_run="))
    prepared = Sweep.of(replace(request, overrides=recorded), TerminalDisplay())
    prepared.refuse_wrong()
    sweep = prepared.folder.path
    _refuse_queued(sweep)
    with prepared.begun():
        prepared.record()
        cells = [replace(cell, missing=[range(len(cell.cell.source))]) for cell in prepared.cells]
        parts = part.divided(cells, sweep, options.tasks, options.seed)
        parts += [part.PreparedPart([], options.seed)] * (options.tasks - len(parts))
        part.record(sweep, parts, part.script(sweep, len(parts), options.setup or (), _overrides(prepared, options)))
    if is_dry:
        TerminalDisplay.show_plan(prepared)
    divided = f"{plural(len(prepared.cells), 'cell')} in {plural(len(parts), 'part')} of {_sizes(parts)}"
    message(f"prepared: {divided}; nothing is submitted")
    print(f"sweep: {shown(sweep)}\nscript: {shown(sweep / SCRIPT)}", flush=True)
    return SUCCESS


def _overrides(prepared: Sweep, options: argparse.Namespace) -> tuple[str, ...]:
    """Return overrides for a task: `resumed` drops retry= of the sweep, and --cpus replaces its workers=."""
    return (f"retry={prepared.settings.retry}", f"workers={options.cpus}")


def _submit_planned(prepared: Sweep, options: argparse.Namespace, sbatch: Mapping[str, str | bool]) -> int:
    """Submit and record a planned sweep, or show it."""
    sweep, is_dry = prepared.folder.path.resolve(), prepared.settings.dry_run
    _refuse_queued(sweep)
    exit_code = TerminalDisplay.show_plan(prepared) if is_dry else SUCCESS
    unfinished = [each for each in prepared.cells if each.missing_count]
    if not unfinished:
        if not is_dry:
            prepared.record()
        message("nothing to do")
        return exit_code
    _note_long_searches((cell.cell.limits.time for cell in unfinished), options.minutes)
    parts = part.divided(unfinished, prepared.folder.path, options.tasks, options.seed)
    arrays = slurm.arrays_of(len(parts))
    at_once = max(1, options.parallel // len(arrays))
    header = slurm.header({**_given(options, sweep), **sbatch})
    script = part.script(sweep, len(parts), options.setup or (), _overrides(prepared, options), header)
    if is_dry:
        _show_arrays(parts, arrays, at_once)
        print(f"script:\n\n{script.strip()}", flush=True)
        return exit_code
    with Stop().listening():  # delays a signal: do not stop between the submission and its record
        ids = _submitted(prepared.folder, script, arrays, at_once)
        of_all = [*ids, *[""] * (len(parts) - len(ids))]
        parts = [replace(each, task=task) for each, task in zip(parts, of_all, strict=True)]
        part.record(sweep, parts, script)
        prepared.record()  # the tasks wait until this process has unlocked the folder
    jobs = dict.fromkeys(name.partition("_")[0] for name in ids)
    noun = "job" if len(jobs) == 1 else "jobs"
    message(
        f"submitted: {plural(len(unfinished), 'cell')} in {plural(len(ids), 'task')}, SLURM {noun} {', '.join(jobs)}"
    )
    print(f"sweep: {shown(prepared.folder.path)}")
    if len(ids) < len(parts):
        message(
            f"{plural(len(parts) - len(ids), 'task')} not submitted; to submit what is missing when the others have "
            f"ended: python -m runner submit --resume {quote(shown(prepared.folder.path))}"
        )
        return FAILED
    return SUCCESS


def _given(options: argparse.Namespace, sweep: Path) -> dict[str, object]:
    """Return the options of sbatch that follow from those of `submit`."""
    return {
        "job-name": "search-runner",
        "output": sweep / LOGS / "%A_%a.log",
        "open-mode": "append",
        "time": options.minutes,
        "signal": f"B:USR2@{_seconds_of_warning(options.minutes)}",
        "requeue": True,
        "nodes": 1,
        "ntasks": 1,
        "cpus-per-task": options.cpus,
        "mem": None if options.memory is None else f"{1024 * options.memory:.0f}MB",
        "partition": options.partition,
    }


def _submitted(folder: SweepFolder, script: str, arrays: Sequence[range], at_once: int) -> list[str]:
    """Submit job arrays, and return the ids of their tasks.

    If SLURM refuses an array after others, print its reason. The tasks of those before it are submitted.
    """
    ids: list[str] = []
    logs = folder.path / LOGS
    logs.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="search-runner-slurm-") as temporary:
        file = Path(temporary, SCRIPT)
        file.write_text(script, encoding="utf-8")
        for numbers in arrays:
            try:
                ids += slurm.submit(file, numbers, at_once)
            except UserError as error:
                if ids:
                    message(f"error: {error}")
                    break
                with suppress(OSError):  # not empty
                    logs.rmdir()
                folder.discard()
                raise
    return ids


def _show_arrays(parts: Sequence[part.PreparedPart], arrays: Sequence[range], at_once: int) -> None:
    """Print how many tasks would run, in how many arrays, and how many instances each has."""
    among = f", in {len(arrays):,} arrays" if len(arrays) > 1 else ""
    limit = f", at most {at_once:,} {'of each ' if among else ''}at the same time" if at_once < len(arrays[0]) else ""
    print(f"array: {plural(len(parts), 'task')} of {_sizes(parts)}{among}{limit}")


def _sizes(parts: Sequence[part.PreparedPart]) -> str:
    """Return how many instances each part has."""
    sizes = sorted(sum(map(len, each.pieces)) for each in parts)
    least = f"{sizes[0]:,} to " if sizes[0] < sizes[-1] else ""
    return f"{least}{plural(sizes[-1], 'instance')}"


def _refuse_queued(sweep: Path) -> None:
    """Raise `UserError` if tasks of a sweep are queued. (A running task locks the sweep.)"""
    tasks = part.submitted_tasks(sweep)
    if any(task.unknown for task in tasks):
        raise UserError("submit: squeue failed or timed out, so the queued tasks are unknown; try again later")
    if not all(task.is_over for task in tasks):
        raise UserError(f"submit: {sweep} has queued tasks; wait until they end, or cancel them")
