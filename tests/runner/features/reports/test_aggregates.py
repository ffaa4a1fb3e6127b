"""Tables that aggregate a metric over groups of rows. Expected values are computed by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runner.base.columns import Declared
from runner.base.errors import UserError
from runner.base.metric import Metric
from runner.features.reports.groups import aggregates, coverage, success_counts
from runner.features.reports.runs import Runs, load
from runner.features.reports.selection import MAX_GROUPS, Grouping
from runner.records.row import write_declared
from tests.runner.features.reports.rows import declare, row, write
from tests.runner.features.reports.test_tables import texts

METRICS = Declared().all_metrics
EXPANDED, REWARD, INITIAL_H, BOUND = (METRICS[name] for name in ("expanded", "reward", "initial_h", "bound"))


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Return rows of two sizes with seven instances each. The heuristic h reaches the time limit on i10-2."""
    rows = [
        {**row(f"i{size}-{number}", heuristic, expanded=size * number * factor), "world.size": size}
        for size in (10, 4)
        for heuristic, factor in (("none", 10), ("h", 1))
        for number in range(1, 8)
    ]
    next(each for each in rows if each["instance"] == "i10-2" and each["heuristic"] == "h")["status"] = "time_limit"
    write(tmp_path / "results.csv", rows)
    return load([tmp_path])


def test_a_swept_key_has_a_column_for_each_value_and_a_row_for_each_configuration(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping.by(["world.size"]))
    assert (table.name, table.title) == ("by_expanded", "expanded by world.size")
    assert table.columns == ["configuration", "size=4 (7 of 7)", "size=10 (6 of 7)", "SUM"]
    assert texts(table) == [
        ["none", "1,120", "2,600", "3,720"],
        ["h", "112", "260", "372"],
    ]  # i10-2: h has no answer for it
    assert [[cell.is_best for cell in line[1:]] for line in table.rows] == [[False] * 3, [True] * 3]
    assert table.notes == [
        "Sum of each column over the instances for which all its rows have a value; rows without values are "
        "left out of account."
    ]
    counts = success_counts(runs, Grouping.by(["world.size"]))
    assert texts(counts) == [["none", "7 of 7", "7 of 7", "14 of 14"], ["h", "7 of 7", "6 of 7", "13 of 14"]]


def test_a_swept_key_can_be_in_the_rows(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping(("world.size",)))
    assert table.columns == ["world.size", "none", "h"]
    assert texts(table) == [["4 (7 of 7)", "1,120", "112"], ["10 (6 of 7)", "2,600", "260"], ["SUM", "3,720", "372"]]
    assert [[cell.is_best for cell in line] for line in (table.rows[0], *table.totals)] == [[False, False, True]] * 2
    assert texts(success_counts(runs, Grouping(("world.size",))))[-1] == ["SUM", "14 of 14", "13 of 14"]
    assert table.notes[0].startswith("Sum of each row over the instances for which all its columns have a value")


def test_totals_are_over_the_rows_without_empty_cells(tmp_path: Path) -> None:
    """A sum over fewer rows would look better."""
    values = (("a", "x", 1), ("a", "y", 2), ("b", "x", 3), ("b", "y", 4), ("c", "x", 5), ("c", "y", ""))
    write(tmp_path / "metrics.csv", [row(f"{g}#1", h, initial_h=v, expanded=v) for g, h, v in values])
    runs, grouping = load([tmp_path]), Grouping(("instance_group",))
    table = aggregates(runs, EXPANDED, grouping)
    assert texts(table)[-1] == ["SUM", "4", "6"]
    assert table.notes[-1] == "SUM: over the 2 of 3 rows without empty cells."
    assert texts(aggregates(runs, INITIAL_H, grouping))[-1] == ["MEAN", "2.000", "3.000"]
    assert aggregates(runs, EXPANDED, Grouping(("heuristic",), ("algorithm",))).totals == []


