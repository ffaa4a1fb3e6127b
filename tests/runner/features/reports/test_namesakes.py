"""Different instances with the same name get a suffix that distinguishes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.base.columns import Declared
from runner.features.reports import summaries
from runner.features.reports.runs import load
from tests.runner.features.reports.rows import row, write
from tests.runner.features.reports.test_tables import texts

EXPANDED = Declared().all_metrics["expanded"]


def namesakes(values: list[dict[str, object]], heuristics: tuple[str, ...] = ("none", "h")) -> list[dict[str, object]]:
    """Return rows of different instances that are all called w1. Each instance has another value of `expanded`."""
    return [
        row("w1", heuristic, run_id=f"{heuristic}{number}", expanded=10**number, **each)
        for heuristic in heuristics
        for number, each in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([{"world.size": 4}, {"world.size": 5}], ["w1 [world.size=4]", "w1 [world.size=5]"]),
        ([{"seed": 7}, {"seed": 8}], ["w1 [seed=7]", "w1 [seed=8]"]),
        ([{"seed": 7, "world.size": 4}, {"seed": 8, "world.size": 5}], ["w1 [world.size=4]", "w1 [world.size=5]"]),
        ([{"experiment": "x", "seed": 1}, {"experiment": "y", "seed": 1}], ["w1 [experiment=x]", "w1 [experiment=y]"]),
        (
            [{"world.a": 1, "world.b": 1}, {"world.a": 1, "world.b": 2}, {"world.a": 2, "world.b": 1}],
            ["w1 [world.a=1 world.b=1]", "w1 [world.a=1 world.b=2]", "w1 [world.a=2 world.b=1]"],
        ),
        ([{}, {}], ["w1 (1 of 2)", "w1 (2 of 2)"]),
        ([{"world.size": 4}, {"world.size": ""}], ["w1 [world.size=4]", "w1"]),
    ],
)
def test_the_suffix_has_the_fewest_columns_that_distinguish(
    tmp_path: Path, values: list[dict[str, object]], names: list[str]
) -> None:
    write(tmp_path / "results.csv", namesakes(values))
    runs = load([tmp_path])
    table = summaries.by_instance(runs, EXPANDED)
    assert [line[:3] for line in texts(table)[: len(names)]] == [
        [name, str(10**number), str(10**number)] for number, name in enumerate(names)
    ]
    assert texts(table)[len(names)] == ["SUM", *2 * [str(sum(10**number for number in range(len(names))))]]
    assert bool(runs.notes) == (names[0] == "w1 (1 of 2)")


def test_the_suffix_may_be_the_folder(tmp_path: Path) -> None:
    for number, name in enumerate(("x", "y")):
        write(
            tmp_path / name / "metrics.csv",
            [row("w1", run_id=str(number), expanded=number + 1), row("w2")][: 2 - number],
        )
    assert sorted(load([tmp_path / "x", tmp_path / "y"]).table["instance"]) == ["w1 [folder=x]", "w1 [folder=y]", "w2"]
    assert sorted(load([tmp_path]).table["instance"]) == ["w1 [path=x]", "w1 [path=y]", "w2"]


def test_the_suffix_of_rows_that_were_not_collected_comes_from_overrides(tmp_path: Path) -> None:
    for number in (0, 1):
        folder = tmp_path / str(number)
        write(folder / "metrics.csv", [row("w1", run_id=str(number), expanded=1)])
        (folder / ".hydra").mkdir()
        (folder / ".hydra" / "overrides.yaml").write_text(f"- algorithm=astar\n- ++world.size={number + 4}\n")
    assert load([tmp_path]).table["instance"].tolist() == ["w1 [world.size=4]", "w1 [world.size=5]"]


def test_revisions_have_the_same_suffixes(tmp_path: Path) -> None:
    for name in ("old", "new"):
        write(tmp_path / name / "results.csv", namesakes([{"world.size": 4}, {"world.size": 5}], ("none",)))
    runs = load([tmp_path / "old", tmp_path / "new"])
    assert runs.pivot("expanded").notna().all(axis=None)
    assert list(runs.pivot("expanded").index) == ["w1 [world.size=4]", "w1 [world.size=5]"]


def test_numbered_suffixes_are_not_matched_if_their_counts_differ(tmp_path: Path) -> None:
    """It is unknown which of the two instances the other configuration searched."""
    write(tmp_path / "results.csv", [*namesakes([{}, {}], ("none",)), *namesakes([{}], ("h",))])
    assert list(load([tmp_path]).pivot("expanded").index) == ["w1 (1 of 2)", "w1 (2 of 2)", "w1"]


def test_an_instance_whose_name_equals_a_suffixed_one_stays_separate(tmp_path: Path) -> None:
    rows = [*namesakes([{"world.size": 4}, {"world.size": 5}], ("none",)), row("w1 [world.size=4]", expanded=1)]
    write(tmp_path / "results.csv", rows)
    assert len(load([tmp_path]).pivot("expanded")) == 3


def test_instances_of_different_worlds_are_distinguished(tmp_path: Path) -> None:
    write(tmp_path / "results.csv", [row("a", world="u", run_id="1"), row("a", world="v", run_id="2")])
    assert load([tmp_path]).table["instance"].tolist() == ["u a", "v a"]
