"""Sweeps in YAML and on the command line: cells, folders, mistakes, killed workers, plug-ins."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from runner.config.grammar.versions import IS_HYDRA_1_3
from runner.records.run_folder import RunFolder
from tests.plugins import install
from tests.processes import children
from tests.runner.waiting import wait_for
from tests.runner_cli import Forked, rows, run

UNFINISHED = (
    "expected the node content, but found '<stream end>' at line 2"
    if IS_HYDRA_1_3
    else "did not find expected node content at line 3"  # OmegaConf 2.4 reads YAML with libyaml
)
EXPERIMENT = """
# @package _global_
defaults:
  - override /world: [wumpus/random]
sweep:
  product:
    algorithm: [astar, ucs, greedy]
    heuristic: glob([none,pivots])
  zip:
    world.size: [4, 6]
    world.count: [6, 3]
  exclude:
    - {algorithm: greedy, world.size: 6}
    - {algorithm: bfs, world.size: 4, heuristic: none, weighting: constant}
"""


def cells(file: Path) -> list[tuple[str, str, str]]:
    """Return algorithm, heuristic and size of each cell."""
    found = [(row["algorithm"], row["heuristic"], row["instance"].split("-")[1]) for row in rows(file)]
    return list(dict.fromkeys(found))


@pytest.fixture
def experiment(tmp_path: Path) -> tuple[str, ...]:
    """Return the arguments of a command that runs `EXPERIMENT`."""
    (tmp_path / "mine" / "experiment").mkdir(parents=True)
    (tmp_path / "mine" / "experiment" / "sizes.yaml").write_text(EXPERIMENT)
    return "-m", "--config-dir", "mine", "+experiment=sizes", "hydra.sweep.dir=out"


def test_an_experiment_has_products_zipped_lists_and_exclusions(tmp_path: Path, experiment: tuple[str, ...]) -> None:
    done = run(tmp_path, *experiment)
    assert done.returncode == 0, done.stderr
    assert "sweep.exclude[0]: excludes 2 combinations" in done.stderr
    assert done.stderr.count("skipped: heuristic: greedy needs one") == 1
    assert done.stderr.count("and 1 more: skipped: the same as another cell (ucs ignores heuristics") == 1
    assert cells(tmp_path / "out" / "results.csv") == [
        ("astar", "none", "4x4"),
        ("astar", "none", "6x6"),
        ("astar", "pivots", "4x4"),
        ("astar", "pivots", "6x6"),
        ("ucs", "none", "4x4"),
        ("ucs", "none", "6x6"),
        ("greedy", "pivots", "4x4"),
    ]
    assert len(rows(tmp_path / "out" / "results.csv")) == 3 * 6 + 3 * 3 + 6


def test_the_command_line_replaces_values_of_an_experiment(tmp_path: Path, experiment: tuple[str, ...]) -> None:
    done = run(tmp_path, *experiment, "algorithm=astar", "world.size=5", "heuristic=none", "dry_run=true")
    assert done.returncode == 0, done.stderr
    done = run(tmp_path, *experiment, "algorithm=astar", "heuristic=none")
    assert done.returncode == 0, done.stderr
    assert "note: sweep.exclude[0]: excludes 0 combinations" in done.stderr
    assert cells(tmp_path / "out" / "results.csv") == [("astar", "none", "4x4"), ("astar", "none", "6x6")]


def test_cells_with_the_same_mistake_are_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "limits.nodes=${world.suite}", "algorithm.ties=low_h,fifo", "hydra.sweep.dir=out")
    assert done.returncode == 2
    assert (
        "[0] limits.nodes=${world.suite} algorithm.ties=low_h and 1 more: error: limits.nodes: expected int"
        in done.stderr
    )


def test_the_folder_of_a_sweep_may_have_interpolations(tmp_path: Path) -> None:
    sweep = ("-m", "world=wumpus/random", "world.size=2", "world.count=3", "algorithm.ties=low_h,fifo")
    assert run(tmp_path, *sweep, "hydra.sweep.dir=out/${world.size}-${world.count}").returncode == 0
    assert len(rows(tmp_path / "out" / "2-3" / "results.csv")) == 6


def test_a_key_can_be_deleted_and_added_with_several_values(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "~algorithm.ties", "+algorithm.ties=fifo,lifo", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert [row["ties"] for row in rows(tmp_path / "out" / "results.csv")] == ["fifo"] * 7 + ["lifo"] * 7


def test_arms_have_different_keys_and_a_column_for_each(tmp_path: Path) -> None:
    arms = (
        "{algorithm:weighted_astar,heuristic:pivots,algorithm.weight:2}", "{algorithm:dfs,algorithm.depth_limit:9}",
        "{algorithm:astar,heuristic.stack:[manhattan,pivots]}", "{algorithm:astar,heuristic:pivots}",
        "{weighting:none}", "{algorithm:weighted_astar,heuristic:pivots,algorithm.weight:x}",
    )  # fmt: skip
    done = run(tmp_path, "-m", f"sweep.cells=[{','.join(arms)}]", "limits.nodes=5,6", "hydra.sweep.dir=out")
    assert done.returncode == 2
    assert "[0] algorithm=weighted_astar heuristic=pivots algorithm.weight=2 limits.nodes=5:" in done.stderr
    assert "[6] algorithm=astar heuristic=pivots limits.nodes=5: skipped: the same as cell 4" in done.stderr
    assert "and 1 more: error: sweep.cells[5].algorithm.weight: expected float, got str" in done.stderr
    columns = ("algorithm", "heuristic", "algorithm.weight", "algorithm.depth_limit", "heuristic.stack", "limits.nodes")
    found = [tuple(row[name] for name in columns) for row in rows(tmp_path / "out" / "results.csv")]
    assert list(dict.fromkeys(found))[::2] == [
        ("weighted_astar", "pivots", "2", "", "", "5"),
        ("dfs", "none", "", "9", "", "5"),
        ("astar", "pivots", "", "", '["manhattan","pivots"]', "5"),
        ("astar", "none", "", "", "", "5"),
    ]


def test_a_cell_has_the_swept_values_of_those_that_are_the_same(tmp_path: Path) -> None:
    cells = "sweep.cells=[{algorithm: ees},{algorithm: ees, algorithm.weight: [1.5,2.0]}]"
    done = run(tmp_path, "-m", cells, "heuristic=pivots", "limits.nodes=5", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert {row["algorithm.weight"] for row in rows(tmp_path / "out" / "results.csv")} == {"1.5", "2.0"}


def test_a_key_that_only_some_algorithms_have_skips_the_others(tmp_path: Path) -> None:
    """A key that no algorithm has is a mistake."""
    sweep = ("-m", "algorithm=astar,dfs", "hydra.sweep.dir=out")
    done = run(tmp_path, *sweep, "algorithm.ties=low_h,fifo")
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.count(
            "and 1 more: skipped: algorithm.ties: unknown key; choose from: operator_order, seed, depth_limit"
        )
        == 1
    )
    assert len(rows(tmp_path / "out" / "results.csv")) == 14
    done = run(tmp_path, "-m", "algorithm=astar,dfs", "hydra.sweep.dir=other", "algorithm.tis=low_h,fifo")
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: algorithm.tis: unknown key; did you mean 'ties'? choose from: ties, seed, reopen, inconsistency, "
        "batch, stop\n"
    )
    assert not (tmp_path / "other").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_killed_worker_does_not_end_a_sweep(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=ucs", "world=wumpus/random", "world.count=200", "world.size=30")
    process = Forked(tmp_path, *sweep, "workers=2", "hydra.sweep.dir=out")
    wait_for(lambda: list((tmp_path / "out").glob("*/metrics.csv")))
    os.kill(children(process.pid)[-1], signal.SIGKILL)
    _, errors = process.communicate()
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 200
    crashed = [row for row in found if row["status"] == "crashed"]
    assert [row["error"] for row in crashed] in ([], ["killed by SIGKILL"])
    assert process.returncode == len(crashed), errors


def test_a_pattern_of_heuristics_matches_those_of_each_world(tmp_path: Path) -> None:
    patterns = "heuristic=glob([misp*,near*])"
    done = run(tmp_path, "-m", "world=snake/static,npuzzle/korf100", patterns, "limits.nodes=10", "dry_run=true")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    labels = [line for line in done.stdout.splitlines() if "world=" in line]
    assert (sum("snake" in label for label in labels), sum("npuzzle" in label for label in labels)) == (1, 1)


def test_an_experiment_can_name_its_plugin(tmp_path: Path) -> None:
    """The plug-in is in the folder above the one of --config-dir."""
    lab = tmp_path / "lab" / "conf" / "experiment"
    lab.mkdir(parents=True)
    (lab / "mine.yaml").write_text("# @package _global_\ndefaults: [override /world: my_line]\nplugins: [line]\n")
    install(tmp_path / "lab", "line")
    (tmp_path / "work").mkdir()
    done = run(tmp_path / "work", "--config-dir", "../lab/conf", "+experiment=mine", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert {row["world"] for row in rows(tmp_path / "work" / "out" / "metrics.csv")} == {"my_line"}


def test_an_experiment_file_runs_by_its_path(tmp_path: Path) -> None:
    """It is a sweep because it has a section. Its plug-in lies beside it. Replay works from elsewhere."""
    lab, work, elsewhere = tmp_path / "my lab", tmp_path / "work", tmp_path / "elsewhere"
    for folder in (lab, work, elsewhere):
        folder.mkdir()
    (lab / "korf1985.yml").write_text(  # the name of an experiment of the package
        "defaults: [override /world: my_line, override /heuristic: my_distance]\nplugins: [line]\n"
        "sweep: {cells: [{heuristic.factor: 0}, {heuristic.factor: 1}, {algorithm: bfs}]}\n"
    )
    install(lab, "line")
    done = run(work, "../my lab/korf1985.yml", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    expanded = [row["expanded"] for row in rows(work / "out" / "results.csv")]
    assert expanded[:2] == ["10", "5"]
    (work / "out" / "1" / "metrics.csv").unlink()
    resumed = run(work, "resume", "out")
    assert resumed.returncode == 0, resumed.stderr
    assert [row["expanded"] for row in rows(work / "out" / "results.csv")] == expanded
    replayed = run(elsewhere, "replay", str(work / "out" / "0"))
    assert (replayed.returncode, "5 actions" in replayed.stdout) == (0, True), replayed.stderr
    assert f"+experiment='{lab / 'korf1985.yml'}'" in RunFolder(work / "out" / "0").overrides()
    single = run(work, "../my lab/korf1985.yml", "heuristic.factor=0,1", "algorithm=astar", "dry_run=true")
    assert "2 cells" in single.stdout


def test_an_experiment_file_in_a_folder_of_choices_finds_them(tmp_path: Path) -> None:
    for name, content in (
        ("experiment/mine", "defaults: [override /algorithm: fast]"),
        ("algorithm/fast", "name: ucs"),
    ):
        (tmp_path / "conf" / f"{name}.yaml").parent.mkdir(parents=True)
        (tmp_path / "conf" / f"{name}.yaml").write_text(content)
    done = run(tmp_path, "conf/experiment/mine.yaml", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert {row["algorithm"] for row in rows(tmp_path / "out" / "metrics.csv")} == {"ucs"}


def test_a_text_for_a_group_in_an_experiment_file_is_a_choice(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "algorithm: greedy\nheuristic: pivots\nworld: wumpus/random\nlimits: minute\n"
        "defaults: [override /weighting: none]\nlabel: x\n"
    )
    for arguments in ((), ("algorithm=astar", "world.count=2")):
        done = run(tmp_path, "a.yaml", f"hydra.run.dir={len(arguments)}", *arguments)
        assert done.returncode == 0, done.stderr
    found = [rows(tmp_path / name / "metrics.csv") for name in "02"]
    columns = ("algorithm", "heuristic", "limits", "label")
    assert [each[0][name] for each in found for name in columns] == [
        "greedy", "pivots", "memory=2147483648 time=60", "x", "astar", "pivots", "memory=2147483648 time=60", "x",
    ]  # fmt: skip
    assert (len(found[1]), found[1][0]["world"]) == (2, "wumpus/random")


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("x:\n  y: [", (), f"a.yaml: {UNFINISHED}"),
        ("- a", (), "a.yaml: expected a mapping of keys to values"),
        ("algorithm:\n  name: astar\n  tis: fifo", (), "a.yaml: line 3: algorithm.tis: unknown parameter of algorithm"),
        ("#\ndefaults:\n  - override /algorithm: astr", (), "a.yaml: line 3: algorithm: there is no 'astr'; did you"),
        ("defaults:\n  - override /algoritm: astar", (), "a.yaml: line 2: algoritm: there is no such group; did you"),
        ("limits: {nodes: many}", (), "a.yaml: line 1: limits.nodes: expected int | null, got str"),
        ("limits: {nodes: many}", ("limits.nodes=few",), "error: limits.nodes: expected int | null, got str"),
        (
            "limits: {nodes: x}\nsweep: {product: {algorithm: [ucs]}}",
            (),
            "error: a.yaml: line 1: limits.nodes: exp",
        ),
        ("sweep:\n  cels:\n    - {}", (), "a.yaml: line 2: sweep.cels: unknown key; did you mean 'cells'?"),
        ("sweep:\n  cells:\n  - {}\n  - heurstic: x", (), "a.yaml: line 4: sweep.cells[1].heurstic: unknown key; did"),
        (
            "sweep:\n  cells:\n  - - {}\n  - - {}\n    - limits.time: [1, 2]\n      heuristic: [none, x]",
            (),
            "a.yaml: line 6: sweep.cells[1][1].heuristic: there is no 'x'; a heuristic of your own",
        ),
        ("sweep:\n  product:\n    world.siz: [1]", (), "a.yaml: line 3: sweep.product.world.siz: unknown key"),
        ("#\nalgorithm: astr", (), "error: a.yaml: line 2: algorithm: there is no 'astr'; did you mean 'astar'?"),
        (
            "heuristic: [pivots]",
            (),
            "error: a.yaml: heuristic: expected one name, got a list; for a sweep, sweep: {pro",
        ),
        ("defaults: 3", (), "a.yaml: defaults: expected a list, got 3"),
        ("world: snake/random\ndefaults: [override /world: wumpus/static]", (), "a.yaml: world: is chosen twice, here"),
        ("", ("b.yml",), "error: a.yaml, b.yml: one experiment file at a time"),
        ("", ("algorithm=astar,ucs",), "several values make a sweep; add -m"),
    ],
)
def test_a_mistake_in_an_experiment_file_names_its_line(
    tmp_path: Path, content: str, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "a.yaml").write_text(content)
    done = run(tmp_path, "a.yaml", *arguments)
    assert done.returncode == 2
    assert message in done.stderr, done.stderr
    assert not (tmp_path / "outputs" / "run").exists()


def test_an_experiment_file_that_is_missing_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch()
    missing = run(tmp_path, "b.yaml")
    assert missing.stderr == "error: b.yaml: there is no such file; did you mean 'a.yaml'? choose from: a.yaml\n"
