"""Fronts of several costs in reports: a chart for each of some instances, and a finding for incomplete ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from algorithms.plan_sets import HYPERVOLUME, SOLUTIONS
from runner.features.reports.content import Choices, ReportContent, compose
from tests.runner.features.reports.rows import declare, row, write

Vectors = Sequence[tuple[int, ...]]


def report(folder: Path, *found: tuple[str, str, Vectors, dict[str, object]]) -> ReportContent:
    """Return the report of rows: each an instance, a configuration, its vectors of costs, and other columns."""
    rows, lines = [], []
    for instance, name, vectors, others in found:
        rows.append(row(instance, algorithm=name, content=instance, cost=vectors[0][0], **others))
        rows[-1].update({SOLUTIONS.name: len(vectors), HYPERVOLUME.name: 1})
        for number, costs in [(1, (1, 99)), *enumerate(vectors, 1)]:  # the first line is of a search that was repeated
            plan = {"run_id": rows[-1]["run_id"], "instance": instance, "solution": number, "costs": costs}
            lines.append(json.dumps({**plan, "cost": costs[0], "actions": []}))
    write(folder / "metrics.csv", rows)
    declare(folder, [SOLUTIONS, HYPERVOLUME])
    (folder / "plans.jsonl").write_text("\n".join([*lines, '{"run_id": "a', ""]))
    return compose([folder], Choices(has_pictures=False))


@pytest.mark.parametrize(
    ("second", "others", "lacking"),
    [
        ([(2, 6), (4, 3)], {}, None),
        ([(2, 6)], {"status": "node_limit"}, None),
        ([(2, 6)], {"valid": False}, None),
        ([(2, 6)], {}, "(4, 3) of one"),
        ([(2, 6), (5, 3)], {}, "(4, 3) of one"),
        ([(2, 6), (5, 3)], {"parameters": "epsilon=0.25"}, None),
        ([(2, 6), (6, 3)], {"parameters": "epsilon=0.25"}, "(4, 3) of one"),
        ([(2, 6, 1), (4, 3, 1)], {}, None),
    ],
)
def test_a_front_without_a_vector_of_another_one_is_incomplete(
    tmp_path: Path, second: Vectors, others: dict[str, object], lacking: str | None
) -> None:
    found = report(tmp_path, ("a", "one", [(2, 6), (4, 3)], {}), ("a", "two", second, others))
    wanted = [] if lacking is None else [f"two: 1 incomplete front: on a, no vector is as good as {lacking}"]
    assert found.findings == wanted


def test_some_instances_have_a_chart_of_their_fronts(tmp_path: Path) -> None:
    front = [(2, 6), (4, 3)]
    of_one: list[tuple[str, str, Vectors, dict[str, object]]] = [
        (name, "one", front[: 1 + (name != "b")], {}) for name in "abcde"
    ]
    made = report(tmp_path, *of_one, ("c", "two", front[:1], {"status": "node_limit"})).charts
    found = [chart for chart in made if chart.family == "fronts"]
    assert [chart.name for chart in found] == ["fronts", "fronts_2", "fronts_3"]
    assert [chart.title.split()[-1] for chart in found] == ["a?", "c?", "d?"]
    assert "one (2)" in found[1].svg
    assert "two (1, node_limit)" in found[1].svg
    assert "two" not in found[0].svg


def test_a_search_with_several_limits_has_no_front(tmp_path: Path) -> None:
    front = [(2, 6), (4, 3)]
    most: dict[str, object] = {"limits": "nodes=9"}
    found = report(tmp_path, ("a", "one", front, most), ("a", "two", front, most), ("a", "two", front[:1], {}))
    assert "no fronts of 1 run_id with several rows: give folders one by one" in found.notes
    (chart,) = [chart for chart in found.charts if chart.family == "fronts"]
    assert "one nodes=9 (2)" in chart.svg
    assert "two" not in chart.svg


def test_a_front_of_three_costs_shows_the_first_two(tmp_path: Path) -> None:
    (found,) = report(tmp_path, ("a", "one", [(2, 6, 1), (4, 3, 1)], {})).charts
    assert found.title.endswith("on a, the first two of 3 costs?")
    assert "cost 2" in found.svg
