"""Sources that repeat an instance, or fail: the same rows whatever the number of workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner_cli import rows, run

REPEATS = """
EVERY, END = %d, %d
import runner
from dataclasses import dataclass

@runner.register("world", "repeats")
@dataclass(frozen=True)
class Repeats(runner.PythonWorld):
    start: int = 0
    unit_costs = True

    def initial(self):
        return self.start

    def successors(self, state):
        if self.start == 1:
            raise ValueError("odd")
        yield "up", state + 1, 1

    def is_goal(self, state):
        return state == self.start + 9

    def instances(self):
        for number in range(40):
            if number == END:
                raise RuntimeError("the source has ended")
            yield from Repeats(number %% EVERY).made()

    def made(self):
        return super().instances()

    def __len__(self):
        return 40
"""


@pytest.mark.parametrize("workers", ["0", "1", "2", "4"])
def test_an_instance_that_a_source_repeats_has_one_row(tmp_path: Path, workers: str) -> None:
    (tmp_path / "repeats.py").write_text(REPEATS % (3, 99))
    done = run(tmp_path, "plugins=[repeats]", "world=repeats", f"workers={workers}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert [row["status"] for row in rows(tmp_path / "out" / "metrics.csv")] == ["solved", "error", "solved"]


@pytest.mark.parametrize("workers", ["0", "1", "2", "4"])
def test_a_source_that_fails_keeps_the_rows_before(tmp_path: Path, workers: str) -> None:
    (tmp_path / "repeats.py").write_text(REPEATS % (40, 30))
    done = run(tmp_path, "plugins=[repeats]", "world=repeats", f"workers={workers}", "hydra.run.dir=out")
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
