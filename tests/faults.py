"""Inject faults into sweeps, continue them, and compare their results with those of an undisturbed sweep.

Run from the repository: ``python -m tests.faults [--rounds 200] [--seed 0] [--sweep NAME]``. Every round injects up to
three faults into a sweep at random moments: SIGKILL, SIGTERM or SIGINT to the parent process, SIGKILL to one of its
descendants, a full disk (RLIMIT_FSIZE), a read-only folder, a folder that is removed, or a truncated last line of
metrics.csv. Rounds alternate between one and two workers. Then the same command is repeated, which continues the sweep.
The tables and plans of all its cells must equal those of the reference line by line, except the columns of times and
memory. After each fault, nothing of the sweep may run any more, and no temporary folder may be left. With ``--sweep
program`` the algorithm is a program of others (`sliding_program`). Prints rounds, faults by kind, rows that are
missing, extra or different, files in another order, and what was left; exits with 1 if there are any. Stops at once if
a sweep cannot be continued.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from runner.records.run_folder import RecordFile
from tests.processes import descendants
from tests.runner_cli import MEASURED, command, environment, rows

PROGRAM = Path(__file__).with_name("sliding_program.py")
SWEEPS = {
    "searches": (
        "algorithm=ucs,astar,bfs", "heuristic=pivots", "world=wumpus/random", "world.size=20", "world.count=150",
    ),
    "repeated": (
        "algorithm=ucs,astar,bfs", "heuristic=pivots", "world=wumpus/random", "world.size=15", "world.count=60",
        "repeat=3", "order=random",
    ),
    "program": (
        "algorithm=program", f"algorithm.command=[{sys.executable},-I,-S,{PROGRAM}]", "algorithm.stdin=board",
        "algorithm.plan.format=moves", "algorithm.serve=false,true", "world=npuzzle/random", "world.size=3",
        "world.shuffle=walk", "world.steps=21", "world.count=25",
    ),
}  # fmt: skip
UNEQUAL = {*MEASURED, "memory_bytes"}
"""Columns that differ from run to run."""
WORKERS = (("workers=1",), ("workers=2",))
MAX_FAULTS = 3
TIME_OUT = 300
SECONDS_TO_END = 20.0
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2


def comparable_rows(file: Path) -> dict[str, dict[str, str]]:
    """Return the rows by run_id, without the time columns. Append "again" to the key of a duplicate."""
    found: dict[str, dict[str, str]] = {}
    for row in rows(file):
        key = row["run_id"] if row["run_id"] not in found else f"{row['run_id']} again"
        found[key] = {name: value for name, value in row.items() if name not in UNEQUAL}
    return found


def comparable_files(sweep: Path) -> list[object]:
    """Return the lines of results.csv, and of the tables and plans of all cells, without the time columns."""
    jobs = json.loads((sweep / RecordFile.JOBS).read_bytes())
    cells = [sweep / str(job["folder"]) for job in jobs if job["is_current"]]
    files = [sweep / RecordFile.RESULTS, *(cell / RecordFile.METRICS for cell in cells)]
    tables = [[{name: row[name] for name in row if name not in UNEQUAL} for row in rows(file)] for file in files]
    return [*tables, *((cell / RecordFile.PLANS).read_bytes() for cell in cells)]


@dataclass
class Sweep:
    """Sweep of one round.

    Attributes
    ----------
    directory : Path
        Working directory. The folder of the sweep is out.
    rng : random.Random
        Random generator of the round.
    seconds : float
        Duration of the undisturbed sweep.
    arguments : tuple of str
        Arguments of the command.
    """

    directory: Path
    rng: random.Random
    seconds: float
    arguments: tuple[str, ...]

    def __post_init__(self) -> None:
        """Make the folder for temporary files."""
        self.temporary.mkdir()

    @property
    def out(self) -> Path:
        """Folder of the sweep."""
        return self.directory / "out"

    @property
    def temporary(self) -> Path:
        """Folder for the temporary files of the sweep."""
        return self.directory / "temporary"

    @property
    def command(self) -> list[str]:
        """Words of the command."""
        return command("-m", *self.arguments, "hydra.sweep.dir=out")

    @property
    def environment(self) -> dict[str, str]:
        """Environment of its processes, by which they are found."""
        return {**environment(), "TMPDIR": str(self.temporary)}

    def start(self, before: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
        """Start the sweep; `before` runs first in its process."""
        return subprocess.Popen(
            self.command, cwd=self.directory, env=self.environment, preexec_fn=before,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def start_and_sleep(self) -> subprocess.Popen[bytes]:
        """Start the sweep and return at a random moment of its run."""
        process = self.start()
        time.sleep(self.rng.uniform(0, self.seconds))
        return process


def interrupt(sweep: Sweep, signal_number: signal.Signals) -> None:
    """Send a signal to the parent."""
    process = sweep.start_and_sleep()
    process.send_signal(signal_number)
    process.wait(timeout=TIME_OUT)


def kill_a_worker(sweep: Sweep) -> None:
    """Send SIGKILL to a random descendant of the parent process."""
    process = sweep.start_and_sleep()
    for worker in sweep.rng.sample(found := descendants(process.pid), min(1, len(found))):
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    process.wait(timeout=TIME_OUT)


def fill_the_disk(sweep: Sweep) -> None:
    """Limit every file to a random size."""
    size = sweep.rng.randrange(1, 40_000)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    sweep.start(limit).wait(timeout=TIME_OUT)


def forbid_to_write(sweep: Sweep) -> None:
    """Make the folder read-only, also for root, and expect the sweep to fail.

    Raises
    ------
    RuntimeError
        If the sweep ends with 0. Even a finished sweep writes its records and results.csv.
    """
    if not sweep.out.is_dir():
        sweep.out.mkdir()
    folders = [sweep.out, *(path for path in sweep.out.rglob("*") if path.is_dir())]
    files = [path for path in sweep.out.rglob("*") if path.is_file()]
    for path in (*folders, *files):
        path.chmod(0o555)
    if sweep.start(without_privileges).wait(timeout=TIME_OUT) == 0:
        raise RuntimeError("a sweep without write permission ended with 0")
    for path in (*folders, *files):
        path.chmod(0o755)


def without_privileges() -> None:
    """Give up root's right to write to read-only files."""
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def remove_folder(sweep: Sweep) -> None:
    """Remove the folder of the sweep or of one cell during the run."""
    process = sweep.start_and_sleep()
    folders = [sweep.out, *sweep.out.glob("[0-9]*")] if sweep.out.is_dir() else []
    for folder in sweep.rng.sample(folders, min(1, len(folders))):
        shutil.rmtree(folder, ignore_errors=True)
    process.wait(timeout=TIME_OUT)


