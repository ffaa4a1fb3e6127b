"""Files that the recorder writes beside the rows of a cell: what may have changed their times."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner_cli import rows, run


@pytest.mark.parametrize("damage", ["", "{", pytest.param("[1]", marks=pytest.mark.long)])
def test_a_cell_is_complete_without_a_readable_environment(tmp_path: Path, damage: str) -> None:
    """It is removed or damaged while the cell is searched; what cannot be read stays as it is."""
    install(tmp_path, "damaging")
    (tmp_path / "damage").write_text(damage)
    done = run(tmp_path, "plugins=[damaging]", "heuristic=damaging", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 7
    file = tmp_path / "out" / "environment.json"
    assert file.read_text() == damage if damage else not file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no workers")
def test_the_time_of_a_killed_search_is_no_waiting(tmp_path: Path) -> None:
    """Its processor time is unknown, so its wall time does not count either."""
    install(tmp_path, "deadly")
    (tmp_path / "deadly.json").write_text('{"unibz_w3": "blocked"}')
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", "limits.time=0.3", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row for row in rows(tmp_path / "out" / "metrics.csv")}
    assert float(found["unibz_w3"]["search_seconds"]) > 1.0
    recorded = json.loads((tmp_path / "out" / "environment.json").read_text())["interference"]
    assert 0 < recorded["wall_seconds"] < 1.0


@pytest.mark.skipif(sys.platform == "win32", reason="no workers")
def test_a_continued_cell_keeps_the_interference_with_its_earlier_rows(tmp_path: Path) -> None:
    """As long as there are such rows."""
    sweep = ("-m", "world=npuzzle/random", "world.size=3", "heuristic=manhattan", "hydra.sweep.dir=out")
    file = tmp_path / "out" / "0" / "environment.json"

    def interference_after(*more: str, wall_seconds: float) -> dict[str, float]:
        environment = json.loads(file.read_text())
        environment["interference"] |= {"wall_seconds": wall_seconds, "waiting_share": 0.5}
        file.write_text(json.dumps(environment))
        assert run(tmp_path, *sweep, *more).returncode == 0
        found: dict[str, float] = json.loads(file.read_text())["interference"]
        return found

    assert run(tmp_path, *sweep, "world.count=5").returncode == 0
    metrics = tmp_path / "out" / "0" / "metrics.csv"
    lines = metrics.read_text().splitlines(keepends=True)
    metrics.write_text("".join(lines[:-1]))
    continued = interference_after("world.count=5", wall_seconds=100.0)
    assert continued["wall_seconds"] > 100
    assert continued["waiting_share"] == pytest.approx(0.5, abs=0.01)
    metrics.write_text(lines[0])
    again = interference_after("world.count=5", wall_seconds=100.0)
    assert again["wall_seconds"] < 50