def test_groups_without_common_instances_are_not_compared(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping(("world.size",), ("instance",)))
    assert not any(cell.is_best for line in table.rows for cell in line)
    table = aggregates(runs, EXPANDED, Grouping(("world",), ("world.size",)))
    assert table.columns == ["world", "size=4", "size=10"]
    assert not any(cell.is_best for line in table.rows for cell in line)
    assert table.notes == ["The columns have no instances in common, so each sum is over all its answers."]


def test_instances_are_grouped_by_their_names_up_to_the_mark(tmp_path: Path) -> None:
    names = ["arena#1", "den#1", "arena#2", "den#2 b#c", "arena#12", "alone"]
    write(tmp_path / "results.csv", [row(name, expanded=2**number) for number, name in enumerate(names)])
    table = aggregates(load([tmp_path]), EXPANDED, Grouping(("instance_group",)))
    assert texts(table) == [["arena (3 of 3)", "21"], ["den (2 of 2)", "10"], ["(empty) (1 of 1)", "32"], ["SUM", "63"]]
    write(tmp_path / "results.csv", [row("alone")])
    with pytest.raises(UserError, match="'instance_group' has no values here"):
        Grouping(("instance_group",)).check(load([tmp_path]).table)


def test_groups_by_several_columns(runs: Runs) -> None:
    table = aggregates(runs, EXPANDED, Grouping(("world.size", "heuristic"), ("algorithm",)))
    assert [line[:3] for line in texts(table)] == [
        ["4", "none (7 of 7)", "1,120"],
        ["4", "h (7 of 7)", "112"],
        ["10", "none (7 of 7)", "2,800"],
        ["10", "h (6 of 7)", "260"],
    ]
    table = aggregates(runs, EXPANDED, Grouping(("algorithm",), ("world.size", "heuristic")))
    assert table.columns[1:] == ["size=4, none", "size=4, h", "size=10, none", "size=10, h"]


def test_a_note_names_rows_whose_columns_share_no_instances(tmp_path: Path) -> None:
    rows = [row("a", "h", label="x", expanded=1), row("a", "g", label="x", expanded=2)]
    rows += [row("b", "h", label="y", expanded=3), row("c", "g", label="y", expanded=4), row("d", "k", expanded=5)]
    write(tmp_path / "metrics.csv", rows)
    table = aggregates(load([tmp_path]), EXPANDED, Grouping(("label",), ("heuristic",)))
    assert texts(table)[2] == ["(empty) (1 of 1)", "", "", "5"]
    assert len(table.notes) == 2
    assert table.notes[1].startswith("In the rows y, the columns have no instances in common")


@pytest.mark.parametrize(("metric", "value"), [(EXPANDED, "12"), (INITIAL_H, "6.000"), (BOUND, "5.657")])
def test_a_metric_is_aggregated_as_declared(tmp_path: Path, metric: Metric, value: str) -> None:
    write(tmp_path / "metrics.csv", [row(name, **{metric.name: n}) for name, n in (("a", 4), ("b", 8))])
    assert texts(aggregates(load([tmp_path]), metric, Grouping(("algorithm",))))[0][1] == value


def test_a_count_of_a_lost_game_is_never_the_best(tmp_path: Path) -> None:
    declare(tmp_path)
    games = (("a", "x", "won", 9, 5), ("a", "y", "lost", -9, 1), ("b", "x", "won", 8, 4), ("b", "y", "won", 7, 3))
    rows = [
        row(f"{cave}{n}", algorithm=agent, status=status, reward=reward, expanded=expanded, label=cave)
        for cave, agent, status, reward, expanded in games
        for n in range(6)
    ]
    write(tmp_path / "metrics.csv", rows)
    runs, grouping = load([tmp_path]), Grouping(("label",), ("algorithm",))
    table = aggregates(runs, EXPANDED, grouping)
    assert texts(table) == [["a (6 of 6)", "30", "6"], ["b (6 of 6)", "24", "18"]]
    assert [[cell.is_best for cell in line[1:]] for line in table.rows] == [[False, False], [False, True]]
    table = aggregates(runs, REWARD, grouping)  # rewards of all games can be compared
    assert [[cell.is_best for cell in line[1:]] for line in table.rows] == [[True, False], [True, False]]


