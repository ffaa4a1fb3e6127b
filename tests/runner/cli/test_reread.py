"""Kept outputs of programs, read again without starting a program."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from algorithms.programs.interface import KeptRun
from algorithms.programs.sessions import ProcessSession
from runner.config.cell.schema import Cell
from runner.execution import plan as planning
from runner.execution.plan import kept_runs
from runner.records.log import Log
from runner.records.rule import RowRule
from runner.records.run_folder import RecordFile
from tests.algorithms.programs.test_program import SOLVER
from tests.runner_cli import MEASURED, only, rows, run

CODE = """
    import time

    print("one", file=open(__file__ + ".starts", "a"))
    kind = sys.argv[5][-1]
    plan, seen = solve(int(sys.argv[1]), int(sys.argv[2]), numbers(sys.argv[3]), numbers(sys.argv[4]))
    print("nodes:", seen)
    print("--- standard error (0 characters)")
    if kind == "1":
        sys.exit(7)
    print("costs", len(plan) + (kind == "4"))
    turn = ["R", "L"] if numbers(sys.argv[3]).index(0) % int(sys.argv[2]) == 0 else ["L", "R"]
    for number, each in enumerate((turn + plan, plan), 1):
        open(sys.argv[6] + "." + str(number), "w").write("\\n".join(each) + "\\n")
    print("moves", *plan, flush=True)
    if kind == "2":
        time.sleep(60)
    if kind == "3":
        sys.exit(9)
"""
FLAKY = """
from pathlib import Path
import runner

@runner.source("flaky", domain="npuzzle", count=lambda _: 4)
def flaky():
    yield from runner.load("npuzzle/random", size=[2, 3], count=3)
    if Path("broken").exists():
        raise RuntimeError("boom")
    yield runner.load("npuzzle/random", size=[2, 3], count=4)[3]
