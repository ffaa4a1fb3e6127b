"""Workers that are pinned keep to one processor each, and a machine without their places is refused."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner_cli import rows, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux pins processes")

CAVES = ("world=wumpus/random", "world.size=4", "world.count=20", "hydra.sweep.dir=out", "-m")


def files_in(folder: Path) -> dict[Path, bytes]:
    """Return all files but the lock, which each command writes."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name != ".lock"}


def test_a_pinned_worker_and_its_successor_keep_to_one_processor(tmp_path: Path) -> None:
    install(tmp_path, "affine")
    before = os.sched_getaffinity(0)
    done = run(tmp_path, "plugins=[affine]", "heuristic=affine", "pin=true", "hydra.run.dir=out")
    assert done.returncode == 1, done.stderr
    first, second = map(json.loads, (tmp_path / "processors").read_text().splitlines())
    assert first == second
    assert len(first) == 1
    found = rows(tmp_path / "out" / "metrics.csv")
    assert [row["core"] for row in found if row["status"] != "crashed"] == [str(first[0])] * 6
    assert os.sched_getaffinity(0) == before
    recorded = json.loads((tmp_path / "out" / "environment.json").read_text())
    assert recorded["interference"]["pinned"] is True


def test_too_many_pinned_workers_leave_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, *CAVES, "pin=true", "workers=1024", "world.count=1024", "world.seed=5000")
    assert done.returncode == 2
    assert "pin: 1,024 workers, but this command may use" in done.stderr
    assert not (tmp_path / "out").exists()


def test_too_many_pinned_workers_leave_a_sweep_as_it_is(tmp_path: Path) -> None:
    assert run(tmp_path, *CAVES).returncode == 0
    before = files_in(tmp_path)
    done = run(tmp_path, *CAVES, "pin=true", "workers=1024", "world.count=1024", "world.seed=5000")
    assert done.returncode == 2
    assert files_in(tmp_path) == before
