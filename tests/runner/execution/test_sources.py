"""Sources that repeat an instance or fail: the rows do not depend on the number of workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner_cli import rows, run


@pytest.mark.parametrize("workers", ["0", "1", "2", "4"])
def test_an_instance_that_a_source_repeats_has_one_row(tmp_path: Path, workers: str) -> None:
    install(tmp_path, "repeats")
    done = run(tmp_path, "plugins=[repeats]", "world=repeats", f"workers={workers}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert [row["status"] for row in rows(tmp_path / "out" / "metrics.csv")] == ["solved", "error", "solved"]


@pytest.mark.parametrize("workers", ["0", "1", "2", "4"])
def test_a_source_that_fails_keeps_the_rows_before(tmp_path: Path, workers: str) -> None:
    install(tmp_path, "repeats")
    done = run(
        tmp_path,
        "plugins=[repeats]",
        "world=repeats",
        "world.distinct=40",
        "world.end=30",
        f"workers={workers}",
        "hydra.run.dir=out",
    )
    assert done.returncode == 1
    assert done.stderr.count("RuntimeError: the source has ended") == 2, "the problem, and its traceback"
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 30


def test_an_instance_that_is_there_twice(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        """
import dataclasses
from runner.registry import register
from worlds.wumpus.sources import StaticCaves

@register("world", "twice")
@dataclasses.dataclass(frozen=True)
class Twice(StaticCaves):
    def instances(self):
        yield from super().instances()
        yield from super().instances()

    def __len__(self):
        return 14
"""
    )
    for workers in ("0", "1", "2"):
        out = f"hydra.sweep.dir={workers}"
        done = run(tmp_path, "-m", "plugins=[twice]", "world=twice", f"workers={workers}", out)
        assert done.returncode == 0, done.stderr
        assert "7 done before" in done.stderr
        assert len(rows(tmp_path / workers / "0" / "metrics.csv")) == 7
