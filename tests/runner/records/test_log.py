"""Logs of cells: columns, rows on disk, the rows that count, collecting."""

from __future__ import annotations

import dataclasses
import json
import os
from contextlib import closing
from pathlib import Path

import pytest

import runner
from runner.base.columns import Declared
from runner.base.errors import UserError
from runner.base.files import atomic_write
from runner.base.metric import Metric
from runner.base.result import NAMES, Result
from runner.records.csv_table import csv_line, csv_values, read_rows
from runner.records.folder import SweepFolder
from runner.records.log import Log, LogWriter
from runner.records.row import Improvement, RowFormat, improvement_line, key_of, write_declared
from runner.records.rule import ALL_ROWS, RowRule
from runner.records.view import collect
from tests.runner.records.results import result, write

DESIGNED = (
    "run_id world instance seed algorithm heuristic weighting status cost length reward valid bound expanded generated "
    "evaluated reopened iterations simulated_actions initial_h peak_nodes memory_bytes search_seconds cpu_seconds "
    "compile_seconds error"
)
OTHERS = (
    "ties limits parameters reason moves actions stack expanded_before_last_layer repetitions spread seconds_low "
    "seconds_high peak_bytes user_seconds system_seconds page_faults core measured_by heuristic_seconds label "
    "code number content refuted"
)


def test_columns_are_the_designed_ones_and_the_fields_of_a_result() -> None:
    assert list(NAMES) == [*DESIGNED.split(), *OTHERS.split()]
    assert [field.name for field in dataclasses.fields(Result)][:-4] == list(NAMES)


def test_a_row_is_on_disk_when_write_returns(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path / "job", NAMES)) as writer:
        for n in range(3):
            write(writer, result(str(n), cost=n, plan=("MOVE",) * n, error='with "quotes", and\ta tab'), number=n)
            found = list(read_rows(tmp_path / "job" / "metrics.csv"))
            assert [row["run_id"] for row in found] == [str(k) for k in range(n + 1)]
            plans = (tmp_path / "job" / "plans.jsonl").read_text().splitlines()
            assert [json.loads(plan)["cost"] for plan in plans] == list(range(n + 1))
    assert found[2]["error"] == 'with "quotes", and\\ta tab'


def test_values_are_written_as_text() -> None:
    form = RowFormat(Declared((Metric("speed"),)))

    def encoded(given: Result) -> dict[str, str]:
        return dict(zip(form.columns, csv_values(form.encode(0, given).line), strict=True))

    for bound, text in ((1.0, "1"), (1.5, "1.5")):
        row = encoded(result("a", bound=bound, search_seconds=0.00012345))
        assert (row["bound"], row["search_seconds"], row["speed"]) == (text, "0.000123", "")
    row = encoded(result("a", measured={"speed": 123456789.5}))
    assert float(row["speed"]) == 123456789.5


def test_collecting_keeps_the_order_of_cells_and_each_row_once(tmp_path: Path) -> None:
    for job, ids in (("0", "ab"), ("2", "c"), ("3", "ab"), ("10", "da")):
        with closing(LogWriter(tmp_path / job, NAMES)) as writer:
            write(writer, *(result(each, status="error" if each == "d" else "solved", cost=1) for each in ids))
    (tmp_path / "4").mkdir()
    totals = collect(SweepFolder(tmp_path))
    assert [row["run_id"] for row in read_rows(tmp_path / "results.csv")] == list("cbda")
    assert [(job.directory.name, job.rows, job.faulty) for job in totals] == [("2", 1, 0), ("3", 1, 0), ("10", 2, 1)]


def test_collecting_leaves_out_half_lines_and_keeps_unknown_columns(tmp_path: Path) -> None:
    for job in "01":
        with closing(LogWriter(tmp_path / job, NAMES)) as writer:
            write(writer, result(f"a{job}"))
    with open(tmp_path / "0" / "metrics.csv", "a") as file:
        file.write("half,a,li")
    first = (tmp_path / "1" / "metrics.csv").read_text().splitlines()
    (tmp_path / "1" / "metrics.csv").write_text(f"{first[0]},score\n{first[1]},7\n")
    collect(SweepFolder(tmp_path))
    found = list(read_rows(tmp_path / "results.csv"))
    assert [(row["run_id"], row["score"]) for row in found] == [("a0", ""), ("a1", "7")]


@pytest.mark.parametrize("name", ["cost", "expanded", "bound", "score"])
def test_a_row_with_text_in_place_of_a_number_is_corrupt(tmp_path: Path, name: str) -> None:
    """Otherwise it would count as finished, and never be made again."""
    declared = Declared((Metric("score"),))
    write_declared(tmp_path, declared)

    def write_value(value: str) -> None:
        row = dict.fromkeys(declared.columns, "") | {"run_id": "a", "number": "1", name: value}
        (tmp_path / "metrics.csv").write_bytes(csv_line(row) + csv_line(row.values()))

    for value in ("7", "-0.5", "1e-07", "inf", "True", ""):
        write_value(value)
        assert len(Log(tmp_path, with_parts=True)) == 1
    write_value("many")
    with pytest.raises(UserError, match=rf"is corrupt \(ValueError: number 1: {name}: expected a number, got 'many'\)"):
        Log(tmp_path, with_parts=True)


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
    with closing(LogWriter(tmp_path / "0", NAMES)) as writer:
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
    with closing(LogWriter(tmp_path, NAMES)) as writer:
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


