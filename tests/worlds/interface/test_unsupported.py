"""Files of users that cannot be read, in runs, sweeps and reports."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from tests import runner_cli

GOOD = "1 2 3 4 5 6 7 0 8"
COMMAND = ("world=npuzzle/file", "world.path=boards", "heuristic=manhattan")


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    """Return a folder with two files that can be read, and one between them that cannot."""
    folder = tmp_path / "boards"
    folder.mkdir()
    for name, text in (("a", GOOD), ("b", "1 2 3 4 5 6 7 8 8"), ("c", f"{GOOD}\n{GOOD[::-1]}")):
        (folder / f"{name}.txt").write_text(f"{text}\n")
    return folder


def rows(folder: Path, name: str = "results.csv") -> dict[str, dict[str, str]]:
    with (folder / name).open() as file:
        return {row["instance"]: row for row in csv.DictReader(file)}


def test_a_file_of_a_folder_that_cannot_be_read_is_a_row(boards: Path, tmp_path: Path) -> None:
    done = runner_cli.run(tmp_path, *COMMAND, "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out", "metrics.csv")
    assert [(name, row["status"]) for name, row in found.items()] == [
        ("a_1", "solved"), ("b", "unsupported"), ("c_1", "solved"), ("c_2", "solved"),
    ]  # fmt: skip
    reason = "boards/b.txt: line 1: "
    assert found["b"]["reason"].startswith(reason)
    assert found["b"]["error"] == found["b"]["expanded"] == found["b"]["search_seconds"] == ""
    assert f"1 row unsupported: {reason}" in done.stderr


def test_files_can_be_left_out_or_refuse_the_run(boards: Path, tmp_path: Path) -> None:
    done = runner_cli.run(tmp_path, *COMMAND, "world.unsupported=skip", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert [*rows(tmp_path / "out", "metrics.csv")] == ["a_1", "c_1", "c_2"]
    assert "note: world.unsupported: skip leaves out 1 file: boards/b.txt: line 1: " in done.stderr
    for override in ("world.unsupported=refuse", "world.path=boards/b.txt"):
        done = runner_cli.run(tmp_path, *COMMAND, override, "hydra.run.dir=refused")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), override
        assert not (tmp_path / "refused").exists()


def test_a_folder_without_a_file_that_can_be_read_is_skipped_in_a_sweep(boards: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (boards / "b.txt").rename(tmp_path / "broken" / "b.txt")
    done = runner_cli.run(tmp_path, "-m", *COMMAND, "world.path=boards,broken", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert "world.path=broken heuristic=manhattan: skipped: no file can be read: broken/b.txt: line 1" in done.stderr
    assert len(rows(tmp_path / "out")) == 3


def test_a_repaired_file_is_searched_when_the_sweep_goes_on(boards: Path, tmp_path: Path) -> None:
    command = ("-m", *COMMAND, "algorithm=astar,greedy", "hydra.sweep.dir=out")
    assert runner_cli.run(tmp_path, *command).returncode == 0
    done = runner_cli.run(tmp_path, *command, "dry_run=true")
    assert "nothing to do" in done.stdout
    (boards / "b.txt").write_text(GOOD)
    done = runner_cli.run(tmp_path, *command)
    assert done.returncode == 0
    assert {row["status"] for row in rows(tmp_path / "out").values()} == {"solved"}


def test_reports_count_unsupported_rows_apart(boards: Path, tmp_path: Path) -> None:
    runner_cli.run(tmp_path, *COMMAND, "hydra.run.dir=out")
    done = runner_cli.run(tmp_path, "report", "out", "--format=markdown")
    assert done.returncode == 0, done.stderr
    text = "".join(path.read_text() for path in tmp_path.rglob("*.md")) + done.stdout + done.stderr
    assert "1 row unsupported, not counted: 1 x boards/b.txt: line 1: " in text
    assert "100.0%" in text


def test_instances_for_python_and_audits_refuse_the_folder(boards: Path) -> None:
    with pytest.raises(UserError, match=r"b\.txt: line 1"):
        runner.load("npuzzle/file", path=str(boards))
    with pytest.raises(UserError, match=r"b\.txt: line 1"):
        runner.audit("npuzzle/file", "manhattan", path=str(boards))
    row = runner.solve(runner.load("npuzzle/file", path=str(boards), unsupported="row")[1])
    assert (row.status, row.instance) == ("unsupported", "b")


def test_a_name_that_is_used_twice_is_a_row_with_the_path_as_its_name(boards: Path, tmp_path: Path) -> None:
    (boards / "b.txt").write_text(f"a_1: {GOOD}")
    (boards / "d.txt").write_text(f"a_1: {GOOD}")
    (boards / "sub").mkdir()
    done = runner_cli.run(tmp_path, *COMMAND, "world.path=boards/*.txt", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out", "metrics.csv")
    assert "the name 'a_1' is already used in boards/a.txt" in found["b"]["reason"]
    assert found["d"]["status"] == "unsupported"
