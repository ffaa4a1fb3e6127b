"""Commands `status`, `collect`, `submit` and `resume`: mistakes, missing rows, and a queue that does not answer."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from runner.records.folder import SweepFolder
from tests.runner.tables import keep_rows
from tests.runner_cli import run


def test_status_counts_rows_if_the_queue_does_not_answer(swept: Path) -> None:
    """As for a folder that was copied from a cluster."""
    pieces = [{"folder": str(cell), "subfolder": "", "first": 0, "last": 7, "cell": cell} for cell in (0, 1)]
    (swept / "out" / "parts.json").write_text(json.dumps([{"task": "1_0", "pieces": pieces, "seed": 0}]))
    whole = run(swept, "status", "out", "--wait", PATH="")
    assert whole.returncode == 0
    assert "squeue failed or timed out" in whole.stderr
    assert "14 of 14 instances done" in whole.stdout
    assert "complete" in whole.stdout
    (swept / "out" / "results.csv").unlink()
    assert "collect: python -m runner collect" in run(swept, "status", "out", PATH="").stdout
    keep_rows(swept / "out" / "1" / "metrics.csv", 2)
    some = run(swept, "status", "out", PATH="")
    assert some.returncode == 0
    assert "another process may be writing to this folder" in some.stdout
    again = run(swept, "submit", "--resume", "out", PATH="")
    assert again.returncode == 2
    assert "error: submit: squeue failed or timed out, so the queued tasks are unknown" in again.stderr
    assert again.stderr.count("\n") == 1


def test_a_task_with_the_rows_of_its_own_instances_is_finished(swept: Path) -> None:
    """While the rest of its cells is missing. An interrupted row is none; one of a failure is left to `resume`."""
    (swept / "bin").mkdir()
    (swept / "bin" / "squeue").write_text("#!/bin/sh\n")
    (swept / "bin" / "squeue").chmod(0o755)
    parts = {"1_0": (0, 3), "1_1": (3, 5), "1_2": (5, 6), "1_3": (6, 7)}
    pieces = {
        name: [{"folder": "0", "subfolder": "part", "first": first, "last": last, "cell": 0}]
        for name, (first, last) in parts.items()
    }
    submitted = [{"task": name, "pieces": pieces[name], "seed": 0} for name in parts]
    (swept / "out" / "parts.json").write_text(json.dumps(submitted))
    file = swept / "out" / "0" / "metrics.csv"
    lines = file.read_text().splitlines(keepends=True)
    lines[5] = lines[5].replace(",solved,", ",interrupted,")
    lines[6] = lines[6].replace(",solved,", ",crashed,")
    file.write_text("".join(lines[:7]))
    (swept / "out" / "slurm").mkdir()
    (swept / "out" / "slurm" / "1_1.log").touch()
    status = run(swept, "status", "out", PATH=os.pathsep.join([str(swept / "bin"), os.environ["PATH"]]))
    states = [line.strip("│").split("│")[1].strip() for line in status.stdout.splitlines() if line.startswith("│")]
    missing = ("gone, rows are missing: see slurm/1_1.log", "gone, rows are missing")  # 1_3 has no log
    assert states == ["finished", missing[0], "finished", missing[1]]
    assert status.returncode == 1


def test_instances_of_cells_without_a_folder_are_missing(tmp_path: Path) -> None:
    """As after a power cut before these cells began."""
    assert run(tmp_path, "-m", "algorithm=astar,ucs", "hydra.sweep.dir='a sweep'").returncode == 0
    whole = (tmp_path / "a sweep" / "results.csv").read_bytes()
    shutil.rmtree(tmp_path / "a sweep" / "1")
    status = run(tmp_path, "status", "a sweep")
    assert status.returncode == 1
    assert "2 cells, 7 of 14 instances done" in status.stdout
    assert f"to continue: python -m runner resume '{tmp_path / 'a sweep'}'" in status.stdout
    collected = run(tmp_path, "collect", "a sweep")
    assert collected.returncode == 1
    assert "7 of 14 instances have no row; to run them: python -m runner resume" in collected.stderr
    shutil.rmtree(tmp_path / "a sweep" / "0")
    none = run(tmp_path, "collect", "a sweep")
    assert none.returncode == 2
    assert none.stderr.endswith("a sweep: there are no rows yet; to make them: python -m runner resume 'a sweep'\n")
    assert run(tmp_path, "resume", "a sweep").returncode == 0
    assert run(tmp_path, "status", "a sweep").returncode == 0
    assert (tmp_path / "a sweep" / "results.csv").read_bytes().count(b"\n") == whole.count(b"\n")


def test_skipped_and_shared_cells_are_not_missing(tmp_path: Path) -> None:

    shared = ("world=wumpus/random", "world.size=6", "world.count=2,4", "hydra.sweep.dir=out")
    assert run(tmp_path, "-m", "algorithm=astar,ucs", "heuristic=none,manhattan", *shared).returncode == 0
    assert sorted(path.name for path in (tmp_path / "out").glob("[0-9]*")) == list("012345")
    status = run(tmp_path, "status", "out")
    assert status.returncode == 0
    assert "6 cells, 18 of 18 instances done\n" in status.stdout
    assert run(tmp_path, "collect", "out").returncode == 0
    keep_rows(tmp_path / "out" / "4" / "metrics.csv", 1)
    assert "17 of 18 instances done\n" in run(tmp_path, "status", "out").stdout
    assert run(tmp_path, "resume", "out").returncode == 0
    assert "18 of 18 instances done\n" in run(tmp_path, "status", "out").stdout


def test_refused_cells_are_counted_and_keep_a_sweep_from_being_complete(tmp_path: Path) -> None:
    world = ("-m", "algorithm=astar", "world=npuzzle/random", "world.count=1", "hydra.sweep.dir=out")
    for sizes, line in (("2x2,0x0", "1 cell refused: see 1/refused.txt"), ("0x0,2x2,0x1", "2 cells refused: see ")):
        assert run(tmp_path, *world, f"world.size={sizes}").returncode == 2
        status = run(tmp_path, "status", "out")
        assert (status.returncode, "complete" in status.stdout) == (0, False)
        assert line in status.stdout
    assert run(tmp_path, *world, "world.size=2x2").returncode == 0
    assert run(tmp_path, "status", "out").stdout.endswith(" done\ncomplete\n")


def test_a_corrupt_record_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "multirun.yaml").touch()
    job = '"folder": "0", "overrides": [], "cell": "1", "search": "1"'
    for count in ('"many"', "null", "1e999", "[]"):
        (tmp_path / "jobs.json").write_text(f'{{"jobs": [{{{job}, "instances": {count}}}]}}')
        done = run(tmp_path, "status", ".")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    (tmp_path / "jobs.json").write_text("[1]")
    assert "jobs.json: is corrupt" in run(tmp_path, "status", ".").stderr


def test_status_of_a_running_sweep_names_the_other_process(swept: Path) -> None:
    folder = SweepFolder(swept / "out")
    folder.lock()
    status = run(swept, "status", "out")
    folder.unlock()
    assert (status.returncode, "another process is writing to this folder" in status.stdout) == (0, True)
