"""Worker processes: the rows do not depend on their number, and a worker that dies is one row."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.plugins import install
from tests.processes import ENDED, children, state_of
from tests.runner_cli import SECONDS, command, environment, only, rows, run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")


def deadly(directory: Path, **how: str) -> None:
    install(directory, "deadly")
    (directory / "deadly.json").write_text(json.dumps({f"unibz_{cave}": end for cave, end in how.items()}))


def lasting(file: Path) -> list[dict[str, str]]:
    return [{key: value for key, value in row.items() if key not in SECONDS} for row in rows(file)]


def test_the_rows_are_the_same(tmp_path: Path) -> None:
    same = ("world=wumpus/random", "world.count=600", "world.size=6", "heuristic=pivots", "limits.memory=1GiB")
    for workers in ("0", "1", "3"):
        done = run(tmp_path, *same, f"workers={workers}", f"hydra.run.dir={workers}")
        assert done.returncode == 0, done.stderr
    expected = lasting(tmp_path / "0" / "metrics.csv")
    assert [row["seed"] for row in expected] == [str(seed) for seed in range(600)]
    for workers in ("1", "3"):
        assert lasting(tmp_path / workers / "metrics.csv") == expected
        assert (tmp_path / workers / "plans.jsonl").read_bytes() == (tmp_path / "0" / "plans.jsonl").read_bytes()


def test_cells_and_their_parts_are_shared_among_workers(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "world=wumpus/random", "world.count=301", "world.size=5")
    for workers in ("1", "4", "all"):
        done = run(tmp_path, *sweep, f"workers={workers}", f"hydra.sweep.dir={workers}")
        assert done.returncode == 0, done.stderr
    expected = lasting(tmp_path / "1" / "results.csv")
    assert len(expected) == 602
    for workers in ("4", "all"):
        assert lasting(tmp_path / workers / "results.csv") == expected


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_heuristic_that_raises_anything_is_one_row(tmp_path: Path, workers: str) -> None:
    deadly(tmp_path, w3="interrupt")
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", f"workers={workers}", "hydra.run.dir=out")
    assert done.returncode == 1
    found = {row["instance"]: row for row in rows(tmp_path / "out" / "metrics.csv")}
    assert len(found) == 7
    assert [name for name, row in found.items() if row["status"] == "error"] == ["unibz_w3"]


def test_a_worker_that_dies_is_one_row(tmp_path: Path) -> None:
    deadly(tmp_path, w2="segfault", w3="exit", w4="kill", w6="terminate")
    done = run(tmp_path, "-m", "plugins=[deadly]", "heuristic=deadly", "hydra.sweep.dir=out")
    assert done.returncode == 1
    found = {row["instance"][-1]: row for row in rows(tmp_path / "out" / "results.csv")}
    assert [row["status"] for row in found.values()].count("crashed") == 4
    expected = {"2": "killed by SIGSEGV", "3": "exit code 7", "4": "killed by SIGKILL", "6": "killed by SIGTERM"}
    for number, error in expected.items():
        assert found[number]["status"] == "crashed"
        assert error in found[number]["error"]
        assert found[number]["algorithm"] == "astar"
    assert {found[number]["status"] for number in "157"} == {"solved", "unsolvable"}
    assert "4 crashed" in done.stderr
    deadly(tmp_path)
    again = run(tmp_path, "-m", "plugins=[deadly]", "heuristic=deadly", "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert "3 done before" in again.stderr
    assert {row["status"] for row in rows(tmp_path / "out" / "results.csv")} == {"solved", "unsolvable"}


def test_a_worker_that_dies_at_the_first_instance(tmp_path: Path) -> None:
    """No code of an instance runs in the process of the command, not even to compile."""
    deadly(tmp_path, w1="exit", w2="kill")
    done = run(tmp_path, "-m", "plugins=[deadly]", "heuristic=deadly", "algorithm=astar,greedy", "hydra.sweep.dir=out")
    assert done.returncode == 1
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["status"] for row in found] == ["crashed", "crashed", *["solved"] * 4, "unsolvable"] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such a process keeps the runner waiting")
def test_processes_that_an_instance_has_started(tmp_path: Path) -> None:
    """They delay nothing, do not keep the folder locked, and make no rows."""
    deadly(tmp_path, w2="leave behind", w3="leave behind and die", w4="fork")
    sweep = ("-m", "plugins=[deadly]", "heuristic=deadly", "algorithm=astar", "hydra.sweep.dir=out")
    process = subprocess.Popen(command(*sweep), cwd=tmp_path, env=environment(), stdout=-3, stderr=-3)
    assert process.wait(timeout=120) == 1
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["instance"][-1] for row in found] == list("1234567")
    assert [row["status"] for row in found].count("crashed") == 1
    assert found[2]["error"] == "killed by SIGKILL"
    deadly(tmp_path)
    again = run(tmp_path, *sweep)
    assert again.returncode == 0, again.stderr
    assert "6 done before" in again.stderr


def test_a_kernel_that_cannot_be_compiled_fails_in_its_cell_only(tmp_path: Path) -> None:
    install(tmp_path, "uncompilable", "bad")
    stacks = "heuristic.stack=[manhattan],[uncompilable],[pivots]"
    done = run(tmp_path, "-m", "plugins=[bad]", stacks, "hydra.sweep.dir=out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    found = [[row["status"] for row in rows(tmp_path / "out" / str(job) / "metrics.csv")] for job in range(3)]
    assert found[0] == found[2] == ["solved"] * 6 + ["unsolvable"]
    assert set(found[1]) <= {"error", "unsolvable"}


def test_limits_may_be_very_large(tmp_path: Path) -> None:
    for limits in (("time=inf", "cpu=inf"), ("time=1e300", "cpu=1e300", "memory=99999999999GiB")):
        done = run(tmp_path, *(f"limits.{limit}" for limit in limits))
        assert done.returncode == 0, done.stderr


def test_compilation_is_no_search_time(tmp_path: Path) -> None:
    """The first board has no solution and needs no kernels. Kernels are compiled for the others in a worker."""
    boards = ["2 1 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8"]
    (tmp_path / "boards.txt").write_text("\n".join(boards))
    done = subprocess.run(
        command("-m", "world=npuzzle/file", "world.path=boards.txt", "algorithm=astar", "heuristic=manhattan",
                "limits.time=0.5", "limits.cpu=0.5", "hydra.sweep.dir=out"),
        cwd=tmp_path, env={**environment(), "NUMBA_CACHE_DIR": str(tmp_path / "cold")},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "loading or compiling kernels" in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["status"] for row in found] == ["unsolvable", "solved", "solved"]
    assert sum(float(row["compile_seconds"]) for row in found) > 0.5
    assert max(float(row["search_seconds"]) for row in found) < 0.5


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.parametrize("how", ["eat", "fill"])
def test_memory_beyond_the_limit(tmp_path: Path, how: str) -> None:
    deadly(tmp_path, w3=how)
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", "limits.memory=50MB")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row["status"] for row in rows(only(tmp_path, "outputs/run/*/metrics.csv"))}
    assert found.pop("unibz_w3") == "memory_limit"
    assert "memory_limit" not in found.values()


@pytest.mark.parametrize(
    ("how", "limit", "status"),
    [("sleep", "time", "time_limit"), ("deaf", "time", "time_limit"), ("spin", "cpu", "cpu_limit")],
)
def test_code_that_does_not_check_its_limits(tmp_path: Path, how: str, limit: str, status: str) -> None:
    deadly(tmp_path, w3=how)
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", f"limits.{limit}=0.5")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row for row in rows(only(tmp_path, "outputs/run/*/metrics.csv"))}
    assert len(found) == 7
    row = found.pop("unibz_w3")
    assert (row["status"], row["reason"]) == (status, "did not stop at its limit")
    assert {row["status"] for row in found.values()} == {"solved", "unsolvable"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_the_counts_so_far(tmp_path: Path, number: int) -> None:
    hard = ("world=npuzzle/korf100", "world.instances=[60,61]", "algorithm=idastar")
    arguments = (*hard, "heuristic=manhattan", "hydra.run.dir=out")
    assert run(tmp_path, *arguments[:-1], "limits.nodes=10").returncode == 0  # compiles
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stderr=-1, stdout=-1, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (tmp_path / "out" / "environment.json").exists():
        time.sleep(0.05)
    time.sleep(3)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert errors.endswith("interrupted; rows that were finished are kept\n")
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert row["status"] == "interrupted"
    assert int(row["expanded"]) > 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its instance")
def test_no_worker_outlives_its_parent(tmp_path: Path) -> None:
    deadly(tmp_path, w1="deaf")
    arguments = ("plugins=[deadly]", "heuristic=deadly", "hydra.run.dir=out")
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stderr=-3, stdout=-3)
    deadline = time.monotonic() + 120
    found: list[int] = []
    while time.monotonic() < deadline and not ((tmp_path / "out" / "environment.json").exists() and found):
        time.sleep(0.05)
        found = children(process.pid)
    (child,) = found
    process.kill()
    process.wait()
    while time.monotonic() < deadline and state_of(child)[0] not in ENDED:
        time.sleep(0.05)
    assert state_of(child)[0] in ENDED


def test_where_processes_cannot_be_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    done = run(tmp_path, "workers=2", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 7


def test_a_worker_that_dies_before_its_first_instance(tmp_path: Path) -> None:
    """In the source, or while heuristics are built: its cell fails, and the others run."""
    (tmp_path / "dying.py").write_text(
        """