def test_columns_without_values_do_not_restrict_the_shared_instances(tmp_path: Path) -> None:
    rows = [row("a", "h", expanded=5), row("a", "agent"), row("a", "slow", expanded=9, status="time_limit")]
    write(tmp_path / "metrics.csv", rows)
    table = aggregates(load([tmp_path]), EXPANDED, Grouping(("world",)))
    assert texts(table) == [["w/static (1 of 1)", "5", "", ""]]


def test_too_many_groups_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row(f"i{n}", expanded=n) for n in range(MAX_GROUPS + 1)])
    with pytest.raises(UserError, match=f"{MAX_GROUPS + 1} groups of rows; at most {MAX_GROUPS} are shown"):
        Grouping(("instance",)).check(load([tmp_path]).table)


@pytest.mark.parametrize(
    ("by", "rows", "columns", "message"),
    [
        ("world.siz", "", "", "--by: 'world.siz' is not a column; did you mean 'world.size'?"),
        ("code", "", "", "--by: 'code' has no values here"),
        ("", "heuristic", "label", "--columns: 'label' has no values here"),
        ("", "world", "heuristc", "--columns: 'heuristc' is not a column; did you mean 'heuristic'?"),
        ("", "", "heuristic", "--columns: needs --rows"),
        ("world", "world", "", "--by: cannot be used with --rows or --columns"),
    ],
)
def test_wrong_columns_are_refused(runs: Runs, by: str, rows: str, columns: str, message: str) -> None:
    def check() -> None:
        grouping = Grouping.chosen(by.split(), rows.split(), columns.split())
        assert grouping is not None
        grouping.check(runs.table)

    with pytest.raises(UserError, match=f"^{re.escape(message)}"):
        check()


def test_coverage_by_domain_has_the_number_of_instances_in_its_headings(tmp_path: Path) -> None:
    tasks = ["blocks#1", "blocks#2", "gripper#1", "gripper#2", "depot#1"]
    made = [row(task, h, world="pddl/file", cost=1) for task in tasks for h in ("h1", "h2")]
    made[2] |= {"status": "time_limit", "cost": ""}
    write(tmp_path / "results.csv", made)
    table = coverage(load([tmp_path]))
    assert table is not None
    assert (table.columns, table.notes) == (["instance_group", "h1", "h2"], [])
    assert texts(table) == [
        ["blocks (2)", "1", "2"],
        ["depot (1)", "1", "1"],
        ["gripper (2)", "2", "2"],
        ["SUM (5)", "4", "5"],
    ]
    write(tmp_path / "results.csv", [made[0], *made[2:-1]])
    table = coverage(load([tmp_path]))
    assert table is not None
    assert texts(table)[1:3] == [["depot (1)", "1", ""], ["gripper (2)", "2", "2"]]
    assert table.notes == ["An instance that a configuration has not tried counts as not solved."]


def test_coverage_is_by_map_and_not_by_type_of_scenario(tmp_path: Path) -> None:
    made = [row(f"{each}-{n}", map=each, instance_group="even", cost=1) for each in "ab" for n in (1, 2)]
    write(tmp_path / "results.csv", [*made[:3], {**made[3], "status": "time_limit", "cost": ""}])
    write_declared(tmp_path, Declared(texts=("map", "instance_group")))
    table = coverage(load([tmp_path]))
    assert table is not None
    assert (table.columns[0], texts(table)) == ("map", [["a (2)", "2"], ["b (2)", "1"], ["SUM (4)", "3"]])


def test_there_is_no_coverage_by_domain_of_one_domain_or_if_all_is_solved(tmp_path: Path) -> None:
    write(tmp_path / "results.csv", [row(name, cost=1) for name in ("a#1", "a#2", "b#1")])
    assert coverage(load([tmp_path])) is None
    write(tmp_path / "results.csv", [row("a#1", cost=1), row("a#2", status="time_limit")])
    assert coverage(load([tmp_path])) is None
