"""Time and memory of searches, functions and processes."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

from algorithms.engine import Counts, Limiter, Limits
from algorithms.interface import SearchAlgorithm
from heuristics.interface import Stack
from runner.base import SOLVED
from worlds.interface import Problem

MIB = 1 << 20
Result = TypeVar("Result")


@dataclass(frozen=True)
class SearchRuns:
    """Several runs of one search.

    Attributes
    ----------
    status : str
    cost : int or None
        Cost of the solution; None without a solution.
    counts : Counts
    seconds : float
        Median of the wall times.
    resident_bytes, peak_bytes : int
        Growth of the resident memory over the first run, at its end and at its peak.
    """

    status: str
    cost: int | None
    counts: Counts
    seconds: float
    resident_bytes: int
    peak_bytes: int


def search_runs(
    algorithm: SearchAlgorithm, stack: Stack, problem: Problem, repeat: int, limits: Limits | None = None
) -> SearchRuns:
    """Run a search several times; its kernels are compiled before."""
    algorithm.start(stack.prepare(problem), None).warm()
    runs = [_run(algorithm, stack, problem, limits or Limits()) for _ in range(repeat)]
    first = runs[0]
    seconds = median(each.seconds for each in runs)
    return SearchRuns(first.status, first.cost, first.counts, seconds, first.resident_bytes, first.peak_bytes)


def _run(algorithm: SearchAlgorithm, stack: Stack, problem: Problem, limits: Limits) -> SearchRuns:
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # reset the peak
    before = resident()
    search = algorithm.start(stack.prepare(problem), None)
    status, seconds = timed(partial(search.run, Limiter(limits)))
    cost = search.cost if status == SOLVED.name else None
    return SearchRuns(status, cost, search.counts, seconds, resident() - before, peak() - before)


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def peak(process: int | str = "self") -> int:
    """Return the peak resident memory of a process in bytes; 0 if the process has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return 1024 * int(found[0]) if found else 0


def timed(function: Callable[[], Result]) -> tuple[Result, float]:
    """Call a function, and return its result and its wall seconds."""
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def medians(measure: Callable[[], tuple[float, ...]], repeat: int) -> tuple[float, ...]:
    """Call a function that returns several figures, and return the median of each."""
    return tuple(median(figures) for figures in zip(*(measure() for _ in range(repeat)), strict=True))


def command(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run ``python -m runner ...`` in a process of its own, and return its wall seconds and peak memory in MiB.

    The folder is the run's output folder.
    """
    line = [sys.executable, "-m", "runner", *arguments, f"hydra.run.dir={folder}", "progress=false"]
    start = time.perf_counter()
    child = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(line)} failed")
    return wall, usage.ru_maxrss / 1024
