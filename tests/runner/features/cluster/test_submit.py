"""Submission to a SLURM whose programs are scripts of the test."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner.waiting import wait_for
from tests.runner_cli import Forked, rows, run


def programs(folder: Path, **scripts: str) -> str:
    """Write programs of SLURM, and return a PATH on which they are the first."""
    (folder / "bin").mkdir()
    for name, script in scripts.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    return os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])


@pytest.mark.parametrize(("restarts", "script"), [("3", ""), ("0", "exit 1")])
def test_a_task_that_is_not_queued_again_says_so_in_one_line(restarts: str, script: str, tmp_path: Path) -> None:
    install(tmp_path, "gated")
    path = programs(
        tmp_path, sbatch="echo Submitted batch job 7", squeue="", scontrol=f"echo $* >> {tmp_path}/calls; {script}"
    )
    words = ("plugins=[gated]", "heuristic=gated", "world=wumpus/random", "world.count=4", "hydra.sweep.dir=a sweep")
    assert run(tmp_path, "submit", "--tasks=1", *words, PATH=path).returncode == 0
    (tmp_path / "gate").write_text("1")
    task = Forked(
        tmp_path, "part", "1/1", "a sweep", PATH=path, SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID="0",
        SLURM_RESTART_COUNT=restarts,
    )  # fmt: skip
    wait_for(lambda: any(map(rows, tmp_path.glob("a sweep/0/**/metrics.csv"))))
    task.send_signal(signal.SIGUSR2)
    again = f"python -m runner submit --resume '{tmp_path}/a sweep'"
    assert task.communicate()[1].endswith(
        f"\nthis task has reached its time limit for the last time; to continue: {again}\n"
    )
    assert ("requeue 7_0" in (tmp_path / "calls").read_text()) == (restarts == "0")


def test_more_tasks_than_the_cluster_allows_are_several_arrays(tmp_path: Path) -> None:
    """`--parallel` is divided among them. SLURM refuses the third one."""
    refuse = "echo 'sbatch: error: Batch job submission failed: Job violates accounting' >&2; exit 1"
    path = programs(
        tmp_path,
        sbatch=f"echo $1 $4 >> arrays; n=$(wc -l < arrays); [ $n -lt 3 ] || {{ {refuse}; }}; "
        "echo Submitted batch job $n",
        squeue="",
        scontrol="echo 'MailProg = /bin/mail'; echo 'MaxArraySize            = 3'",
    )
    words = ("world=npuzzle/random", "world.count=4", "world.size=3", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    options = ("--tasks=7", "--parallel=6")
    dry = run(tmp_path, "submit", *options, *words, "dry_run=true", PATH=path)
    assert "array: 7 tasks of 1 to 2 instances, in 3 arrays, at most 2 of each at the same time\n" in dry.stdout
    assert not (tmp_path / "arrays").exists()
    assert run(tmp_path, "submit", "--engine", "none", *words, PATH=path).returncode == 0
    done = run(tmp_path, "submit", *options, *words, PATH=path)
    assert done.returncode == 1, done.stderr
    lines = done.stderr.splitlines()[-3:]
    assert lines[0].startswith("error: submit: SLURM refused the job: ")
    assert lines[0].endswith("Job violates accounting")
    assert lines[1] == "submitted: 2 cells in 6 tasks, SLURM jobs 1, 2"
    assert lines[2].startswith("1 task not submitted; to submit what is missing when the others have ended: ")
    arrays = ["--array=0-2%2 1", "--array=0-2%2 4", "--array=0-0%2 7"]
    assert (tmp_path / "arrays").read_text().splitlines() == arrays
    parts = json.loads((tmp_path / "out" / "parts.json").read_text())
    assert [part["task"] for part in parts] == ["1_0", "1_1", "1_2", "2_0", "2_1", "2_2", ""]
    table = run(tmp_path, "status", "out", PATH=path).stdout
    assert table.count("gone, rows are missing") == 6
    assert table.count("not running, rows are missing") == 1


def test_what_a_site_prints_beside_the_answer_of_sbatch_is_no_job(tmp_path: Path) -> None:
    """Tasks that wait write nothing: `status` says so, and why they wait."""
    before = "sbatch: INFO: job 128 GB per node will need a node with more memory"
    path = programs(
        tmp_path,
        sbatch=f"echo '{before}'; echo Submitted batch job 4242 on cluster c; echo your last job 17 failed",
        squeue="printf '4242_0|PENDING|JobHeldAdmin\\n4242_1|PENDING|None\\n'",
    )
    words = ("world=npuzzle/random", "world.count=4", "world.size=2", "algorithm=astar", "hydra.sweep.dir=out")
    done = run(tmp_path, "submit", "--tasks=2", *words, PATH=path)
    assert done.stderr.splitlines()[-1] == "submitted: 1 cell in 2 tasks, SLURM job 4242"
    status = run(tmp_path, "status", "out", PATH=path)
    assert status.returncode == 0
    states = [line.strip("│").split("│")[1].strip() for line in status.stdout.splitlines() if line.startswith("│")]
    assert states == ["pending: JobHeldAdmin", "pending"]
    assert status.stdout.splitlines()[-1] == "2 tasks are queued or running; none writes to this folder now"
    again = run(tmp_path, "submit", "--resume", "out", PATH=path)
    assert (again.returncode, again.stderr) == (
        2, f"error: submit: {tmp_path / 'out'} has queued tasks; wait until they end, or cancel them\n"
    )  # fmt: skip
