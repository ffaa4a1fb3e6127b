"""Does to sweeps what may happen to them, lets them go on, and compares with one that was left alone.

Run from the repository: ``python -m tests.faults [--rounds 200] [--seed 0]``. In every round up to three faults hit a
sweep one after the other, at random moments: SIGKILL, SIGTERM or SIGINT to the parent, a full disk (RLIMIT_FSIZE), or
a last line that was cut off. Then it goes on undisturbed, and its results must be those of the reference, but for the
columns of seconds. Prints rounds, faults by kind, and rows lost, doubled or different; exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from runner.results import METRICS, RESULTS, SECONDS
from tests.runner_cli import command, environment, rows

SWEEP = (
    "-m", "algorithm=ucs,astar,bfs", "heuristic=pivots", "world=wumpus/random", "world.size=20", "world.count=150",
    "hydra.sweep.dir=out",
)  # fmt: skip
MOST_FAULTS = 3
TIME_OUT = 300


def lasting(file: Path) -> dict[str, dict[str, str]]:
    """Rows by their run_id, without what differs from run to run; a doubled one under a name of its own."""
    found: dict[str, dict[str, str]] = {}
    for row in rows(file):
        key = row["run_id"] if row["run_id"] not in found else f"{row['run_id']} again"
        found[key] = {name: value for name, value in row.items() if name not in SECONDS}
    return found


def start(directory: Path, limit: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
    """The sweep as a process."""
    return subprocess.Popen(
        command(*SWEEP), cwd=directory, env=environment(), preexec_fn=limit,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def interrupt(directory: Path, source: random.Random, seconds: float, number: signal.Signals) -> None:
    """Send a signal at a random moment, from the start of the process to its end."""
    process = start(directory)
    time.sleep(source.uniform(0, seconds))
    process.send_signal(number)
    process.wait(timeout=TIME_OUT)


def fill_the_disk(directory: Path, source: random.Random, seconds: float) -> None:
    """Let no file grow beyond a random size."""
    size = source.randrange(1, 40_000)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    start(directory, limit).wait(timeout=TIME_OUT)


def cut_off_a_line(directory: Path, source: random.Random, seconds: float) -> None:
    """Take the end of a file away, or put half a line there."""
    files = sorted((directory / "out").rglob(METRICS))
    if files:
        file = source.choice(files)
        data = file.read_bytes()
        half = data[: len(data) - source.randrange(40)]
        file.write_bytes(source.choice([half, data + b"0123456789ab,wumpus/ran"]))


FAULTS: dict[str, Callable[[Path, random.Random, float], None]] = {
    "SIGKILL": lambda *where: interrupt(*where, signal.SIGKILL),
    "SIGTERM": lambda *where: interrupt(*where, signal.SIGTERM),
    "SIGINT": lambda *where: interrupt(*where, signal.SIGINT),
    "full disk": fill_the_disk,
    "cut off": cut_off_a_line,
}


def torment(directory: Path, source: random.Random, seconds: float, happened: Counter[str]) -> None:
    """Let some faults happen to a sweep, and let it go on in the end.

    Raises
    ------
    RuntimeError
        If it does not come to its end.
    """
    for _ in range(source.randint(1, MOST_FAULTS)):
        name = source.choice(sorted(FAULTS))
        happened[name] += 1
        FAULTS[name](directory, source, seconds)
    done = subprocess.run(
        command(*SWEEP), cwd=directory, env=environment(), capture_output=True, text=True, timeout=TIME_OUT, check=False
    )
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
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):  # the first compiles
            reference = Path(tempfile.mkdtemp(dir=folder))
            began = time.monotonic()
            if start(reference).wait(timeout=TIME_OUT) != 0:
                raise SystemExit("the sweep itself fails")
            seconds = time.monotonic() - began
        expected = lasting(reference / "out" / RESULTS)
        for number in range(options.rounds):
            directory = Path(tempfile.mkdtemp(dir=folder))
            before = happened.copy()
            torment(directory, random.Random(f"{options.seed} {number}"), seconds, happened)
            found = lasting(directory / "out" / RESULTS)
            faults = {
                "lost": len(expected.keys() - found.keys()),
                "doubled or foreign": len(found.keys() - expected.keys()),
                "different": sum(found[key] != expected[key] for key in found.keys() & expected.keys()),
            }
            wrong.update(faults)
            if any(faults.values()):
                print(f"round {number} (seed {options.seed}): {faults} after {dict(happened - before)}", flush=True)
    print(f"{options.rounds} rounds of {len(expected)} rows, faults: {dict(sorted(happened.items()))}")
    print(", ".join(f"rows {what}: {wrong[what]}" for what in ("lost", "doubled or foreign", "different")))
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
