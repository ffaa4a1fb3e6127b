"""Display of progress while cells run, in a terminal and without one."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from runner.cli import progress
from runner.cli.main import main
from runner.execution.worker_state import SystemLimits, WorkerState
from tests import runner_cli
from tests.runner.waiting import HANGING
from worlds.compile.clock import compiling
from worlds.compile.kernels import Kernel

pty = pytest.importorskip("pty", reason="pseudo terminals are of POSIX")

SWEEP = (
    "-m",
    "algorithm=idastar",
    "heuristic=manhattan",
    "world=npuzzle/korf100",
    "world.instances=[60],[61],[62]",
    "limits.time=0.4",
    "hydra.sweep.dir=out",
)


def in_terminal(directory: Path, *arguments: str) -> str:
    """Run a command in a terminal of 150 columns, and return its output."""
    parent, child = pty.openpty()
    shown: list[bytes] = []

    def listen() -> None:
        try:
            while data := os.read(parent, 65536):
                shown.append(data)
        except OSError:  # the terminal was closed
            pass

    listener = threading.Thread(target=listen)
    listener.start()

    def with_terminal(words: list[str]) -> int:
        sys.stderr = os.fdopen(child, "w")
        return main(words)

    process = runner_cli.Forked(directory, *arguments, program=with_terminal, COLUMNS="150", TERM="xterm")
    process.communicate()
    os.close(child)
    listener.join(timeout=HANGING)
    os.close(parent)
    assert process.returncode == 0, b"".join(shown)
    return b"".join(shown).decode()


def test_without_a_terminal_each_cell_is_a_plain_line(tmp_path: Path) -> None:
    done = runner_cli.run(tmp_path, *SWEEP, "limits.nodes=9")
    assert "cells" not in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert [line[:4] for line in done.stderr.splitlines() if line.startswith("[")] == ["[0] ", "[1] ", "[2] "]


def test_a_terminal_shows_the_progress_of_cells_and_instances(tmp_path: Path) -> None:
    shown = in_terminal(tmp_path, *SWEEP)
    assert "3 cells" in shown
    assert "2/3" in shown, "number of finished instances"
    assert "korf100_62: " in shown, "the current instance"
    assert " expanded (" in shown


def test_progress_can_be_switched_off(tmp_path: Path) -> None:
    shown = in_terminal(tmp_path, *SWEEP, "limits.nodes=9", "progress=false")
    assert "cells" not in shown
    assert "\x1b" not in shown


def test_without_a_terminal_large_cells_have_lines_of_progress_ever_less_often(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    state = WorkerState()
    state.begin_search(0, {"run_id": "1", "instance": "depot#p01"})
    with progress.TerminalProgress("2 cells", 93, enabled=True) as shown:
        shown.advance(12)
        for now in range(200):  # noqa: B007
            shown.show_workers([state])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3, "after 20, 60 and 140 s"
    assert lines[0].startswith("2 cells: 12 of 93 done; depot#p01: 0 expanded (")


def test_compilation_is_announced_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "LOADING_SECONDS", 0.0)

    def plus(a: int, b: int) -> int:
        return a + b

    def times(a: int, b: int) -> int:
        return a * b

    with progress.TerminalProgress("a run", 1, enabled=True):
        assert Kernel(plus, "int64(int64, int64)").compiled(2, 3) == 5
        assert Kernel(times, "int64(int64, int64)").compiled(2, 3) == 6
    assert capsys.readouterr().err == f"{progress.COMPILING}\n"


@pytest.mark.parametrize("is_worker", [True, False])
def test_the_kernel_that_is_compiled_is_named(
    is_worker: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LOADING_SECONDS", -1.0)
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", -1.0)
    with progress.TerminalProgress("a run", 7, enabled=True) as shown:
        state = WorkerState()
        if is_worker:
            SystemLimits(state)
        with compiling(("heuristics.wumpus", "manhattan.to_goal.0123456789abcdef", "signature")):
            if is_worker:
                shown.show_workers([state])
            else:
                shown._timer.join()
    said = "a run: 0 of 7 done; compiling kernel 1: heuristics.wumpus.manhattan.to_goal (once)"
    assert capsys.readouterr().err.splitlines() == [progress.COMPILING, said]
