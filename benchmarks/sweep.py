"""Sweeps: what child processes cost, what a second core brings, and how many instances a sweep can have.

Run from the repository: ``python -m benchmarks.sweep [--only isolation|shards|scale] [--instances 1000000]``. Commands
run as processes of their own, in turn, and every figure is a median; the reference of a ratio is measured in the same
run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

TINY = ("world=wumpus/random", "world.size=4", "algorithm=astar", "heuristic=pivots")
HARD = ("world=wumpus/random", "world.size=60", "world.count=6000", "algorithm=ucs", "shards=8")
PARTS = ("isolation", "shards", "scale")
POLL_SECONDS = 0.2


def sweep(folder: Path, *arguments: str) -> tuple[float, float]:
    """Wall seconds of a sweep, and the most memory of its parent process, in MiB."""
    target = Path(tempfile.mkdtemp(dir=folder)) / "out"
    began, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(
        [sys.executable, "-m", "runner", "-m", *arguments, f"hydra.sweep.dir={target}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        time.sleep(POLL_SECONDS)
    seconds = time.perf_counter() - began
    assert process.stderr is not None
    if process.returncode:
        raise SystemExit(process.stderr.read())
    process.stderr.close()
    return seconds, peak


def memory_of(process: int) -> float:
    """The most memory that a process has had, in MiB; 0 where that cannot be told."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(found[0]) / 1024 if found else 0.0


def isolation(folder: Path, repeat: int) -> Table:
    """The same tiny instances in the runner's own process and in child processes, in one large cell and in many."""
    table = Table("cells", "instances", "isolation", "s", "more: ms a cell", "ms an instance", title="caves of 4x4")
    for cells, count in ((1, 20_000), (100, 40)):
        times: dict[str, list[float]] = {"none": [], "process": []}
        for _ in range(repeat):
            for name, seconds in times.items():
                shape = (f"world.seed=range({cells})", f"world.count={count}", f"isolation={name}")
                seconds.append(sweep(folder, *TINY, *shape)[0])
        more = (median(times["process"]) - median(times["none"])) * 1000
        for name, seconds in times.items():
            ratios = (f"{more / cells:.0f}", f"{more / cells / count:.2f}") if name == "process" else ("", "")
            table.add_row(str(cells), f"{cells * count:,}", name, f"{median(seconds):.2f}", *ratios)
    return table


def shards(folder: Path, repeat: int) -> Table:
    """One cell in shards, one after the other and on all cores."""
    table = Table("launcher", "s", "speed-up", title="6,000 caves of 60x60, uniform-cost search, shards=8")
    times: dict[str, list[float]] = {"basic": [], "all_cores": []}
    for _ in range(repeat):
        for name, seconds in times.items():
            seconds.append(sweep(folder, *HARD, f"hydra/launcher={name}")[0])
    for name, seconds in times.items():
        table.add_row(name, f"{median(seconds):.2f}", f"{median(times['basic']) / median(seconds):.2f}")
    return table


def scale(folder: Path, instances: int) -> Table:
    """Tiny instances on all cores: rows per second, and whether the parent grows with them."""
    table = Table("instances", "s", "rows/s", "parent, peak MiB", title="caves of 4x4, all cores, shards=16")
    for count in (instances // 100, instances // 10, instances):
        arguments = (*TINY, f"world.count={count}", "shards=16", "hydra/launcher=all_cores", "progress=false")
        seconds, peak = sweep(folder, *arguments)
        table.add_row(f"{count:,}", f"{seconds:.1f}", f"{count / seconds:,.0f}", f"{peak:.0f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--instances", type=int, default=1_000_000, help="of the largest sweep")
    options = parser.parse_args()
    console = Console(width=100)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in options.only or PARTS:
            if part == "scale":
                console.print(scale(folder, options.instances))
            else:
                console.print({"isolation": isolation, "shards": shards}[part](folder, options.repeat))


if __name__ == "__main__":
    main()
