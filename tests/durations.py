"""Budget of processor time of each file of tests, in ``durations.json``: what fails above it, and what measures it.

    TESTS_BUDGET=check python -m pytest -n 2    # fail if a file takes 30 % more than its budget
    TESTS_BUDGET=write python -m pytest -n 2    # measure all files again, on an idle machine with warm kernels

The time of a file is that of its tests, their fixtures and the processes that they wait for. It is compared as a share
of a loop that each worker measures before each file, so that a slower or a busy machine changes little. A new file
that takes less than `SLACK` needs no budget. A run that compiles many kernels is not compared.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

import pytest

from runner.base import cache_root

FILE = Path(__file__).with_name("durations.json")
TOLERANCE = 1.3
SLACK = 2.0
"""Seconds above each budget: the first file of a worker imports and loads what others use, too."""
COLD = 20
"""New kernels of a run whose time is not compared."""
TOTAL = 2 * 310.0
"""Largest sum of all budgets: 310 s on two cores. It comes down; 290 s are wanted."""


def spent() -> float:
    """Return the processor time of this process and of its children that have ended, in seconds."""
    return sum(os.times()[:4])


def loop() -> float:
    """Return the processor time of the loop to which budgets are relative, in seconds."""
    start = process_time()
    sum(number * number % 7 for number in range(100_000))
    return process_time() - start


def kernels() -> int:
    """Return the number of kernels in the cache."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or cache_root() / "kernels")
    return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0


def exceeded(budgets: Mapping[str, float], seconds: Mapping[str, float], speed: float) -> list[str]:
    """Return a line for each file above its budget. The machine takes `speed` times as long as that of the budgets."""
    return [
        f"{file} takes {taken / speed:.1f} s of processor time, budget {budget:.1f} s"
        for file, taken in sorted(seconds.items())
        if taken / speed > TOLERANCE * (budget := budgets.get(file, 0.0)) + SLACK
    ]


class Budget:
    """Plug-in of pytest that measures each file, in each worker of xdist, and checks or writes the budgets."""

    def __init__(self, mode: str) -> None:
        if mode not in ("check", "write"):
            raise pytest.UsageError(f"TESTS_BUDGET: expected check or write, got {mode!r}")
        self._mode = mode
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._loops: list[float] = []
        self._lines: list[str] = []
        self._kernels = kernels()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        file = item.location[0]
        if file not in self._seconds:
            self._loops.append(loop())
        start = spent()
        try:
            return (yield)
        finally:
            self._seconds[file] += spent() - start

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of xdist has measured."""
        measured = getattr(node, "workeroutput", {})
        self._loops += measured.get("loops", ())
        for file, seconds in measured.get("seconds", {}).items():
            self._seconds[file] += seconds

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if (output := getattr(session.config, "workeroutput", None)) is not None:
            output.update(loops=self._loops, seconds=dict(self._seconds))
        elif self._loops and self._mode == "write":
            files = {file: round(seconds, 1) for file, seconds in sorted(self._seconds.items()) if seconds >= 0.05}
            FILE.write_text(json.dumps({"loop": round(fmean(self._loops), 5), "seconds": files}, indent=1) + "\n")
            self._lines = [f"{FILE.name}: {sum(files.values()):.0f} s of processor time, at most {TOTAL:.0f} s"]
        elif self._loops and (new := kernels() - self._kernels) > COLD:
            self._lines = [f"{new} kernels were compiled: the processor time of files is not compared"]
        elif self._loops:
            budget = json.loads(FILE.read_text())
            self._lines = exceeded(budget["seconds"], self._seconds, fmean(self._loops) / budget["loop"])
            if self._lines and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines:
            terminalreporter.section("budget of processor time")
            for line in self._lines:
                terminalreporter.write_line(line)
