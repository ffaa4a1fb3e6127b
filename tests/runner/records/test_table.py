"""The rows of a sweep are the same before and after its rows are collected."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock
from zipfile import ZipFile

import pandas as pd
import pytest

import runner
from runner.base.errors import UserError
from runner.base.result import NAMES
from runner.features.reports.runs import load
from runner.records.folder import Job, SweepFolder
from runner.records.log import LogWriter
from runner.records.run_folder import RecordFile
from runner.records.table import ResultTable
from runner.records.view import collect
from tests.runner.records.results import result, write

# what a row says: run_id, cost, number, other columns
Line = tuple[str, int, int, dict[str, str]]


def cell(folder: Path, *lines: Line) -> None:
    with closing(LogWriter(folder, NAMES)) as writer:
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
    cell(sweep / "1", ("e", 3, 0, {}), ("e", 4, 1, {}))  # the instance has moved
    return [job("0", "fifo"), job("1", "lifo")]


def overlapping(sweep: Path) -> list[Job]:
    cell(sweep / "0", ("a", 1, 0, {}), ("b", 1, 1, {"status": "error"}))
    cell(sweep / "1", ("b", 2, 1, {}), ("a", 2, 0, {}))
    cell(sweep / "2", ("a", 1, 0, {}))
    return [job("0", "fifo", is_current=False), job("1", "fifo"), job("2", "lifo")]


def unrecorded(sweep: Path) -> list[Job]:
    cell(sweep / "0", ("a", 1, 0, {}), ("b", 1, 1, {}))
    cell(sweep / "1", ("a", 1, 0, {}), ("c", 1, 2, {}))
    return [job("0", "fifo")]


@pytest.mark.parametrize(
    ("made", "count"),
    [(complete, 6), (interrupted, 2), (with_parts, 5), (stale, 2), (overlapping, 3), (unrecorded, 3)],
)
def test_rows_are_the_same_before_and_after_they_are_collected(
    tmp_path: Path, made: Callable[[Path], list[Job]], count: int
) -> None:
    sweep = SweepFolder(tmp_path / "sweep")
    sweep.path.mkdir()
    (sweep.path / RecordFile.SWEEP).touch()
    collect(sweep)  # an empty table
    os.utime(sweep.path / "results.csv", (1, 1))
    sweep.record(made(sweep.path))
    files = {file: file.read_bytes() for file in sweep.path.rglob("*") if file.is_file()}
    read, reported = runner.read(sweep.path), load([sweep.path])
    assert {file: file.read_bytes() for file in sweep.path.rglob("*") if file.is_file()} == files
    assert len(read) == count
    collect(sweep)
    with ResultTable.below([sweep.path]) as (table,):
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


def test_thousands_of_tables_are_parsed_at_once_and_temporary_files_are_not_forced_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsing a table takes pandas milliseconds, even without rows; so does waiting for the disk."""
    for number in range(20):  # not in the order of the instances, so that their rows are collected
        cell(tmp_path / "runs" / str(number), (f"b{number}", 1, 1, {}), (f"a{number}", number, 0, {}))
    with ZipFile(tmp_path / "runs.zip", "w") as archive:
        for file in sorted((tmp_path / "runs").rglob("metrics.csv")):
            archive.write(file, file.relative_to(tmp_path))
        archive.writestr("runs/empty/metrics.csv", b"")
    parsed = Mock(side_effect=pd.read_csv)
    monkeypatch.setattr(pd, "read_csv", parsed)
    monkeypatch.setattr(os, "fsync", Mock(side_effect=AssertionError))
    for path in (tmp_path / "runs", tmp_path / "runs.zip"):
        found = runner.read(path)
        assert found["run_id"].to_list() == [f"{letter}{number}" for number in range(20) for letter in "ab"]
        assert found["folder"].to_list() == [str(path / str(number)) for number in range(20) for _ in "ab"]
        assert found["cost"].to_list() == [cost for number in range(20) for cost in (number, 1)]
    assert parsed.call_count == 2


def test_tables_of_others_are_joined_as_pandas_reads_each(tmp_path: Path) -> None:
    texts = {
        "quoted.csv": 'run_id,cost,error\na,1,"one, two"\n\n"b",2,"two\nlines"\nc\n',
        "windows.csv": "\ufeffrun_id,cost,error\r\nd,4,\r\ne,5,grün",
        "more.csv": "run_id,depth\nf,6\n",
    }
    files = [tmp_path / name for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text, encoding="utf-8", newline="")
    each = [pd.read_csv(file, keep_default_na=False, na_values=[""]).assign(folder=str(tmp_path)) for file in files]
    expected = pd.concat(each, ignore_index=True)
    pd.testing.assert_frame_equal(runner.read(files)[[*expected]], expected, check_dtype=False)
    pd.testing.assert_frame_equal(runner.read(files[0]), each[0].drop(columns="folder"), check_dtype=False)


HEADER = ",".join(NAMES)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{HEADER}\n{2**21 * 'x'}\n", "line 2 is longer than 1,048,576 bytes"),
        (f"{HEADER}\n{200_000 * 'x'}{(len(NAMES) - 1) * ','}\n", "field larger than field limit"),
        (f'{HEADER}\n"{200_000 * "x" + chr(10)}"\n', "field larger than field limit"),
        (f"{HEADER}\n{len(NAMES) * ','}\n", f"line 2: expected {len(NAMES)} fields, got {len(NAMES) + 1}"),
        ("", "it has no columns"),
    ],
    ids=["a long line", "a long field", "a long field of short lines", "a field too many", "nothing"],
)
def test_a_line_that_is_no_row_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "results.csv").write_text(text)
    with pytest.raises(UserError, match=problem):
        runner.read(tmp_path)
    if "long" in problem or "large" in problem:  # what does not fit the columns is left out of a log
        (tmp_path / "results.csv").rename(tmp_path / "metrics.csv")
        with pytest.raises(UserError, match=problem):
            runner.read(tmp_path)


def test_whole_numbers_beside_missing_values_keep_all_digits(tmp_path: Path) -> None:
    seed = 1234567890123456789
    texts = {
        "some.csv": f"run_id,cost,seed,world.size\na,{2**60 + 1},{seed},2\nb,,,\n",
        "all.csv": f"run_id,seed,world.size\nc,{seed + 1},3\n",
        "none.csv": "run_id,seed\nd,\n",
        "other.csv": "run_id,cost\ne,3\n",
    }
    files = [tmp_path / name for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text)
    found = runner.read(files)
    assert found["seed"].dropna().to_list() == [seed, seed + 1]
    assert [str(found[name].dtype) for name in ("seed", "world.size")] == ["Int64", "Int64"]
    assert found["cost"].dropna().to_list() == [2**60 + 1, 3]
    files[-1].write_text("run_id,cost\ne,3\nf,\n")
    assert runner.read(files[-1])["cost"].dtype == "float64"  # a metric that floats can hold


def test_values_of_a_swept_key_that_are_equal_as_numbers_stay_apart(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        "run_id,cost,algorithm.arguments.a,algorithm.arguments.b,algorithm.weight\na,1.10,1.10,010,1.0\nb,1.1,1.1,8,1e-05\n"
    )
    found = runner.read(file)
    assert found["algorithm.arguments.a"].to_list() == ["1.10", "1.1"]
    assert found["algorithm.arguments.b"].to_list() == ["010", "8"]
    assert found["algorithm.weight"].to_list() == [1.0, 1e-05]
    assert found["cost"].to_list() == [1.1, 1.1]
