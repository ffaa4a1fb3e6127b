"""The rows of a sweep are the same before and after its rows are collected."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

import runner
from runner.base.columns import NAMES
from runner.records.folder import Job, SweepFolder
from runner.records.latest import SWEEP
from runner.records.log import LogWriter
from runner.records.row import key_of
from runner.records.table import tables_in
from runner.records.view import collect
from runner.reports.runs import load
from tests.runner.records.results import result, write

# what a row says: run_id, cost, number, other columns
Line = tuple[str, int, int, dict[str, str]]


def cell(folder: Path, *lines: Line) -> None:
    with closing(LogWriter(folder, NAMES, goes_on=True)) as writer:
        for run_id, cost, number, others in lines:
            write(writer, result(run_id, cost=cost, **{"code": "new", "limits": "none", **others}), number=number)


def job(name: str, swept: str, **others: object) -> Job:
    values = {"algorithm.ties": swept}
    return Job(name, [], name, name, 9, code="new", limits="none", values=values, swept=[*values], **others)  # type: ignore[arg-type]


def complete(sweep: Path) -> list[Job]:
    for name in "01":
        cell(sweep / name, *((f"{name}{number}", 5, number, {}) for number in range(3)))
    return [job("0", "fifo"), job("1", "lifo")]


def interrupted(sweep: Path) -> list[Job]:
    cell(
        sweep / "0",
        ("b", 2, 1, {}),
        ("a", 1, 0, {"status": "error"}),
        ("a", 3, 0, {}),
        ("b", 9, 1, {"status": "error"}),
    )
    with open(sweep / "0" / "metrics.csv", "ab") as file:
        file.write(b"c,half a li")
    return [job("0", "fifo"), job("1", "lifo")]


def with_parts(sweep: Path) -> list[Job]:
    cell(sweep / "0", ("a", 1, 0, {"status": "error"}), ("c", 1, 2, {}))
    cell(sweep / "0" / "part-1", ("a", 2, 0, {}), ("b", 2, 1, {}))
    cell(sweep / "1" / "part-0", ("d", 2, 1, {}), ("e", 2, 0, {}))
    return [job("0", "fifo"), job("1", "lifo")]


def stale(sweep: Path) -> list[Job]:
    cell(sweep / "0", *((f"{number}", 1, number, {"code": "old"}) for number in range(3)), ("0", 2, 0, {}))
    cell(sweep / "1", ("e0", 3, 0, {}), ("f0", 3, 1, {}), ("e1", 4, 0, {}))  # an instance has changed, and one is gone
    return [job("0", "fifo"), job("1", "lifo", gone=[key_of("f0")])]


def overlapping(sweep: Path) -> list[Job]:
    cell(sweep / "0", ("a", 1, 0, {}), ("b", 1, 1, {"status": "error"}))
    cell(sweep / "1", ("b", 2, 1, {}), ("a", 2, 0, {}))
    cell(sweep / "2", ("a", 1, 0, {}))
    return [job("0", "fifo", is_current=False), job("1", "fifo"), job("2", "lifo")]


@pytest.mark.parametrize(
    ("made", "count"), [(complete, 6), (interrupted, 2), (with_parts, 5), (stale, 2), (overlapping, 3)]
)
def test_rows_are_the_same_before_and_after_they_are_collected(
    tmp_path: Path, made: Callable[[Path], list[Job]], count: int
) -> None:
    sweep = SweepFolder(tmp_path / "sweep")
    sweep.path.mkdir()
    (sweep.path / SWEEP).touch()
    collect(sweep)  # an empty table
    os.utime(sweep.path / "results.csv", (1, 1))
    sweep.record(made(sweep.path))
    files = {file: file.read_bytes() for file in sweep.path.rglob("*") if file.is_file()}
    read, reported = runner.read(sweep.path), load([sweep.path])
    assert {file: file.read_bytes() for file in sweep.path.rglob("*") if file.is_file()} == files
    assert len(read) == count
    collect(sweep)
    with tables_in([sweep.path]) as (table,):
        assert table.file == sweep.path / "results.csv"
    pd.testing.assert_frame_equal(read, runner.read(sweep.path))
    again = load([sweep.path])
    pd.testing.assert_frame_equal(reported.table, again.table)
    assert reported.notes == again.notes


def test_a_run_and_its_parts_are_read_in_the_order_of_the_instances(tmp_path: Path) -> None:
    cell(tmp_path / "run", ("b", 1, 1, {}), ("a", 1, 0, {}))
    cell(tmp_path / "other" / "part-0", ("d", 1, 1, {}))
    cell(tmp_path / "other" / "part-1", ("c", 1, 0, {}), ("d", 2, 1, {}))
    found = runner.read(tmp_path)
    rows = found[["run_id", "cost"]].to_numpy().tolist()
    assert rows == [["c", 1], ["d", 2], ["a", 1], ["b", 1]]
    assert [Path(each).name for each in found["folder"]] == ["other", "other", "run", "run"]
