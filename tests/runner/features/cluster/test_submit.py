"""Submission to a SLURM whose programs are scripts of the test."""

from __future__ import annotations

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


def test_a_refused_array_that_is_too_large_names_the_limit_of_the_cluster(tmp_path: Path) -> None:
    pytest.importorskip("submitit")
    (tmp_path / "bin").mkdir()
    for name, script in {
        "sbatch": "echo 'sbatch: error: Batch job submission failed: Invalid job array specification' >&2; exit 1",
        "srun": "exit 1",
        "scontrol": "echo 'MailProg = /bin/mail'; echo 'MaxArraySize            = 3'",
    }.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
    words = ("world=npuzzle/random", "world.count=4", "world.size=3", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    for tasks, hint in ((4, "MaxArraySize of this cluster allows 3: use --tasks 3\n"), (3, "")):
        done = run(tmp_path, "submit", "--tasks", str(tasks), *words, PATH=path)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1
        assert "Invalid job array specification" in done.stderr
        assert done.stderr.endswith(hint)
        assert ("MaxArraySize" in done.stderr) == bool(hint)
