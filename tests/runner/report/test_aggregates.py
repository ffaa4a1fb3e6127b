"""Metrics summed up by columns of the results, compared with values computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.columns import Declared
from runner.metric import Metric
from runner.registry import UserError
from runner.report.aggregates import MAX_GROUPS, Grouping, aggregates, check
from runner.report.runs import Runs, load
from tests.runner.report.rows import declare, row, write
from tests.runner.report.test_tables import texts
from tests.runner_cli import rows as rows_in
from tests.runner_cli import run

METRICS = Declared().all_metrics
EXPANDED, REWARD, INITIAL_H, BOUND = (METRICS[name] for name in ("expanded", "reward", "initial_h", "bound"))


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Two sizes with two instances each; one of the larger instances has no solution under h."""
    rows = [
        {**row(f"i{size}-{number}", heuristic, expanded=size * number * factor), "world.size": size}
        for size in (10, 4)
        for heuristic, factor in (("none", 10), ("h", 1))
        for number in (1, 2)
    ]
    next(each for each in rows if each["instance"] == "i10-2" and each["heuristic"] == "h")["status"] = "time_limit"
    write(tmp_path / "results.csv", rows)
    return load([tmp_path])


def test_by_a_swept_key(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping(("world.size",)))
    assert (table.name, table.title) == ("by_expanded", "expanded by world.size")
    assert table.columns == ["world.size", "none", "none: successes", "h", "h: successes"]
    assert texts(table) == [
        ["4", "120", "2 of 2", "12", "2 of 2"],
        ["10", "100", "2 of 2", "10", "1 of 2"],  # of the instance that both have solved
    ]
    assert [cell.is_best for cell in table.rows[0]] == [False, False, False, True, False]
    assert table.notes == [
        "Sum of each row over the instances for which all its columns have a value; columns without values are "
        "left out of account."
    ]


def test_rows_and_columns(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping(("heuristic",), ("world.size",)))
    assert table.columns == ["heuristic", "4", "4: successes", "10", "10: successes"]
    assert texts(table) == [["none", "120", "2 of 2", "300", "2 of 2"], ["h", "12", "2 of 2", "10", "1 of 2"]]
    assert not any(cell.is_best for line in table.rows for cell in line)
    assert table.notes == ["The columns have no instances in common, so each sum is over all answers of its column."]


def test_several_columns(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping(("world.size", "heuristic"), ("algorithm",)))
    assert [line[:3] for line in texts(table)] == [
        ["4", "none", "120"],
        ["4", "h", "12"],
        ["10", "none", "300"],
        ["10", "h", "10"],
    ]
    table = aggregates(runs, EXPANDED, Grouping(("algorithm",), ("world.size", "heuristic")))
    assert table.columns[1::2] == ["4, none", "4, h", "10, none", "10, h"]


def test_some_rows_share_instances(tmp_path: Path) -> None:
    rows = [row("a", "h", label="x", expanded=1), row("a", "g", label="x", expanded=2)]
    rows += [row("b", "h", label="y", expanded=3), row("c", "g", label="y", expanded=4), row("d", "k", expanded=5)]
    write(tmp_path / "metrics.csv", rows)
    table = aggregates(load([tmp_path]), EXPANDED, Grouping(("label",), ("heuristic",)))
    assert texts(table)[2] == ["(empty)", "", "", "", "", "5", "1 of 1"]
    assert len(table.notes) == 2
    assert table.notes[1].startswith("In the rows y, the columns have no instances in common")


@pytest.mark.parametrize(("metric", "value"), [(EXPANDED, "12"), (INITIAL_H, "6.0"), (BOUND, "5.657")])
def test_values_are_summed_up_as_declared(tmp_path: Path, metric: Metric, value: str) -> None:
    write(tmp_path / "metrics.csv", [row(name, **{metric.name: n}) for name, n in (("a", 4), ("b", 8))])
    assert texts(aggregates(load([tmp_path]), metric, Grouping(("algorithm",))))[0][1] == value


def test_the_cost_of_a_lost_game_is_not_the_best(tmp_path: Path) -> None:
    declare(tmp_path)
    games = (("a", "x", "won", 9, 5), ("a", "y", "lost", -9, 1), ("b", "x", "won", 8, 4), ("b", "y", "won", 7, 3))
    rows = [row(i, algorithm=p, status=s, reward=r, expanded=n, label=i) for i, p, s, r, n in games]
    write(tmp_path / "metrics.csv", rows)
    runs, grouping = load([tmp_path]), Grouping(("label",), ("algorithm",))
    table = aggregates(runs, EXPANDED, grouping)
    assert texts(table) == [["a", "5", "1 of 1", "1", "0 of 1"], ["b", "4", "1 of 1", "3", "1 of 1"]]
    assert [[cell.is_best for cell in line[1::2]] for line in table.rows] == [[False, False], [False, True]]
    table = aggregates(runs, REWARD, grouping)
    assert [[cell.is_best for cell in line[1::2]] for line in table.rows] == [[True, False], [True, False]]


def test_columns_without_values_do_not_affect_the_others(tmp_path: Path) -> None:
    rows = [row("a", "h", expanded=5), row("a", "agent"), row("a", "slow", expanded=9, status="time_limit")]
    write(tmp_path / "metrics.csv", rows)
    table = aggregates(load([tmp_path]), EXPANDED, Grouping(("world",)))
    assert texts(table) == [["w/static", "5", "1 of 1", "", "1 of 1", "", "0 of 1"]]


def test_too_many_groups(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row(f"i{n}", expanded=n) for n in range(MAX_GROUPS + 1)])
    with pytest.raises(UserError, match="501 groups of rows; at most 500 are shown"):
        check(load([tmp_path]), Grouping(("instance",)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--by", "world.siz"), "--by: 'world.siz' is no column; did you mean 'world.size'?"),
        (("--by", "code"), "--by: 'code' has no values here"),
        (("--rows", "world", "--columns", "heuristc"), "--columns: 'heuristc' is no column; did you mean 'heuristic'?"),
        (("--columns", "heuristic"), "--columns: needs --rows"),
        (("--by", "world", "--rows", "world"), "--by: cannot be used with --rows or --columns"),
    ],
)
def test_mistakes(runs: Runs, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(tmp_path, "report", ".", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


def test_the_command(runs: Runs, tmp_path: Path) -> None:
    for arguments in (("--by", "world.size"), ("--rows", "world.size"), ("--rows", "heuristic", "--columns", "label")):
        done = run(tmp_path, "report", ".", "--format", "csv,html", *arguments)
        assert done.returncode == (2 if "label" in arguments else 0), done.stderr
    assert rows_in(tmp_path / "report" / "by_expanded.csv")[1] == {
        "world.size": "10",
        "none": "100",
        "none: successes": "2 of 2",
        "h": "10",
        "h: successes": "1 of 2",
    }
