"""Rows identify their effective search, the content of their instance, the code, the label and the swept values."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import runner
from tests.runner_cli import ROOT, rows, run, run_process

CAVE = """{"id": "mine", "size": [3, 3], "hunters": [[0, 0, "E"]], "golds": [%s]}"""
HELPER = "FACTOR = %d\n"
PLUGIN = """
import runner
from mine.helper import FACTOR

@runner.python_heuristic("mine", domain="wumpus", admissible=True)
def mine(state):
    return 0 * FACTOR
"""


def ids(folder: Path) -> list[str]:
    return [row["run_id"] for row in rows(folder)]


SPELLINGS = {
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
def test_one_search_has_one_identity_and_one_description(tmp_path: Path, name: str) -> None:
    found = []
    for number, spelling in enumerate(SPELLINGS[name]):
        heuristic = () if any(each.startswith("heuristic=") for each in spelling) else ("heuristic=manhattan",)
        done = run(tmp_path, *heuristic, *spelling, f"hydra.run.dir={number}")
        assert done.returncode == 0, done.stderr
        table = rows(tmp_path / str(number) / "metrics.csv")
        found.append(
            [{key: value for key, value in row.items() if "seconds" not in key and key != "bound"} for row in table]
        )
    assert all(each == found[0] for each in found)
    assert {(row["algorithm"], row["weighting"], row["parameters"]) for row in found[0]} == {DESCRIPTIONS[name]}
    assert {len(row["run_id"]) for row in found[0]} == {16}


def test_spellings_are_one_cell_of_a_sweep(tmp_path: Path) -> None:
    axes = ("algorithm=astar,weighted_astar", "weighting=none,constant", "heuristic=manhattan")
    done = run(tmp_path, "-m", *axes, "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the same as cell") == 1
    found = rows(tmp_path / "out" / "results.csv")
    assert {(row["algorithm"], row["weighting"]) for row in found} == {
        ("astar", ""),
        ("weighted_astar", "constant(1.5)"),
    }


def test_heuristic_is_the_documented_name_and_stack_everything(tmp_path: Path) -> None:
    stacks = ["flood_fill", "[manhattan,pivots]", "[pivots,obstacle]", "[{name: obstacle, as_published: true}]"]
    for number, stack in enumerate(stacks):
        chosen = f"heuristic={stack}" if "[" not in stack else f"heuristic.stack={stack}"
        assert run(tmp_path, chosen, f"hydra.run.dir={number}").returncode == 0
    found = [rows(tmp_path / str(number) / "metrics.csv")[0] for number in range(len(stacks))]
    assert [(row["heuristic"], row["stack"]) for row in found] == [
        ("flood_fill", "manhattan+pivots+obstacle+iterative_shift+flood_fill"),
        ("pivots", "manhattan+pivots"),
        ("pivots+obstacle", "pivots+obstacle"),
        ("obstacle", "obstacle(as_published=true)"),
    ]


def test_an_edited_file_is_another_instance_under_the_same_name(tmp_path: Path) -> None:
    cave = tmp_path / "mine.json"
    cave.write_text(CAVE % "[2, 2]")
    sweep = ("-m", "world=wumpus/file", "world.path=mine.json", "algorithm=ucs,astar", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    before = rows(tmp_path / "out" / "results.csv")
    cave.write_text(CAVE % "[0, 1]")
    done = run(tmp_path, "resume", "out")
    assert done.returncode == 0, done.stderr
    assert "note: 2 rows of instances that have changed or are gone: moved to stale.csv" in (done.stderr)
    after = rows(tmp_path / "out" / "results.csv")
    assert [row["instance"] for row in after] == ["mine"] * 2
    assert not {row["run_id"] for row in before} & {row["run_id"] for row in after}
    assert {row["cost"] for row in before} != {row["cost"] for row in after}
    assert ids(tmp_path / "out" / "0" / "stale.csv") == [before[0]["run_id"]]
    plans = [json.loads(line) for line in (tmp_path / "out" / "0" / "plans.jsonl").read_text().splitlines()]
    assert [plan["run_id"] for plan in plans] == [after[0]["run_id"]]
    assert run(tmp_path, "status", "out").returncode == 0
    again = run(tmp_path, "resume", "out")
    assert (again.returncode, again.stderr.count("1 done before"), again.stderr.count("note")) == (0, 2, 0)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "__init__.py").write_text(PLUGIN)
    (folder / "helper.py").write_text(HELPER % 1)
    return folder


def test_rows_of_other_code_are_made_again(tmp_path: Path, plugin: Path) -> None:
    sweep = ("-m", "plugins=[mine]", "heuristic=mine,pivots", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    before = rows(tmp_path / "out" / "results.csv")
    codes = {row["heuristic"]: row["code"] for row in before}
    assert codes["mine"].split("+")[0] == codes["pivots"]
    (plugin / "helper.py").write_text(HELPER % 2)
    planned = run(tmp_path, *sweep, "dry_run=true")
    assert "note: 7 rows made by other code" in planned.stderr
    assert not (tmp_path / "out" / "0" / "stale.csv").exists()
    kept = run(tmp_path, "resume", "out", "retry=none")
    assert "note: 7 rows made by other code: retry=none keeps them" in kept.stderr
    assert rows(tmp_path / "out" / "results.csv") == before
    done = run(tmp_path, "resume", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("note:") == 1
    assert "note: 7 rows made by other code: made again, the old ones moved to stale.csv" in done.stderr
    after = rows(tmp_path / "out" / "results.csv")
    assert [row["run_id"] for row in after] == [row["run_id"] for row in before]
    assert after[7:] == before[7:], "no plug-in has a part in these"
    assert not {row["code"] for row in after[:7]} & {row["code"] for row in before}
    assert ids(tmp_path / "out" / "0" / "stale.csv") == [row["run_id"] for row in before[:7]]
    (plugin / "helper.py").write_text(HELPER % 3)
    assert run(tmp_path, "resume", "out").returncode == 0
    assert (tmp_path / "out" / "0" / "stale-1.csv").exists()


LATE = """
import runner

