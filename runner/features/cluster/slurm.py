"""Commands of SLURM: the submission of a script as job arrays, and the states of their tasks."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote

from runner.base import UserError

WARNING = signal.SIGUSR2
"""Signal of SLURM before the time limit of a task."""
GONE, UNKNOWN = "gone", "unknown"
_QUEUE = ("squeue", "--me", "-h", "-r", "-t", "all", "-o", "%i|%T|%r")
_CONFIG = ("scontrol", "show", "config")
_STOPPED = ("failed", "cancelled", "preempted", "timeout", "deadline", "out_of_memory", "node_fail", "boot_fail")
_ENDED = (GONE, "completed", *_STOPPED)
_QUEUE_SECONDS = 60
_MAX_RESTARTS = 3


def header(options: Mapping[str, object]) -> str:
    """Return options of sbatch as lines of a script. The value True is a flag, and None is left out."""
    given = {name: value for name, value in options.items() if value is not None}
    return "".join(
        f"#SBATCH --{name}\n" if value is True else f"#SBATCH --{name}={quote(str(value))}\n"
        for name, value in given.items()
    )


def arrays_of(tasks: int) -> list[range]:
    """Divide the numbers from 1 to `tasks` into as few job arrays as this cluster allows, of about the same size."""
    arrays = -(-tasks // (_largest_array() or tasks))
    size = -(-tasks // arrays)
    return [range(first, min(first + size, tasks + 1)) for first in range(1, tasks + 1, size)]


def submit(script: Path, numbers: range, at_once: int) -> list[str]:
    """Submit a script as a job array, and return the ids of its tasks.

    Parameters
    ----------
    numbers : range
        Numbers of the parts. The index of a task begins at 0, and the second argument of the script is added to it.
    at_once : int
        Maximum number of tasks that run at the same time.

    Raises
    ------
    UserError
        If SLURM refuses the array.
    """
    indices = range(len(numbers))
    array = f"--array=0-{indices[-1]}%{at_once}"
    try:
        answer = _output(("sbatch", array, str(script), "", str(numbers.start)))
    except subprocess.CalledProcessError as error:
        raise _refused(error.stderr or error.stdout) from None
    except (OSError, subprocess.SubprocessError) as error:
        raise _refused(str(error)) from None
    job = re.search(r"Submitted batch job ([0-9]+)", answer)  # a site may print more beside it
    if job is None:
        raise _refused(f"sbatch has answered {answer}")
    return [f"{job[1]}_{index}" for index in indices]


def _refused(reason: str) -> UserError:
    return UserError(f"submit: SLURM refused the job: {' '.join(reason.split())[-300:]}")


def queue_again(task: str) -> bool:
    """Have SLURM queue the task of this process again, unless it was queued again too often; return whether it will."""
    if int(os.environ.get("SLURM_RESTART_COUNT", 0)) >= _MAX_RESTARTS:
        return False
    try:
        _output(("scontrol", "requeue", task))
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def is_task(task: str) -> bool:
    """Return whether this process is a task of SLURM with this id."""
    return task == f"{os.environ.get('SLURM_ARRAY_JOB_ID')}_{os.environ.get('SLURM_ARRAY_TASK_ID')}"


def states() -> dict[str, str] | None:
    """Return the states of this user's tasks by their ids, with SLURM's reasons; None if squeue does not answer."""
    try:
        lines = _output(_QUEUE).splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    tasks = (line.split("|", 2) for line in lines)
    return {name: f"{state.lower()}: {reason}".removesuffix(": None") for name, state, reason in tasks}


def is_over(state: str) -> bool:
    """Return whether a task in this state has ended."""
    return state.partition(":")[0] in _ENDED


def _largest_array() -> int | None:
    """Return the largest number of tasks of an array on this cluster; None if scontrol does not tell."""
    try:
        found = re.search(r"^MaxArraySize\s*=\s*([0-9]+)", _output(_CONFIG), re.MULTILINE)
    except (OSError, subprocess.SubprocessError):
        return None
    return int(found[1]) if found else None


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_QUEUE_SECONDS, check=True)
    return done.stdout
