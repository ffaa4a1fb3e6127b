"""Folder of a sweep: folders of its cells, finished rows, incomplete files, locks."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from runner.base.errors import UserError
from runner.base.files import atomic_write
from runner.base.result import NAMES
from runner.base.status import Retry
from runner.records.csv_table import read_rows
from runner.records.folder import Job, SweepFolder, refuse_occupied
from runner.records.log import LogWriter
from runner.records.rule import RowRule
from runner.records.run_folder import RecordFile
from runner.records.view import SweepLogs, collect
from tests.runner.records.results import result, write

FAILED = {"error", "interrupted"}
LIMITS = {"time_limit", "node_limit", "memory_limit"}


def job(name: str, cell: str, search: str = "s", instances: int = 1) -> Job:
    return Job(name, [f"a={cell}"], cell, search, instances)


def test_a_cell_keeps_its_folder_and_a_new_cell_gets_a_free_one(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path / "sweep")
    first, second, third = ("1", "s"), ("2", "s"), ("3", "t")
    assert folder.allocate([first, None, second]) == ["0", "1", "2"]
    folder.path.mkdir()
    folder.record([job("0", "1"), job("2", "2")])
    for name in "02":
        (folder.path / name).mkdir()
    assert folder.allocate([second, third, first]) == ["2", "1", "0"]
    assert folder.allocate([first, first]) == ["0", "1"]
    assert folder.allocate([("9", "s")]) == ["3"], "0 is taken"
    assert folder.allocate([("9", "s")], with_limits=False) == ["0"]
    folder.record([job("1", "3", "t")])
    assert folder.allocate([first, third]) == ["0", "1"], "cells of earlier commands stay on record"
    assert [each.folder for each in folder.jobs()] == ["1"]
    (folder.path / "jobs.json").write_text("[")
    assert folder.allocate([first]) == ["3"]
    with pytest.raises(UserError, match=r"jobs\.json: is corrupt"):
        folder.jobs()


@pytest.mark.parametrize(
    ("retry", "again"),
    [("failed", FAILED), ("limits", FAILED | LIMITS), ("none", set())],
)  # fmt: skip
def test_retry_decides_which_rows_are_finished(tmp_path: Path, retry: Retry, again: set[str]) -> None:
    statuses = ["solved", "unsolvable", "cutoff", "died", *sorted(FAILED), *sorted(LIMITS)]
    with closing(LogWriter(tmp_path / "0", NAMES)) as writer:
        write(writer, *(result(f"{number:012x}", status=status) for number, status in enumerate(statuses)))
    logs = SweepLogs(tmp_path)
    log = logs.logs[tmp_path / "0"]
    assert logs.rows == len(log) == len(statuses)
    rule = RowRule("", "")

    def unfinished(rule: RowRule) -> set[str]:
        return {status for row, status in enumerate(statuses) if not rule.is_finished(log.kind(row), retry)}

    assert unfinished(RowRule()) == again
    assert {status for key, status in enumerate(statuses) if logs.find(key, rule, retry) is None} == again
    assert logs.find(0, rule, retry) == (log, 0)
    assert logs.find(0, rule._replace(limits="other limits"), retry) is None
    assert logs.find(0, rule._replace(code="other code"), retry) is None
    assert logs.find(0, RowRule(), retry) == (log, 0)
    assert logs.find(0xFF, RowRule(), retry) is None
    once = unfinished(RowRule(repeat=2))
    assert once == again | (set() if retry == "none" else {"solved", "unsolvable", "cutoff", "died"})


def test_the_newest_finished_row_of_a_search_is_collected(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path / "0", NAMES)) as writer:
        for number, run_id, status, cost in (
            (0, "a", "error", 1),
            (1, "b", "solved", 2),
            (0, "a", "solved", 3),
            (1, "b", "interrupted", 4),
            (2, "c", "error", 5),
            (2, "c", "error", 6),
        ):
            write(writer, result(run_id, status=status, cost=cost), number=number)
    (totals,) = collect(SweepFolder(tmp_path))
    found = [(row["run_id"], row["cost"]) for row in read_rows(tmp_path / "results.csv")]
    assert found == [("a", "3"), ("b", "2"), ("c", "6")]
    assert (totals.rows, totals.faulty) == (3, 1)


def test_a_writer_appends_after_the_last_complete_line(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("a", plan=("MOVE",)))
    for name in ("metrics.csv", "plans.jsonl"):
        with open(tmp_path / name, "ab") as file:
            file.write(b"half" * 50_000)
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("b", plan=("TURN",)))
    lines = (tmp_path / "metrics.csv").read_text().splitlines()
    assert lines[0] == ",".join(NAMES)
    assert [line.split(",")[0] for line in lines[1:]] == ["a", "b"]
    assert [json.loads(line)["run_id"] for line in (tmp_path / "plans.jsonl").read_text().splitlines()] == ["a", "b"]
    (tmp_path / "metrics.csv").write_bytes(b"run_id,wor")  # not even the header
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("c"))
    assert (tmp_path / "metrics.csv").read_text().splitlines()[0] == ",".join(NAMES)
    with pytest.raises(UserError, match="holds results already"):
        refuse_occupied(tmp_path)


def test_a_file_system_without_locks_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("runner.records.log.lock_descriptor", fail)
    SweepFolder(tmp_path).lock()
    SweepFolder(tmp_path).lock()


def test_a_second_process_cannot_lock_a_folder(tmp_path: Path) -> None:
    first = SweepFolder(tmp_path)
    first.lock()
    assert first.is_locked()
    with pytest.raises(UserError, match=f"another process may be writing to this folder \\(process {os.getpid()} on"):
        SweepFolder(tmp_path).lock()
    first.unlock()
    task = SweepFolder(tmp_path)
    task.lock_as_task("7_1")
    assert not first.is_locked()
    assert first.is_locked(by_tasks=True)
    with pytest.raises(UserError, match="tasks of a cluster, such as 7_1"):
        SweepFolder(tmp_path).lock()


@pytest.mark.skipif(os.name != "posix", reason="other systems do not tell whether a process runs")
def test_a_lock_removes_what_killed_processes_have_left_over(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    with atomic_write(tmp_path / "0" / RecordFile.METRICS):
        (live,) = (tmp_path / "0").iterdir()
    dead = live.with_name(live.name.replace(RecordFile.METRICS, RecordFile.PLANS))
    for file in (live, dead):
        file.touch()
    os.utime(dead, (0, 0))
    SweepFolder(tmp_path).lock()
    assert (live.exists(), dead.exists()) == (True, False)


def test_a_lock_keeps_what_is_not_of_cells(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.record([job("c/4", "1")])
    ours = ("0/refused.txt", "c/4/failed.txt", "c/4/part-0/failed.txt", "named/refused.txt", ".jobs.json.0123abcd.tmp")
    theirs = ("notes/refused.txt", "0/notes/failed.txt", "c/refused.txt", ".mine.tmp", "notes/.a.0123abcd.tmp")
    for name in (*ours, *theirs):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    folder.lock(["named"])
    assert [name for name in ours if (tmp_path / name).exists()] == []
    assert [name for name in theirs if not (tmp_path / name).exists()] == []
    assert not (tmp_path / "named").exists()


@pytest.mark.skipif(os.name != "posix", reason="locks are of POSIX")
def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """A worker may outlive the process that started it, and still hold its files."""
    with closing(LogWriter(tmp_path, NAMES)), pytest.raises(UserError, match="another process is writing to this file"):
        LogWriter(tmp_path, NAMES)
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("a"))
