"""Columns that identify rows: run_id, names, instance, label, choices and swept values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runner
from runner.cli.display import TerminalDisplay
from runner.execution.sweep import Sweep
from runner.records.provenance import recorded_request
from tests.runner.tables import run_ids, without_times
from tests.runner_cli import ROOT, rows, run

CAVE = """{"id": "mine", "size": [3, 3], "hunters": [[0, 0, "E"]], "golds": [%s]}"""

SPELLINGS: dict[str, list[tuple[str, ...]]] = {
    "weight 2": [
        ("algorithm=weighted_astar", "algorithm.weight=2"),
        ("algorithm=astar", "weighting=constant", "weighting.weight=2"),
        ("algorithm=weighted_astar", "algorithm.weight=3", "weighting=constant", "weighting.weight=2"),
    ],
    "weight 1": [
        ("algorithm=weighted_astar", "algorithm.weight=1"),
        ("algorithm=astar",),
        ("algorithm=astar", "weighting=constant", "weighting.weight=1"),
    ],
    "a schedule": [
        ("algorithm=weighted_astar", "weighting=linear", "algorithm.weight=4"),
        ("algorithm=astar", "weighting=linear"),
    ],
    "one heuristic": [("heuristic.combine=max",), ("heuristic.combine=sum",)],
    "none": [("algorithm=ucs",), ("algorithm=ucs", "heuristic=pivots")],
}
DESCRIPTIONS = {
    "weight 2": ("weighted_astar", "constant(2)", ""),
    "weight 1": ("astar", "", ""),
    "a schedule": ("astar", "linear(from=3.0,to=1.0,over=100000,every=1000,reorder_open=false)", ""),
    "one heuristic": ("astar", "", ""),
    "none": ("ucs", "", ""),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_different_spellings_of_a_search_have_the_same_run_id_and_names(tmp_path: Path, name: str) -> None:
    found = []
    for number, spelling in enumerate(SPELLINGS[name]):
        heuristic = () if any(each.startswith("heuristic=") for each in spelling) else ("heuristic=manhattan",)
        done = run(tmp_path, *heuristic, *spelling, "world.sample=2", "workers=0", f"hydra.run.dir={number}")
        assert done.returncode == 0, done.stderr
        table = without_times(tmp_path / str(number) / "metrics.csv")
        found.append([{key: value for key, value in row.items() if key != "bound"} for row in table])
    assert all(each == found[0] for each in found)
    assert {(row["algorithm"], row["weighting"], row["parameters"]) for row in found[0]} == {DESCRIPTIONS[name]}
    assert {len(row["run_id"]) for row in found[0]} == {16}


def test_parameters_with_the_name_of_a_column_or_of_one_of_the_world_are_recorded() -> None:
    (bay, *_) = runner.load("mapf/static")
    assert runner.solve(bay, {"name": "cbs", "heuristic": "none"}).parameters == "heuristic=none"
    (mud, *_) = runner.load("gridmap/random", size=8, count=1, weights={"T": 3})
    searched = runner.solve(mud, {"name": "ara", "weights": [2, 1], "ties": "fifo"}, "octile")
    assert (searched.parameters, searched.ties) == ('weights={"T":3.0} weights=[2.0,1.0]', "fifo")


def test_mm_has_the_run_id_of_the_same_search_and_its_own_name(tmp_path: Path) -> None:
    sweep = ("-m", "world=pancake/random", "world.size=6", "world.count=2", "heuristic=gap", "hydra.sweep.dir=sweep")
    done = run(tmp_path, *sweep, "algorithm=mm,bidirectional")
    assert "algorithm=bidirectional: skipped: the same as cell 0" in done.stderr
    mine = runner.solve(runner.load("pancake/random", size=6)[0], "bidirectional", ["gap"])
    (row, _) = rows(tmp_path / "sweep" / "results.csv")
    assert (row["algorithm"], row["run_id"], row["expanded"]) == ("mm", mine.run_id, str(mine.expanded))
    third = runner.solve(runner.load("pancake/random", size=6)[0], {"name": "mm", "fraction": 0.3}, ["gap"])
    assert (third.algorithm, third.run_id == mine.run_id) == ("mm", False)


def test_heuristic_is_the_documented_name_and_stack_lists_all_parts(tmp_path: Path) -> None:
    documented = "[manhattan,pivots,obstacle,iterative_shift,flood_fill]"
    stacks = [documented, "[manhattan,pivots]", "[pivots,obstacle]", "[{name: obstacle, as_published: true}]"]
    words = ("world.sample=1", "workers=0", "hydra.sweep.dir=out")
    assert run(tmp_path, "-m", f"heuristic.stack={','.join(stacks)}", *words).returncode == 0
    assert [(row["heuristic"], row["stack"]) for row in rows(tmp_path / "out" / "results.csv")] == [
        ("flood_fill", "manhattan+pivots+obstacle+iterative_shift+flood_fill"),
        ("pivots", "manhattan+pivots"),
        ("pivots+obstacle", "pivots+obstacle"),
        ("obstacle", "obstacle(as_published=true)"),
    ]


def test_rows_of_an_edited_instance_are_replaced(tmp_path: Path) -> None:
    cave = tmp_path / "mine.json"
    cave.write_text(CAVE % "[2, 2]")
    sweep = ("-m", "world=wumpus/file", "world.path=mine.json", "algorithm=ucs,astar", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    before = rows(tmp_path / "out" / "results.csv")
    cave.write_text(CAVE % "[0, 1]")
    done = run(tmp_path, "resume", "out")
    assert done.returncode == 0, done.stderr
    assert "note: 2 rows of instances that have changed or are gone: left out" in done.stderr
    after = rows(tmp_path / "out" / "results.csv")
    assert [row["instance"] for row in after] == ["mine"] * 2
    assert not {row["run_id"] for row in before} & {row["run_id"] for row in after}
    assert {row["cost"] for row in before} != {row["cost"] for row in after}
    assert run_ids(tmp_path / "out" / "0" / "metrics.csv") == [after[0]["run_id"]]
    plans = [json.loads(line) for line in (tmp_path / "out" / "0" / "plans.jsonl").read_text().splitlines()]
    assert [plan["run_id"] for plan in plans] == [after[0]["run_id"]]
    assert run(tmp_path, "status", "out").returncode == 0
    again = run(tmp_path, "resume", "out")
    assert (again.returncode, again.stderr.count("1 done before"), again.stderr.count("note")) == (0, 2, 0)


def test_rows_of_changed_and_moved_instances_when_a_sweep_has_been_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first search the log has the rows that still count, at the numbers that their instances have now."""
    monkeypatch.chdir(tmp_path)
    for name in ("b", "c"):
        (tmp_path / f"{name}.json").write_text((CAVE % "[2, 2]").replace("mine", name))
    sweep = ("-m", "world=wumpus/file", "world.path=*.json", "algorithm=astar", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    (tmp_path / "c.json").write_text((CAVE % "[0, 1]").replace("mine", "c"))
    (tmp_path / "a.json").write_text((CAVE % "[2, 2]").replace("mine", "a"))
    prepared = Sweep.of(recorded_request(tmp_path / "out").in_folder(tmp_path / "out"), TerminalDisplay())
    with prepared.begun():
        prepared.record()
    found = [(row["instance"], row["number"]) for row in rows(tmp_path / "out" / "0" / "metrics.csv")]
    assert found == [("b", "0"), ("b", "1")], "appended, as all rows are"
    status = run(tmp_path, "status", "out")
    assert "1 of 3 instances done" in status.stdout
    assert run(tmp_path, "collect", "out").returncode == 1
    assert [(row["instance"], row["number"]) for row in rows(tmp_path / "out" / "results.csv")] == [("b", "1")]
    assert run(tmp_path, "resume", "out").returncode == 0
    assert [row["instance"] for row in rows(tmp_path / "out" / "0" / "metrics.csv")] == ["a", "b", "c"]


def test_swept_choices_of_limits_have_a_column(tmp_path: Path) -> None:
    folder = tmp_path / "lab" / "limits"
    folder.mkdir(parents=True)
    for name, nodes in (("small", 100), ("large", 5000)):
        (folder / f"{name}.yaml").write_text(f"nodes: {nodes}\n")
    assert run(tmp_path, "-m", "--config-dir", "lab", "limits=small,large", "hydra.sweep.dir=out").returncode == 0
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["choice.limits"] for row in found] == ["small"] * 7 + ["large"] * 7
    assert run(tmp_path, "report", "out", "--format", "csv").returncode == 0
    summary = rows(tmp_path / "out" / "report" / "summary.csv")
    assert [row["rows"] for row in summary] == ["7", "7"]


