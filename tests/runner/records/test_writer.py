"""Files of results."""

from __future__ import annotations

import dataclasses
import io
import json
from contextlib import closing
from pathlib import Path

import pytest

import runner
from runner.columns import NAMES, Declared
from runner.execution import attempt
from runner.metric import Metric
from runner.records import writer as writer_module
from runner.records.collect import collect
from runner.records.folder import SweepFolder
from runner.records.reader import read_rows
from runner.records.result import Result
from runner.records.row import RowFormat, text_of
from runner.records.writer import Writer
from runner.registry import UserError
from tests.runner.records.results import result, write
from worlds.files import atomic_write

DESIGNED = (
    "run_id world instance seed algorithm heuristic weighting status cost length reward valid bound expanded generated "
    "evaluated reopened iterations simulated_actions initial_h peak_nodes memory_bytes search_seconds cpu_seconds "
    "compile_seconds error"
)
OTHERS = "ties limits parameters reason moves actions stack expanded_before_last_layer label code"


def test_columns_are_those_of_the_design() -> None:
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


def test_values_as_text() -> None:
    assert text_of(None) == ""
    assert text_of(True) == "True"
    form = RowFormat(Declared((Metric("speed"),)))
    for bound, text in ((1.0, "1"), (1.5, "1.5")):
        row = form.columns_of(form.encode(0, result("a", bound=bound, search_seconds=0.00012345)))
        assert (row["bound"], row["search_seconds"], row["speed"]) == (text, "0.000123", "")
    row = form.columns_of(form.encode(0, result("a", measured={"speed": 123456789.5})))
    assert float(row["speed"]) == 123456789.5


def test_collecting_keeps_job_order_and_each_row_once(tmp_path: Path) -> None:
    for job, ids in (("0", "ab"), ("2", "c"), ("3", "ab"), ("10", "da")):
        with closing(Writer(tmp_path / job, NAMES)) as writer:
            for run_id in ids:
                write(writer, result(run_id, status="error" if run_id == "d" else "solved", cost=1))
    (tmp_path / "4").mkdir()
    totals = collect(SweepFolder(tmp_path))
    assert [row["run_id"] for row in read_rows(tmp_path / "results.csv")] == list("cbda")
    assert [(job.directory.name, job.rows, job.faulty) for job in totals] == [("2", 1, 0), ("3", 1, 0), ("10", 2, 1)]


def test_half_written_lines_and_later_columns(tmp_path: Path) -> None:
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


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "a.json", "old")

    def fail(*_: object) -> None:
        raise OSError("disk")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk"):
        write_whole(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_reading_as_a_table(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "0", NAMES)) as writer:
        write(writer, result("a", cost=3, valid=True, instance="NA"))
    collect(SweepFolder(tmp_path))
    for path in (tmp_path, tmp_path / "0", tmp_path / "results.csv"):
        table = runner.read(path)
        assert table.loc[0, "cost"] == 3
        assert table.loc[0, "valid"]
        assert table.loc[0, "instance"] == "NA"
        assert table["seed"].isna().all()


@pytest.mark.parametrize(
    ("plan", "moves"),
    [
        (("L", "U"), "LU"),
        ((), ""),
        (("L",) * 1000, "L" * 1000),
        (("L",) * 1001, None),
        (("MOVE",), None),
        (("2", "2"), None),
        (("+",), None),
    ],
)
def test_moves_are_one_word_of_letters(plan: tuple[str, ...], moves: str | None) -> None:
    assert attempt._moves(plan) == moves


def test_a_line_that_cannot_be_written_whole_is_taken_back(tmp_path: Path) -> None:
    class Full(io.FileIO):
        def write(self, data) -> int:
            if len(data) < 4:
                raise OSError(28, "No space left on device")
            return super().write(data[: len(data) // 2])

    with Full(tmp_path / "full", "wb") as file:
        io.FileIO.write(file, b"one\n")
        with pytest.raises(OSError, match="No space"):
            writer_module._append(file, b"a line that is longer\n")
    assert (tmp_path / "full").read_bytes() == b"one\n"


def test_many_parts_are_taken_in(tmp_path: Path) -> None:
    for number in range(300):
        with closing(Writer(tmp_path / f"part-{299 - number}", NAMES)) as writer:
            write(writer, result(f"{number:012x}"), number=number)
    Writer(tmp_path, NAMES, goes_on=True, known={number: number for number in range(300)}).close(is_complete=True)
    assert [row["run_id"] for row in read_rows(tmp_path / "metrics.csv")] == [f"{n:012x}" for n in range(300)]


def test_an_interrupted_cell_is_in_order_too(tmp_path: Path) -> None:
    with closing(Writer(tmp_path, NAMES)) as writer:
        for number in (3, 1, 2):
            write(writer, result(f"{number:012x}"), number=number)
    assert [row["run_id"][-1] for row in read_rows(tmp_path / "metrics.csv")] == ["1", "2", "3"]


def test_a_complete_cell_is_in_the_order_of_its_instances(tmp_path: Path) -> None:
    """In any order of arrival; rows of parts are included, and a repeated row stands behind the first."""
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
