"""First screen of a report: the answers, and the origin of the rows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from runner.base.columns import Declared
from runner.base.errors import plural
from runner.features.reports.answers import answers
from runner.features.reports.content import Choices, compose
from runner.features.reports.formats import write_report
from runner.features.reports.runs import load
from runner.features.reports.selection import Grouping
from runner.features.reports.summaries import summary
from tests.runner.features.reports.rows import declare, row, write
from tests.runner_cli import rows as rows_in

METRICS = Declared().all_metrics
EXPANDED, REWARD = METRICS["expanded"], METRICS["reward"]


def test_the_best_configurations_are_named_with_factors(tmp_path: Path) -> None:
    rows = [
        row(f"i{n}", h, expanded=factor * n, cost=cost)
        for h, factor, cost in (("greedy", 1, 9), ("good", 2, 5), ("blind", 8, 5))
        for n in range(1, 11)
    ]
    lost = [row("i11", h, status="time_limit") for h in ("greedy", "blind")]
    write(tmp_path / "metrics.csv", [*rows, row("i11", "good", expanded=3, cost=5), *lost])
    found = answers(load([tmp_path]), [EXPANDED])
    assert [(each.question, each.name) for each in found] == [
        ("Most successes", "good"),
        ("Least expanded", "greedy"),
        ("Least expanded with the cheapest plans", "good"),
    ]
    assert found[0].detail == "11 of 11 instances. Fewest: greedy, 10."
    assert found[1].detail == (
        "4.529, the geometric mean of 10 common instances. "
        "Next: good, 2 times as much. 95 % interval: 2 to 2. Ratio of sums: 2. Last: blind, 8 times as much."
    )


def test_values_of_zero_are_left_out_of_ratios_and_named(tmp_path: Path) -> None:
    rows = [row(f"i{n}", h, expanded=n * factor + (h == "b")) for n in range(8) for h, factor in (("a", 1), ("b", 3))]
    write(tmp_path / "metrics.csv", rows)
    detail = answers(load([tmp_path]), [EXPANDED])[1].detail
    assert "the geometric mean of 7 of 8 common instances. Left out: 1 with the value 0 for a. Next: b, 3.3" in detail
    assert detail.endswith(" Ratio of sums: 3.29.")


def test_no_winner_is_named_if_the_interval_contains_1(tmp_path: Path) -> None:
    factors = {"a": (1, 4, 1, 4, 1, 4), "b": (4, 1, 5, 1, 4, 1), "c": (9,) * 6, "d": (99,) * 6}
    rows = [row(f"i{n}", h, expanded=value) for h, values in factors.items() for n, value in enumerate(values)]
    write(tmp_path / "metrics.csv", rows)
    answer = answers(load([tmp_path]), [EXPANDED])[1]
    assert answer.name == "a, b"
    assert "No difference is shown: b needs 1.04 times as much. 95 % interval: 0.2" in answer.detail
    table = summary(load([tmp_path]), [EXPANDED])
    assert not any(cells[-1].is_best for cells in table.rows)
    assert table.notes[-1] == "No best value is marked where no difference is shown: expanded."
    assert "Next: c, 4.5 times as much" in answer.detail
    assert answer.detail.endswith("Last: d, 49.5 times as much.")


def test_the_best_is_compared_with_the_runner_up(tmp_path: Path) -> None:
    rows = [row(f"i{n}", h, expanded=n * factor) for n in range(1, 7) for h, factor in (("a", 9), ("b", 1), ("c", 2))]
    write(tmp_path / "metrics.csv", rows)
    report = compose([tmp_path], Choices(charts=["scatter"]))
    table = next(each for each in report.tables if each.name == "pairs_expanded")
    assert [line[0].text for line in table.rows] == ["b / a", "c / a", "b / c"]
    assert "The last pair is the best and the runner-up." in table.notes
    assert any(figure.title.startswith("b against c") for figure in report.charts)


def test_equal_configurations_are_named_together(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row(n, h, expanded=1) for n in "abcdef" for h in ("x", "y", "z")])
    found = answers(load([tmp_path]), [EXPANDED])
    assert [each.name for each in found] == ["all 3 alike", "x, y and 1 more"]


def test_a_single_configuration_has_its_means(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", expanded=1), row("b", expanded=100), row("c", status="time_limit")])
    found = answers(load([tmp_path]), [EXPANDED])
    assert [(each.question, each.name, each.detail) for each in found] == [
        ("Successes", "2 of 3 instances", "astar"),
        ("Expanded", "10.00", "the geometric mean of 2 instances, astar"),
    ]


def test_without_values_that_count_there_is_no_best(tmp_path: Path) -> None:
    """As of games that all players lose."""
    declare(tmp_path)
    write(tmp_path / "metrics.csv", [row("a", h, status="lost", search_seconds=1, actions=1) for h in ("x", "y")])
    runs = load([tmp_path])
    assert [each.question for each in answers(runs, [EXPANDED, METRICS["search_seconds"]])] == ["Most successes"]
    assert compose([tmp_path]).answers[0].detail == "0 of 1 instance."


def test_more_can_be_better(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row(n, h, reward=r) for n in "abcdef" for h, r in (("x", -1), ("y", 5))])
    answer = answers(load([tmp_path]), [REWARD])[1]
    assert (answer.question, answer.name) == ("Highest reward", "y")
    assert (
        answer.detail
        == "5.000, the mean of 6 common instances. Next: x, -1.000. Difference: 6.000. 95 % interval: 6.000 to 6.000."
    )
    rewards = {"x": range(6), "y": (5, 4, 3, 2, 1, 1)}
    write(tmp_path / "metrics.csv", [row(f"i{n}", h, reward=r) for h, rs in rewards.items() for n, r in enumerate(rs)])
    answer = answers(load([tmp_path]), [REWARD])[1]
    assert answer.name == "y, x"
    assert "No difference is shown: x has 2.500. Difference: 0.167. 95 % interval: -3" in answer.detail


@pytest.mark.parametrize("count", [*(pytest.param(few, marks=pytest.mark.long) for few in (1, 2)), 5, 6])
def test_below_six_common_instances_nothing_is_the_best(tmp_path: Path, count: int) -> None:
    """In no format: neither an interval, nor a winner, nor a mark. All are there from six on."""
    made = [
        row(f"i{n}", h, expanded=(n + 3) * f, reward=-f, search_seconds=(n + 1) * f, limits="time=90")
        for h, f in (("a", 1), ("b", 2))
        for n in range(count)
    ]
    write(tmp_path / "in" / "metrics.csv", made)
    report = replace(compose([tmp_path / "in"], Choices(grouping=Grouping.by(["world"]))), charts=[])
    write_report(report, tmp_path / "out", ["markdown", "latex", "csv"])
    text = (tmp_path / "out" / "report.md").read_text()
    latex = (tmp_path / "out" / "report.tex").read_text().partition(r"\begin{document}")[2]
    is_shown = count >= 6
    assert ("95 % interval" in text.partition("###")[0]) == is_shown
    assert ("Least expanded: **a**" in text) == is_shown
    assert bool(re.search(r"\| +\*\*[\d.]+", text)) == is_shown
    assert (r"\bfseries" in latex) == is_shown
    pair = rows_in(tmp_path / "out" / "pairs_expanded.csv")[0]
    assert all(bool(pair[name]) == is_shown for name in ("95 % low", "95 % high", "superiority low"))
    few = f"- Expanded, search time: {plural(count, 'common instance')}: too few to compare."
    assert (few in text) != is_shown


def few_common(common: int, limits: str) -> list[dict[str, object]]:
    """Return rows of 15 instances: one configuration solves all of them, the other one the first few."""
    made = [row(f"i{n}", "a", expanded=9, search_seconds=1, limits=limits) for n in range(15)]
    solved = [row(f"i{n}", "b", expanded=1, search_seconds=0.1, limits=limits) for n in range(common)]
    lost = [row(f"i{n}", "b", expanded=50, status="node_limit", limits=limits) for n in range(common, 15)]
    return [*made, *solved, *lost]


@pytest.mark.parametrize("common", [1, 7])
def test_a_minority_of_common_instances_is_said_first(tmp_path: Path, common: int) -> None:
    """On the easy ones, b needs a ninth of a. It solves few, so its penalised average is larger."""
    write(tmp_path / "metrics.csv", few_common(common, "nodes=50"))
    report = compose([tmp_path])
    few = ": too few to compare" if common == 1 else ""
    assert report.answers[0] == (
        "Common instances",
        f"{common} of 15 instances{few}",
        "Only these have values of every configuration in expanded, search time. Compared instead: coverage and PAR10.",
    )
    assert [(each.question, each.name) for each in report.answers[1:]] == [
        ("Most successes", "a"),
        ("Least PAR10 expanded", "a"),
    ]
    summary_of = next(each for each in report.tables if each.name == "summary")
    marked = {
        heading
        for line in summary_of.rows
        for heading, cell in zip(summary_of.columns, line, strict=True)
        if cell.is_best
    }
    assert marked == {"coverage"}
    write(tmp_path / "metrics.csv", few_common(common, ""))
    found = compose([tmp_path]).answers
    assert found[0].detail.endswith("Compared instead: coverage (PAR10 needs limits).")
    assert len(found) == 2
    write(tmp_path / "metrics.csv", few_common(8, "nodes=50"))
    assert [each.question for each in answers(load([tmp_path]), [EXPANDED])] == ["Most successes", "Least expanded"]


def test_answers_and_configurations_are_by_world_if_no_instance_was_tried_by_all(tmp_path: Path) -> None:
    """As after a zip of worlds and their heuristics."""
    made = [
        row(f"{world}{n}", h, world=world, expanded=f * (n + 1))
        for world, count, heuristics in (("tiles", 8, "mn"), ("cakes", 6, "gp"), ("towers", 2, "xy"))
        for f, h in enumerate(heuristics, 1)
        for n in range(count)
    ]
    write(tmp_path / "metrics.csv", made)
    report = compose([tmp_path], Choices(grouping=Grouping(("heuristic",), ("world",))))
    assert [(each.question, each.name) for each in report.answers] == [
        ("tiles: Most successes", "all 2 alike"),
        ("tiles: Least expanded", "m"),
        ("cakes: Most successes", "all 2 alike"),
        ("cakes: Least expanded", "g"),
        ("towers: Most successes", "all 2 alike"),
        ("towers: Expanded", "2 common instances: too few to compare"),
    ]
    tables = {each.name: each for each in report.tables}
    marks = {
        name: [cell.text for line in tables[f"summary_{name}"].rows for cell in line if cell.is_best]
        for name in ("tiles", "cakes", "towers")
    }
    assert marks == {"tiles": ["36"], "cakes": ["21"], "towers": []}
    assert "summary" not in tables
    assert [line[0].text for line in tables["pairs_expanded"].rows] == ["n / m", "p / g", "y / x"]
    headings = ["heuristic", "world=tiles (8 of 8)", "world=cakes (6 of 6)", "world=towers (2 of 2)"]
    assert tables["by_expanded"].columns == headings
    write(tmp_path / "metrics.csv", [*made, *(row("tiles1", h, world="tiles", expanded=1) for h in "gpxy")])
    assert "summary" in {each.name for each in compose([tmp_path]).tables}


def test_answers_on_revisions_tell_what_has_changed(tmp_path: Path) -> None:
    for name, factor in (("old", 100), ("new", 150)):
        rows = [row(f"i{n}", h, expanded=n * (factor if h == "x" else 7)) for n in range(1, 11) for h in "xy"]
        write(tmp_path / name / "metrics.csv", rows)
    found = answers(load([tmp_path / "old", tmp_path / "new"]), [EXPANDED])
    assert [(each.question, each.name) for each in found] == [("Successes", "no change"), ("Expanded", "1 worse")]
    assert (
        found[1].detail == "Significant changes, in 2 comparisons of revisions. Largest: x, 1.5 times as much in new."
    )


def test_the_table_origin_has_the_command_and_the_machine(tmp_path: Path) -> None:
    write(tmp_path / "run" / "metrics.csv", [row("a", expanded=1)])
    environment = {
        "python": "3.11.7",
        "packages": {"search-runner": "0.1.0", "numba": None},
        "git": {"commit": "0123456789abcdef", "dirty": True},
        "platform": "Linux",
        "processor": "CPU",
        "cpu_count": 2,
        "code": "c0de",
        "command": ["/x/runner/__main__.py", "-m", "+experiment=wumpus_offline", "label=a b"],
    }
    (tmp_path / "run" / "environment.json").write_text(json.dumps(environment))
    report = compose([tmp_path / "run"], Choices(tables=["origin"]))
    assert report.title == "astar, w/static, 1 instance"
    assert report.lead == "wumpus_offline: 1 configuration, 1 row"
    facts = dict(report.tables[0].values["value"])
    assert facts == {
        "command": "python -m runner -m +experiment=wumpus_offline 'label=a b'",
        "versions": "search-runner 0.1.0, Python 3.11.7",
        "code": "commit 0123456789 with changes",
        "machine": "CPU, 2 cores, Linux",
        "algorithm": "astar",
        "heuristic": "none",
        "ties": "low_h",
        "world": "w/static",
    }
    by_path = "+experiment=/tmp/my files/tmp.x/exp.yaml"
    (tmp_path / "run" / "environment.json").write_text(json.dumps({"command": ["runner", by_path]}))
    assert compose([tmp_path / "run"]).lead == "exp.yaml: 1 configuration, 1 row"
    (tmp_path / "run" / "environment.json").write_text("[1]")
    assert compose([tmp_path / "run"]).lead == "run: 1 configuration, 1 row"


def test_the_label_is_the_title(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", expanded=1, label="second try")])
    report = compose([tmp_path])
    assert report.title == "second try"
    assert report.lead == "astar, w/static, 1 instance: 1 configuration, 1 row"


@pytest.mark.parametrize(
    ("changed", "title"),
    [
        ({}, "2 heuristics, astar, w size-3x3, 3 instances"),
        ({"a": {"algorithm": "greedy"}}, "2 algorithms, 2 heuristics, w size-3x3, 3 instances"),
        ({"a": {"heuristic": "b", "ties": "fifo"}}, "2 configurations, astar, b, w size-3x3, 3 instances"),
        ({"a": {"world": "v/all"}}, "2 heuristics, 2 worlds, astar, 6 instances"),
        ({"a": {"instance": "other"}}, "2 heuristics, astar, w/static, 6 instances"),
    ],
)
def test_the_title_is_a_sentence(tmp_path: Path, changed: dict[str, dict[str, str]], title: str) -> None:
    made = [{**row(f"size-3x3-{n}", h, expanded=n + 1), **changed.get(h, {})} for n in range(3) for h in "ab"]
    write(tmp_path / "metrics.csv", made)
    assert compose([tmp_path]).title == title


def test_simulated_actions_are_shown_where_they_differ_from_generated_nodes(tmp_path: Path) -> None:
    made = [row(f"i{n}", generated=n, simulated_actions=n + 1) for n in range(3)]
    for more, is_shown in ([], False), ([row("x", status="error")], False), ([row("x", simulated_actions=9)], True):
        write(tmp_path / "metrics.csv", [*made, *more])
        assert ("simulated actions" in compose([tmp_path]).tables[0].columns) is is_shown
    report = compose([tmp_path], Choices(metrics=["simulated_actions"]))
    assert "simulated actions" in report.tables[0].columns


def test_worlds_apart_have_answers_although_one_has_no_success(tmp_path: Path) -> None:
    failed = [row(f"p{n}", "manhattan", world="npuzzle/random", status="node_limit", valid="") for n in range(8)]
    solved = [row(f"c{n}", "gap", world="pancake/random", cost=5, expanded=10 + n) for n in range(8)]
    write(tmp_path / "metrics.csv", [*failed, *solved])
    found = [(answer.question, answer.name) for answer in compose([tmp_path]).answers]
    assert found[:2] == [
        ("npuzzle/random: Successes", "0 of 8 instances"),
        ("pancake/random: Successes", "8 of 8 instances"),
    ]
