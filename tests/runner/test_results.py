"""Files of results."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import runner
from runner import attempt, results
from runner.registry import UserError
from runner.result import COLUMNS, Result
from runner.results import Writer, format_value, read_rows
from runner.sweep.results import collect
from worlds.files import whole_file

DESIGNED = (
    "run_id world instance seed algorithm heuristic weighting status cost length reward valid bound expanded generated "
    "evaluated reopened iterations simulated_actions initial_h peak_nodes memory_bytes search_seconds cpu_seconds "
    "compile_seconds error"
)
OF_AGENTS = ("actions", "arrow_used", "rooms_explored", "solver_calls", "solver_seconds")


def result(run_id: str, **fields: object) -> Result:
    base = {
        "world": "w",
        "instance": f"i{run_id}",
        "seed": None,
        "algorithm": "a",
        "heuristic": "none",
        "weighting": None,
    }
    return Result(run_id=run_id, **{**base, "status": "solved", **fields})


def test_columns_are_those_of_the_design() -> None:
    assert list(COLUMNS) == [*DESIGNED.split(), "ties", "parameters", "reason", "moves", *OF_AGENTS, "isolation"]


def test_a_row_is_on_disk_when_write_returns(tmp_path: Path) -> None:
    with Writer(tmp_path / "job") as writer:
        for n in range(3):
            writer.write(result(str(n), cost=n, plan=("MOVE",) * n, error='with "quotes", and\ta tab'))
            found = list(read_rows(tmp_path / "job" / "metrics.csv"))
            assert [row["run_id"] for row in found] == [str(k) for k in range(n + 1)]
            plans = (tmp_path / "job" / "plans.jsonl").read_text().splitlines()
            assert [json.loads(plan)["cost"] for plan in plans] == list(range(n + 1))
    assert found[2]["error"] == 'with "quotes", and\ta tab'


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    with Writer(tmp_path):
        pass
    with pytest.raises(UserError, match="holds results already"):
        Writer(tmp_path)


def test_values_as_text() -> None:
    assert format_value("cost", None) == ""
    assert format_value("valid", True) == "True"
    assert format_value("bound", 1.0) == "1"
    assert format_value("bound", 1.5) == "1.5"
    assert format_value("search_seconds", 0.00012345) == "0.000123"


def test_collecting_keeps_job_order_and_each_row_once(tmp_path: Path) -> None:
    for job, ids, cell in (("0", "ab", "x"), ("2", "c", "y"), ("3", "ab", "x"), ("10", "da", "z")):
        (tmp_path / job).mkdir()
        (tmp_path / job / "environment.json").write_text(json.dumps({"cell": cell}))
        with Writer(tmp_path / job) as writer:
            for run_id in ids:
                writer.write(result(run_id, status="error" if run_id == "d" else "solved", cost=1))
    (tmp_path / "4").mkdir()
    totals = collect(tmp_path)
    assert [row["run_id"] for row in read_rows(tmp_path / "results.csv")] == list("cbda")
    assert [(job.directory.name, job.rows, job.faulty) for job in totals] == [("2", 1, 0), ("3", 1, 0), ("10", 2, 1)]


def test_half_written_lines_and_later_columns(tmp_path: Path) -> None:
    for job in "01":
        with Writer(tmp_path / job) as writer:
            writer.write(result(f"r{job}"))
    with open(tmp_path / "0" / "metrics.csv", "a") as file:
        file.write("half,a,li")
    first = (tmp_path / "1" / "metrics.csv").read_text().splitlines()
    (tmp_path / "1" / "metrics.csv").write_text(f"{first[0]},score\n{first[1]},7\n")
    collect(tmp_path)
    found = list(read_rows(tmp_path / "results.csv"))
    assert [(row["run_id"], row["score"]) for row in found] == [("r0", ""), ("r1", "7")]


def write(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.json", "old")

    def fail(*_: object) -> None:
        raise OSError("disk")

    monkeypatch.setattr(results.os, "fsync", fail)
    with pytest.raises(OSError, match="disk"):
        write(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_reading_as_a_table(tmp_path: Path) -> None:
    with Writer(tmp_path / "0") as writer:
        writer.write(result("x", cost=3, valid=True, instance="NA"))
    collect(tmp_path)
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
            results._append(file, "a line that is longer\n")
    assert (tmp_path / "full").read_bytes() == b"one\n"
