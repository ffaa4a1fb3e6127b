"""Searches that several cells of a sweep have in common: each cell has a row, with its own swept values."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from pathlib import Path

import runner
from runner.features.explorer.plans import RecordedPlan
from tests.runner.cli.test_identity import CAVE
from tests.runner_cli import rows, run

WORLD = ("world=wumpus/random", "world.size=5", "hydra.sweep.dir=out")


def counts(folder: Path) -> dict[Hashable, int]:
    """Return the number of rows for each value of `world.count`."""
    return runner.read(folder).groupby("world.count")["run_id"].count().to_dict()


def folder_of(sweep: Path, instances: int) -> Path:
    """Return the folder of the only cell with a number of instances."""
    (job,) = (job for job in json.loads((sweep / "jobs.json").read_text()) if job["instances"] == instances)
    return sweep / str(job["folder"])


def test_every_cell_has_a_row_of_each_of_its_instances(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "world.count=3,5", "workers=2", *WORLD).returncode == 0
    assert counts(tmp_path / "out") == {3: 3, 5: 5}
    assert len({row["run_id"] for row in rows(tmp_path / "out" / "results.csv")}) == 5
    first = runner.read(tmp_path / "out")
    assert run(tmp_path, "collect", "out").returncode == 0
    assert runner.read(tmp_path / "out").equals(first)


def test_rows_of_earlier_commands_are_copied(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "world.count=3,5", *WORLD).returncode == 0
    before = {(row["run_id"], row["search_seconds"]) for row in rows(tmp_path / "out" / "results.csv")}
    grown = run(tmp_path, "-m", "world.count=3,5,7", *WORLD)
    assert grown.returncode == 0
    assert "solved, 5 done before" in grown.stderr
    assert counts(tmp_path / "out") == {3: 3, 5: 5, 7: 7}
    folder = folder_of(tmp_path / "out", instances=7)
    copied = rows(folder / "metrics.csv")
    assert [row["seed"] for row in copied] == list("0123456"), "in the order of the instances"
    assert {(row["run_id"], row["search_seconds"]) for row in copied[:5]} <= before
    assert [plan.run_id for plan in RecordedPlan.below(folder)] == [row["run_id"] for row in copied], (
        "a cave without a path has the plan CLIMB"
    )


def test_a_cell_with_copied_rows_only_is_complete(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "world.count=5", *WORLD).returncode == 0
    smaller = run(tmp_path, "-m", "world.count=2,5", *WORLD)
    assert smaller.returncode == 0
    assert "world.count=2 world=wumpus/random world.size=5: 2 done before" in smaller.stderr
    assert counts(tmp_path / "out") == {2: 2, 5: 5}
    names = {file.name for file in folder_of(tmp_path / "out", instances=2).iterdir()}
    assert names >= {"metrics.csv", "plans.jsonl", "environment.json", ".hydra"}
    assert run(tmp_path, "status", "out").stdout.startswith("2 cells, 7 of 7 instances done\ncomplete\n")


def test_an_edited_file_is_replaced_in_every_cell(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text((CAVE % "[2, 2]").replace("mine", name))
    paths = "world.path=one.json,*.json"
    assert run(tmp_path, "-m", "world=wumpus/file", paths, "hydra.sweep.dir=out").returncode == 0
    (tmp_path / "one.json").write_text((CAVE % "[0, 1]").replace("mine", "one"))
    done = run(tmp_path, "resume", "out")
    assert done.returncode == 0, done.stderr
    assert "note: 2 rows of instances that have changed" in done.stderr
    found = [(row["world.path"], row["instance"]) for row in rows(tmp_path / "out" / "results.csv")]
    assert found == [("one.json", "one"), ("*.json", "one"), ("*.json", "two")]


def test_a_report_counts_a_shared_search_once_and_in_every_group(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "algorithm=astar,ucs", "world.count=3,5", *WORLD).returncode == 0
    arguments = ("--by", "world.count", "--metric", "expanded", "--format", "markdown", "--out", "report")
    assert run(tmp_path, "report", "out", *arguments).returncode == 0
    text = re.sub(" +", " ", (tmp_path / "report" / "report.md").read_text())
    assert "| astar | 5 |" in text
    assert "of the same search (run_id)" not in text
    assert "| configuration | count=3 (3 of 3) | count=5 (5 of 5) |" in text.partition("expanded by world.count")[2]
    assert "| astar | 3 of 3 | 5 of 5 |" in text.partition("successes by world.count")[2]
