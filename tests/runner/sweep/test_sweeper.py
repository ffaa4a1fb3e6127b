"""Sweeps as a user writes them: in YAML and on the command line, on one core and on all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runner.results import SECONDS
from tests.processes import children
from tests.runner_cli import command, environment, rows, run

EXPERIMENT = """
# @package _global_
defaults:
  - override /world: wumpus/random
hydra:
  sweeper:
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
    found = [(row["algorithm"], row["heuristic"], row["instance"].split("-")[1]) for row in rows(file)]
    return list(dict.fromkeys(found))


def lasting(file: Path) -> list[dict[str, str]]:
    return [{name: value for name, value in row.items() if name not in SECONDS} for row in rows(file)]


@pytest.fixture
def experiment(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "mine" / "experiment").mkdir(parents=True)
    (tmp_path / "mine" / "experiment" / "sizes.yaml").write_text(EXPERIMENT)
    return "-m", "--config-dir", "mine", "+experiment=sizes", "hydra.sweep.dir=out"


def test_an_experiment_in_yaml(tmp_path: Path, experiment: tuple[str, ...]) -> None:
    done = run(tmp_path, *experiment)
    assert done.returncode == 0, done.stderr
    assert "hydra.sweeper.exclude[0]: leaves out 2 combinations" in done.stderr
    assert done.stderr.count("skipped: heuristic: greedy needs one") == 1
    assert done.stderr.count("skipped: the same as job") == 2
    assert cells(tmp_path / "out" / "results.csv") == [
        ("astar", "none", "4x4"),
        ("astar", "none", "6x6"),
        ("astar", "manhattan+pivots", "4x4"),
        ("astar", "manhattan+pivots", "6x6"),
        ("ucs", "none", "4x4"),
        ("ucs", "none", "6x6"),
        ("greedy", "manhattan+pivots", "4x4"),
    ]
    assert len(rows(tmp_path / "out" / "results.csv")) == 3 * 6 + 3 * 3 + 6


def test_the_command_line_narrows_it(tmp_path: Path, experiment: tuple[str, ...]) -> None:
    done = run(tmp_path, *experiment, "algorithm=astar", "world.size=5", "heuristic=none", "dry_run=true")
    assert done.returncode == 0, done.stderr
    done = run(tmp_path, *experiment, "algorithm=astar", "heuristic=none")
    assert done.returncode == 0, done.stderr
    assert "note: hydra.sweeper.exclude[0] leaves out nothing" in done.stderr
    assert cells(tmp_path / "out" / "results.csv") == [("astar", "none", "4x4"), ("astar", "none", "6x6")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hydra.sweeper.zip=3",), "hydra.sweeper.zip: expected a list, got 3"),
        (("hydra.sweeper.product=[a]",), "hydra.sweeper.product: expected a mapping of keys to values, got ['a']"),
        (("+hydra.sweeper.product.algorthm=[ucs]",), "algorthm: unknown key; did you mean 'algorithm'?"),
        (("+hydra.sweeper.exclude=[{algorithm:astar}]",), "hydra.sweeper.exclude: leaves out every combination"),
        (("shards=0",), "shards: expected int >= 1"),
        (("shards=2,4",), "shards: cannot be swept"),
        (("shards=2", "shard=0,1"), "shard: cannot be swept"),
        (("+hydra.sweeper.prodcut={algorithm:[ucs]}",), "hydra.sweeper.prodcut: unknown key; did you mean 'product'?"),
        (("hydra.sweeper.only=[7]",), "hydra.sweeper.only: expected numbers of jobs"),
        (("+experiment=wumpus_offline,snake_ca1",), "sweeps by itself"),
        (("limits=none,minute", "+hydra.sweeper.exclude=[{limits.time:60}]"), "depends on limits, which is swept"),
        (("hydra/launcher=nothing",), "hydra/launcher: there is no 'nothing'"),
    ],
)
def test_what_cannot_be_swept(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(tmp_path, "-m", *arguments, "hydra.sweep.dir=out")
    assert done.returncode == 2
    assert message in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_a_value_that_goes_with_some_algorithms_only(tmp_path: Path) -> None:
    """What cannot be composed is left out with its reason; what can never be composed is a mistake."""
    sweep = ("-m", "algorithm=astar,dfs", "hydra.sweep.dir=out")
    done = run(tmp_path, *sweep, "algorithm.ties=low_h,fifo")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("skipped: algorithm.ties: unknown key; choose from: depth_limit") == 2
    assert len(rows(tmp_path / "out" / "results.csv")) == 14
    done = run(tmp_path, "-m", "algorithm=astar,dfs", "hydra.sweep.dir=other", "algorithm.tis=low_h,fifo")
    assert done.returncode == 2
    assert done.stderr == "error: algorithm.tis: unknown key; did you mean 'ties'? choose from: ties, reopen\n"
    assert not (tmp_path / "other").exists()


def test_shards_on_all_cores_are_the_same_rows(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "world=wumpus/random", "world.count=301", "world.size=5")
    assert run(tmp_path, *sweep, "hydra.sweep.dir=whole").returncode == 0
    launcher = ("hydra/launcher=all_cores", "shards=4", "hydra.sweep.dir=out")
    done = run(tmp_path, *sweep, *launcher)
    assert done.returncode == 0, done.stderr
    assert lasting(tmp_path / "out" / "results.csv") == lasting(tmp_path / "whole" / "results.csv")
    assert sorted(len(rows(file)) for file in (tmp_path / "out").glob("*/metrics.csv")) == [75] * 6 + [76] * 2
    again = run(tmp_path, *sweep, *launcher)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("done before") == 8
    more = run(tmp_path, *sweep, "hydra/launcher=all_cores", "shards=3", "hydra.sweep.dir=out")
    assert more.returncode == 0, more.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 602


def test_one_shard_alone(tmp_path: Path) -> None:
    done = run(tmp_path, "world=wumpus/random", "world.count=10", "shards=4", "shard=1", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert [row["seed"] for row in rows(tmp_path / "out" / "metrics.csv")] == ["2", "3", "4"]
    for wrong, message in (("shards=4", "add -m"), ("shard=1", "expected a number from 0 to shards - 1 = 0, got 1")):
        done = run(tmp_path, wrong)
        assert (done.returncode, message in done.stderr) == (2, True)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_killed_worker_does_not_end_a_sweep(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=ucs", "world=wumpus/random", "world.count=600", "world.size=30", "shards=4")
    arguments = (*sweep, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "hydra.sweep.dir=out")
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stdout=-3, stderr=-1, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not list((tmp_path / "out").glob("*/metrics.csv")):
        time.sleep(0.02)
    workers = [each for each in children(process.pid) if b"loky" in Path(f"/proc/{each}/cmdline").read_bytes()]
    os.kill(workers[-1], signal.SIGKILL)
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    assert "note: a worker process was killed; going on with what is left" in errors
    found = [row["run_id"] for row in rows(tmp_path / "out" / "results.csv")]
    assert len(found) == len(set(found)) == 600