def settle(folder: Path, without: str = "") -> list[dict[str, str]]:
    """Settle a log without a row, and return its rows."""
    log = Log(folder, with_parts=True)
    log.settle(NAMES, [row for row in log.counted() if log.keys[row] != key_of(without)])
    assert Log(folder, with_parts=True).is_settled(Log(folder, with_parts=True).counted())
    return list(read_rows(folder / "metrics.csv"))


def actions_in(folder: Path) -> list[list[str]]:
    """Return the actions of each line of plans.jsonl."""
    return [json.loads(line)["actions"] for line in (folder / "plans.jsonl").read_text().splitlines()]


def test_rows_of_many_parts_are_merged(tmp_path: Path) -> None:
    for number in range(120):
        with closing(LogWriter(tmp_path / f"part-{119 - number}", NAMES)) as writer:
            write(writer, result(f"{number:012x}"), number=number)
    assert [row["run_id"] for row in settle(tmp_path)] == [f"{n:012x}" for n in range(120)]


def test_a_settled_log_has_the_newest_finished_rows_sorted_and_those_of_its_parts(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path / "part-3", NAMES)) as writer:
        write(writer, result("d", plan=("D",)), number=3)
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("c", plan=("C",)), number=2)
        write(writer, result("a", status="error"), result("b", plan=("B",)))
        write(writer, result("e", plan=("E",)), number=4)
        assert not writer.is_settled
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("a", plan=("A",)), result("b", status="interrupted"))
    found = [(row["run_id"], row["status"], row["number"]) for row in settle(tmp_path, without="e")]
    assert found == [(each, "solved", str(number)) for number, each in enumerate("abcd")], "instance 4 is gone"
    assert actions_in(tmp_path) == [["A"], ["B"], ["C"], ["D"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["metrics.csv", "part-3", "plans.jsonl"]
    assert not list((tmp_path / "part-3").iterdir())


def test_a_log_in_order_is_settled_already(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("a", plan=("A",)), result("b"))
        assert writer.is_settled
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    settle(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    with open(tmp_path / "metrics.csv", "ab") as file:
        file.write(b"half a line")
    assert not Log(tmp_path, with_parts=True).is_settled(Log(tmp_path, with_parts=True).counted())
    settle(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_rows_that_came_in_another_order_are_not_settled(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("b"), number=1)
        write(writer, result("a"))
        assert not writer.is_settled
    settle(tmp_path)
    assert [row["run_id"] for row in read_rows(tmp_path / "metrics.csv")] == ["a", "b"]


def test_of_each_run_id_the_newest_finished_row_of_the_code_counts(tmp_path: Path) -> None:
    """In the order of the numbers: instance a has moved from 0 to 1, and f stands at 0 now."""

    def counted(rule: RowRule) -> dict[str, int]:
        log = Log(tmp_path, with_parts=True)
        return {f"{log.keys[row]:x}": int(log.numbers[row]) for row in log.counted(rule)}

    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, *(result(each) for each in "abc"))
        write(writer, result("a"), number=1)
        write(writer, result("f"))
    assert [*counted(ALL_ROWS).items()] == [("f", 0), ("b", 1), ("a", 1), ("c", 2)]
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("c", status="error", code="new"), result("d", code="new"), number=7)
    assert counted(ALL_ROWS) == {"f": 0, "b": 1, "a": 1, "c": 2, "d": 8}
    assert counted(RowRule("")) == {"f": 0, "b": 1, "a": 1, "c": 2}
    assert counted(RowRule("new")) == {"c": 7, "d": 8}


def test_a_log_whose_only_file_is_a_part_is_settled_into_one_of_its_own(tmp_path: Path) -> None:
    with closing(LogWriter(tmp_path / "part-0", NAMES)) as writer:
        write(writer, result("a"))
    settle(tmp_path)
    assert [row["run_id"] for row in read_rows(tmp_path / "metrics.csv")] == ["a"]
    assert not (tmp_path / "part-0" / "metrics.csv").exists()


def test_a_settled_log_has_the_plans_of_the_last_search_of_each_instance(tmp_path: Path) -> None:
    def improved(run_id: str, cost: int) -> bytes:
        return improvement_line(run_id, f"i{run_id}", Improvement(cost, None, 0.5, 1, ("GO",) * cost))

    with closing(LogWriter(tmp_path, NAMES)) as writer:
        writer.append([], improved("b", 4) + improved("b", 3))  # killed
        writer.append([], improved("b", 4))
        write(writer, result("a", plan=("A",), cost=1))
        writer.append([], improved("b", 2))
        write(writer, result("b", plan=("GO", "GO"), cost=2), number=1)
        writer.append([], improved("c", 2))  # without a row
    settle(tmp_path)
    assert actions_in(tmp_path) == [["A"], ["GO"] * 4, ["GO"] * 2, ["GO"] * 2]


def test_a_log_goes_on_with_other_columns_and_keeps_its_rows(tmp_path: Path) -> None:
    """The columns are those of other code, whose rows count again with that code."""
    with closing(LogWriter(tmp_path, NAMES)) as writer:
        write(writer, result("a"))
    with pytest.raises(UserError, match="another version has written it"):
        LogWriter(tmp_path, (*NAMES, "speed"))
    with closing(LogWriter(tmp_path, (*NAMES, "speed"), "new")):
        pass
    assert [(row["run_id"], row["speed"]) for row in read_rows(tmp_path / "metrics.csv")] == [("a", "")]
    (tmp_path / "metrics.csv").write_text("run_id,status\na,solved\n")
    with pytest.raises(UserError, match="no column 'number'"):
        LogWriter(tmp_path, NAMES)
