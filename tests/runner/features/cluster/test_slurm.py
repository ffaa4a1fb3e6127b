"""Sweeps on SLURM: lost tasks can be completed, and the rows equal those of a sweep without SLURM."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from runner.cli import status
from tests import runner_cli
from tests.plugins import install
from tests.processes import ENDED, state_of
from tests.programs import CLOSED_LIST, READS_PATHS, write_program
from tests.runner.tables import keep_rows, without_times
from tests.runner.waiting import wait_for

CELLS = ("world=wumpus/random", "algorithm=astar,ucs", "world.size=3,4,5,6,7,8,9,10", "world.count=4")
FEW = ("world=wumpus/random", "algorithm=astar,ucs", "world.size=6", "world.count=20", "hydra.sweep.dir=out")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, slurm: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command in the folder of the test, with SLURM."""
    monkeypatch.setattr(status, "_MAX_WAIT_SECONDS", 0.25)
    return partial(runner_cli.run, tmp_path, **slurm, PYTHONPATH=runner_cli.environment()["PYTHONPATH"])


def queued(slurm: dict[str, str]) -> dict[str, str]:
    """Return the states of all tasks that SLURM knows, by their ids."""
    done = subprocess.run(
        ["squeue", "-h", "-r", "-t", "all", "-o", "%i|%T"], env={**os.environ, **slurm}, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    return dict(line.split("|") for line in done.stdout.splitlines())


def process_of(task: str, sweep: Path) -> int:
    """Return the Python process of a task.

    Ignores its children, and tasks of other SLURMs with the same number.
    """
    job, _, number = task.partition("_")
    found: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                variables = dict(
                    each.partition("=")[::2] for each in (folder / "environ").read_bytes().decode().split("\0")
                )
                arguments = (folder / "cmdline").read_bytes()
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            except (OSError, UnicodeDecodeError):
                continue
            is_of_task = (variables.get("SLURM_ARRAY_JOB_ID"), variables.get("SLURM_ARRAY_TASK_ID")) == (job, number)
            is_python = b"python" in arguments.partition(b"\0")[0] and b"\0part\0" in arguments
            if is_of_task and is_python and os.fsencode(sweep) in arguments:
                found[int(folder.name)] = int(parent)
    first = [process for process, parent in found.items() if parent not in found]
    assert len(first) == 1, f"task {task} has processes {found}"
    return first[0]


def test_a_sweep_that_loses_tasks_is_completed(tmp_path: Path, slurm: dict[str, str], run: Run) -> None:
    """Of 4 tasks with 16 cells, kill one with SIGKILL and cancel one after their first rows; then resume the sweep."""
    install(tmp_path, "gated")
    (tmp_path / "gate").write_text("1")
    cells = ("plugins=[gated]", "heuristic=gated", *CELLS)
    sweep = tmp_path / "out"
    submitted = run("submit", "--tasks", "4", *cells, "hydra.sweep.dir=out")
    assert submitted.returncode == 0, submitted.stderr
    assert "submitted: 16 cells in 4 tasks" in submitted.stderr
    job = submitted.stderr.split("SLURM job ")[1].split()[0]
    assert set(queued(slurm)) >= {f"{job}_{number}" for number in range(4)}

    pieces = {part["task"]: part["pieces"] for part in json.loads((sweep / "parts.json").read_text())}

    def has_rows(number: int) -> bool:
        file = sweep / pieces[f"{job}_{number}"][0]["folder"] / "metrics.csv"
        return file.is_file() and file.read_bytes().count(b"\n") > 1

    wait_for(lambda: has_rows(1) and has_rows(2))
    os.kill(process_of(f"{job}_1", sweep), signal.SIGKILL)
    cancelled = process_of(f"{job}_2", sweep)
    subprocess.run(["scancel", f"{job}_2"], env={**os.environ, **slurm}, timeout=60, check=True)
    refused = run("resume", "out")
    assert refused.returncode == 2
    assert "another process may be writing to this folder (tasks of a cluster" in refused.stderr
    wait_for(lambda: state_of(cancelled)[0] in ENDED)
    (tmp_path / "gate").unlink()
    shown = run("status", "out", "--wait")
    assert shown.returncode == 1, shown.stdout
    assert shown.stdout.count("finished") == 2, shown.stdout
    assert shown.stdout.count("rows are missing: see slurm/") == 2, shown.stdout
    collected = run("collect", "out")
    assert collected.returncode == 1
    assert "instances have no row; to run them: python -m runner resume " in collected.stderr
    some = without_times(sweep / "results.csv")
    assert 0 < len(some) < 64

    resumed = run("resume", "out")
    assert resumed.returncode == 0, resumed.stderr
    assert run("status", "out").returncode == 0
    assert run("-m", *cells, "hydra.sweep.dir=serial").returncode == 0
    found = without_times(sweep / "results.csv")
    assert found == without_times(tmp_path / "serial" / "results.csv")
    assert len(found) == len({row["run_id"] for row in found}) == 64


def test_a_task_at_its_time_limit_is_queued_again_and_its_interrupted_instance_comes_last(
    tmp_path: Path, slurm: dict[str, str], run: Run
) -> None:
    install(tmp_path, "gated")
    (tmp_path / "gate").write_text("1")
    sweep = tmp_path / "out"
    submitted = run("submit", "--tasks", "1", "plugins=[gated]", "heuristic=gated", *FEW[:1], "world.count=8", FEW[-1])
    assert submitted.returncode == 0, submitted.stderr
    job = submitted.stderr.split("SLURM job ")[1].split()[0]

    def instances() -> list[str]:
        return [f"{row['number']} {row['status']}" for file in files() for row in runner_cli.rows(file)]

    def files() -> list[Path]:
        return sorted(sweep.glob("0/*/metrics.csv"), key=lambda file: file.stat().st_mtime_ns)

    wait_for(lambda: len(instances()) == 1)
    (first,) = instances()
    signalled = ["scancel", "--signal=USR2", "--batch", job]
    subprocess.run(signalled, env={**os.environ, **slurm}, timeout=60, check=True)
    wait_for(lambda: len(instances()) == 2)
    interrupted = next(each for each in instances() if each.endswith("interrupted"))
    (tmp_path / "gate").unlink()
    shown = run("status", "out", "--wait")
    assert shown.returncode == 0, shown.stdout
    assert "1 cell, 8 of 8 instances done" in shown.stdout
    newest = runner_cli.rows(files()[-1])[-1]
    assert f"{newest['number']} interrupted" == interrupted
    assert first.endswith("solved")


def test_a_drained_node_that_goes_down_loses_and_doubles_nothing(
    tmp_path: Path, slurm: dict[str, str], run: Run
) -> None:
    def control(*words: str) -> None:
        done = subprocess.run(["scontrol", *words], env={**os.environ, **slurm}, timeout=60, check=False)
        assert done.returncode == 0, words

    node = ("update", f"nodename={socket.gethostname().partition('.')[0]}")
    install(tmp_path, "gated")
    (tmp_path / "gate").write_text("1")
    cells = ("plugins=[gated]", "heuristic=gated", *CELLS[:1], "algorithm=astar", "world.count=8")
    submitted = run("submit", "--tasks", "2", *cells, "hydra.sweep.dir=out")
    assert submitted.returncode == 0, submitted.stderr
    wait_for(lambda: len([*(tmp_path / "out").glob("0/*/metrics.csv")]) == 2)
    control(*node, "state=drain", "reason=test")
    try:
        control(*node, "state=down", "reason=test")
        wait_for(lambda: run("status", "out").stdout.count("pending: ") == 2)
        (tmp_path / "gate").unlink()
    finally:
        control(*node, "state=resume")
    shown = run("status", "out", "--wait")
    assert shown.returncode == 0, shown.stdout
    assert run("collect", "out").returncode == 0
    assert run("-m", *cells, "hydra.sweep.dir=serial").returncode == 0
    assert without_times(tmp_path / "out" / "results.csv") == without_times(tmp_path / "serial" / "results.csv")


def test_only_missing_instances_are_submitted_again(tmp_path: Path, slurm: dict[str, str], run: Run) -> None:
    sweep = tmp_path / "out"
    assert run("submit", "--tasks", "2", *FEW).returncode == 0
    shown = run("status", "out", "--wait")
    assert shown.returncode == 0, shown.stdout
    assert "2 cells, 40 of 40 instances done" in shown.stdout
    assert run("collect", "out").returncode == 0
    whole = without_times(sweep / "results.csv")
    parts = sorted(file.parent for file in sweep.glob("*/*/metrics.csv"))
    assert len(parts) > 3, "the instances of a cell were not divided among the tasks"
    shutil.rmtree(parts[0])
    keep_rows(parts[-1] / "metrics.csv", 2)
    assert run("status", "out").returncode == 1
    again = run("submit", "--tasks", "2", "--resume", "out")
    assert again.returncode == 0, again.stderr
    assert "submitted: 2 cells in " in again.stderr
    assert run("status", "out", "--wait").returncode == 0
    assert run("collect", "out").returncode == 0
    assert without_times(sweep / "results.csv") == whole
    nothing = run("submit", "--resume", "out")
    assert (nothing.returncode, "nothing to do" in nothing.stderr) == (0, True)


def test_cells_in_nested_folders_record_their_numbers(tmp_path: Path, run: Run) -> None:
    subdirectory = "hydra.sweep.subdir='${hydra.runtime.choices.algorithm}/${hydra.job.num}'"
    submitted = run("submit", "--tasks", "2", *FEW, subdirectory)
    assert submitted.returncode == 0, submitted.stderr
    shown = run("status", "out", "--wait")
    assert shown.returncode == 0, shown.stdout
    assert "2 cells, 40 of 40 instances done" in shown.stdout
    for number, algorithm in enumerate(("astar", "ucs")):
        records = list((tmp_path / "out" / algorithm / str(number)).glob("*/.hydra/hydra.yaml"))
        assert records
        assert all(f"num: {number}" in record.read_text() for record in records)


def test_a_mistake_is_found_before_submission(tmp_path: Path, slurm: dict[str, str], run: Run) -> None:
    before = queued(slurm)
    for mistake, message in (
        ("algorithm.ties=low_h,lwo_h", "algorithm.ties: expected one of"),
        ("algorithm=astar,nothing", "algorithm: there is no 'nothing'"),
        ("algorithm.tis=low_h,fifo", "algorithm.tis: unknown key; did you mean 'ties'?"),
    ):
        done = run("submit", mistake, "hydra.sweep.dir=out")
        assert done.returncode == 2
        assert message in done.stderr
        assert not (tmp_path / "out").exists()
    refused = run("submit", "--partition", "nowhere", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: submit: SLURM refused the job: ")
    assert refused.stderr.count("\n") == 1
    assert queued(slurm) == before
    nowhere = run("status", "nowhere")
    assert (nowhere.returncode, "there is no sweep" in nowhere.stderr) == (2, True)


def test_programs_run_in_tasks(run: Run, tmp_path: Path) -> None:
    write_program(tmp_path / "closed_list", CLOSED_LIST)
    words = ("algorithm=program", "algorithm.command='./closed_list {instance}'", *READS_PATHS)
    world = ("world=graph/martelli", "world.n=4,5,6")
    assert run("-m", *words, *world, "hydra.sweep.dir=here").returncode == 0
    submitted = run("submit", "--tasks", "2", *words, *world, "hydra.sweep.dir=out")
    assert submitted.returncode == 0, submitted.stderr
    wait_for(lambda: "3 of 3 instances done" in run("status", "out").stdout)
    assert run("collect", "out").returncode == 0
    keys = ("run_id", "cost", "expanded", "valid", "code")
    there, here = (runner_cli.rows(tmp_path / name / "results.csv") for name in ("out", "here"))
    assert [[row[key] for key in keys] for row in there] == [[row[key] for key in keys] for row in here]
