"""What lies in the folder of a sweep: folders, finished rows, files that are gone on with, locks."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from runner.registry import UserError
from runner.result import COLUMNS
from runner.results import Writer, read_rows
from runner.sweep import folder
from runner.sweep.finished import Finished
from runner.sweep.folder import assign_folders, folder_of, folders_of
from runner.sweep.results import collect
from tests.runner.test_results import result

FAILED = {"error", "interrupted"}
LIMITS = {"time_limit", "node_limit", "memory_limit"}


def test_folders_follow_the_overrides(tmp_path: Path) -> None:
    sweep = tmp_path / "sweep"
    assert assign_folders(sweep, [["a=1"], ["a=2"]]) == ["0", "1"]
    for name, override in (("0", "a=1"), ("1", "a=2")):
        (sweep / name / ".hydra").mkdir(parents=True)
        (sweep / name / ".hydra" / "overrides.yaml").write_text(f"- {override}\n")
    assert assign_folders(sweep, [["a=2"], ["a=3"], ["a=1"]]) == ["1", "3", "0"]
    assert assign_folders(sweep, [["a=1"], ["a=1"]]) == ["0", "2"]
    assert folders_of(sweep) == ["0", "2"]
    assert [folder_of(sweep, number) for number in (0, 1, 5)] == ["0", "2", "5"]
    assert folders_of(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("retry", "again"),
    [("failed", FAILED), ("limits", FAILED | LIMITS), ("none", set())],
)  # fmt: skip
def test_what_is_finished(tmp_path: Path, retry: str, again: set[str]) -> None:
    statuses = [
        "solved",
        "unsolvable",
        "not_found",
        "died",
        "error",
        "interrupted",
        "time_limit",
        "node_limit",
        "memory_limit",
    ]
    with Writer(tmp_path / "0") as writer:
        for number, status in enumerate(statuses):
            writer.write(result(f"{number:012x}", status=status))
    finished = Finished(tmp_path, retry)  # type: ignore[arg-type]
    assert {status for number, status in enumerate(statuses) if not finished.has(f"{number:012x}", "")} == again
    assert finished.has("000000000000", "other limits") == (retry == "limits")
    assert not finished.has("0000000000ff", "")
    finished.add("0000000000ff", "", "solved")
    assert finished.has("0000000000ff", "")


def test_the_newest_finished_row_counts(tmp_path: Path) -> None:
    with Writer(tmp_path / "0") as writer:
        for run_id, status, cost in (
            ("a", "error", 1),
            ("b", "solved", 2),
            ("a", "solved", 3),
            ("b", "interrupted", 4),
            ("c", "error", 5),
            ("c", "error", 6),
        ):
            writer.write(result(run_id, status=status, cost=cost))
    (totals,) = collect(tmp_path)
    assert [(row["run_id"], row["cost"]) for row in read_rows(tmp_path / "results.csv")] == [
        ("b", "2"),
        ("a", "3"),
        ("c", "6"),
    ]
    assert (totals.rows, totals.faulty) == (3, 1)


def test_a_writer_goes_on_after_the_last_whole_line(tmp_path: Path) -> None:
    with Writer(tmp_path) as writer:
        writer.write(result("a", plan=("MOVE",)))
    for name in ("metrics.csv", "plans.jsonl"):
        with open(tmp_path / name, "ab") as file:
            file.write(b"half" * 50_000)
    with Writer(tmp_path, goes_on=True) as writer:
        writer.write(result("b", plan=("TURN",)))
    lines = (tmp_path / "metrics.csv").read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert [line.split(",")[0] for line in lines[1:]] == ["a", "b"]
    assert [json.loads(line)["run_id"] for line in (tmp_path / "plans.jsonl").read_text().splitlines()] == ["a", "b"]
    (tmp_path / "metrics.csv").write_bytes(b"run_id,wor")  # not even the header
    with Writer(tmp_path, goes_on=True) as writer:
        writer.write(result("c"))
    assert (tmp_path / "metrics.csv").read_text().splitlines()[0] == ",".join(COLUMNS)
    with pytest.raises(UserError, match="holds results already"):
        Writer(tmp_path)


def test_no_lock_where_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with folder.lock(tmp_path), folder.lock(tmp_path):
        pass


@pytest.mark.skipif(os.name != "posix", reason="locks are of POSIX")
def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """A worker may outlive the process that started it."""
    with Writer(tmp_path), pytest.raises(UserError, match="another process writes there"):
        Writer(tmp_path, goes_on=True)
    with Writer(tmp_path, goes_on=True) as writer:
        writer.write(result("a"))
