"""``runner part 3/20 FOLDER``: run one part of a prepared sweep, under any scheduler of a cluster, or in a shell.

``submit`` divides the sweep and records the parts. So a part has the same instances however often, and in whatever
order, the parts are run.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import msgspec

from runner.base import INTERRUPTED_LINE, SUCCESS, UserError, atomic_write, message, one_line
from runner.cli import SubmittedTask, TerminalDisplay
from runner.config import ArgumentParser, add_recorded_sweep, command
from runner.execution import Stop, SweepCell
from runner.features.cluster import LOGS, PARTS, SCRIPT, slurm
from runner.features.cluster.slices import PlanPiece, search_pieces
from runner.records import SweepFolder, recorded_request

_WARNINGS = tuple(getattr(signal, name) for name in ("SIGUSR1", "SIGUSR2") if hasattr(signal, name))
"""Signals by which schedulers announce the end of a job."""
_SCRIPT = """\
#!/bin/sh
{header}# Run one of the {count} parts of a sweep. Parts may run at the same time, in any order, and again.
#
#   shell          for part in $(seq {count}); do sh {script} $part; done
#   PBS            qsub -J 1-{count} {script}
#   Torque         qsub -t 1-{count} {script}
#   Grid Engine    qsub -S /bin/sh -t 1-{count} {script}
#   SLURM          sbatch --array=1-{count} {script}
#   HTCondor       executable = {script}
#                  part = $(Process) + 1
#                  arguments = $INT(part)
#                  queue {count}
#
# The number of the part is the first argument, or that of the task in an array. The second argument is added to it.
part=${{1:-${{SLURM_ARRAY_TASK_ID:-${{PBS_ARRAY_INDEX:-${{PBS_ARRAYID:-${{SGE_TASK_ID:-}}}}}}}}}}
part=$((part + ${{2:-0}}))
cd {directory} || exit 2
{setup}exec {python} -m runner part "$part/{count}" {sweep} {overrides}
"""


@dataclass(frozen=True)
class PreparedPart:
    """Part of a sweep in parts.json.

    Attributes
    ----------
    pieces : list of PlanPiece
        Pieces of the part; none if there are fewer instances than parts.
    seed : int
        Seed of the order in which the pieces were dealt out to the parts.
    task : str
        Identifier of the task of SLURM that runs the part, such as 17_3; empty if it was not submitted.
    """

    pieces: list[PlanPiece]
    seed: int
    task: str = ""


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner part",
        description="Run one part of a sweep that python -m runner submit has prepared. A part that is run again "
        "continues: only its missing instances are searched. Runs the code of the plug-ins that the sweep names.",
    )
    result.add_argument("part", metavar="NUMBER/COUNT", help="number of the part, and number of all parts, as in 3/20")
    add_recorded_sweep(result, example="retry=limits or workers=2")
    return result


@command("part", "run one part of a prepared sweep", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_args(arguments)
    match = re.fullmatch(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,8})", options.part)
    if match is None:
        raise UserError(f"part: expected NUMBER/COUNT, such as 3/20, got '{one_line(options.part)}'")
    number = int(match[1])
    count = int(match[2])
    folder = SweepFolder.at(options.folder)
    stop = Stop(warnings=_WARNINGS)
    folder.lock_as_task(_name(number, count))  # before the parts are read: `submit` writes them under its lock
    try:
        part = _part(folder, number, count)
        if not part.pieces:
            message(f"part {options.part}: nothing to do")
            return SUCCESS
        request = recorded_request(folder.path, options.overrides).in_folder(folder.path)
        exit_code = search_pieces(folder, request, part.pieces, TerminalDisplay(), stop)
    finally:
        folder.unlock()
    if stop.signal_number == slurm.WARNING and slurm.is_task(part.task):
        if not slurm.queue_again(part.task):
            again = f"python -m runner submit --resume {quote(str(folder.path))}"
            message(f"this task has reached its time limit for the last time; to continue: {again}")
    elif stop.requested:
        again = f"python -m runner part {options.part} {quote(str(folder.path))}"
        message(f"{INTERRUPTED_LINE}; to continue: {again}")
    return exit_code


def _part(folder: SweepFolder, number: int, count: int) -> PreparedPart:
    """Return a recorded part.

    Raises
    ------
    UserError
        If the sweep is not divided into so many parts.
    """
    parts = _parts(folder)
    again = f"python -m runner submit --engine none --tasks {count} --resume {quote(str(folder.path))}"
    if not parts:
        raise UserError(f"{folder.path}: is not divided into parts; to divide it: {again}")
    if count != len(parts):
        raise UserError(
            f"{folder.path}: is divided into {len(parts):,} parts, not {count:,}; to divide it again: {again}"
        )
    if number > count:
        raise UserError(f"part {number}/{count}: expected a number from 1 to {count}")
    return parts[number - 1]


def _parts(folder: SweepFolder) -> list[PreparedPart]:
    return folder.entries(PARTS, PreparedPart) if (folder.path / PARTS).exists() else []


def _name(number: int, count: int) -> str:
    """Return the name of a part in its lock."""
    return f"part {number} of {count}"


def divided(cells: Sequence[SweepCell], sweep: Path, count: int, seed: int) -> list[PreparedPart]:
    """Divide the missing instances of cells into at most `count` parts. The seed decides who gets which pieces."""
    return [PreparedPart(list(pieces), seed) for pieces in PlanPiece.of_tasks(cells, sweep, count, seed)]


def script(sweep: Path, count: int, setup: Sequence[str], overrides: Sequence[str], header: str = "") -> str:
    """Return the script that runs one of `count` parts.

    Parameters
    ----------
    setup : sequence of str
        Shell commands to run before a part.
    overrides : sequence of str
        Overrides that are added to those of the sweep.
    header : str
        Lines with the options of SLURM.
    """
    folder = sweep.resolve()
    return _SCRIPT.format(
        header=header,
        count=count,
        script=quote(str(folder / SCRIPT)),
        directory=quote(str(Path.cwd())),
        setup="".join(f"{line}\n" for line in setup),
        python=quote(sys.executable),
        sweep=quote(str(folder)),
        overrides=" ".join(map(quote, overrides)),
    )


def record(sweep: Path, parts: Sequence[PreparedPart], text: str) -> None:
    """Write the record of the parts of a sweep, and the script that runs one."""
    with atomic_write(sweep / PARTS, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(parts), indent=1))
    with atomic_write(sweep / SCRIPT) as out:
        out.write(text)
    (sweep / SCRIPT).chmod(0o755)


def submitted_tasks(sweep: Path) -> list[SubmittedTask]:
    """Return the parts of a sweep, as the command `status` shows them.

    The queue tells the states of tasks of SLURM. Only their locks tell which other parts are running.
    """
    folder = SweepFolder(sweep)
    parts = _parts(folder)
    states = slurm.states() if any(part.task for part in parts) else {}
    tasks: list[SubmittedTask] = []
    for number, part in enumerate(parts, 1):
        if part.task:
            state = slurm.UNKNOWN if states is None else states.get(part.task, slurm.GONE)
            is_over = slurm.is_over(state)
        else:
            is_over = not folder.has_task(_name(number, len(parts)))
            state = "not running" if is_over else "running"
        log = f"{LOGS}/{part.task}.log"
        tasks.append(
            SubmittedTask(
                id=part.task or f"part {number}/{len(parts)}",
                state=state,
                instances=PlanPiece.instances(part.pieces),
                log=log if (sweep / log).is_file() else "",
                is_over=is_over,
                unknown="squeue failed or timed out" if state == slurm.UNKNOWN else "",
            )
        )
    return tasks
