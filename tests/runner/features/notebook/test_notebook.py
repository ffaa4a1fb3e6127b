"""Sweeps, plans, results and audits in notebooks and scripts."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
import runner.examples.pancake

import runner
from runner.features.explorer.animation import Animation
from tests.runner.waiting import wait_for
from tests.runner_cli import rows, run

assert runner.examples.pancake  # registers the world

SWEEP = ("algorithm=astar,ucs", "world=wumpus/random", "world.count=2")


def test_a_sweep_has_the_rows_of_the_command_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = runner.sweep(*SWEEP, folder="a b,c")
    assert run(tmp_path, "-m", *SWEEP, "hydra.sweep.dir=command").returncode == 0
    expected = {(row["run_id"], row["cost"]) for row in rows(tmp_path / "command" / "results.csv")}
    assert len(expected) == len(table) == 4
    assert set(table.run_id) == {run_id for run_id, _ in expected}
    again = runner.sweep(*SWEEP, "world.size=6,8", folder=tmp_path / "a b,c")
    kept = again[again.run_id.isin(table.run_id)]
    assert list(kept.search_seconds) == list(table.search_seconds)
    assert len(again) == 12


def test_mistakes_in_a_sweep_raise_and_write_nothing(tmp_path: Path) -> None:
    for words, message in (
        (("algorithm=astr",), "did you mean 'astar'"),
        (("dry_run=true",), "dry_run: is for the command"),
    ):
        with pytest.raises(runner.UserError, match=message):
            runner.sweep(*words, folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def interrupt_soon(begun: Path) -> None:
    """Interrupt this process when a cell has begun to search."""
    wait_for(begun.exists)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_sweep_keeps_its_rows_and_goes_on(tmp_path: Path) -> None:
    endless = ("algorithm=idastar", "heuristic=manhattan", "world=npuzzle/korf50_24", "world.instances=[1]")
    timer = threading.Thread(target=interrupt_soon, args=(tmp_path / "out" / "0" / "environment.json",))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        runner.sweep(*endless, folder=tmp_path / "out")
    timer.join()
    (row,) = rows(tmp_path / "out" / "results.csv")
    assert row["status"] == "interrupted"
    table = runner.sweep(*endless, "limits.nodes=10", folder=tmp_path / "out")
    assert "node_limit" in set(table.status)


def test_notebooks_show_instances_results_audits_and_plans() -> None:
    cave = runner.load("wumpus/static")[0]
    assert cave._repr_svg_().startswith("<svg")
    assert "monospace" in runner.load("pancake", size=4, count=1)[0]._repr_svg_()
    result = runner.solve(cave, "astar", "pivots")
    assert "<th>status</th><td>solved</td>" in result._repr_html_()
    assert " ".join(result.plan or ())[:20] in result._repr_html_()
    audit = runner.audit("wumpus/random", ["area_pruning"], size=4, count=5)
    assert "<th>consistent</th>" in audit._repr_html_()
    board = runner.load("npuzzle/random", size=2, count=1)[0]
    moves = runner.solve(board, "astar", "manhattan").plan or ()
    plan = runner.replay(board, moves)
    assert isinstance(plan, Animation)
    assert len(plan) == len(moves) + 1 > 1
    assert 'src="data:image/gif;base64,' in plan._repr_html_()


def test_reports_have_tables_and_charts(tmp_path: Path) -> None:
    runner.sweep(*SWEEP, folder=tmp_path / "out")
    report = runner.report(tmp_path / "out", metrics=["expanded", "search_seconds"])
    table = report.tables["summary"]
    assert list(table.index) == ["astar", "ucs"]
    expanded = [row for row in rows(tmp_path / "out" / "results.csv") if row["algorithm"] == "ucs"]
    assert table.loc["ucs", "expanded"] == sum(int(row["expanded"]) for row in expanded)
    (heading,) = [name for name in table.columns if name.startswith("search time (")]
    unit = {"µs": 1e6, "ms": 1e3, "s": 1}[heading[13:-1]]
    assert table.loc["ucs", heading] == pytest.approx(unit * sum(float(row["search_seconds"]) for row in expanded))
    assert "srcdoc=" in report._repr_html_()
    assert next(iter(report.charts.values()))._repr_svg_().startswith("<svg")
    assert [file.name for file in report.save(tmp_path / "report")] == ["report.html"]
    with pytest.raises(runner.UserError, match="there is no format 'htm'; did you mean 'html'"):
        report.save(tmp_path / "report", "htm")
