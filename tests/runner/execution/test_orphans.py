"""Workers end with the process that started them, so that its sweep can be continued at once."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import descendants
from tests.runner_cli import command, environment, rows, run


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they end with their job")
def test_a_killed_sweep_can_be_continued_at_once(tmp_path: Path) -> None:
    sweep = (
        "-m",
        "algorithm=ucs,bfs",
        "world=wumpus/random",
        "world.count=500",
        "world.size=30",
        "hydra.sweep.dir=out",
    )
    arguments = (*sweep, "workers=2")
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stdout=-3, stderr=-3)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and len(list((tmp_path / "out").glob("*/metrics.csv"))) < 2:
        time.sleep(0.02)
    assert len(descendants(process.pid)) == 2
    process.kill()
    process.wait()
    again = run(tmp_path, *sweep)
    assert again.returncode == 0, again.stderr
    assert "another process is writing to this file" not in again.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 1000
