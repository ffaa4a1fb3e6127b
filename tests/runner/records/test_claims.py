"""Claims that valid plans refute: of a program that lies, and of a heuristic that is not admissible."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import runner
from runner.base import NAMES
from runner.records.claims import finding, is_beaten
from runner.records.folder import SweepFolder
from runner.records.log import LogWriter
from runner.records.view import collect
from tests.runner.records.results import result, write
from tests.runner_cli import rows, run

BOARDS = "1 2 3 4 0 5 7 8 6\n0 1 3 4 2 5 7 8 6\n8 1 3 4 0 2 7 6 5\n"
LIAR = "import sys\nsys.exit(3)\n"
MINE = """
from runner import python_heuristic

@python_heuristic("mine", domain="npuzzle", admissible=True)
def mine(board):
    return 3 * sum(1 for cell, tile in enumerate(board) if tile and tile - 1 != cell)
"""
WORLD = """
from dataclasses import dataclass
import runner

@runner.register("world", "line_of_test")
@dataclass(frozen=True)
class Line(runner.PythonWorld):
    length: int = 3

    def initial(self):
        return 0

    def successors(self, state):
        yield "step", state + 1, COST

    def is_goal(self, state):
        return state == self.length
"""
EIGHT = ("world=npuzzle/file", "world.path=boards.txt", "heuristic=manhattan")


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    (tmp_path / "boards.txt").write_text(BOARDS)
    return tmp_path


def program(folder: Path, text: str, *promises: str) -> None:
    """Write a program that is the algorithm `liar`."""
    (folder / "liar.py").write_text(text)
    preset = folder / "mine" / "algorithm" / "liar.yaml"
    preset.parent.mkdir(parents=True)
    preset.write_text(
        f"name: program\ntitle: liar\ncommand: ['{sys.executable}', liar.py]\nexit_codes: {{3: unsolvable}}\n"
        + "plan: {pattern: 'moves(.*)', format: moves}\n"
        + "".join(f"{line}\n" for line in promises)
    )


def test_a_valid_plan_refutes_that_there_is_none(boards: Path) -> None:
    program(boards, LIAR)
    done = run(boards, "-m", "--config-dir", "mine", "algorithm=liar,astar", *EIGHT, "hydra.sweep.dir=out")
    assert done.returncode == 1
    assert "finding: liar: says that 3 instances have no solution; astar has plans" in done.stderr.splitlines()
    table = rows(boards / "out" / "results.csv")
    by_algorithm = {name: [row for row in table if row["algorithm"] == name] for name in ("liar", "astar")}
    assert [row["refuted"] for row in by_algorithm["liar"]] == [
        f"unsolvable: {row['run_id']}" for row in by_algorithm["astar"]
    ]
    assert [row["refuted"] for row in by_algorithm["astar"]] == ["", "", ""]
    assert {row["content"] for row in by_algorithm["liar"]} == {row["content"] for row in by_algorithm["astar"]}
    assert run(boards, "collect", "out").returncode == 1
    assert run(boards, "resume", "out").returncode == 1
    assert rows(boards / "out" / "0" / "metrics.csv")[0]["refuted"] == ""  # what the program says


@pytest.mark.parametrize(
    ("bound", "is_refuted"), [(1, True), (2.5, False), pytest.param(1.5, True, marks=pytest.mark.long)]
)
def test_rows_of_other_folders_and_names_are_held_against_each_other(
    tmp_path: Path, boards: Path, bound: float, is_refuted: bool
) -> None:
    program(boards, "print('moves RLRD')\n", f"bound: {bound}")
    (boards / "one.txt").write_text("mine: 1 2 3 4 0 5 7 8 6\n")
    done = run(
        boards, "--config-dir", "mine", "algorithm=liar", "world=npuzzle/file", "world.path=one.txt",
        "heuristic=none", "hydra.run.dir=a",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert run(boards, "algorithm=astar", *EIGHT, "hydra.run.dir=b").returncode == 0
    done = run(boards, "report", "a", "b", "--format", "markdown,latex,html", "--out", "out")
    assert done.returncode == int(is_refuted), done.stderr
    promise = "the optimum" if bound == 1 else "a bound"
    than = "" if bound == 1 else " than it allows"
    text = f"liar: promises {promise}; 1 plan is cheaper elsewhere{than}"
    assert (f"finding: {text}" in done.stderr.splitlines()) is is_refuted
    for name in ("report.md", "report.html", "report.tex"):
        page = (boards / "out" / name).read_text().replace("\\-", "")
        assert (text in page) is is_refuted, name


def test_a_heuristic_that_is_not_admissible_loses_bounds_and_successes(boards: Path) -> None:
    (boards / "mine.py").write_text(MINE)
    words = ("world=npuzzle/random", "world.size=3", "world.count=3", "plugins=[mine]")
    done = run(boards, "-m", "algorithm=astar", "heuristic=mine,manhattan", *words, "hydra.sweep.dir=out")
    assert done.returncode == 1
    audit = "python -m runner audit heuristic=mine 'plugins=[mine]'"
    beaten = "mine: plans that are called optimal are beaten on 1 of 3 instances, so a promise is broken"
    assert f"finding: {beaten}. To find out which: {audit}" in done.stderr.splitlines()
    table = runner.read(boards / "out")
    refuted = table[table.refuted.notna()]
    assert refuted.heuristic.tolist() == ["mine"]
    assert refuted.bound.isna().all()
    assert table[table.refuted.isna()].bound.eq(1).all()
    summary = runner.report(boards / "out").tables["summary"]
    assert summary.successes.to_dict() == {"mine": 2, "manhattan": 3}


def test_plans_of_unknown_problems_refute_nothing(tmp_path: Path) -> None:
    """Rows of earlier versions have no content: their plans are not those of one problem."""
    given = (("a", None, 3.0), ("b", None, 5.0), ("c", "7", 5.0), ("e", "8", 6.0), ("d", "8", 5.0))
    with closing(LogWriter(tmp_path / "0", NAMES)) as writer:
        for run_id, content, cost in given:
            write(writer, result(run_id, content=content, valid=True, cost=cost, bound=1.0))
    collect(SweepFolder(tmp_path))
    table = rows(tmp_path / "results.csv")
    assert [row["refuted"] for row in table] == ["", "", "", "bound 1: 000000000000000d", ""]


def test_costs_and_rounded_bounds_have_a_tolerance() -> None:
    assert not is_beaten(*map(np.array, (10 + 1e-7, 1.0, 10.0)))
    assert is_beaten(*map(np.array, (10 + 1e-5, 1.0, 10.0)))
    assert not is_beaten(*map(np.array, (4.0, 1.33333, 3.0)))  # 4 / 3 with the digits of a row
    assert is_beaten(*map(np.array, (5.0, 1.33333, 3.0)))
    assert not is_beaten(*map(np.array, (5.0, float("nan"), 3.0)))


def test_findings_are_sentences() -> None:
    assert finding("a", "unsolvable", 1, 9, ["b"]) == "a: says that 1 instance has no solution; b has a plan"
    many = finding("a", "unsolvable", 4, 9, ["b", "c", "b", "d"])
    assert many == "a: says that 4 instances have no solution; b, c and 1 more have plans"
    assert finding("a", "bound", 2, 9, ["b"]) == "a: promises a bound; 2 plans are cheaper elsewhere than it allows"


def test_plans_by_other_rules_refute_nothing(tmp_path: Path) -> None:
    """A world that was edited makes other problems, although its parameters are the same."""
    rules = WORLD.replace("COST", "5")
    for name, words in (("before", "algorithm=ucs"), ("after", "algorithm=bfs")):
        (tmp_path / "line_world.py").write_text(rules)
        done = run(tmp_path, "-m", "plugins=[line_world]", "world=line_of_test", words, f"hydra.sweep.dir={name}")
        assert done.returncode == 0, done.stderr
        rules = WORLD.replace("COST", "3")
    done = run(tmp_path, "report", "before", "after", "--format", "markdown", "--out", "out")
    assert (done.returncode, "finding" in done.stderr) == (0, False)
