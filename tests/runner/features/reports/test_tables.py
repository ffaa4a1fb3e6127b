"""Tables of a report. Expected values are computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runner.base.columns import Declared
from runner.features.reports import comparisons, formats, summaries, tables
from runner.features.reports.groups import aggregates
from runner.features.reports.runs import Runs, load
from runner.features.reports.selection import Grouping
from runner.features.reports.statistics import geometric_mean, ratio
from runner.features.reports.summaries import summary
from tests.runner.features.reports.rows import row, write

METRICS = Declared().all_metrics
EXPANDED, REWARD, COST = METRICS["expanded"], METRICS["reward"], METRICS["cost"]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    rows = [
        *(row(f"i{n}", "none", expanded=10 * n, reward=5) for n in (1, 2, 3, 4)),
        row("i1", "fast", expanded=5, reward=7),
        row("i2", "fast", expanded=20, reward=4),
        row("i3", "fast", expanded=40, status="time_limit"),
        row("i4", "fast", status="error", error="ValueError: no", valid=""),
    ]
    write(tmp_path / "results.csv", rows)
    return load([tmp_path])


def texts(table: tables.Table) -> list[list[str]]:
    return [[cell.text for cell in line] for line in [*table.rows, *table.totals]]


def test_absolute_values_sums_and_means(runs: Runs) -> None:
    table = summaries.by_instance(runs, EXPANDED)
    assert texts(table) == [
        ["i1", "10", "5"],
        ["i2", "20", "20"],
        ["i3", "30", ""],
        ["i4", "40", ""],
        ["SUM", "30", "25"],
        ["MEAN", "15.00", "12.50"],
        ["GEOMETRIC MEAN", "14.14", "10.00"],
    ]
    assert table.notes == ["Sums and means are over the 2 of 4 instances for which every configuration has a value."]


def test_the_best_value_of_an_instance_is_marked_if_there_are_enough_instances(tmp_path: Path) -> None:
    """Not those that do not count, and no total that the instances do not show to be the best."""
    values = {"none": [10, 20, 30, 40, 50, 6], "fast": [5, 20, 10, 41, 51, 7]}
    rows = [row(f"i{n}", h, expanded=v, reward=-v) for h, each in values.items() for n, v in enumerate(each)]
    rows[8]["status"] = "time_limit"
    for count, shown in ((6, True), (5, False)):
        write(tmp_path / "metrics.csv", [each for each in rows if each["instance"] != "i5" or count == 6])
        for metric in (EXPANDED, REWARD):
            table = summaries.by_instance(load([tmp_path]), metric)
            best = [[cell.is_best for cell in line[1:]] for line in table.rows[:4]]
            assert best == (
                [[False, True], [False, False], [False, False], [True, False]] if shown else [[False] * 2] * 4
            )
            assert not any(cell.is_best for line in table.totals for cell in line)


def test_errors_are_the_first_columns_of_the_statuses(runs: Runs) -> None:
    table = summaries.statuses(runs)
    assert table is not None
    assert table.columns == ["configuration", "rows", "error", "time limit", "solved", "reasons"]
    assert texts(table) == [["none", "4", "", "", "4", ""], ["fast", "4", "1", "1", "2", "1 x ValueError: no"]]


def test_one_cause_of_errors_with_different_values_is_one_reason(tmp_path: Path) -> None:
    given = [f"h 'a' gave {value} for the state {{(at {value})}}; expected 0" for value in (-1, -2, -2)]
    failed = [row(f"i{n}", status="error", error=error) for n, error in enumerate(["KeyError: 'x'", *given])]
    write(tmp_path / "metrics.csv", failed)
    table = summaries.statuses(load([tmp_path]))
    assert table is not None
    assert texts(table)[0][-1] == f"3 x {given[0]}; 1 x KeyError: 'x'"


def test_pairs_are_compared_by_wins_and_ratios(runs: Runs) -> None:
    table = comparisons.pairs(runs, EXPANDED, [("fast", "none")])
    assert texts(table)[0][:6] == ["fast / none", "2", "1", "", "1", "0.707"]
    table = comparisons.pairs(runs, REWARD, [("fast", "none")])
    assert texts(table)[0][:5] == ["fast / none", "2", "1", "1", ""]
    table = comparisons.pairs(runs, EXPANDED, [("none", "fast")])
    assert table.columns[6:12] == ["95 % low", "95 % high", "left out", "ratio of sums", "p", "p Wilcoxon"]
    assert texts(table)[0][5:12] == ["1.41", "", "", "", "1.2", "1", "1"]  # no interval
    assert texts(table)[0][12:] == ["0.25", "", ""]
    table = comparisons.pairs(runs, replace(EXPANDED, better="neither"), [("fast", "none")])
    assert table.columns[-1] == "p Wilcoxon"


def test_pairs_count_the_instances_without_a_ratio(tmp_path: Path) -> None:
    values = {"none": (10, 10), "h": (0, 5)}
    write(tmp_path / "metrics.csv", [row(f"i{n}", h, expanded=v[n]) for h, v in values.items() for n in (0, 1)])
    table = comparisons.pairs(load([tmp_path]), EXPANDED, [("h", "none")])
    assert texts(table)[0][5:10] == ["0.5", "", "", "1", "0.25"]


def test_a_metric_without_values_for_a_configuration_has_no_best(tmp_path: Path) -> None:
    """As the expansions before the last layer of f, which greedy search has not. Failed searches change nothing."""
    rows = [row(n, h, expanded=e, cost=e) for n in "abcdef" for h, e in (("x", 1), ("y", 2), ("greedy", ""))]
    rows += [row(n, "failed", status="time_limit") for n in "abcdef"]
    rows = [{**each, "cost": each.get("cost") or 1} for each in rows]
    write(tmp_path / "metrics.csv", rows)
    runs = load([tmp_path])
    grouping = Grouping(("instance",))
    for table in (
        summary(runs, [EXPANDED]),
        summaries.by_instance(runs, EXPANDED),
        aggregates(runs, EXPANDED, grouping),
    ):
        assert not any(cell.is_best for line in [*table.rows, *table.totals] for cell in line if cell.text != "100.0%")
    without = runs.table["heuristic"] != "greedy"
    write(tmp_path / "metrics.csv", [each for each, kept in zip(rows, without, strict=True) if kept])
    runs = load([tmp_path])
    for table in (summary(runs, [EXPANDED]), summaries.by_instance(runs, EXPANDED)):
        best = [cell.text for line in [*table.rows, *table.totals] for cell in line if cell.is_best]
        assert {"1", "6"}.intersection(best)


def test_best_counts_instances_with_the_best_value(runs: Runs) -> None:
    assert texts(summaries.best(runs, EXPANDED)) == [["none", "3", "2"], ["fast", "2", "1"]]


def test_a_cutoff_is_no_answer(tmp_path: Path) -> None:
    rows = [row("a", expanded=9), row("a", "beam", expanded=1, status="cutoff"), row("b", expanded=5)]
    write(tmp_path / "metrics.csv", [*rows, row("b", "beam", expanded=6)])
    table = summaries.by_instance(load([tmp_path]), EXPANDED)
    assert texts(table)[:3] == [["a", "9", ""], ["b", "5", "6"], ["SUM", "5", "6"]]


def test_large_counts_are_exact_in_csv(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", expanded=1234567890123456)])
    table = summaries.by_instance(load([tmp_path]), EXPANDED)
    assert formats.comma_separated(table).splitlines()[1] == "a,1234567890123456"


def test_many_instances_are_shown_as_totals_only(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row(f"i{n}", expanded=n) for n in range(1, 1001)])
    table = summaries.by_instance(load([tmp_path]), EXPANDED)
    assert table.rows == []
    assert texts(table)[0] == ["SUM", "500,500"]


def test_geometric_means_and_ratios() -> None:
    assert geometric_mean(np.array([1.0, 100.0])) == pytest.approx(10)
    assert math.isnan(geometric_mean(np.array([0.0, 1.0])))
    assert math.isnan(ratio(np.array([0.0]), np.array([1.0])).mean)
    twice = np.array([2.0, 4, 6, 8, 10, 12, 0, 3])
    same = ratio(twice, np.array([1.0, 2, 3, 4, 5, 6, 5, 0]))  # pairs with a zero do not count
    assert (same.mean, same.low, same.high) == pytest.approx((2, 2, 2))
    few = ratio(twice[:5], np.ones(5))
    assert few.mean == pytest.approx(geometric_mean(twice[:5]))
    assert np.isnan(few[1:]).all()
