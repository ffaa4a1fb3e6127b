"""Sweeps: what planning and worker processes cost, what a second core brings, and how many instances there can be.

Run from the repository: ``python -m benchmarks.sweep [--only planning|process|workers|scale]``. Every figure is the
median of commands that run as processes of their own, in turn; the reference of a ratio is measured in the same run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

TINY = ("world=wumpus/random", "world.size=4", "algorithm=astar", "heuristic=pivots")
HARD = ("world=wumpus/random", "algorithm=ucs", "progress=false")
PARTS = ("planning", "process", "workers", "scale")
POLL_SECONDS = 0.02


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


def planning(folder: Path, repeat: int) -> Table:
    """How long a sweep takes until its first instance is searched: nothing is run."""
    table = Table("cells", "s", "ms a cell", title="planning cells that differ in values (dry_run=true)")
    for cells in (1, 200, 10_000):
        shape = (f"world.seed=range({cells})", "world.count=1", "dry_run=true")
        seconds = median(sweep(folder, *TINY, *shape)[0] for _ in range(repeat))
        table.add_row(f"{cells:,}", f"{seconds:.2f}", f"{seconds * 1000 / cells:.2f}")
    return table


def process(folder: Path, repeat: int) -> Table:
    """The same tiny instances in the runner's own process and in a worker, in one large cell and in many."""
    table = Table("cells", "instances", "workers", "s", "more: ms a cell", "ms an instance", title="caves of 4x4")
    for cells, count in ((1, 20_000), (100, 40)):
        shape = (f"world.seed=range({cells})", f"world.count={count}")
        times = _in_turns(folder, repeat, {str(n): (*TINY, *shape, f"workers={n}") for n in (0, 1)})
        more = (times["1"] - times["0"]) * 1000
        for name, seconds in times.items():
            ratios = (f"{more / cells:.1f}", f"{more / cells / count:.3f}") if name == "1" else ("", "")
            table.add_row(str(cells), f"{cells * count:,}", name, f"{seconds:.2f}", *ratios)
    return table


def workers(folder: Path, repeat: int) -> Table:
    """Speed-up by a second worker, for one cell of many instances and for many cells of one."""
    table = Table(
        "cells", "instances", "workers", "s", "speed-up", title="caves of 60x60 and 300x300, uniform-cost search"
    )
    for cells, count, size in ((1, 20_000, 60), (200, 1, 300)):
        world = (f"world.seed=range({cells})", f"world.count={count}", f"world.size={size}")
        times = _in_turns(folder, repeat, {str(n): (*HARD, *world, f"workers={n}") for n in (1, 2)})
        for name, seconds in times.items():
            table.add_row(str(cells), f"{cells * count:,}", name, f"{seconds:.2f}", f"{times['1'] / seconds:.2f}")
    return table


def _in_turns(folder: Path, repeat: int, sweeps: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """Median seconds of some sweeps, run in turns."""
    times: dict[str, list[float]] = {name: [] for name in sweeps}
    for _ in range(repeat):
        for name, arguments in sweeps.items():
            times[name].append(sweep(folder, *arguments)[0])
    return {name: median(seconds) for name, seconds in times.items()}


def scale(folder: Path, instances: int) -> Table:
    """Tiny instances on all cores: rows per second, and whether the parent grows with them."""
    table = Table("instances", "s", "rows/s", "parent, peak MiB", title="caves of 4x4, all cores")
    for count in (instances // 100, instances // 10, instances):
        arguments = (*TINY, f"world.count={count}", "workers=all", "progress=false")
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
                console.print(
                    {"planning": planning, "process": process, "workers": workers}[part](folder, options.repeat)
                )


if __name__ == "__main__":
    main()
