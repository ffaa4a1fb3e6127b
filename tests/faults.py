"""Does to sweeps what may happen to them, lets them go on, and compares with one that was left alone.

Run from the repository: ``python -m tests.faults [--rounds 200] [--seed 0]``. In every round up to three faults hit a
sweep one after the other, at random moments: SIGKILL, SIGTERM or SIGINT to the parent, SIGKILL to one of the processes
that work for it, a full disk (RLIMIT_FSIZE), a folder that cannot be written to, a folder that vanishes, or a last line
that was cut off. Every other sweep has two workers. Then it goes on undisturbed, and its results must be those of the
reference, but for the columns of seconds. Prints rounds, faults by kind, and rows lost, doubled or different; exits
with 1 if there are any.
"""

from __future__ import annotations

import argparse
import ctypes
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

from runner.records.writer import METRICS, RESULTS
from tests.processes import descendants
from tests.runner_cli import SECONDS, command, environment, rows

SWEEP = (
    "-m", "algorithm=ucs,astar,bfs", "heuristic=pivots", "world=wumpus/random", "world.size=20", "world.count=150",
    "hydra.sweep.dir=out",
)  # fmt: skip
WORKERS = (("workers=1",), ("workers=2",))
MAX_FAULTS = 3
TIME_OUT = 300
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2


def lasting(file: Path) -> dict[str, dict[str, str]]:
    """Rows by their run_id, without what differs from run to run; a doubled one under a name of its own."""
    found: dict[str, dict[str, str]] = {}
    for row in rows(file):
        key = row["run_id"] if row["run_id"] not in found else f"{row['run_id']} again"
        found[key] = {name: value for name, value in row.items() if name not in SECONDS}
    return found


@dataclass
class Round:
    """Sweep under test.

    Attributes
    ----------
    directory : Path
        The sweep is in its folder out.
    source : random.Random
    seconds : float
        That the sweep takes undisturbed.
    workers : tuple of str
        An override.
    """

    directory: Path
    source: random.Random
    seconds: float
    workers: tuple[str, ...]

    @property
    def out(self) -> Path:
        """The folder of the sweep."""
        return self.directory / "out"

    def start(self, before: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
        """The sweep as a process, in which something is done before."""
        return subprocess.Popen(
            command(*SWEEP, *self.workers), cwd=self.directory, env=environment(), preexec_fn=before,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def start_and_wait(self) -> subprocess.Popen[bytes]:
        """The sweep as a process, at a random moment."""
        process = self.start()
        time.sleep(self.source.uniform(0, self.seconds))
        return process


def interrupt(each: Round, number: signal.Signals) -> None:
    """Send a signal to the parent."""
    process = each.start_and_wait()
    process.send_signal(number)
    process.wait(timeout=TIME_OUT)


def kill_a_worker(each: Round) -> None:
    """Send SIGKILL to a process that the parent has started, or that such a process has started."""
    process = each.start_and_wait()
    for worker in each.source.sample(found := descendants(process.pid), min(1, len(found))):
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    process.wait(timeout=TIME_OUT)


def fill_the_disk(each: Round) -> None:
    """Let no file grow beyond a random size."""
    size = each.source.randrange(1, 40_000)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    each.start(limit).wait(timeout=TIME_OUT)


def forbid_to_write(each: Round) -> None:
    """Let the folder be read-only, for root, too."""
    if not each.out.is_dir():
        each.out.mkdir()
    folders = [each.out, *(path for path in each.out.rglob("*") if path.is_dir())]
    files = [path for path in each.out.rglob("*") if path.is_file()]
    for path in (*folders, *files):
        path.chmod(0o555)
    if each.start(without_privileges).wait(timeout=TIME_OUT) == 0:
        raise RuntimeError("a sweep that cannot write ended with 0")
    for path in (*folders, *files):
        path.chmod(0o755)


def without_privileges() -> None:
    """Give up root's right to write to what is read-only."""
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def remove(each: Round) -> None:
    """Remove a folder while it is written to."""
    process = each.start_and_wait()
    folders = [each.out, *each.out.glob("[0-9]*")] if each.out.is_dir() else []
    for folder in each.source.sample(folders, min(1, len(folders))):
        shutil.rmtree(folder, ignore_errors=True)
    process.wait(timeout=TIME_OUT)


def cut_off_a_line(each: Round) -> None:
    """Take the end of a file away, or put half a line there."""
    files = sorted(each.out.rglob(METRICS))
    if files:
        file = each.source.choice(files)
        data = file.read_bytes()
        half = data[: len(data) - each.source.randrange(40)]
        file.write_bytes(each.source.choice([half, data + b"0123456789ab,wumpus/ran"]))


FAULTS: dict[str, Callable[[Round], None]] = {
    "SIGKILL": lambda each: interrupt(each, signal.SIGKILL),
    "SIGTERM": lambda each: interrupt(each, signal.SIGTERM),
    "SIGINT": lambda each: interrupt(each, signal.SIGINT),
    "SIGKILL to a worker": kill_a_worker,
    "full disk": fill_the_disk,
    "read-only": forbid_to_write,
    "removed": remove,
    "cut off": cut_off_a_line,
}


def torment(each: Round, happened: Counter[str]) -> None:
    """Let some faults happen to a sweep, and let it go on in the end.

    Raises
    ------
    RuntimeError
        If it does not come to its end.
    """
    for _ in range(each.source.randint(1, MAX_FAULTS)):
        name = each.source.choice(sorted(FAULTS))
        happened[name] += 1
        FAULTS[name](each)
    done = subprocess.run(
        command(*SWEEP, *each.workers), cwd=each.directory, env=environment(),
        capture_output=True, text=True, timeout=TIME_OUT, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def main() -> int:
    """Torment sweeps; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    happened: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    seconds: dict[tuple[str, ...], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for workers in (WORKERS[0], *WORKERS):  # the first compiles
            reference = Round(Path(tempfile.mkdtemp(dir=folder)), random.Random(), 0, workers)
            began = time.monotonic()
            if reference.start().wait(timeout=TIME_OUT) != 0:
                raise SystemExit("the sweep itself fails")
            seconds[workers] = time.monotonic() - began
        expected = lasting(reference.out / RESULTS)
        for number in range(options.rounds):
            workers = WORKERS[number % len(WORKERS)]
            directory, source = Path(tempfile.mkdtemp(dir=folder)), random.Random(f"{options.seed} {number}")
            before = happened.copy()
            torment(Round(directory, source, seconds[workers], workers), happened)
            found = lasting(directory / "out" / RESULTS)
            faults = {
                "lost": len(expected.keys() - found.keys()),
                "doubled or foreign": len(found.keys() - expected.keys()),
                "different": sum(found[key] != expected[key] for key in found.keys() & expected.keys()),
            }
            wrong.update(faults)
            if any(faults.values()):
                print(f"round {number} (seed {options.seed}): {faults} after {dict(happened - before)}", flush=True)
            shutil.rmtree(directory)
    print(f"{options.rounds} rounds of {len(expected)} rows, faults: {dict(sorted(happened.items()))}")
    print(", ".join(f"rows {what}: {wrong[what]}" for what in ("lost", "doubled or foreign", "different")))
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
