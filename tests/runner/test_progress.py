"""What is shown while cells run, in a real terminal and elsewhere."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from runner.progress import Cells
from tests import runner_cli

pty = pytest.importorskip("pty", reason="pseudo terminals are of POSIX")

SWEEP = (
    "-m",
    "algorithm=ucs",
    "world=wumpus/random",
    "world.size=60",
    "world.pit_probability=0",
    "world.count=1",
    "world.seed=range(1,4)",
    "hydra.sweep.dir=out",
)


def in_terminal(directory: Path, *arguments: str) -> str:
    """What the command writes to a terminal of 150 columns."""
    parent, child = pty.openpty()
    shown: list[bytes] = []

    def listen() -> None:
        try:
            while data := os.read(parent, 65536):
                shown.append(data)
        except OSError:  # the last writer has gone
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    done = subprocess.run(
        runner_cli.command(*arguments),
        cwd=directory,
        env={**runner_cli.environment(), "COLUMNS": "150", "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=child,
        timeout=300,
        check=False,
    )
    os.close(child)
    listener.join(timeout=60)
    os.close(parent)
    assert done.returncode == 0, b"".join(shown)
    return b"".join(shown).decode()


def test_a_sweep_in_a_terminal_shows_cells_and_instances(tmp_path: Path) -> None:
    shown = in_terminal(tmp_path, *SWEEP)
    assert "[cell 1 of 3]" in shown
    assert "[cell 3 of 3, 0:00:0" in shown, "the time left of the sweep"
    assert "ucs none" in shown
    assert "-60x60-2" in shown, "the current instance"


def test_progress_can_be_switched_off(tmp_path: Path) -> None:
    shown = in_terminal(tmp_path, *SWEEP, "progress=false")
    assert "cell" not in shown
    assert "\x1b" not in shown


def test_what_is_no_terminal_gets_plain_lines(tmp_path: Path) -> None:
    done = runner_cli.run(tmp_path, *SWEEP)
    assert "cell" not in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert [line[:4] for line in done.stderr.splitlines() if line.startswith("[")] == ["[0] ", "[1] ", "[2] "]


def test_the_time_left_counts_the_share_of_the_current_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    cells = Cells(total=4)
    assert cells.describe(0.0) == "cell 1 of 4"
    now += 90.0
    cells.current = 1
    assert cells.describe(0.5) == "cell 2 of 4, 0:02:30 left"
    assert Cells(total=None).describe(0.5) == "cell 1"
