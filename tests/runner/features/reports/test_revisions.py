"""Comparison of revisions of the same searches, by label and by folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.base.columns import Declared
from runner.features.reports import comparisons
from runner.features.reports.content import of_runs
from runner.features.reports.runs import load
from tests.runner.features.reports.rows import row, write
from tests.runner.features.reports.test_tables import texts

EXPANDED = Declared().all_metrics["expanded"]
PLAN = {"instance": "i", "seconds": 1.0, "cost": 9, "actions": []}


def rows_of(factor: int, **values: object) -> list[dict[str, object]]:
    return [row(f"i{n}", expanded=factor * n, **values) for n in (1, 2, 3)]


def test_folders_with_the_same_searches_are_compared(tmp_path: Path) -> None:
    write(tmp_path / "old" / "metrics.csv", [*rows_of(4), row("i1", "h", expanded=7)])
    write(tmp_path / "new" / "metrics.csv", [*rows_of(2), row("i1", "g", expanded=5)])
    runs = load([tmp_path / "old", tmp_path / "new"])
    assert runs.configurations == ["none [old]", "none [new]", "h", "g"]
    assert runs.notes == []
    assert runs.pivot("expanded").T["i3"].tolist()[:2] == [12, 6]
    assert runs.meanings["none [new]"].endswith("revision=new")
    table = comparisons.revisions(runs, EXPANDED)
    assert table is not None
    assert table.title == "Revisions: expanded"
    assert table.columns == [
        *("configuration", "before", "after", "instances", "better", "worse", "sum before", "sum after", "ratio"),
        *("95 % low", "95 % high", "p", "p Wilcoxon", "verdict"),
    ]
    assert texts(table) == [
        ["none", "old", "new", "3", "3", "", "24", "12", "0.5", "", "", "0.25", "0.25", "too few instances"]
    ]
    assert "revisions_expanded" in [each.name for each in of_runs(runs, [tmp_path]).tables]


def test_improved_solutions_of_two_revisions_are_not_shown(tmp_path: Path) -> None:
    """Plans have a run_id but no revision, so it is unknown to which of the two they belong."""
    for name in ("old", "new"):
        rows = rows_of(1, cost=9)
        write(tmp_path / name / "metrics.csv", rows)
        lines = (json.dumps({**PLAN, "run_id": r["run_id"]}) + "\n" for r in rows)
        (tmp_path / name / "plans.jsonl").write_text("".join(lines))
    folders = [tmp_path / "old", tmp_path / "new"]
    assert "quality" in [chart.name for chart in of_runs(load(folders[:1]), folders[:1]).charts]
    assert "quality" not in [chart.name for chart in of_runs(load(folders), folders).charts]


def test_consecutive_labels_are_compared(tmp_path: Path) -> None:
    labelled = [each for number, label in ((4, "v1"), (2, "v2"), (8, "")) for each in rows_of(number, label=label)]
    write(tmp_path / "results.csv", labelled)
    runs = load([tmp_path])
    assert runs.configurations == ["astar [v1]", "astar [v2]", "astar [no label]"]
    table = comparisons.revisions(runs, EXPANDED)
    assert table is not None
    assert [line[1:3] for line in texts(table)] == [["v1", "v2"], ["v2", "no label"]]


def test_revisions_are_named_by_label_and_if_needed_by_folder(tmp_path: Path) -> None:
    write(tmp_path / "a" / "results.csv", [*rows_of(1, label="v1"), *rows_of(2, label="v2")])
    write(tmp_path / "b" / "results.csv", rows_of(3, label="v1"))
    names = load([tmp_path / "a", tmp_path / "b"]).configurations
    assert names == ["astar [v1 a]", "astar [v2 a]", "astar [v1 b]"]
    write(tmp_path / "b" / "results.csv", rows_of(3, label="v3"))
    names = load([tmp_path / "a", tmp_path / "b"]).configurations
    assert names == ["astar [v1]", "astar [v2]", "astar [v3]"]


def test_only_instances_that_both_have_solved_are_compared(tmp_path: Path) -> None:
    write(tmp_path / "old" / "metrics.csv", rows_of(1))
    new = [row("i1", expanded=3), row("i2", expanded=1, status="time_limit"), row("i9", expanded=1)]
    write(tmp_path / "new" / "metrics.csv", new)
    table = comparisons.revisions(load([tmp_path / "old", tmp_path / "new"]), EXPANDED)
    assert table is not None
    assert texts(table)[0][3:9] == ["1", "", "1", "1", "3", "3"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([row("a", expanded=1)], [row("b", expanded=1)]),
        ([row("a", expanded=1)], [row("a", "h", expanded=1)]),
        ([row("a", label="v1")], [row("b", label="v1")]),
    ],
)
def test_folders_without_common_searches_are_no_revisions(
    tmp_path: Path, first: list[dict[str, object]], second: list[dict[str, object]]
) -> None:
    write(tmp_path / "x" / "metrics.csv", first)
    write(tmp_path / "y" / "metrics.csv", second)
    runs = load([tmp_path / "x", tmp_path / "y"])
    assert not any("[" in name for name in runs.configurations)
    assert len(runs.table) == 2
    assert runs.variants == {}


def test_revisions_in_folders_of_the_same_name_are_named_by_their_paths(tmp_path: Path) -> None:
    for folder, factor in (("old", 1), ("new", 2)):
        write(tmp_path / folder / "sweep" / "metrics.csv", rows_of(factor))
    runs = load([tmp_path / "old" / "sweep", tmp_path / "new" / "sweep"])
    assert runs.configurations == ["astar [old/sweep]", "astar [new/sweep]"]


def test_a_folder_given_twice_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "a" / "metrics.csv", rows_of(1))
    runs = load([tmp_path / "a", tmp_path / "a" / ".." / "a", tmp_path])
    assert runs.configurations == ["astar"]
    assert len(runs.table) == 3


def test_rows_of_different_code_versions_are_noted(tmp_path: Path) -> None:
    write(tmp_path / "a" / "metrics.csv", [row("i1", code="c1"), row("i2", code="c2")])
    notes = ["rows were made by different versions of the code (column `code`), so their values may not be comparable"]
    assert load([tmp_path / "a"]).notes == notes
    write(tmp_path / "b" / "metrics.csv", [row("i1", code="c3"), row("i2", code="c3")])
    assert load([tmp_path / "a", tmp_path / "b"]).notes == [f"revision a: {notes[0]}"]
    write(tmp_path / "a" / "metrics.csv", [row("i1", code="c1"), row("i2", code="c1")])
    assert load([tmp_path / "a", tmp_path / "b"]).notes == []


def test_other_code_of_plugins_makes_other_configurations(tmp_path: Path) -> None:
    """Also if the order of the files in time changes. They are named by the plug-ins in which they differ."""
    for name, factor in (("a", 1), ("b", 2), ("c", 3)):
        rows = [*rows_of(factor, code=f"own+{name}"), *rows_of(9, algorithm="ucs", code="own")]
        write(tmp_path / name / "metrics.csv", rows)
        files = ["/x/common.py", "/x/old/mine.py" if name == "a" else "/x/new/mine.py"]
        environment = {"code": f"own+{name}", "plugin_files": files}
        (tmp_path / name / "environment.json").write_text(json.dumps(environment))
    runs = load([tmp_path])
    assert runs.configurations == ["astar [old/mine.py]", "astar [new/mine.py b]", "astar [new/mine.py c]", "ucs"]
    assert runs.pivot("expanded").T["i3"].tolist() == [3, 6, 9, 27]
    assert runs.meanings["astar [old/mine.py]"].endswith(" plugin=old/mine.py")
    assert runs.variants == {}
    assert [note.partition(":")[0] for note in runs.notes] == ["6 rows left out", "astar"]
    for file in tmp_path.rglob("environment.json"):
        file.write_text('{"plugin_files": ["\\u0000"], "code": "own+a"}')
    assert load([tmp_path]).configurations == ["astar [\0]", "astar [b]", "astar [c]", "ucs"]


def test_plugins_that_change_between_revisions_are_compared(tmp_path: Path) -> None:
    for name in ("old", "new"):
        write(tmp_path / name / "metrics.csv", rows_of(1, code=f"own+{name}"))
    assert load([tmp_path / "old", tmp_path / "new"]).configurations == ["astar [old]", "astar [new]"]
