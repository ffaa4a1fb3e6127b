"""``--fail-if``, ``--where``, ``--tables`` and ``--charts``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from runner.base.errors import UserError
from runner.features.reports.comparisons import Condition
from runner.features.reports.content import Choices, compose
from runner.features.reports.runs import load
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import rows as rows_in
from tests.runner_cli import run


@pytest.fixture
def revisions(tmp_path: Path) -> Path:
    """Write two revisions. The new one expands 10 % more with h, half with g, and loses an instance with g."""
    instances = range(1, 11)
    old = [row(f"i{n}", h, expanded=100 * n) for n in instances for h in ("h", "g")]
    new = [row(f"i{n}", "h", expanded=110 * n) for n in instances]
    new += [row(f"i{n}", "g", expanded=50 * n, status="solved" if n > 1 else "time_limit") for n in instances]
    write(tmp_path / "old" / "metrics.csv", old)
    write(tmp_path / "new" / "metrics.csv", new)
    return tmp_path


def test_conditions_on_ratios_set_the_exit_code(revisions: Path) -> None:
    words = ("report", "old", "new", "--out", "out", "--format", "csv")
    done = run(revisions, *words, "--fail-if", "expanded>1.2", "--fail-if", "solved < 0.9")
    assert (done.returncode, done.stderr) == (0, "")
    failing = ("expanded > 1.05", "expanded <= 0.5", "solved < 1")
    done = run(revisions, *words, *(word for text in failing for word in ("--fail-if", text)))
    assert done.returncode == 1
    assert [line.removeprefix("failed: ") for line in done.stderr.splitlines()] == [
        "expanded > 1.05: h, old -> new: 1.1",
        "expanded <= 0.5: g, old -> new: 0.5",
        "solved < 1: g, old -> new: 0.9",
    ]
    assert rows_in(revisions / "out" / "revisions_solved.csv")[1]["lost"] == "1"
    verdicts = [line["verdict"] for line in rows_in(revisions / "out" / "revisions_expanded.csv")]
    assert verdicts == ["worse", "better"]


@pytest.mark.parametrize("text", ["expanded", "expanded 1", "expanded > x", "expanded > 1..2", "> 1", "a = 1"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="expected METRIC, one of < <= > >=, and a ratio"):
        Condition.parse(text)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"conditions": [Condition.parse("expnded > 1")]},
            "--fail-if: 'expnded' is no metric; did you mean 'expanded'?",
        ),
        ({"conditions": [Condition.parse("reward > 1")]}, "--fail-if: 'reward' has no values here"),
        ({"where": ["label=x"]}, "--where: no row has label=x"),
        ({"where": ["heuristc=h"]}, "--where: 'heuristc' is not a column; did you mean 'heuristic'?"),
        ({"where": ["heuristic"]}, "--where: 'heuristic': expected COLUMN=VALUE,..."),
        ({"where": ["heuristic=h,gg"]}, "--where: no row has heuristic=gg"),
        ({"where": ["heuristic=g", "status=time_limit", "expanded=100"]}, "--where: no row meets"),
        ({"tables": ["sumary"]}, "--tables: this report has no table 'sumary'; did you mean 'summary'?"),
        ({"where": ["heuristic=h"], "charts": ["rate"]}, "--charts: this report has no chart 'rate'"),
        ({"parameter": "heuristic"}, "--x: 'heuristic' has no numbers"),
        ({"parameter": "world.siz"}, "--x: 'world.siz' is not a column"),
    ],
)
def test_mistakes_in_choices_are_refused(revisions: Path, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(message)}"):
        compose([revisions / "old", revisions / "new"], Choices(**choices))


def test_conditions_need_two_revisions(revisions: Path) -> None:
    done = run(revisions, "report", "old", "--fail-if", "expanded > 1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no search has two revisions" in done.stderr


def test_only_the_chosen_rows_are_used(revisions: Path) -> None:
    runs = load([revisions / "old"], ["heuristic=h", "instance=i1,i2"])
    assert runs.table["instance"].tolist() == ["i1", "i2"]
    assert load([revisions / "old"], ["expanded=100"]).table["expanded"].tolist() == [100, 100]


def test_only_the_chosen_tables_and_charts_are_written(revisions: Path) -> None:
    words = ("report", "old", "--format", "csv,pdf,png", "--out", "out", "--tables", "summary", "--charts", "spread")
    done = run(revisions, *words)
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in (revisions / "out").iterdir()) == [
        "spread_expanded.pdf",
        "spread_expanded.png",
        "summary.csv",
    ]
