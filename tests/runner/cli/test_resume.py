"""Continue a sweep in its folder: no row is lost, and none is made twice."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.cli.display import TerminalDisplay
from runner.execution.cells import searches
from runner.execution.sweep import Sweep
from runner.records.csv_table import read_rows
from runner.records.provenance import recorded_request
from tests.plugins import install
from tests.runner.tables import keep_rows, run_ids, without_times
from tests.runner.waiting import HANGING, wait_for
from tests.runner_cli import ROOT, Forked, environment, rows, run

CELLS = ("-m", "algorithm=astar,bfs", "heuristic=pivots,manhattan", "world=wumpus/random", "world.count=5")
GATED = ("-m", "plugins=[gated]", "heuristic=gated", "algorithm=astar,greedy", "world=wumpus/random", "world.size=4",
         "world.count=40", "hydra.sweep.dir=out")  # fmt: skip


def resume(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(directory, "resume", *arguments)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files, except those that record the last command."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if ".hydra" not in path.parts and path.name not in ("multirun.yaml", ".lock", "jobs.json")
    }


def test_a_finished_sweep_is_not_changed(tmp_path: Path) -> None:
    first = run(tmp_path, *CELLS, "hydra.sweep.dir=out")
    assert first.returncode == 0, first.stderr
    before = contents(tmp_path / "out")
    again = run(tmp_path, *CELLS, "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert again.stdout == first.stdout
    assert again.stderr.count("5 done before") == 3
    assert contents(tmp_path / "out") == before
    resumed = resume(tmp_path, "out")
    assert (resumed.returncode, resumed.stdout.split("results:")[0]) == (0, first.stdout.split("results:")[0])
    assert contents(tmp_path / "out") == before


def test_interrupted_instances_come_last_in_the_order_of_their_interruptions(
    swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [swept / "out" / name / "metrics.csv" for name in ("0", "1")]
    for file, interrupted in zip(cells, ((1, 1, 3), (2,)), strict=True):
        header, *lines = file.read_text().splitlines(keepends=True)
        kept = [line for number, line in enumerate(lines) if number not in (0, 4, *interrupted)]
        again = [lines[number].replace(",solved,", ",interrupted,") for number in interrupted]
        file.write_text("".join([header, *kept, *again]))
    monkeypatch.chdir(swept)
    request = recorded_request(Path("out"), ()).in_folder("out")
    sweep = Sweep.of(request, TerminalDisplay())
    sweep.plan()
    assert [*searches(sweep.cells)] == [
        *((0, range(1)), (0, range(4, 5)), (1, range(1)), (1, range(4, 5))),
        *((0, range(3, 4)), (1, range(2, 3)), (0, range(1, 2))),
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a sweep without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    install(folder, "gated")
    done = run(folder, *GATED)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long), signal.SIGINT]
)
def test_an_interrupted_sweep_is_completed(tmp_path: Path, whole: Path, number: int) -> None:
    """Then it has the same rows as a sweep without interruption."""
    install(tmp_path, "gated")
    (tmp_path / "gate").write_text("15")
    process = Forked(tmp_path, *GATED)
    file = tmp_path / "out" / "0" / "metrics.csv"
    wait_for(lambda: file.exists() and file.read_bytes().count(b"\n") > 10)
    process.send_signal(number)
    (tmp_path / "gate").unlink()
    process.communicate()
    with open(file, "a", encoding="utf-8") as half:  # as after an interruption in the middle of a write
        half.write("0123456789ab,half,a li")
    before = len(list(read_rows(file)))
    assert 10 <= before < 40
    done = resume(tmp_path, "out")
    assert done.returncode == 0, done.stderr
    assert "done before" in done.stderr
    assert without_times(tmp_path / "out" / "results.csv") == without_times(whole / "results.csv")
    found = [json.loads(line) for line in (tmp_path / "out" / "0" / "plans.jsonl").read_text().splitlines()]
    expected = [json.loads(line) for line in (whole / "0" / "plans.jsonl").read_text().splitlines()]
    assert {each["run_id"]: each["actions"] for each in found} == {each["run_id"]: each["actions"] for each in expected}


def test_failed_rows_are_made_again(tmp_path: Path) -> None:
    install(tmp_path, "fragile", "mine")
    (tmp_path / "broken").touch()
    sweep = ("-m", "plugins=[mine]", "heuristic=fragile", "algorithm=astar,greedy", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 1
    (tmp_path / "broken").unlink()
    again = run(tmp_path, *sweep, "retry=none")
    assert again.returncode == 1
    assert again.stderr.count("7 done before") == 2
    again = run(tmp_path, *sweep)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("5 done before") == 2
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 14
    assert {row["status"] for row in found} == {"solved", "unsolvable"}
    assert len(rows(tmp_path / "out" / "0" / "metrics.csv")) == 7, "failed rows are superseded"


def test_rows_that_reached_a_limit_are_made_again_under_a_larger_one(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=ucs,bfs", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep, "limits.nodes=900").returncode == 0
    limited = [row["status"] == "node_limit" for row in rows(tmp_path / "out" / "results.csv")]
    assert 0 < sum(limited) < 14
    done = run(tmp_path, *sweep, "limits.nodes=100000", "retry=limits")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 14
    assert {row["status"] for row in found} == {"solved", "unsolvable"}
    assert {row["limits"] for row in found} == {"nodes=900", "nodes=100000"}, (
        "rows that did not reach the limit are kept"
    )
    assert [len(rows(file)) for file in (tmp_path / "out").glob("*/metrics.csv")] == [7, 7]


def test_cells_that_differ_in_limits_of_a_file_have_them_in_their_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    sweep = ("--config-dir", str(tmp_path), "--config-name=mine", "-m", "hydra.sweep.dir=out")
    for nodes, arguments in ((9, sweep), (99, ("resume", "out"))):
        file.write_text(f"defaults: [config, _self_]\nlimits: {{nodes: {nodes}}}\n")
        done = run(tmp_path, *arguments)
    assert "0 limits.nodes=9 " in done.stdout
    assert "1 limits.nodes=99 " in done.stdout


def test_every_cell_of_a_sweep_over_limits_continues(tmp_path: Path) -> None:
    sweep = ("-m", "limits.nodes=5,100000", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    keep_rows(tmp_path / "out" / "1" / "metrics.csv", 2)
    assert run(tmp_path, *sweep).returncode == 0
    assert len(rows(tmp_path / "out" / "results.csv")) == 14
    assert len(rows(tmp_path / "out" / "1" / "metrics.csv")) == 7


def test_a_larger_sweep_keeps_the_files_of_finished_cells(tmp_path: Path) -> None:
    assert run(tmp_path, *CELLS, "hydra.sweep.dir=out").returncode == 0
    before = contents(tmp_path / "out")
    done = run(tmp_path, *CELLS[:-1], "world.count=7", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("5 done before") == 3
    after = contents(tmp_path / "out")
    assert {name: after[name] for name in before if name != "results.csv"} == {
        name: content for name, content in before.items() if name != "results.csv"
    }
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 21


def test_a_changed_command_runs_the_missing_instances(tmp_path: Path) -> None:
    world = ("world.sample=5", "world.seed=3")
    assert run(tmp_path, "-m", "algorithm=astar,ucs", *world, "hydra.sweep.dir=first").returncode == 0
    expected = set(run_ids(tmp_path / "first" / "results.csv"))
    for name, changed in {
        "order of keys and values": (*reversed(world), "algorithm=ucs,astar"),
        "more values": (*world, "algorithm=ucs,astar,bfs", "weighting=none", "heuristic=none"),
    }.items():
        out = tmp_path / name
        shutil.copytree(tmp_path / "first", out)
        keep_rows(out / "0" / "metrics.csv", 2)
        assert run(tmp_path, "-m", *changed, f"hydra.sweep.dir='{out}'").returncode == 0, name
        found = run_ids(out / "results.csv")
        assert len(found) == len(set(found)), name
        assert expected <= set(found), name
        assert sum(len(rows(file)) for file in out.glob("*/metrics.csv")) == len(found), name


def test_resume_uses_the_same_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "conf d").mkdir()
    (tmp_path / "conf d" / "mine.yaml").write_text(
        "defaults:\n  - config\n  - override algorithm: bfs\n", encoding="utf-8"
    )
    mine = ("--config-dir", "conf d", "--config-name", "mine")
    done = run(tmp_path, *mine, "-m", "world.sample=2,3", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    keep_rows(tmp_path / "out" / "0" / "metrics.csv", 1)
    done = resume(tmp_path, "out")
    assert done.returncode == 0, done.stderr
    assert {row["algorithm"] for row in rows(tmp_path / "out" / "results.csv")} == {"bfs"}
    assert len(rows(tmp_path / "out" / "results.csv")) == 5


def test_a_sweep_continues_only_in_the_directory_in_which_it_was_started(tmp_path: Path) -> None:
    """Its relative paths belong to it: here that of a plug-in."""
    work, elsewhere = tmp_path / "my work", tmp_path / "elsewhere"
    for folder in (work, elsewhere):
        folder.mkdir()
    install(work, "fragile", "mine")
    sweep = ("-m", "plugins=[mine]", "heuristic=fragile", "algorithm=astar,greedy", "hydra.sweep.dir=out")
    assert run(work, *sweep).returncode == 0
    keep_rows(work / "out" / "0" / "metrics.csv", 2)
    message = "was started in another directory, to which its paths belong; first: cd"
    for command in (("resume",), ("submit", "--resume"), ("archive", "--inputs")):
        done = run(elsewhere, *command, str(work / "out"))
        assert (done.returncode, done.stderr) == (2, f"error: the sweep {message} '{work}'\n")
    assert not list(elsewhere.iterdir())
    assert resume(work, "out").returncode == 0
    assert len(rows(work / "out" / "results.csv")) == 14


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals and limits are of POSIX")
def test_injected_faults_lose_no_rows() -> None:
    """Run 10 rounds; `python -m tests.faults` runs 200."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--rounds", "10"],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=HANGING, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rows missing: 0, rows extra: 0, rows different: 0" in done.stdout


