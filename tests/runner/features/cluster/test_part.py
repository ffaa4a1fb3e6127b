"""Parts of a prepared sweep: any order, at the same time, killed and run again, they make the rows of a local sweep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner.tables import keep_rows, without_times
from tests.runner.waiting import HANGING, wait_for
from tests.runner_cli import Forked, environment, run

CELLS = ("world=wumpus/random", "world.size=4", "world.count=24", "algorithm=astar,ucs")
GATED = ("plugins=[gated]", "heuristic=gated", *CELLS)
PREPARE = ("submit", "--engine", "none", "--tasks", "4")


def states(directory: Path) -> list[str]:
    """Return the states of the parts as `status` shows them."""
    lines = run(directory, "status", "out").stdout.splitlines()
    return [line.strip("│").split("│")[1].strip() for line in lines if line.startswith("│")]


def script(directory: Path, *arguments: str, **variables: str) -> int:
    """Run the script of a part, from another directory, and return its exit code."""
    done = subprocess.run(
        ["/bin/sh", str(directory / "out" / "part.sh"), *arguments], cwd="/", env={**environment(), **variables},
        capture_output=True, timeout=HANGING, check=False,
    )  # fmt: skip
    return done.returncode


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
def test_parts_make_the_rows_of_a_local_sweep(tmp_path: Path) -> None:
    """Two parts run at the same time. One is killed, one gets the warning of a scheduler; both are run again."""
    install(tmp_path, "gated")
    assert run(tmp_path, "-m", *GATED, "hydra.sweep.dir=local").returncode == 0
    prepared = run(tmp_path, *PREPARE, *GATED, "hydra.sweep.dir=out", "dry_run=true")
    assert prepared.returncode == 0, prepared.stderr
    assert "2 cells" in prepared.stdout
    assert "prepared: 2 cells in 4 parts of 12 instances; nothing is submitted\n" in prepared.stderr
    (tmp_path / "gate").write_text("1")
    killed = Forked(tmp_path, "part", "2/4", "out")
    warned = Forked(tmp_path, "part", "3/4", "out")
    # both wait in a piece of A*; one has finished a piece of `ucs`, which has no heuristic, before
    wait_for(lambda: len([*tmp_path.glob("out/*/part-*/metrics.csv")]) == 3)
    assert states(tmp_path) == ["not running, rows are missing", "running", "running", "not running, rows are missing"]
    for refused, holder in (("part 2/4 out", "part 2 of 4"), ("resume out", "tasks of a cluster, such as part ")):
        done = run(tmp_path, *refused.split())
        assert done.returncode == 2
        assert f"another process may be writing to this folder ({holder}" in done.stderr
    killed.send_signal(signal.SIGKILL)
    warned.send_signal(signal.SIGUSR1)
    killed.communicate()
    assert warned.communicate()[1].endswith(f"to continue: python -m runner part 3/4 {tmp_path / 'out'}\n")
    assert warned.returncode == 128 + signal.SIGUSR1
    (tmp_path / "gate").unlink()
    assert script(tmp_path, SLURM_ARRAY_TASK_ID="3", SGE_TASK_ID="undefined") == 0
    for part in ("4/4", "2/4", "1/4"):
        assert run(tmp_path, "part", part, "out").returncode == 0
    assert states(tmp_path) == 4 * ["finished"]
    assert run(tmp_path, "collect", "out").returncode == 0
    assert without_times(tmp_path / "out" / "results.csv") == without_times(tmp_path / "local" / "results.csv")


@pytest.mark.skipif(os.name != "posix", reason="the script is for sh")
def test_the_script_takes_the_number_of_the_task(tmp_path: Path) -> None:
    assert run(tmp_path, *PREPARE, *CELLS, "hydra.sweep.dir=out").returncode == 0
    text = (tmp_path / "out" / "part.sh").read_text(encoding="utf-8")
    assert text.count(f"exec {sys.executable} ") == 1
    shown = text.replace(f"exec {sys.executable} ", "echo ")
    without = {name: value for name, value in os.environ.items() if not name.endswith("_ID")}
    for words, variables, number in (
        (["4"], {"SLURM_ARRAY_TASK_ID": "3"}, 4),
        ([], {"SLURM_ARRAY_TASK_ID": "3", "SGE_TASK_ID": "undefined"}, 3),
        ([], {"SGE_TASK_ID": "2"}, 2),
        ([], {"PBS_ARRAY_INDEX": "1"}, 1),
        (["", "4"], {"SLURM_ARRAY_TASK_ID": "0"}, 4),
    ):
        printed = subprocess.run(
            ["/bin/sh", "-s", *words], input=shown, cwd="/", env={**without, **variables},
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert printed.startswith(f"-m runner part {number}/4 {tmp_path / 'out'}"), printed


def test_the_division_does_not_depend_on_rows(tmp_path: Path) -> None:
    assert run(tmp_path, *PREPARE, *CELLS, "hydra.sweep.dir=out").returncode == 0
    record = tmp_path / "out" / "parts.json"
    parts = record.read_bytes()
    assert run(tmp_path, "part", "1/4", "out").returncode == 0
    assert run(tmp_path, *PREPARE, "--resume", "out").returncode == 0
    assert record.read_bytes() == parts
    assert run(tmp_path, "resume", "out").returncode == 0
    keep_rows(tmp_path / "out" / "0" / "metrics.csv", 3)
    assert run(tmp_path, *PREPARE, "--resume", "out").returncode == 0
    assert record.read_bytes() == parts
    for number in (4, 3, 2, 1):
        assert run(tmp_path, "part", f"{number}/4", "out").returncode == 0
    assert run(tmp_path, "status", "out").returncode == 0


def test_parts_beyond_the_instances_have_nothing_to_do(tmp_path: Path) -> None:
    words = ("world=wumpus/random", "world.count=1", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert "2 cells in 4 parts of 0 to 1 instance;" in run(tmp_path, *PREPARE, *words).stderr
    done = run(tmp_path, "part", "4/4", "out")
    assert (done.returncode, done.stderr) == (0, "part 4/4: nothing to do\n")


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", *CELLS, "hydra.sweep.dir=out").returncode == 0
    again = f"python -m runner submit --engine none --tasks 4 --resume {tmp_path / 'out'}\n"

    def error(part: str) -> str:
        done = run(tmp_path, "part", part, "out")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        return done.stderr

    assert error("3") == "error: part: expected NUMBER/COUNT, such as 3/20, got '3'\n"
    assert error("undefined/4").endswith("got 'undefined/4'\n")
    assert error("1/4").endswith(f"is not divided into parts; to divide it: {again}")
    assert run(tmp_path, *PREPARE, "--tasks", "3", "--resume", "out").returncode == 0
    assert error("1/4").endswith(f"is divided into 3 parts, not 4; to divide it again: {again}")
    assert error("4/3") == "error: part 4/3: expected a number from 1 to 3\n"
