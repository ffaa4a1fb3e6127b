"""Load rows: names of configurations, choice of files, and notes about corrupt rows."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from runner.base.errors import UserError
from runner.base.result import NAMES
from runner.features.reports.content import Choices, compose
from runner.features.reports.runs import Expressions, load
from tests.runner.features.reports.rows import row, write

STACKS = ["none", "manhattan", "manhattan+pivots", "manhattan+pivots+obstacle(as_published=true)"]


def test_configurations_have_the_shortest_names_that_distinguish_them(tmp_path: Path) -> None:
    write(tmp_path / "results.csv", [row("a", stack, expanded=1) for stack in STACKS])
    runs = load([tmp_path])
    assert runs.configurations == ["none", "manhattan", "pivots", "obstacle"]
    assert runs.meanings["obstacle"] == f"algorithm=astar heuristic={STACKS[3]} ties=low_h"
    assert runs.constants == {"algorithm": "astar", "ties": "low_h", "world": "w/static"}
    assert runs.notes == []


W = "algorithm.weight"


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([{}, {"algorithm": "ucs"}], ["astar", "ucs"]),
        ([{}, {"algorithm": "ucs", "ties": ""}], ["astar", "ucs"]),
        ([{}, {"ties": "fifo"}], ["low_h", "fifo"]),
        ([{"heuristic": "h"}, {"heuristic": "h(x=1)"}], ["h", "h(x=1)"]),
        ([{"heuristic": "a+h"}, {"heuristic": "b+h"}], ["a+h", "b+h"]),
        ([{"weighting": ""}, {"weighting": "constant(2)"}], ["astar", "weight=2"]),
        ([{"weighting": "g(a=1,b=2)"}, {"weighting": "g(a=1,b=3)"}], ["g(b=2)", "g(b=3)"]),
        ([{"heuristic": "a(x=1)"}, {"heuristic": "a(x=1)+b(x=1)"}], ["a(x=1)", "b"]),
        ([{"heuristic": "max(a+b)"}, {"heuristic": "a"}], ["max(a+b)", "a"]),
        ([{}, {"algorithm": "ucs"}, {"heuristic": "h"}], ["astar", "ucs", "astar h"]),
        ([{}], ["astar"]),
        ([{"heuristic": "short", "stack": "a(x=1)+b"}, {"heuristic": "a+b"}], ["short", "b"]),
        ([{"heuristic": "h", "stack": "h(x=1)"}, {"heuristic": "h", "stack": "h(x=2)"}], ["h(x=1)", "h(x=2)"]),
        ([{"heuristic": "a+b", "stack": ""}, {"heuristic": "short", "stack": "a+b"}], ["astar"]),
        ([{"heuristic": "a+b", "stack": ""}, {"heuristic": "short", "stack": "a+b"}, {}], ["short", "none"]),
        (
            [{"heuristic": "short", "stack": "a+b"}, {"heuristic": "a+b", "weighting": "constant(2)"}],
            ["short", "b"],
        ),
        ([{"algorithm": "ees"}, {"algorithm": "ees", "parameters": "weight=2.0 x=1"}], ["ees", "weight=2 x=1"]),
        (
            [
                {"algorithm": "ees", W: 1.5},
                {"algorithm": "ees", "parameters": "weight=2.0", W: 2},
                {"algorithm": "wa", "weighting": "constant(1.5)", W: 1.5},
                {"algorithm": "wa", "weighting": "constant(2)", W: "2.0"},
                {"algorithm": "x", W: "x"},  # so that all are texts
            ],
            ["ees weight=1.5", "ees weight=2", "wa weight=1.5", "wa weight=2", "x weight=x"],
        ),
        (
            [
                {"weighting": "constant(2)", "algorithm.k": k, "run_id": str(k), "parameters": "k=3" * (k == 3)}
                for k in (2, 3)
            ],
            ["k=2", "k=3"],
        ),
        ([{"ties": "low_h", "algorithm.ties": "low_h"}, {"ties": "fifo", "algorithm.ties": "fifo"}], ["low_h", "fifo"]),
        (
            [{"algorithm.heuristic": "wdg"}, {"parameters": "heuristic=none", "algorithm.heuristic": "none"}],
            ["heuristic=wdg", "heuristic=none"],
        ),
        (
            [{"heuristic": "h", "heuristic.x": 4}, {"heuristic": "a+h(x=1)", "heuristic.x": 1}, {"heuristic": "g"}],
            ["h(x=4)", "h(x=1)", "g"],
        ),
        (
            [
                {"heuristic": "f", "stack": "a+h(y=2)", "heuristic.x": 4},
                {"heuristic": "a+h(x=1,y=2)", "heuristic.x": 1},
            ],
            ["f", "h"],
        ),
        (
            [{"parameters": "k=1", "algorithm.k": 1}, {"parameters": "k=2", "algorithm.k": 3, "run_id": "0"}],
            ["k=1", "k=2"],
        ),
        ([{"limits": "nodes=1"}, {"limits": "nodes=2"}], ["astar"]),
        ([{"run_id": "x", "limits": f"n={n}", "limits.nodes": n} for n in (1, 2)], ["n=1", "n=2"]),
    ],
)
def test_names_of_configurations(tmp_path: Path, rows: list[dict[str, object]], names: list[str]) -> None:
    made = [row(str(number), **values) for number, values in enumerate(rows)]
    write(tmp_path / "metrics.csv", made)
    assert load([tmp_path]).configurations == names


def test_rows_of_cells_are_used_if_a_sweep_was_not_collected(tmp_path: Path) -> None:
    for job in (0, 1, 10, 2):
        write(tmp_path / str(job) / "metrics.csv", [row(f"i{job}")])
    assert load([tmp_path]).table["instance"].tolist() == ["i0", "i1", "i2", "i10"]
    write(tmp_path / "results.csv", [row("all")])
    assert load([tmp_path]).table["instance"].tolist() == ["all"]


def test_all_sweeps_of_a_folder_are_loaded(tmp_path: Path) -> None:
    write(tmp_path / "one" / "results.csv", [row("a")])
    write(tmp_path / "one" / "0" / "metrics.csv", [row("a")])
    write(tmp_path / "two" / "0" / "metrics.csv", [row("b")])
    assert sorted(load([tmp_path]).table["instance"]) == ["a", "b"]


def test_an_incomplete_last_line_is_left_out(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", [row("a"), row("b")])
    file.write_bytes(file.read_bytes()[:-3])
    runs = load([tmp_path])
    assert runs.table["instance"].tolist() == ["a"]
    assert runs.notes == [f"{file}: the last line is incomplete; it is left out"]


def test_missing_columns_of_another_version_stay_empty(tmp_path: Path) -> None:
    old = tuple(name for name in NAMES if name not in ("reason", "moves"))
    write(tmp_path / "old" / "metrics.csv", [row("a", expanded=3)], old)
    write(tmp_path / "new" / "metrics.csv", [row("b", reason="odd parity", expanded=4)])
    runs = load([tmp_path / "old", tmp_path / "new"])
    assert runs.table["expanded"].tolist() == [3, 4]
    reasons = runs.table["reason"]
    assert reasons.astype("object").where(reasons.notna(), None).tolist() == [None, "odd parity"]
    assert runs.notes == []


def test_the_newest_finished_row_of_each_run_id_counts(tmp_path: Path) -> None:
    first = write(tmp_path / "1" / "metrics.csv", [row("a", expanded=1), row("b", expanded=1)])
    again = [row("a", expanded=2), row("b", expanded=2, status="interrupted")]
    write(tmp_path / "2" / "metrics.csv", again)
    runs = load([tmp_path])
    assert sorted(zip(runs.table["instance"], runs.table["expanded"], strict=True)) == [("a", 2), ("b", 1)]
    assert runs.notes == ["2 rows left out: a newer or finished row of the same search (run_id) is used instead"]
    os.utime(first, (2e9, 2e9))
    runs = load([tmp_path])
    assert sorted(zip(runs.table["instance"], runs.table["expanded"], strict=True)) == [("a", 1), ("b", 1)]
    assert runs.table["instance"].tolist() == ["a", "b"]


def test_searches_under_several_limits_have_them_in_their_names(tmp_path: Path) -> None:
    """As after a change of the limits of a sweep. A finished row replaces a failed one of any limits."""
    before = [row("a", limits="nodes=9"), row("b", limits="nodes=9"), row("c", limits="nodes=9", status="error")]
    write(tmp_path / "results.csv", [*before, *(row(name, limits="nodes=99") for name in "bc")])
    runs = load([tmp_path])
    assert runs.configurations == ["nodes=9", "nodes=99"]
    names = runs.table["configuration"].astype(str)
    assert sorted(zip(runs.table["instance"], names, strict=True)) == [
        ("a", "nodes=9"), ("b", "nodes=9"), ("b", "nodes=99"), ("c", "nodes=99"),
    ]  # fmt: skip
    assert runs.notes == ["1 row left out: a newer or finished row of the same search (run_id) is used instead"]


def test_configurations_can_be_renamed(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        write(tmp_path / folder / "metrics.csv", [row("a", heuristic) for heuristic in ("h(b=2)", "h(b=3)")])
    runs = load([tmp_path / "old"], rename=["h(b=2)=two = 2"])
    assert runs.configurations == ["two = 2", "h(b=3)"]
    assert runs.meanings["two = 2"] == "algorithm=astar heuristic=h(b=2) ties=low_h"
    assert runs.table["configuration"].tolist() == runs.configurations
    both = [tmp_path / "old", tmp_path / "new"]
    runs = load(both, rename=["h(b=2)=two", "h(b=3) [new]=three"])
    assert runs.configurations == ["two [old]", "two [new]", "h(b=3) [old]", "three"]
    assert runs.variants == {
        "two": {"old": "two [old]", "new": "two [new]"}, "h(b=3)": {"old": "h(b=3) [old]", "new": "three"},
    }  # fmt: skip
    for text, problem in (
        ("h(b=1)=x", r"there is no configuration 'h\(b=1\)'; did you mean 'h\(b=[23]\)'"),
        ("nothere=", "there is no configuration 'nothere'"),
        ("h(b=2)= ", r"nothing is left of the name of the configuration 'h\(b=2\)'"),
        ("x", "expected NAME=NEW"),
        ("h(b=2)=h(b=3)", "2 configurations would have the name"),
    ):
        with pytest.raises(UserError, match=problem):
            load([tmp_path / "old"], rename=[text])


def test_parts_of_names_can_be_renamed(tmp_path: Path) -> None:
    searches = [("astar", "h(b=2)"), ("astar", "max(h+g)"), ("weighted_astar", "gh")]
    rows = [row("a", heuristic, algorithm=algorithm, label="v1") for algorithm, heuristic in searches]
    rows += [{**each, "label": "v2", "run_id": f"{each['run_id']}2"} for each in rows[:1]]
    write(tmp_path / "metrics.csv", rows)
    assert load([tmp_path]).configurations == [
        "astar h(b=2) [v1]", "astar h(b=2) [v2]", "astar max(h+g)", "weighted_astar gh",
    ]  # fmt: skip
    runs = load([tmp_path], rename=["astar max(h+g)=best", "h=H", "astar=A*", "H(b=2)=H2"])
    assert runs.configurations == ["A* H2 [v1]", "A* H2 [v2]", "best", "weighted_astar gh"]
    assert runs.variants == {"A* H2": {"v1": "A* H2 [v1]", "v2": "A* H2 [v2]"}}
    names = {"astar=": ["h(b=2) [v1]", "h(b=2) [v2]", "max(h+g)", "weighted_astar gh"], "h(b=2)=": ["astar [v1]"]}
    names |= {"h=": ["astar (b=2) [v1]", "astar (b=2) [v2]", "astar max(g)", "weighted_astar gh"]}
    for text, left in names.items():
        assert load([tmp_path], rename=[text]).configurations[: len(left)] == left
    with pytest.raises(UserError, match="nothing is left of the name of the configuration 'weighted_astar gh'"):
        load([tmp_path], rename=["weighted_astar=", "gh="])
    with pytest.raises(UserError, match="there is no configuration 'astr'; did you mean 'astar'"):
        load([tmp_path], rename=["astr=A*"])


def test_bytes_that_are_not_utf_8_are_replaced(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", [row("caf\u00e9"), row("b")])
    file.write_bytes(file.read_text(encoding="utf-8").encode("latin-1"))
    runs = load([tmp_path])
    assert runs.table["instance"].tolist() == ["caf\ufffd", "b"]
    assert runs.notes[0].startswith(f"{file}: not all of it is UTF-8")


def test_invalid_lines_are_left_out_and_invalid_values_stay_empty(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", [row("a", expanded="many"), row("b", expanded=5), row("", expanded=1)])
    with open(file, "a", encoding="utf-8") as out:
        out.write("x," * 60 + "\n")
    runs = load([tmp_path])
    assert runs.table["instance"].tolist() == ["a", "b"]
    assert math.isnan(runs.table["expanded"].iloc[0])
    assert len(runs.notes) == 3


def test_a_lone_quote_and_short_lines_affect_no_other_lines(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", [row("a"), row("b"), row("c")])
    lines = file.read_text(encoding="utf-8").splitlines()
    short = ",".join(lines[2].split(",")[:10])
    file.write_text("\n".join([*lines[:2], short, lines[3], lines[3].replace("c", '"d', 1)]) + "\n", encoding="utf-8")
    runs = load([tmp_path])
    assert runs.table["instance"].tolist() == ["a", "c"]
    assert runs.notes == [f"{file}: 2 lines with more or fewer fields than the header; left out"]


@pytest.mark.parametrize("content", ["", "\n", "a,b\n1,2\n", '"', "\x00\x01", "run_id,instance\n"])
def test_files_without_rows_are_left_out(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "metrics.csv").write_text(content)
    write(tmp_path / "good" / "metrics.csv", [row("a")])
    assert len(load([tmp_path]).table) == 1
    with pytest.raises(UserError, match="nothing to report: no rows in"):
        load([tmp_path / "bad"])


def test_folders_without_results_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        load([tmp_path / "none"])
    with pytest.raises(UserError, match=r"there is no results.csv or metrics.csv"):
        load([tmp_path])


def test_costs_within_a_millionth_are_equal(tmp_path: Path) -> None:
    rows = [row(f"i{n}", h, cost=n + more) for n in (1, 2) for h, more in (("none", 5e-7), ("h", 0), ("g", 2e-6))]
    write(tmp_path / "in" / "results.csv", rows)
    report = compose([tmp_path / "in"], Choices(tables=["best", "pairs"]))
    found = {table.name: table.values for table in report.tables}
    assert found["best_cost"]["best"].tolist() == [2, 2, 0]
    assert found["pairs_cost"][["wins", "losses", "ties"]].to_numpy()[0].tolist() == [0, 0, 2]
    assert found["pairs_cost"].loc["g / none", "losses"] == 2


def test_the_best_value_is_over_all_successes_of_the_same_problem(tmp_path: Path) -> None:
    rows = [
        row("a", "h1", content="x", cost=10, expanded=8, reward=1),
        row("a", "h2", content="x", cost=8, expanded=9, reward=4),
        row("a", "h3", content="x", cost=1, expanded=1, valid="False"),
        row("a", "h4", content="x", status="time_limit", expanded=1),
        row("a", "h1", content="y", run_id="y", cost=4, expanded=2, reward=3),
        row("b", "h1", cost=0, expanded=0, reward=0),
    ]
    write(tmp_path / "results.csv", rows)
    formulas = ("quality = best(cost) / cost", "effort = best(expanded) / expanded", "share = reward / best(reward)")
    runs = load([tmp_path], derive=Expressions(formulas))
    assert runs.table["quality"].round(3).tolist()[:3] == [0.8, 1.0, 8.0]
    assert runs.table["effort"].round(3).tolist()[:5] == [1.0, 0.889, 8.0, 8.0, 1.0]
    assert runs.table["share"].tolist()[:2] == [0.25, 1.0]
    assert runs.table.loc[3:, "quality"].isna().tolist() == [True, False, True]
    assert runs.pivot("quality").loc[:, ["h3"]].isna().all(axis=None)
    kept = load([tmp_path], filters=Expressions(["cost == best(cost)"]))
    assert kept.table["cost"].tolist() == [8, 4, 0]
