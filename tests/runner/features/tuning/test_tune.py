"""The command ``tune``: rows, results, and how it continues."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import Any

import pandas as pd
import pytest
import yaml

import runner
from runner.execution import SweepCell, execute
from runner.features.tuning import searches
from tests import runner_cli
from tests.runner.features.tuning.test_scenario import WEIGHT

TUNE: dict[str, Any] = {
    "fixed": {"algorithm": "astar", "weighting": "constant", "heuristic": "manhattan", "limits.nodes": 50_000},
    "parameters": {"weighting.weight": WEIGHT},
    "train": {"world": "npuzzle/random", "world.size": 3, "world.count": 12, "world.seed": 1},
    "test": {"world": "npuzzle/random", "world.size": 3, "world.count": 8, "world.seed": 900},
    "budget": 90,
}


class Killed(BaseException):
    """Stand-in for kill -9."""


def file_in(folder: Path, **changes: Any) -> str:
    (folder / "tuning.yaml").write_text(yaml.safe_dump({"tune": {**TUNE, **changes}}, sort_keys=False))
    return "tuning.yaml"


def test_one_command_tunes_tests_and_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_in(tmp_path)
    done = runner_cli.run(tmp_path, "tune", file, "workers=0", "--out", "whole")
    assert done.returncode == 0, done.stderr
    assert "best found: " in done.stdout
    history = pd.read_csv(tmp_path / "whole/incumbents.csv")
    assert history["spent"].iloc[-1] <= 90

    killed_after(4, tmp_path, "parts", monkeypatch)
    before = {file: file.read_bytes() for file in (tmp_path / "parts").rglob("metrics.csv")}
    assert before
    done = runner_cli.run(tmp_path, "tune", file, "workers=0", "--out", "parts")
    assert done.returncode == 0, done.stderr
    names = ("incumbents.csv", "experiment/tuned.yaml", "tuning/report.md")
    for name in names:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()

    rows = runner.read(tmp_path / "whole")
    assert set(rows["world.seed"].astype(int)) == {1, 900}
    assert (rows.groupby("run_id").size() == 1).all()
    searched = pd.concat(pd.read_csv(each) for each in (tmp_path / "whole").glob("*/**/metrics.csv"))
    assert not searched.duplicated(["run_id", "limits"]).any()  # no pair is searched twice

    done = runner_cli.run(tmp_path, "status", "whole")
    assert " capped\n" in done.stdout
    assert "failed" not in done.stdout

    page = (tmp_path / "whole/tuning/report.md").read_text()
    assert "best in hindsight" in page
    words = ("--config-dir", "whole", "+experiment=tuned", "world=npuzzle/random", "world.count=1", "workers=0")
    done = runner_cli.run(tmp_path, *words)
    assert done.returncode == 0, done.stderr


def killed_after(batches: int, folder: Path, out: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Tune until a number of batches of searches has been made, and return the number of rows."""
    left = [batches]

    def killed(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return execute(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(searches, "execute", killed)
        with pytest.raises(Killed):
            runner_cli.run(folder, "tune", "tuning.yaml", "workers=0", "--out", out)
    return rows_in(folder / out)


def rows_in(folder: Path) -> int:
    return sum(len(file.read_text().splitlines()) - 1 for file in folder.rglob("metrics.csv"))


def test_halves_of_two_machines_give_the_same_incumbents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_in(tmp_path)
    killed_after(3, tmp_path, "mine", monkeypatch)
    other = killed_after(8, tmp_path, "other", monkeypatch)
    copytree(tmp_path / "other", tmp_path / "mine", dirs_exist_ok=True)
    assert rows_in(tmp_path / "mine") == other
    made: list[int] = []

    def counted(cells: Sequence[SweepCell], *others: Any) -> Any:
        made[-1] += sum(each.missing_count for each in cells)
        return execute(cells, *others)

    monkeypatch.setattr(searches, "execute", counted)
    for out in ("mine", "whole"):
        made.append(0)
        assert runner_cli.run(tmp_path, "tune", file, "workers=0", "--out", out).returncode == 0
    assert made[0] + other == made[1]  # the rows of the other machine were found
    names = ("incumbents.csv", "experiment/tuned.yaml", "tuning/report.md")
    assert [(tmp_path / "mine" / name).read_bytes() for name in names] == [
        (tmp_path / "whole" / name).read_bytes() for name in names
    ]


@pytest.mark.long
def test_a_race_that_is_killed_at_random_moments_has_the_same_incumbents(tmp_path: Path) -> None:
    file, draw = file_in(tmp_path), random.Random(0)
    for _ in range(20):
        words = runner_cli.command("tune", file, "workers=2", "--out", "parts")
        process = subprocess.Popen(words, cwd=tmp_path, env=runner_cli.environment(), stderr=subprocess.DEVNULL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(2, 12))
        process.kill()
        process.wait()
    for out in ("parts", "whole"):
        done = runner_cli.run_process(tmp_path, "tune", file, "workers=0", "--out", out)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "parts/incumbents.csv").read_bytes() == (tmp_path / "whole/incumbents.csv").read_bytes()


def test_a_budget_in_time_ends_and_repeats_with_the_times_that_it_has_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, clock = file_in(tmp_path, budget="4s"), [0.0]

    def timed(cells: Sequence[SweepCell], *others: Any) -> Any:
        clock[0] += 0.05 * sum(each.missing_count for each in cells)
        return execute(cells, *others)

    monkeypatch.setattr(searches, "execute", timed)
    monkeypatch.setattr(searches, "monotonic", lambda: clock[0])
    texts = []
    for _ in range(2):
        done = runner_cli.run(tmp_path, "tune", file, "workers=0", "--out", "out")
        assert done.returncode == 0, done.stderr
        texts.append([(tmp_path / "out" / name).read_text() for name in ("incumbents.csv", "seconds.txt")])
    assert texts[0] == texts[1]  # the second command has searched nothing


MISTAKES: dict[str, dict[str, Any]] = {
    "tune.test: instance uniform-3x3-1 is one of tune.train, too": {"test": {**TUNE["train"]}},
    "tune.objective: 'expandd' is no metric with a better direction; did you mean 'expanded'?": {
        "objective": "expandd"
    },
    "tune.objective: 'initial_h' is no metric with a better direction": {"objective": "initial_h"},
    "tune.budget: the first race needs 72 searches; expected at least as many, got 20": {"budget": 20},
    "tune.capping: no limit counts cost": {"objective": "cost", "capping": 1.2},
    "weighting.wieght: unknown": {"parameters": {"weighting.wieght": WEIGHT}},
}


@pytest.mark.parametrize("problem", MISTAKES)
def test_mistakes_are_one_line(tmp_path: Path, problem: str) -> None:
    done = runner_cli.run(tmp_path, "tune", file_in(tmp_path, **MISTAKES[problem]))
    assert done.returncode == 2
    line = done.stderr.strip().splitlines()[-1]
    assert problem in line


def test_a_key_of_the_file_is_no_override(tmp_path: Path) -> None:
    done = runner_cli.run(tmp_path, "tune", file_in(tmp_path), "weighting.weight=3")
    assert done.returncode == 2
    assert "weighting.weight=3: tuning.yaml sets this itself" in done.stderr
