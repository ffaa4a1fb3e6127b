"""Files of results: columns, rows on disk, collecting, order."""

from __future__ import annotations

import dataclasses
import json
import os
from contextlib import closing
from pathlib import Path

import pytest

import runner
from runner.base.columns import NAMES, Declared
from runner.base.errors import UserError
from runner.base.metric import Metric
from runner.records.collect import collect
from runner.records.folder import SweepFolder
from runner.records.reader import read_rows
from runner.records.result import Result
from runner.records.row import RowFormat, cell_text
from runner.records.writer import Writer
from tests.runner.records.results import result, write
from worlds.files import atomic_write

DESIGNED = (
    "run_id world instance seed algorithm heuristic weighting status cost length reward valid bound expanded generated "
    "evaluated reopened iterations simulated_actions initial_h peak_nodes memory_bytes search_seconds cpu_seconds "
    "compile_seconds error"
)
OTHERS = "ties limits parameters reason moves actions stack expanded_before_last_layer label code"


def test_columns_are_the_designed_ones_and_the_fields_of_a_result() -> None:
    assert list(NAMES) == [*DESIGNED.split(), *OTHERS.split()]
    assert [field.name for field in dataclasses.fields(Result)][:-2] == list(NAMES)


def test_a_row_is_on_disk_when_write_returns(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "job", NAMES)) as writer:
        for n in range(3):
            write(writer, result(str(n), cost=n, plan=("MOVE",) * n, error='with "quotes", and\ta tab'), number=n)
            found = list(read_rows(tmp_path / "job" / "metrics.csv"))
            assert [row["run_id"] for row in found] == [str(k) for k in range(n + 1)]
            plans = (tmp_path / "job" / "plans.jsonl").read_text().splitlines()
            assert [json.loads(plan)["cost"] for plan in plans] == list(range(n + 1))
    assert found[2]["error"] == 'with "quotes", and\\ta tab'


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    with closing(Writer(tmp_path, NAMES)):
        pass
    with pytest.raises(UserError, match="holds results already"):
        Writer(tmp_path, NAMES)


def test_values_are_written_as_text() -> None:
    assert cell_text(None) == ""
    assert cell_text(True) == "True"
    form = RowFormat(Declared((Metric("speed"),)))
    for bound, text in ((1.0, "1"), (1.5, "1.5")):
        row = form.columns_of(form.encode(0, result("a", bound=bound, search_seconds=0.00012345)))
        assert (row["bound"], row["search_seconds"], row["speed"]) == (text, "0.000123", "")
    row = form.columns_of(form.encode(0, result("a", measured={"speed": 123456789.5})))
    assert float(row["speed"]) == 123456789.5


def test_collecting_keeps_the_order_of_cells_and_each_row_once(tmp_path: Path) -> None:
    for job, ids in (("0", "ab"), ("2", "c"), ("3", "ab"), ("10", "da")):
        with closing(Writer(tmp_path / job, NAMES)) as writer:
            for run_id in ids:
                write(writer, result(run_id, status="error" if run_id == "d" else "solved", cost=1))
    (tmp_path / "4").mkdir()
    totals = collect(SweepFolder(tmp_path))
    assert [row["run_id"] for row in read_rows(tmp_path / "results.csv")] == list("cbda")
    assert [(job.directory.name, job.rows, job.faulty) for job in totals] == [("2", 1, 0), ("3", 1, 0), ("10", 2, 1)]


def test_collecting_leaves_out_half_lines_and_keeps_unknown_columns(tmp_path: Path) -> None:
    for job in "01":
        with closing(Writer(tmp_path / job, NAMES)) as writer:
            write(writer, result(f"a{job}"))
    with open(tmp_path / "0" / "metrics.csv", "a") as file:
        file.write("half,a,li")
    first = (tmp_path / "1" / "metrics.csv").read_text().splitlines()
    (tmp_path / "1" / "metrics.csv").write_text(f"{first[0]},score\n{first[1]},7\n")
    collect(SweepFolder(tmp_path))
    found = list(read_rows(tmp_path / "results.csv"))
    assert [(row["run_id"], row["score"]) for row in found] == [("a0", ""), ("a1", "7")]


def write_whole(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text)


def test_an_atomic_write_that_fails_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "a.json", "old")

    def fail(*_: object) -> None:
        raise OSError("disk")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk"):
        write_whole(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_read_returns_a_table_of_a_sweep_a_cell_or_a_file(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "0", NAMES)) as writer:
        write(writer, result("a", cost=3, valid=True, instance="NA"))
    collect(SweepFolder(tmp_path))
    for path in (tmp_path, tmp_path / "0", tmp_path / "results.csv"):
        table = runner.read(path)
        assert table.loc[0, "cost"] == 3
        assert table.loc[0, "valid"]
        assert table.loc[0, "instance"] == "NA"
        assert table["seed"].isna().all()


@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are of POSIX")
def test_a_row_that_cannot_be_written_completely_is_removed(tmp_path: Path) -> None:
    """The limit of the file size lets the writer write only the first ten bytes of the row."""
    import resource

    file = tmp_path / "metrics.csv"
    with closing(Writer(tmp_path, NAMES)) as writer:
        write(writer, result("a"))
        before = file.read_bytes()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
        try:
            with pytest.raises(OSError, match="File too large"):
                write(writer, result("b"), number=1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert file.read_bytes() == before


def test_rows_of_many_parts_are_merged(tmp_path: Path) -> None:
    for number in range(300):
        with closing(Writer(tmp_path / f"part-{299 - number}", NAMES)) as writer:
            write(writer, result(f"{number:012x}"), number=number)
    Writer(tmp_path, NAMES, goes_on=True, known={number: number for number in range(300)}).close(is_complete=True)
    assert [row["run_id"] for row in read_rows(tmp_path / "metrics.csv")] == [f"{n:012x}" for n in range(300)]


def test_rows_of_an_interrupted_cell_are_sorted(tmp_path: Path) -> None:
    with closing(Writer(tmp_path, NAMES)) as writer:
        for number in (3, 1, 2):
            write(writer, result(f"{number:012x}"), number=number)
    assert [row["run_id"][-1] for row in read_rows(tmp_path / "metrics.csv")] == ["1", "2", "3"]


def test_rows_of_a_complete_cell_are_sorted_and_include_its_parts(tmp_path: Path) -> None:
    """Rows are written in any order. Rows of the same instance keep their order."""
    with closing(Writer(tmp_path / "part-3", NAMES)) as writer:
        write(writer, result("d", plan=("D",)), number=3)
    with closing(Writer(tmp_path, NAMES)) as writer:
        write(writer, result("c", plan=("C",)), number=2)
        write(writer, result("a", status="error"), result("b", plan=("B",)))
    writer = Writer(tmp_path, NAMES, goes_on=True, known={0xB: 1, 0xC: 2, 0xD: 3})
    write(writer, result("a", plan=("A",)), number=0)
    writer.close(is_complete=True)
    found = [(row["run_id"], row["status"]) for row in read_rows(tmp_path / "metrics.csv")]
    assert found == [("a", "error"), ("a", "solved"), ("b", "solved"), ("c", "solved"), ("d", "solved")]
    plans = [json.loads(line) for line in (tmp_path / "plans.jsonl").read_text().splitlines()]
    assert [plan["actions"] for plan in plans] == [["A"], ["B"], ["C"], ["D"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["metrics.csv", "part-3", "plans.jsonl"]
    assert not list((tmp_path / "part-3").iterdir())
