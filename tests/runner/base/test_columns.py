"""Metrics and statuses that plug-ins declare: columns, reports, checks and documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import runner
from docs.generate import metrics
from heuristics.interface.python_heuristic import python_heuristic
from runner.base.columns import Declared
from runner.base.errors import UserError
from runner.base.metric import Metric
from runner.base.own_places import PACKAGES
from runner.base.result import COLUMNS, DERIVED, NAMES
from runner.base.status import STATUSES, Status
from runner.records.run_folder import RunFolder
from tests.isolated import isolated
from tests.plugins import install
from tests.runner_cli import ROOT, rows, run

GAME = ("plugins=[treasure]", "world=treasure", "world.count=6", "world.seed=1")


@pytest.fixture(autouse=True)
def _plugin(tmp_path: Path) -> None:
    install(tmp_path, "treasure")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which a sweep of games was played. The file `shown` holds its output."""
    folder = tmp_path_factory.mktemp("played")
    install(folder, "treasure")
    done = run(folder, "-m", *GAME, "algorithm=digger", "algorithm.courage=0,2,9", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    (folder / "shown").write_text(done.stdout, encoding="utf-8")
    return folder


def test_rows_of_a_game_have_its_statuses_and_metrics(played: Path) -> None:
    found = rows(played / "out" / "results.csv")
    assert list(found[0]) == [*NAMES, "digs", "gems", "courage", "algorithm.courage"]
    assert {row["status"] for row in found} == {"rich", "poor", "eaten"}
    for row in found:
        assert (row["gems"], row["valid"]) == ("12.5" if row["status"] == "rich" else "0", "True")
        assert row["courage"] == row["algorithm.courage"]
        assert 0 < int(row["digs"]) <= int(row["actions"])
    shown = (played / "shown").read_text(encoding="utf-8")
    heading = shown.splitlines()[2]
    assert all(word in heading for word in ("rich", "poor", "eaten", "digs", "gems"))
    assert "lost" not in heading
    table = runner.read(played / "out")
    assert table.groupby("algorithm.courage")["gems"].mean().tolist() == sorted(
        table.groupby("algorithm.courage")["gems"].mean()
    )
    assert RunFolder(played / "out").declared().status("rich").is_success


def test_report_of_a_game_has_its_statuses_and_metrics(played: Path) -> None:
    done = run(played, "report", "out", "--out", "report", "--tables", "all", "--format", "html,csv")
    assert done.returncode == 0, done.stderr
    scores = rows(played / "report" / "scores.csv")
    assert {"rich", "poor", "eaten"} <= {*scores[0]}
    page = (played / "report" / "report.html").read_text(encoding="utf-8")
    assert "gems (g)" in page
    gems = rows(played / "report" / "gems.csv")
    assert max(float(gems[-1][name]) for name in gems[-1] if name != "instance") > 0


def test_rows_of_a_search_have_the_metrics_of_world_and_heuristic(tmp_path: Path) -> None:
    done = run(tmp_path, *GAME, "heuristic=way_home", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    assert list(found[0]) == [*NAMES, "digs", "gems", "corridor"]
    assert {(row["digs"], row["gems"], row["corridor"], row["status"]) for row in found} == {
        ("1", "12.5", "8", "solved")
    }
    assert "gems" in done.stdout
    assert "corridor" not in done.stdout


def test_a_heuristic_function_sets_its_metrics_for_each_search_anew() -> None:
    @python_heuristic("calls", domain="npuzzle", metrics=(Metric("calls"),))
    def calls(state: Any, world: Any, measured: dict[str, float | None]) -> int:
        measured["calls"] = (measured.get("calls") or 0) + 1
        return 0

    for board in runner.load("npuzzle/random", size="2x3", count=2):
        result = runner.solve(board, "astar", ["calls"])
        assert result.measured["calls"] == result.evaluated
    with pytest.raises(TypeError, match=r"the function takes \(state, world, measured\)"):
        python_heuristic("calls_2", domain="npuzzle", metrics=(Metric("calls"),))(lambda state: 0)


def test_a_sweep_has_the_metrics_of_all_its_cells(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", *GAME, "algorithm=astar,digger,ucs", "heuristic=none,way_home", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert list(found[0])[len(NAMES) :] == ["digs", "gems", "corridor", "courage"]
    assert {(row["algorithm"], row["courage"], row["corridor"]) for row in found} == {
        ("astar", "", ""), ("astar", "", "8"), ("ucs", "", ""), ("digger", "3", "")
    }  # fmt: skip
    assert run(tmp_path, "report", "out", "--format", "csv", "--tables", "summary").returncode == 0


def test_a_derived_metric_of_a_plugin_is_computed_when_rows_are_read(tmp_path: Path) -> None:
    install(tmp_path, "derived")
    done = run(tmp_path, "-m", "plugins=[derived]", "world=staircase", "algorithm=bfs,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert "jump rate" in done.stdout
    found = rows(tmp_path / "out" / "results.csv")
    assert "jump_rate" not in found[0]
    rates = [int(row["jumps"]) / int(row["length"]) for row in found]
    assert all(f"{rate:.2f}" in done.stdout for rate in rates)
    (tmp_path / "derived.py").unlink()
    table = runner.read(tmp_path / "out")
    assert table["jump_rate"].tolist() == rates
    assert table["branching"].tolist() == [int(row["generated"]) / int(row["expanded"]) for row in found]
    options = ("--metric", "jump_rate,branching", "--filter", "jump_rate < 1")
    done = run(tmp_path, "report", "out", "--out", "report", "--format", "csv", *options)
    assert done.returncode == 0, done.stderr
    summary = rows(tmp_path / "report" / "summary.csv")
    assert [float(row["jump rate"]) for row in summary] == pytest.approx(rates)
    assert float(summary[0]["branching factor"]) == pytest.approx(table["branching"][0])


def test_a_result_has_the_metrics_that_follow_from_its_columns() -> None:
    (board,) = runner.load("npuzzle/random", size="2x3", count=1)
    result = runner.solve(board, "astar", ["manhattan"])
    assert result.generated
    assert result.expanded
    assert result.branching == result.generated / result.expanded
    assert "branching" not in result.row()


def test_others_may_declare_the_name_of_a_built_in_derived_metric() -> None:
    own = Metric("branching", "nodes")
    declared = Declared.of([own])
    assert declared.all_metrics["branching"] == own
    assert declared.columns[-1] == "branching"


@pytest.mark.parametrize(
    ("metrics", "statuses", "error"),
    [
        ([Metric("cost")], [], "metric 'cost': is a built-in name"),
        ([Metric("world.size")], [], "metric 'world.size': expected at most 100 letters"),
        ([Metric("a"), Metric("a", "s")], [], "metric 'a': is declared twice"),
        ([Metric("a", digits=1_000_000_000)], [], "metric 'a': expected 0 to 15 digits, got 1000000000"),
        ([Metric(f"a{number}") for number in range(201)], [], "metric 'a200': more than 200 are declared"),
        (
            [Metric("a", derived="expandd / cost")],
            [],
            "metric 'a': derived: 'expandd / cost': 'expandd' is no metric of the rows",
        ),
        (
            [Metric("a"), Metric("b", derived="a / 2"), Metric("c", derived="b / 2")],
            [],
            "metric 'c': derived: 'b / 2': 'b' is no metric of the rows",
        ),
        (
            [Metric("a", derived="open('x').read()")],
            [],
            "metric 'a': derived: 'open('x').read()': expected names of columns, numbers",
        ),
        ([], [Status("solved")], "status 'solved': is a built-in name"),
        ([], [Status("won"), Status("won", is_answer=True)], "status 'won': is declared twice"),
    ],
)
def test_invalid_declarations_are_refused(metrics: list[Metric], statuses: list[Status], error: str) -> None:
    with pytest.raises(UserError, match=re.escape(error)):
        Declared.of(metrics, statuses)


@pytest.mark.parametrize(
    ("metric", "value", "error"),
    [("luck", "1", "'luck' is not declared"), ("courage", "much", "metric 'courage': expected a number")],
)
def test_undeclared_or_invalid_metrics_of_an_agent_are_errors(
    tmp_path: Path, metric: str, value: str, error: str
) -> None:
    install(tmp_path, "mismeasuring")
    agent = ("algorithm=mismeasuring", f"algorithm.metric={metric}", f"algorithm.value={value}")
    world = ("world=wumpus/random", "world.size=4", "world.count=6")
    done = run(tmp_path, "plugins=[mismeasuring]", *agent, *world, "hydra.run.dir=out")
    assert done.returncode == 1
    found = rows(tmp_path / "out" / "metrics.csv")
    assert len(found) == 6
    assert all(error in row["error"] for row in found)


def test_retry_chooses_the_statuses_that_are_made_again() -> None:
    again = {retry: {each.name for each in STATUSES if each.is_made_again(retry)} for retry in ("failed", "limits")}
    assert again["failed"] == {"error", "crashed", "interrupted"}
    assert again["limits"] - again["failed"] == {
        *("time_limit", "cpu_limit", "node_limit", "memory_limit", "solution_limit")
    }
    assert not any(each.is_made_again("none") for each in STATUSES)
    assert {each.name for each in STATUSES if each.is_failure} == {"error", "crashed"}


def test_code_of_the_runner_names_no_domain() -> None:
    words = re.compile(r"\b(gold|arrows?|caves?|hunter|escaped_\w+)\b", re.IGNORECASE)
    for file in sorted((ROOT / "runner").rglob("*.py")):
        assert not words.search(file.read_text(encoding="utf-8")), file


def test_metrics_page_is_generated_from_the_declarations() -> None:
    text = metrics.PAGE.read_text(encoding="utf-8")
    with isolated(PACKAGES):
        assert dict(metrics.pages()) == {metrics.PAGE: text}, "run python -m docs.generate"
    for name in (*NAMES, *(status.name for status in STATUSES), "rooms_explored", "solver_calls", "escaped_with_gold"):
        assert f"| `{name}`" in text
    assert all(column.meaning for column in COLUMNS)


def test_documented_world_with_a_metric_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "plugins" / "metrics.md").read_text(encoding="utf-8")
    code = next(part for part in page.split("```python\n") if "class Stairs" in part).split("```")[0]
    (tmp_path / "stairs.py").write_text(code)
    done = run(tmp_path, "plugins=[stairs]", "world=stairs", "algorithm=bfs", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert [row["jumps"] for row in rows(tmp_path / "out" / "metrics.csv")] == ["5"]
    assert "jumps" in done.stdout


@pytest.mark.parametrize("name", DERIVED)
def test_the_glossary_leads_to_derived_metrics(name: str) -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert [line for line in glossary.splitlines() if f"`{name}`" in line and "(metrics.md#derived-metrics)" in line]