"""
WORDS = ("-m", "--config-dir", "my_conf", "algorithm=mine", "world=npuzzle/random", "world.size=[2,3]")
NEW: dict[str, Any] = {
    "output": {"cost": r"costs (\d+)", "expanded": r"nodes: (\d+)", "costs": r"costs (\d+)"},
    "exit_codes": {7: "cutoff"},
    "optimal": "always",
}


@pytest.fixture(autouse=True)
def _warming(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.1)


def configure(folder: Path, code: str = CODE, **changes: Any) -> None:
    """Write a program and how its output is read: at first neither its costs nor its exit codes."""
    (folder / "solver.py").write_text(dedent(SOLVER + code))
    choices = folder / "my_conf" / "algorithm"
    choices.mkdir(parents=True, exist_ok=True)
    words = ["python3", "solver.py", "{rows}", "{columns}", "{board}", "{goal}", "{id}", "{plan}"]
    configuration = {
        "defaults": ["program"],
        "command": words,
        "output": {"cost": r"cost (\d+)"},
        "plan": {"from": "file", "format": "moves"},
        "keep": "all",
        **changes,
    }
    (choices / "mine.yaml").write_text(yaml.safe_dump(configuration, sort_keys=False))


def starts(folder: Path) -> int:
    return len((folder / "solver.py.starts").read_text().splitlines())


def compared(table: list[dict[str, str]], *without: str) -> list[dict[str, str]]:
    left_out = {*MEASURED, "memory_bytes", "code", *without}
    return [{name: value for name, value in row.items() if name not in left_out} for row in table]


def test_another_output_fills_columns_and_statuses_without_a_start(tmp_path: Path) -> None:
    """The rows are those of a sweep that has read the output so from the start; what has been measured stays."""
    configure(tmp_path)
    words = (*(word.replace("=mine", "=mine,bfs") for word in WORDS), "world.count=5", "limits.time=1.5")
    assert run(tmp_path, *words, "hydra.sweep.dir=out").returncode == 1
    before = rows(tmp_path / "out" / "results.csv")
    kept = {file.name: file.read_text() for file in (tmp_path / "out").glob("*/logs/*")}
    environment = (tmp_path / "out" / "0" / "environment.json").read_text()
    assert {row["expanded"] for row in before if row["algorithm"] == "solver"} == {""}
    count = starts(tmp_path)

    configure(tmp_path, **NEW)
    done = run(tmp_path, "resume", "out", "--reread")
    assert "reads again: 5 kept outputs\n" in done.stderr
    assert done.returncode == 1  # a cost that is not that of the plan
    after = rows(tmp_path / "out" / "results.csv")
    mine = [row for row in after if row["algorithm"] == "solver"]
    assert starts(tmp_path) == count
    assert [row["status"] for row in mine] == ["solved", "cutoff", "solved", "solved", "solved"]
    assert [row["valid"] for row in mine] == ["True", "", "True", "True", "False"]
    assert [row["bound"] for row in mine] == ["1", "", "", "1", ""]
    assert (mine[2]["reason"], mine[3]["reason"]) == (
        "the search was ended by time_limit", "after its plan, the program ended with exit code 9",
    )  # fmt: skip
    assert {file.name: file.read_text() for file in (tmp_path / "out").glob("*/logs/*")} == kept
    assert (tmp_path / "out" / "0" / "environment.json").read_text() == environment
    for name in ("run_id", "search_seconds", "memory_bytes", "limits", "exit_code"):
        assert [row[name] for row in before] == [row[name] for row in after]

    run(tmp_path, *words, "hydra.sweep.dir=fresh")
    assert compared(after) == compared(rows(tmp_path / "fresh" / "results.csv"))
    plans = [(tmp_path / folder / "0" / "plans.jsonl").read_text().splitlines() for folder in ("out", "fresh")]
    assert len(plans[0]) == len(plans[1])  # with those of an anytime planner before the last
    count = starts(tmp_path)
    again = run(tmp_path, "resume", "out", "--reread")
    assert "reads again: 0 kept outputs\n" in again.stderr
    run(tmp_path, "resume", "out", "world.count=5")
    assert starts(tmp_path) == count
    assert rows(tmp_path / "out" / "results.csv") == after


def test_rows_without_a_kept_output_stay(tmp_path: Path) -> None:
    configure(tmp_path, keep="failed")
    run(tmp_path, *WORDS, "world.count=4", "limits.time=1", "hydra.sweep.dir=out")
    before = rows(tmp_path / "out" / "results.csv")
    count = starts(tmp_path)
    configure(tmp_path, keep="failed", **NEW)
    done = run(tmp_path, "resume", "out", "--reread")
    assert "reads again: 1 kept output\nnote: left as they are: 3 rows whose output was not kept whole\n" in done.stderr
    assert "'costs (\\d+)' has given no value in 1 row\n" in done.stderr
    after = rows(tmp_path / "out" / "results.csv")
    assert starts(tmp_path) == count
    assert len(after) == len(before)
    assert [row["status"] for row in after] == ["solved", "cutoff", "solved", "solved"]
    others = [number for number, row in enumerate(before) if row["status"] != "error"]
    assert compared([after[number] for number in others], "costs") == compared([before[number] for number in others])
    assert only(tmp_path, "out/*/logs/*")
    run(tmp_path, "resume", "out", "world.count=4")  # makes the others again
    assert starts(tmp_path) > count
    assert {row["expanded"] == "" for row in rows(tmp_path / "out" / "results.csv")} == {False}


def test_what_another_program_has_printed_is_not_read(tmp_path: Path) -> None:
    configure(tmp_path)
    run(tmp_path, *WORDS, "world.count=1", "hydra.sweep.dir=out")
    before = (tmp_path / "out" / "results.csv").read_bytes()
    configure(tmp_path, f"{CODE}    # another build\n", **NEW)
    done = run(tmp_path, "resume", "out", "--reread")
    assert "reads again: 0 kept outputs\n" in done.stderr
    assert "world.count=1: no new rows\n" in done.stderr
    assert (tmp_path / "out" / "results.csv").read_bytes() == before


def test_a_plan_is_read_again_by_another_format(tmp_path: Path) -> None:
    """The file with the plan is part of the kept output."""
    configure(tmp_path, plan={"from": "file", "format": "json"})
    run(tmp_path, *WORDS, "world.count=1", "hydra.sweep.dir=out", "repeat=2")
    (row,) = rows(tmp_path / "out" / "results.csv")
    assert (row["valid"], row["cost"]) == ("False", "")
    for plan in ({"from": "file", "format": "moves"}, {"from": "stdout", "pattern": "moves(.*)", "format": "moves"}):
        shutil.copytree(tmp_path / "out", tmp_path / plan["from"])
        configure(tmp_path, plan=plan)
        done = run(tmp_path, "resume", plan["from"], "--reread")
        assert done.returncode == 0, done.stderr
        (again,) = rows(tmp_path / plan["from"] / "results.csv")
        assert (again["valid"], again["repetitions"], again["spread"]) == ("True", row["repetitions"], row["spread"])


def test_answers_of_a_server_are_read_again(tmp_path: Path) -> None:
    code = """
    print("one", file=open(__file__ + ".starts", "a"))
    for line in sys.stdin:
        request = json.loads(line)
        plan, seen = solve(2, 3, numbers(request["board"]), numbers(request["goal"]))
        print(json.dumps({"plan": plan, "costs": len(plan), "nodes": seen}), flush=True)
    """
    serve = {"serve": True, "command": ["python3", "solver.py"], "plan": {"format": "json"}}
    configure(tmp_path, code, **serve, output=None)
    run(tmp_path, *WORDS, "world.count=2", "hydra.sweep.dir=out")
    count = starts(tmp_path)
    configure(tmp_path, code, **serve, output={"cost": {"key": "costs"}, "expanded": {"key": "nodes"}})
    assert run(tmp_path, "resume", "out", "--reread").returncode == 0
    mine = rows(tmp_path / "out" / "results.csv")
    assert [(row["claimed_cost"], row["expanded"] != "") for row in mine] == [(row["cost"], True) for row in mine]
    assert starts(tmp_path) == count


def test_cells_that_differ_in_how_the_output_is_read_are_two(tmp_path: Path) -> None:
    configure(tmp_path)
    words = (*WORDS, "world.count=1", "hydra.sweep.dir=out")
    swept = "algorithm.output.cost='costs (.*)','no (.*)'"
    for _ in range(2):
        done = run(tmp_path, *words, swept)
        assert "the same as" not in done.stderr
        table = rows(tmp_path / "out" / "results.csv")
        assert [row["claimed_cost"] for row in table] == [table[0]["cost"], ""]
        assert len({row["run_id"] for row in table}) == 1
    count = starts(tmp_path)
    run(tmp_path, *words, "algorithm.output.cost='no (.*)'")
    assert starts(tmp_path) == count
    assert len(rows(tmp_path / "out" / "results.csv")) == 2
    assert sorted(folder.name for folder in (tmp_path / "out").iterdir() if folder.is_dir()) == ["0", "1"]


def test_what_cannot_be_read_again_stays_to_be_done(tmp_path: Path) -> None:
    """Of four kept outputs, two are no longer whole, and one belongs to an instance that the source does not give."""
    (tmp_path / "flaky.py").write_text(FLAKY)
    code = CODE.replace("sys.argv[5][-1]", '""')
    configure(tmp_path, code)
    words = ("-m", "--config-dir", "my_conf", "algorithm=mine", "plugins=[flaky]", "world=flaky", "hydra.sweep.dir=out")
    run(tmp_path, *words)
    before = rows(tmp_path / "out" / "results.csv")
    files = [tmp_path / "out" / "logs" / f"{row['run_id']}.txt" for row in before]
    files = [only(tmp_path, f"out/**/logs/{file.name}") for file in files]
    files[0].write_text(files[0].read_text().replace(" s, plan in", ".. s, plan in"))
    files[1].write_text(files[1].read_text().replace(" characters", f"{'0' * 5000} characters"))
    (tmp_path / "broken").touch()
    configure(tmp_path, code, output={"cost": r"costs (\d+)"})
    done = run(tmp_path, "resume", "out", "--reread")
    assert (done.returncode, "reads again: 1 kept output\n" in done.stderr) == (0, True), done.stderr
    after = rows(tmp_path / "out" / "results.csv")
    assert [row["claimed_cost"] for row in after] == ["", "", after[2]["cost"], ""]
    assert compared(after, "claimed_cost") == compared(before, "claimed_cost")
    status = run(tmp_path, "status", "out")
    assert (status.returncode, "1 of 4 instances done" in status.stdout) == (1, True), status.stdout


def test_the_row_of_an_output_that_vanishes_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is there when the plan is made, and no longer when its turn comes."""
    code = CODE.replace("sys.argv[5][-1]", '""')
    configure(tmp_path, code)
    run(tmp_path, *WORDS, "world.count=3", "hydra.sweep.dir=out")
    before = rows(tmp_path / "out" / "results.csv")

    def vanishing(cell: Cell, log: Log, rule: RowRule) -> dict[int, KeptRun]:
        found = kept_runs(cell, log, rule)
        found[log.keys[log.numbers.tolist().index(2)]].file.unlink()
        return found

    monkeypatch.setattr(planning, "kept_runs", vanishing)
    configure(tmp_path, code, output={"cost": r"costs (\d+)"})
    run(tmp_path, "resume", "out", "--reread")
    after = rows(tmp_path / "out" / "results.csv")
    assert [row["claimed_cost"] != "" for row in after] == [True, True, False]
    assert compared(after[2:]) == compared(before[2:])
    assert f"{before[2]['run_id']}.txt: no longer there" in (tmp_path / "out" / "0" / RecordFile.LOG).read_text()