@runner.python_heuristic("%s", domain="wumpus", admissible=True)
def late(state):
    from late_helper import FACTOR
    return 0 * FACTOR
"""


def test_only_modules_that_a_plugin_imports_count_even_inside_functions(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE % "late")
    (tmp_path / "late_helper.py").write_text(HELPER % 1)
    (tmp_path / "other.py").write_text((LATE % "other").replace("from late_helper import FACTOR", "FACTOR = 1"))
    sweep = ("-m", "plugins=[late,other]", "heuristic=late,other", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    assert "note:" not in run(tmp_path, *sweep).stderr
    (tmp_path / "late_helper.py").write_text(HELPER % 2)
    done = run(tmp_path, *sweep)
    assert "note: 7 rows made by other code" in done.stderr
    assert "heuristic=other: 7 done before" in done.stderr


def test_a_plugin_in_a_folder_without_init(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "late.py").write_text((LATE % "late").replace("from late_helper import FACTOR", "FACTOR = 1"))
    sweep = ("-m", "plugins=[bare.late]", "heuristic=late,pivots", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    (tmp_path / "bare" / "late.py").write_text((LATE % "late").replace("from late_helper import FACTOR", "FACTOR = 2"))
    assert "note: 7 rows made by other code" in run(tmp_path, *sweep).stderr


def test_a_refused_command_leaves_the_record_of_the_one_before(tmp_path: Path) -> None:
    cave = tmp_path / "mine.json"
    cave.write_text(CAVE % "[2, 2]")
    sweep = ("-m", "world=wumpus/file", "world.path=mine.json", "algorithm=ucs,astar", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    cave.write_text("{")
    assert run(tmp_path, "resume", "out").returncode == 2
    assert "2 cells, 2 of 2 instances done" in run(tmp_path, "status", "out").stdout


def test_rows_under_other_limits_are_left_alone(tmp_path: Path, plugin: Path) -> None:
    sweep = ("-m", "plugins=[mine]", "heuristic=mine", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep, "limits.nodes=100,1000").returncode == 0
    (plugin / "helper.py").write_text(HELPER % 2)
    done = run(tmp_path, *sweep, "limits.nodes=100")
    assert "note: 7 rows made by other code" in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["limits"] for row in found] == ["nodes=100"] * 7 + ["nodes=1000"] * 7
    assert len({row["code"] for row in found}) == 2


def test_chosen_limits_have_a_column(tmp_path: Path) -> None:
    folder = tmp_path / "lab" / "limits"
    folder.mkdir(parents=True)
    for name, nodes in (("small", 100), ("large", 5000)):
        (folder / f"{name}.yaml").write_text(f"nodes: {nodes}\n")
    assert run(tmp_path, "-m", "--config-dir", "lab", "limits=small,large", "hydra.sweep.dir=out").returncode == 0
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["choice.limits"] for row in found] == ["small"] * 7 + ["large"] * 7
    assert run(tmp_path, "report", "out", "--format", "csv").returncode == 0
    coverage = rows(tmp_path / "out" / "report" / "coverage.csv")
    assert [row["rows"] for row in coverage] == ["7", "7"]


def test_the_repository_of_a_plugin_is_on_record(tmp_path: Path, plugin: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    for number, dirty in enumerate((False, True)):
        done = run_process(tmp_path, "plugins=[mine]", "heuristic=mine", f"hydra.run.dir={number}")
        assert done.returncode == 0, done.stderr
        recorded = json.loads((tmp_path / str(number) / "environment.json").read_text())
        assert recorded["plugins"] == [{"folder": str(plugin), "git": {"commit": head, "dirty": dirty}}]
        assert recorded["code"] == rows(tmp_path / str(number) / "metrics.csv")[0]["code"]
        (plugin / "helper.py").write_text(HELPER % 9)


def test_a_label_is_a_column(tmp_path: Path) -> None:
    for label in ("v1", "2", "'of, two words'"):
        done = run(tmp_path, f"label={label}", f"hydra.run.dir=out{len(label)}")
        assert done.returncode == 0, done.stderr
        assert {row["label"] for row in rows(tmp_path / f"out{len(label)}" / "metrics.csv")} == {label.strip("'")}
    assert ids(tmp_path / "out1" / "metrics.csv") == ids(tmp_path / "out2" / "metrics.csv")


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


def test_choices_that_look_the_same_have_a_column_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "lab" / "algorithm"
    folder.mkdir(parents=True)
    for name, ties in (("old", "fifo"), ("new", "lifo")):
        (folder / f"{name}.yaml").write_text(f"name: astar\nties: {ties}\nreopen: true\n")
    done = run(tmp_path, "-m", "--config-dir", "lab", "algorithm=old,new,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["choice.algorithm"] for row in found[::7]] == ["old", "new", "ucs"]
    assert [row["algorithm"] for row in found[::7]] == ["astar", "astar", "ucs"]


def test_read_takes_folders_of_any_kind(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=all/one").returncode == 0
    assert run(tmp_path, "-m", "algorithm=ucs,astar", "hydra.sweep.dir=all/two").returncode == 0
    assert len(runner.read(tmp_path / "all" / "one")) == 7
    everything = runner.read(tmp_path / "all")
    assert len(everything) == 21
    assert everything["folder"].nunique() == 2
    both = runner.read([tmp_path / "all" / "one", str(tmp_path / "all" / "two")])
    assert both.equals(everything)
    assert everything["run_id"].map(type).eq(str).all()
    with pytest.raises(runner.UserError, match="there are no results"):
        runner.read(tmp_path / "nowhere")


def test_a_run_id_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=out").returncode == 0
    file = tmp_path / "out" / "metrics.csv"
    first = ids(file)[0]
    file.write_text(file.read_text().replace(first, "1234e56789012345"))
    assert runner.read(file)["run_id"][0] == "1234e56789012345"


def test_results_have_a_readable_text() -> None:
    instance = runner.load("wumpus/static")[0]
    result = runner.solve(instance, "astar", "flood_fill")
    text = str(result)
    assert text.startswith("unibz_w1: solved, cost 25, reward 975, ")
    assert text.endswith("[astar, manhattan+pivots+obstacle+iterative_shift+flood_fill]")
    assert repr(result) == text
    audit = runner.audit("wumpus/static", heuristic="pivots")
    assert "admissible" in str(audit)
    assert len(str(audit).splitlines()) > 1
    assert ROOT.name not in text
