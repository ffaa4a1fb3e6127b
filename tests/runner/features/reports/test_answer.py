"""First screen of a report: the answers, and the origin of the rows."""

from __future__ import annotations

import json
from pathlib import Path

from runner.base.columns import Declared
from runner.features.reports.answers import answers
from runner.features.reports.content import compose
from runner.features.reports.runs import load
from runner.features.reports.summaries import summary
from tests.runner.features.reports.rows import declare, row, write

METRICS = Declared().all_metrics
EXPANDED, REWARD = METRICS["expanded"], METRICS["reward"]


def test_the_best_configurations_are_named_with_factors(tmp_path: Path) -> None:
    rows = [
        row(f"i{n}", h, expanded=factor * n, cost=cost)
        for h, factor, cost in (("greedy", 1, 9), ("good", 2, 5), ("blind", 8, 5))
        for n in range(1, 11)
    ]
    write(tmp_path / "metrics.csv", [*rows, row("i11", "good", expanded=3, cost=5)])
    found = answers(load([tmp_path]), [EXPANDED])
    assert [(each.question, each.name) for each in found] == [
        ("Most successes", "good"),
        ("Least expanded", "greedy"),
        ("Least expanded with the cheapest plans", "good"),
    ]
    assert found[0].detail == "11 of 11 instances. Fewest: greedy, 10."
    assert found[1].detail == (
        "4.529, the geometric mean of 10 common instances. "
        "Next: good, 2 times as much (95 % interval 2 to 2; ratio of sums 2). Last: blind, 8 times as much."
    )


def test_values_of_zero_are_left_out_of_ratios_and_named(tmp_path: Path) -> None:
    rows = [row(f"i{n}", h, expanded=n * factor + (h == "b")) for n in range(4) for h, factor in (("a", 1), ("b", 3))]
    write(tmp_path / "metrics.csv", rows)
    detail = answers(load([tmp_path]), [EXPANDED])[1].detail
    assert "the geometric mean of 3 of 4 common instances. Left out: 1 with the value 0 for a. Next: b, 3.6" in detail
    assert detail.endswith("; ratio of sums 3.67).")


def test_no_winner_is_named_if_the_interval_contains_1(tmp_path: Path) -> None:
    factors = {"a": (1, 4, 1, 4), "b": (4, 1, 5, 1), "c": (9, 9, 9, 9), "d": (99, 99, 99, 99)}
    rows = [row(f"i{n}", h, expanded=value) for h, values in factors.items() for n, value in enumerate(values)]
    write(tmp_path / "metrics.csv", rows)
    answer = answers(load([tmp_path]), [EXPANDED])[1]
    assert answer.name == "a, b"
    assert "No difference is shown: b needs 1.06 times as much (95 % interval 0.25 to 4.4" in answer.detail
    table = summary(load([tmp_path]), [EXPANDED], [EXPANDED])
    assert not any(cells[-1].is_best for cells in table.rows)
    assert table.notes[-1] == "No best value is marked where no difference is shown: expanded."
    assert "Next: c, 4.5 times as much" in answer.detail
    assert answer.detail.endswith("Last: d, 49.5 times as much.")


def test_the_best_is_compared_with_the_runner_up(tmp_path: Path) -> None:
    rows = [row(f"i{n}", h, expanded=n * factor) for n in (1, 2, 3, 4) for h, factor in (("a", 9), ("b", 1), ("c", 2))]
    write(tmp_path / "metrics.csv", rows)
    report = compose([tmp_path])
    table = next(each for each in report.tables if each.name == "pairs_expanded")
    assert [line[0].text for line in table.rows] == ["b / a", "c / a", "b / c"]
    assert "The last pair is the best and the runner-up." in table.notes
    assert any(figure.title.startswith("b against c") for figure in report.charts)


def test_equal_configurations_are_named_together(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", h, expanded=1) for h in ("x", "y", "z")])
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
    write(tmp_path / "metrics.csv", [row("a", "x", reward=-1), row("a", "y", reward=5)])
    answer = answers(load([tmp_path]), [REWARD])[1]
    assert (answer.question, answer.name) == ("Highest reward", "y")
    assert answer.detail == "5.000, the mean of 1 common instance. Next: x, -1.000."


def test_answers_on_revisions_tell_what_has_changed(tmp_path: Path) -> None:
    for name, factor in (("old", 100), ("new", 150)):
        rows = [row(f"i{n}", h, expanded=n * (factor if h == "x" else 7)) for n in range(1, 11) for h in "xy"]
        write(tmp_path / name / "metrics.csv", rows)
    found = answers(load([tmp_path / "old", tmp_path / "new"]), [EXPANDED])
    assert [(each.question, each.name) for each in found] == [("Successes", "no change"), ("Expanded", "1 worse")]
    assert (
        found[1].detail == "Significant changes, in 2 comparisons of revisions. Largest: x, 1.5 times as much in new."
    )


def test_the_page_begins_with_the_command_and_the_machine(tmp_path: Path) -> None:
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
    report = compose([tmp_path / "run"])
    assert report.title == "wumpus_offline"
    assert report.lead == "w/static: 1 configuration, 1 instance, 1 row"
    assert report.origin.commands == ["python -m runner -m +experiment=wumpus_offline 'label=a b'"]
    assert report.origin.facts == {
        "versions": "search-runner 0.1.0, Python 3.11.7",
        "code": "commit 0123456789 with changes, c0de",
        "machine": "CPU, 2 cores, Linux",
    }
    (tmp_path / "run" / "environment.json").write_text("[1]")
    assert compose([tmp_path / "run"]).title == "run"


def test_the_label_is_the_title(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", expanded=1, label="second try")])
    assert compose([tmp_path]).title == "second try"
