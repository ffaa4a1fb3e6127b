"""Sources that repeat an instance or fail: the number of workers does not change the rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner_cli import rows, run


@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_instance_that_a_source_repeats_has_one_row(tmp_path: Path, workers: str) -> None:
    install(tmp_path, "repeats")
    done = run(tmp_path, "plugins=[repeats]", "world=repeats", f"workers={workers}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert [row["status"] for row in rows(tmp_path / "out" / "metrics.csv")] == ["solved", "error", "solved"]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_source_that_fails_keeps_the_rows_before(tmp_path: Path, workers: str) -> None:
    install(tmp_path, "repeats")
    world = ("world=repeats", "world.distinct=40", "world.end=30")
    done = run(tmp_path, "plugins=[repeats]", *world, f"workers={workers}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert done.stderr.count("RuntimeError: the source has ended") == 2, "in the error line and in its traceback"
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 30


def test_instances_that_a_sweep_has_twice_are_searched_once(tmp_path: Path) -> None:
    install(tmp_path, "twice")
    for workers in ("0", "2"):
        out = f"hydra.sweep.dir={workers}"
        done = run(tmp_path, "-m", "plugins=[twice]", "world=twice", f"workers={workers}", out)
        assert done.returncode == 0, done.stderr
        assert "7 done before" in done.stderr
        assert len(rows(tmp_path / workers / "0" / "metrics.csv")) == 7