def truncate_a_line(sweep: Sweep) -> None:
    """Truncate the last line of a metrics.csv, or append half a line."""
    files = sorted(sweep.out.rglob(RecordFile.METRICS))
    if files:
        file = sweep.rng.choice(files)
        data = file.read_bytes()
        half = data[: len(data) - sweep.rng.randrange(1, 40)]
        file.write_bytes(sweep.rng.choice([half, data + b"0123456789ab,wumpus/ran"]))


FAULTS: dict[str, Callable[[Sweep], None]] = {
    "SIGKILL": lambda sweep: interrupt(sweep, signal.SIGKILL),
    "SIGTERM": lambda sweep: interrupt(sweep, signal.SIGTERM),
    "SIGINT": lambda sweep: interrupt(sweep, signal.SIGINT),
    "SIGKILL to a worker": kill_a_worker,
    "full disk": fill_the_disk,
    "read-only": forbid_to_write,
    "removed": remove_folder,
    "truncated": truncate_a_line,
}


def what_is_left(sweep: Sweep) -> Counter[str]:
    """Return the numbers of processes and of temporary folders that are left some seconds after the end of a sweep."""
    deadline = time.monotonic() + SECONDS_TO_END
    left = {"processes": 1}
    while any(left.values()) and time.monotonic() < deadline:
        left = {"processes": len(processes_of(sweep)), "folders": len(list(sweep.temporary.iterdir()))}
        time.sleep(0.01)
    for process in processes_of(sweep):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for path in sweep.temporary.iterdir():
        shutil.rmtree(path)
    return Counter(left)


def processes_of(sweep: Sweep) -> list[int]:
    """Return the processes that have the environment of a sweep."""
    mark = os.fsencode(f"TMPDIR={sweep.temporary}\0")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def inject_faults(sweep: Sweep, injected: Counter[str]) -> Counter[str]:
    """Inject 1 to `MAX_FAULTS` faults, complete the sweep, and return what was left running or in temporary folders.

    Raises
    ------
    RuntimeError
        If the sweep fails then.
    """
    left = Counter[str]()
    for _ in range(sweep.rng.randint(1, MAX_FAULTS)):
        name = sweep.rng.choice(sorted(FAULTS))
        injected[name] += 1
        FAULTS[name](sweep)
        left += what_is_left(sweep)
    done = subprocess.run(
        sweep.command, cwd=sweep.directory, env=sweep.environment,
        capture_output=True, text=True, timeout=TIME_OUT, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return left + what_is_left(sweep)


def main() -> int:
    """Run the rounds and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sweep", choices=SWEEPS, default="searches")
    options = parser.parse_args()
    arguments = SWEEPS[options.sweep]
    injected: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    seconds: dict[tuple[str, ...], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for workers in (WORKERS[0], *WORKERS):  # the first sweep compiles the kernels; its time is overwritten
            reference = Sweep(Path(tempfile.mkdtemp(dir=folder)), random.Random(), 0, (*arguments, *workers))
            began = time.monotonic()
            if reference.start().wait(timeout=TIME_OUT) != 0:
                raise SystemExit("the reference sweep failed")
            seconds[workers] = time.monotonic() - began
        expected, files = comparable_rows(reference.out / RecordFile.RESULTS), comparable_files(reference.out)
        for number in range(options.rounds):
            workers = WORKERS[number % len(WORKERS)]
            directory, rng = Path(tempfile.mkdtemp(dir=folder)), random.Random(f"{options.seed} {number}")
            before = injected.copy()
            left = inject_faults(Sweep(directory, rng, seconds[workers], (*arguments, *workers)), injected)
            found = comparable_rows(directory / "out" / RecordFile.RESULTS)
            errors = {
                "missing": len(expected.keys() - found.keys()),
                "extra": len(found.keys() - expected.keys()),
                "different": sum(found[key] != expected[key] for key in found.keys() & expected.keys()),
            }
            other = comparable_files(directory / "out")
            errors["in another order"] = sum(mine != theirs for mine, theirs in zip(other, files, strict=True))
            errors.update({f"{what} left": left[what] for what in ("processes", "folders")})
            wrong.update(errors)
            if any(errors.values()):
                print(
                    f"round {number} (seed {options.seed}): wrong: {errors} after faults {dict(injected - before)}",
                    flush=True,
                )
            shutil.rmtree(directory)
    print(f"{options.rounds} rounds of {len(expected)} rows, faults: {dict(sorted(injected.items()))}")
    print(", ".join(f"{what}: {count}" for what, count in wrong.items()))
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
