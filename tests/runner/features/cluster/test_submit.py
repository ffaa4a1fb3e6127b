"""Submission to a SLURM whose programs are scripts of the test."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from runner.features.cluster.slurm import ArrayTask
from tests.runner_cli import run


def test_the_last_time_limit_of_a_task_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The handler is that of submitit, which raises an exception if it has queued the task too often."""
    submitit = pytest.importorskip("submitit")

    def refuse(*_: object) -> None:
        raise submitit.core.utils.UncompletedJobError("Job not requeued because: timed-out too many times.")

    before = signal.signal(signal.SIGUSR2, refuse)
    try:
        assert ArrayTask(lambda *_: 128 + signal.SIGUSR2, "a sweep", (), ())() == 1
        assert ArrayTask(lambda *_: 0, "a sweep", (), ())() == 0
    finally:
        signal.signal(signal.SIGUSR2, before)
    line = "this task has reached its time limit for the last time; to continue: "
    assert capsys.readouterr().err == f"{line}python -m runner submit --resume 'a sweep'\n"


def test_more_tasks_than_the_cluster_allows_are_several_arrays(tmp_path: Path) -> None:
    """`--parallel` is divided among them. SLURM refuses the third one."""
    pytest.importorskip("submitit")
    (tmp_path / "bin").mkdir()
    refuse = "echo 'sbatch: error: Batch job submission failed: Job violates accounting' >&2; exit 1"
    for name, script in {
        "sbatch": f"echo x >> arrays; n=$(wc -l < arrays); grep array= $1 >> options; [ $n -lt 3 ] || {{ {refuse}; }}; "
        "echo Submitted batch job $n",
        "srun": "exit 1",
        "squeue": "",
        "scontrol": "echo 'MailProg = /bin/mail'; echo 'MaxArraySize            = 3'",
    }.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
    words = ("world=npuzzle/random", "world.count=4", "world.size=3", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    options = ("--tasks=7", "--parallel=6")
    dry = run(tmp_path, "submit", *options, *words, "dry_run=true", PATH=path)
    assert "array: 7 tasks of 1 to 2 instances, in 3 arrays, at most 2 of each at the same time\n" in dry.stdout
    assert not (tmp_path / "arrays").exists()
    assert run(tmp_path, "submit", "--engine", "none", *words, PATH=path).returncode == 0
    done = run(tmp_path, "submit", *options, *words, PATH=path)
    assert done.returncode == 1, done.stderr
    assert not (tmp_path / "out" / "parts.json").exists(), "parts could run beside the tasks"
    lines = done.stderr.splitlines()[-3:]
    assert lines[0].startswith("error: submit: SLURM refused the job: ")
    assert lines[0].endswith("Job violates accounting")
    assert lines[1] == "submitted: 2 cells in 6 tasks, SLURM jobs 1, 2"
    assert lines[2].startswith("1 task not submitted; to submit what is missing when the others have ended: ")
    assert (tmp_path / "options").read_text().splitlines() == 2 * ["#SBATCH --array=0-2%2"]
    tasks = json.loads((tmp_path / "out" / "submitted.json").read_text())
    assert [task["id"] for task in tasks] == ["1_0", "1_1", "1_2", "2_0", "2_1", "2_2"]
    table = run(tmp_path, "status", "out", PATH=path).stdout
    assert table.count("gone, rows are missing") == 6


def test_what_a_site_prints_beside_the_answer_of_sbatch_is_no_job(tmp_path: Path) -> None:
    """Tasks that wait write nothing: `status` says so."""
    pytest.importorskip("submitit")
    (tmp_path / "bin").mkdir()
    before = "sbatch: INFO: job 128 GB per node will need a node with more memory"
    for name, script in {
        "sbatch": f"echo '{before}'; echo Submitted batch job 4242 on cluster c; echo your last job 17 failed",
        "srun": "exit 1",
        "squeue": "printf '4242_0|PENDING\\n4242_1|PENDING\\n'",
    }.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
    words = ("world=npuzzle/random", "world.count=4", "world.size=2", "algorithm=astar", "hydra.sweep.dir=out")
    done = run(tmp_path, "submit", "--tasks=2", *words, PATH=path)
    assert done.stderr.splitlines()[-1] == "submitted: 1 cell in 2 tasks, SLURM job 4242"
    status = run(tmp_path, "status", "out", PATH=path)
    assert status.returncode == 0
    assert status.stdout.splitlines()[-1] == "2 tasks are queued or running; none writes to this folder now"