def test_a_label_is_a_column(tmp_path: Path) -> None:
    for label in ("2", "'of, two words'"):
        done = run(tmp_path, f"label={label}", "world.sample=2", "workers=0", f"hydra.run.dir=out{len(label)}")
        assert done.returncode == 0, done.stderr
        assert {row["label"] for row in rows(tmp_path / f"out{len(label)}" / "metrics.csv")} == {label.strip("'")}
    assert run_ids(tmp_path / "out1" / "metrics.csv") == run_ids(tmp_path / "out15" / "metrics.csv")


def test_swept_keys_are_columns(tmp_path: Path) -> None:
    world = ("world=wumpus/random", "world.count=2")
    done = run(tmp_path, "-m", *world, "world.size=4,5", "algorithm.ties=low_h,fifo", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    table = runner.read(tmp_path / "out")
    assert list(table.columns)[-2:] == ["world.size", "algorithm.ties"]
    assert table.groupby("world.size")["run_id"].count().to_dict() == {4: 4, 5: 4}
    assert (table["algorithm.ties"] == table["ties"]).all()
    assert "world.count" not in table
    done = run(tmp_path, "-m", *world, "world.size=6", "algorithm.ties=low_h,fifo", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    table = runner.read(tmp_path / "out")
    assert table.groupby("world.size")["run_id"].count().to_dict() == {4: 4, 5: 4, 6: 4}
    assert run(tmp_path, "collect", "out").returncode == 0
    assert runner.read(tmp_path / "out").equals(table)


def test_choices_with_the_same_name_of_the_algorithm_have_a_column(tmp_path: Path) -> None:
    folder = tmp_path / "lab" / "algorithm"
    folder.mkdir(parents=True)
    for name, ties in (("old", "fifo"), ("new", "lifo")):
        (folder / f"{name}.yaml").write_text(f"name: astar\nties: {ties}\nreopen: true\n")
    words = ("algorithm=old,new,ucs", "world.sample=1", "workers=0")
    done = run(tmp_path, "-m", "--config-dir", "lab", *words, "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["choice.algorithm"] for row in found] == ["old", "new", "ucs"]
    assert [row["algorithm"] for row in found] == ["astar", "astar", "ucs"]


def test_read_loads_runs_sweeps_and_folders_of_both(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=all/one").returncode == 0
    assert run(tmp_path, "-m", "algorithm=ucs,astar", "hydra.sweep.dir=all/two").returncode == 0
    assert len(runner.read(tmp_path / "all" / "one")) == 7
    everything = runner.read(tmp_path / "all")
    assert len(everything) == 21
    assert everything["folder"].nunique() == 2
    both = runner.read([tmp_path / "all" / "one", str(tmp_path / "all" / "two")])
    assert both.equals(everything)
    assert set(map(type, everything["run_id"])) == {str}
    with pytest.raises(runner.UserError, match="there are no results"):
        runner.read(tmp_path / "nowhere")


def test_a_run_id_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=out").returncode == 0
    file = tmp_path / "out" / "metrics.csv"
    first = run_ids(file)[0]
    file.write_text(file.read_text().replace(first, "1234e56789012345"))
    assert runner.read(file)["run_id"][0] == "1234e56789012345"


def test_results_and_audits_have_a_short_text() -> None:
    instance = runner.load("wumpus/static")[0]
    result = runner.solve(instance, "astar", "flood_fill")
    text = str(result)
    assert text.startswith("unibz_w1: solved, cost 25, reward 975, ")
    assert text.endswith("[astar, manhattan+pivots+obstacle+iterative_shift+flood_fill]")
    assert repr(result) == text
    audit = runner.audit("wumpus/static", heuristic="pivots")
    assert "admissible" in str(audit)
    assert len(str(audit).splitlines()) > 1
    assert str(ROOT) not in text