import dataclasses, os, signal
from runner.registry import register
from heuristics.interface import Heuristic
from worlds.wumpus.sources import StaticCaves

MAIN = os.getpid()

@register("world", "dying")
@dataclasses.dataclass(frozen=True)
class Dying(StaticCaves):
    def instances(self):
        yield from list(super().instances())[:3]
        if os.getpid() != MAIN:
            os.kill(os.getpid(), signal.SIGKILL)

@register("heuristic", "heavy", domain="wumpus")
@dataclasses.dataclass(frozen=True)
class Heavy(Heuristic):
    def build(self, instance, report):
        os._exit(3)
"""
    )
    done = run(
        tmp_path, "-m", "plugins=[dying]", "world=dying,wumpus/static", "heuristic=none,heavy", "hydra.sweep.dir=out"
    )
    assert done.returncode == 1
    assert "making its instances: killed by SIGKILL" in done.stderr
    assert "building what its heuristics need: the process ended with exit code 3" in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["world"] for row in found if row["world"] != "dying"] == ["wumpus/static"] * 7
    assert "SIGKILL" in (tmp_path / "out" / "0" / "failed.txt").read_text()


def test_a_time_limit_applies_to_one_instance(tmp_path: Path) -> None:
    """The instances after one that exceeds the limit have their full time."""
    (tmp_path / "slow.py").write_text(
        """
import time
import runner

@runner.python_heuristic("slow", domain="wumpus")
def slow(state, world):
    if SEEN.setdefault(world.id, True):
        SEEN[world.id] = False
        time.sleep(1.2 if world.id == "unibz_w2" else 0.1)
    return 0

SEEN = {}
"""
    )
    done = run(tmp_path, "plugins=[slow]", "heuristic=slow", "limits.time=0.5", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row["status"] for row in rows(tmp_path / "out" / "metrics.csv")}
    assert found.pop("unibz_w2") == "time_limit"
    assert set(found.values()) == {"solved", "unsolvable"}