def test_files_of_a_continued_sweep_are_those_of_an_undisturbed_one(tmp_path: Path) -> None:
    """The interrupted logs have lines in any order, lines that are superseded, and a half-written last line."""
    world = ("world=wumpus/random", "world.size=5", "world.count=20")
    sweep = ("-m", "algorithm=astar,anytime_astar", "heuristic=pivots", *world)
    whole = tmp_path / "whole"
    assert run(tmp_path, *sweep, "hydra.sweep.dir=whole").returncode == 0
    for workers in ("0", "2"):
        cut = tmp_path / workers
        shutil.copytree(whole, cut)
        shorten(cut)
        done = run(tmp_path, *sweep, f"hydra.sweep.dir={workers}", f"workers={workers}")
        assert done.returncode == 0, done.stderr
        for name in ("results.csv", "0/metrics.csv", "1/metrics.csv"):
            assert without_times(cut / name) == without_times(whole / name)
        assert (cut / "0" / "plans.jsonl").read_bytes() == (whole / "0" / "plans.jsonl").read_bytes()
        improvements = [
            re.sub(rb'"seconds":[^,]*', b"", (folder / "1" / "plans.jsonl").read_bytes()) for folder in (cut, whole)
        ]
        assert improvements[0] == improvements[1]


def test_cells_with_new_folders_keep_their_place_in_the_table(swept: Path) -> None:
    """Without jobs.json, the first cell is not found in its folder, whose name is taken."""
    before = without_times(swept / "out" / "results.csv")
    shutil.rmtree(swept / "out" / "1")
    (swept / "out" / "jobs.json").unlink()
    done = run(swept, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (swept / "out").glob("[0-9]*")} == {"0", "1", "2"}
    assert without_times(swept / "out" / "results.csv") == before


def shorten(sweep: Path) -> None:
    """Change the logs as an interruption could leave them."""
    rng = random.Random(1)
    for metrics in sweep.glob("*/metrics.csv"):
        header, *lines = metrics.read_bytes().splitlines(keepends=True)
        failed = [line.replace(b",solved,", b",interrupted,") for line in lines]
        lines = rng.sample(lines, 12)
        metrics.write_bytes(b"".join([header, *rng.sample([*lines, *lines, *failed], 30), lines[0][:40]]))
        plans = metrics.with_name("plans.jsonl")
        plans.write_bytes(plans.read_bytes()[:-7])
