"""Measures of competitions, and the summary by configuration. Expected values are computed by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from runner.base.columns import Declared
from runner.features.reports.penalties import penalised
from runner.features.reports.runs import Runs, load
from runner.features.reports.statistics import Numbers, shifted_geometric_mean
from runner.features.reports.summaries import agile_of_rows, by_configuration, measures, satisficing, summary
from tests.runner.features.reports.rows import row, write
from tests.runner.features.reports.test_tables import texts

METRICS = Declared().all_metrics
EXPANDED, SECONDS, COST = (METRICS[name] for name in ("expanded", "search_seconds", "cost"))


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Return rows of two configurations on three instances. The second one fails on c."""
    limits = "nodes=100 time=10"
    rows = [
        row("a", "x", expanded=10, search_seconds=0.5, cost=4, limits=limits),
        row("b", "x", expanded=20, search_seconds=math.sqrt(300), cost=6, limits=limits),
        row("c", "x", expanded=90, search_seconds=300, cost=8, limits=limits),
        row("a", "y", expanded=40, search_seconds=1, cost=5, limits=limits),
        row("b", "y", expanded=5, search_seconds=1, cost=6, limits=limits),
        row("c", "y", expanded=100, search_seconds=9, status="node_limit", limits=limits),
    ]
    write(tmp_path / "metrics.csv", rows)
    return load([tmp_path])


def averages(runs: Runs, limit: str, penalty: float) -> Numbers:
    return by_configuration(runs, penalised(runs, limit, penalty), np.mean)


def scores(of_rows: Callable[[Runs], Numbers], runs: Runs) -> Numbers:
    return by_configuration(runs, of_rows(runs) / runs.replications, np.sum)


def test_failures_are_penalised_by_multiples_of_their_limit(runs: Runs) -> None:
    assert averages(runs, "nodes", 2).tolist() == [40, pytest.approx(245 / 3)]
    assert averages(runs, "nodes", 10).tolist() == [40, pytest.approx(1045 / 3)]
    assert averages(runs, "time", 10)[1] == pytest.approx(102 / 3)
    assert math.isnan(averages(runs, "cpu", 2)[1])


def test_scores_of_the_planning_competition(runs: Runs) -> None:
    assert scores(satisficing, runs).tolist() == [3, pytest.approx(4 / 5 + 1)]
    assert scores(agile_of_rows, runs).tolist() == [pytest.approx(1.5), 2]


def test_a_cost_of_zero_has_the_score_one(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", "x", cost=0), row("a", "y", cost=2), row("b", "x", cost="")])
    assert scores(satisficing, load([tmp_path])).tolist() == [1, 0]


def test_the_table_has_the_measures_that_apply(runs: Runs, tmp_path: Path) -> None:
    table = measures(runs, [EXPANDED])
    assert table is not None
    assert table.columns == [
        *("configuration", "PAR2 search time (s)", "PAR10 search time (s)", "PAR2 expanded", "PAR10 expanded"),
        *("IPC satisficing", "IPC agile", "geo. mean expanded", "shifted geo. mean expanded"),
    ]
    first = texts(table)[0]
    assert first[3:] == ["40.00", "40.0", "3.0", "1.5", f"{math.sqrt(200):.2f}", f"{math.sqrt(110 * 120) - 100:.2f}"]
    write(tmp_path / "other" / "metrics.csv", [row("a", status="error")])
    assert measures(load([tmp_path / "other"]), []) is None


def test_shifted_geometric_mean() -> None:
    assert shifted_geometric_mean(np.array([0.0, 300.0]), 100) == pytest.approx(100)
    assert shifted_geometric_mean(np.array([7.0, 7.0]), 1) == pytest.approx(7)


def test_the_summary_is_over_the_common_instances(runs: Runs) -> None:
    table = summary(runs, [COST, EXPANDED])
    assert table.columns == ["configuration", "rows", "successes", "coverage", "cost", "expanded"]
    assert texts(table) == [["x", "3", "3", "100.0%", "10", "30"], ["y", "3", "2", "66.7%", "11", "45"]]
    assert not any(cell.is_best for line in table.rows for cell in line)  # there are too few instances
    shared = "2 of 3 instances with a comparable value of every configuration"
    assert table.notes[0] == f"Sum over the {shared}: cost, expanded."


def test_without_common_instances_nothing_is_the_best(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", "x", expanded=1), row("b", "y", expanded=2)])
    table = summary(load([tmp_path]), [EXPANDED])
    assert [line[-1] for line in texts(table)] == ["1", "2"]
    assert not any(cell.is_best for line in table.rows for cell in line)
    assert table.notes[0].startswith("Sum over all values of each configuration")


def test_configurations_without_values_do_not_restrict_the_summary(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", "x", expanded=3), row("a", "y")])
    table = summary(load([tmp_path]), [EXPANDED])
    assert [line[-1] for line in texts(table)] == ["3", ""]
    assert "(1 configuration without values)" in table.notes[0]
