"""Worker processes: their number does not change the rows, and a worker that dies is one row."""

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
from tests.runner.tables import without_times
from tests.runner.waiting import wait_for
from tests.runner_cli import Forked, command, environment, only, rows, run, run_forked

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")


def install_deadly(directory: Path, **how: str) -> None:
    """Install the plug-in `deadly`, with a way to end the process for some caves, such as ``w3="exit"``."""
    install(directory, "deadly")
    (directory / "deadly.json").write_text(json.dumps({f"unibz_{cave}": end for cave, end in how.items()}))


def test_the_number_of_workers_does_not_change_rows_and_plans(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "world=wumpus/random", "world.count=21", "world.size=5", "limits.memory=1GiB")
    for workers in ("0", "3", "all"):
        done = run(tmp_path, *sweep, f"workers={workers}", f"hydra.sweep.dir={workers}")
        assert done.returncode == 0, done.stderr
    expected = without_times(tmp_path / "0" / "results.csv")
    assert [row["seed"] for row in expected] == 2 * [str(seed) for seed in range(21)]
    for workers in ("3", "all"):
        assert without_times(tmp_path / workers / "results.csv") == expected
        for plans in ("0/plans.jsonl", "1/plans.jsonl"):
            assert (tmp_path / workers / plans).read_bytes() == (tmp_path / "0" / plans).read_bytes()


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_keyboard_interrupt_of_a_heuristic_is_one_row(tmp_path: Path, workers: str) -> None:
    install_deadly(tmp_path, w3="interrupt")
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", f"workers={workers}", "hydra.run.dir=out")
    assert done.returncode == 1
    found = {row["instance"]: row for row in rows(tmp_path / "out" / "metrics.csv")}
    assert len(found) == 7
    assert [name for name, row in found.items() if row["status"] == "error"] == ["unibz_w3"]


def test_a_worker_that_dies_is_one_row_that_is_made_again(tmp_path: Path) -> None:
    install_deadly(tmp_path, w2="segfault", w3="exit", w4="kill", w6="terminate")
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
    install_deadly(tmp_path)
    again = run(tmp_path, "-m", "plugins=[deadly]", "heuristic=deadly", "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert "3 done before" in again.stderr
    assert {row["status"] for row in rows(tmp_path / "out" / "results.csv")} == {"solved", "unsolvable"}


def test_workers_that_die_at_the_first_instances_are_rows(tmp_path: Path) -> None:
    """The process of the command does not run or compile the heuristic for an instance."""
    install_deadly(tmp_path, w1="exit", w2="kill")
    done = run(
        tmp_path, "-m", "plugins=[deadly]", "heuristic=deadly", "algorithm.ties=low_h,fifo", "hydra.sweep.dir=out"
    )
    assert done.returncode == 1
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["status"] for row in found] == ["crashed", "crashed", *["solved"] * 4, "unsolvable"] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="on other systems the runner waits for such a process")
def test_processes_that_a_heuristic_starts_do_no_harm(tmp_path: Path) -> None:
    """They do not delay the sweep, do not keep the folder locked, and make no rows."""
    install_deadly(tmp_path, w2="leave behind", w3="leave behind and die", w4="fork")
    sweep = ("-m", "plugins=[deadly]", "heuristic=deadly", "algorithm=astar", "hydra.sweep.dir=out")
    assert run_forked(tmp_path, *sweep).returncode == 1
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["instance"][-1] for row in found] == list("1234567")
    assert [row["status"] for row in found].count("crashed") == 1
    assert found[2]["error"] == "killed by SIGKILL"
    install_deadly(tmp_path)
    again = run(tmp_path, *sweep)
    assert again.returncode == 0, again.stderr
    assert "6 done before" in again.stderr
    for left in (tmp_path / "deadly.left").read_text().split():
        os.kill(int(left), signal.SIGKILL)  # the session of pytest would wait for them


def test_a_kernel_that_cannot_be_compiled_fails_in_its_cell_only(tmp_path: Path) -> None:
    install(tmp_path, "uncompilable", "bad")
    stacks = "heuristic.stack=[manhattan],[uncompilable],[pivots]"
    done = run(tmp_path, "-m", "plugins=[bad]", stacks, "hydra.sweep.dir=out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    found = [[row["status"] for row in rows(tmp_path / "out" / str(job) / "metrics.csv")] for job in range(3)]
    assert found[0] == found[2] == ["solved"] * 6 + ["unsolvable"]
    assert set(found[1]) <= {"error", "unsolvable"}


def test_very_large_and_infinite_limits_are_accepted(tmp_path: Path) -> None:
    for limits in (("time=inf", "cpu=inf"), ("time=1e300", "cpu=1e300", "memory=99999999999GiB")):
        done = run(tmp_path, *(f"limits.{limit}" for limit in limits))
        assert done.returncode == 0, done.stderr


@pytest.mark.long  # compiles all kernels of a search
def test_search_seconds_do_not_include_compilation(tmp_path: Path) -> None:
    """The first board has no solution and needs no kernels. A worker compiles them for the others."""
    boards = ["2 1 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8"]
    (tmp_path / "boards.txt").write_text("\n".join(boards))
    done = subprocess.run(
        command("-m", "world=npuzzle/file", "world.path=boards.txt", "algorithm=bfs",
                "limits.time=3", "limits.cpu=3", "limits.memory=8MiB", "hydra.sweep.dir=out"),
        cwd=tmp_path, env={**environment(), "NUMBA_CACHE_DIR": str(tmp_path / "cold")},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["status"] for row in found] == ["unsolvable", "solved", "solved"]
    searching, compiling = (sum(float(row[f"{name}_seconds"]) for row in found) for name in ("search", "compile"))
    assert searching < compiling / 4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the resident memory")
@pytest.mark.parametrize("how", ["eat", "fill"])
def test_an_allocation_beyond_the_memory_limit_is_a_row(tmp_path: Path, how: str) -> None:
    install_deadly(tmp_path, w3=how)
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", "limits.memory=50MB")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row["status"] for row in rows(only(tmp_path, "outputs/run/*/metrics.csv"))}
    assert found.pop("unibz_w3") == "memory_limit"
    assert "memory_limit" not in found.values()


@pytest.mark.parametrize(
    ("limit", "hows"),
    [("time", {"w1": "sleep", "w2": "deaf", "w3": "blocked", "w4": "stopped"}), ("cpu", {"w3": "spin"})],
)
def test_code_that_ignores_its_time_limit_is_stopped(tmp_path: Path, limit: str, hows: dict[str, str]) -> None:
    install_deadly(tmp_path, **hows)
    done = run(tmp_path, "plugins=[deadly]", "heuristic=deadly", f"limits.{limit}=0.3", f"workers={len(hows)}")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row for row in rows(only(tmp_path, "outputs/run/*/metrics.csv"))}
    assert len(found) == 7
    stopped = [found.pop(f"unibz_{cave}") for cave in hows]
    assert {(row["status"], row["reason"]) for row in stopped} == {(f"{limit}_limit", "did not stop at its limit")}
    assert {row["status"] for row in found.values()} == {"solved", "unsolvable"}


@pytest.mark.parametrize(
    ("how", "reason"),
    [("sleep", "time_limit"), ("eat", "memory_limit"), ("die", "killed by SIGKILL")],
)
def test_a_solution_stands_if_its_validation_is_cut_off(tmp_path: Path, how: str, reason: str) -> None:
    install(tmp_path, "unverifiable")
    world = ("plugins=[unverifiable]", "world=unverifiable", f"world.how={how}")
    done = run(tmp_path, *world, "algorithm=ucs", "limits.time=0.3", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert (row["status"], row["cost"], row["length"], row["expanded"]) == ("solved", "5", "5", "5")
    assert (row["valid"], row["reason"]) == ("", f"the plan was not validated: {reason}")
    (plan,) = (tmp_path / "out" / "plans.jsonl").read_text().splitlines()
    assert json.loads(plan)["actions"] == ["right"] * 5


@pytest.mark.parametrize(("how", "status"), [("sleep", "time_limit"), ("kill", "crashed")])
def test_the_row_of_a_search_whose_worker_ends_has_its_counts(tmp_path: Path, how: str, status: str) -> None:
    install_deadly(tmp_path, w3="later " * 30 + how)
    run(tmp_path, "plugins=[deadly]", "heuristic=deadly", "algorithm=astar", "limits.time=0.3", "hydra.run.dir=out")
    row = next(row for row in rows(tmp_path / "out" / "metrics.csv") if row["instance"] == "unibz_w3")
    assert row["status"] == status
    assert int(row["expanded"]) < int(row["generated"]) <= int(row["evaluated"])
    assert int(row["peak_nodes"]) > 0
    assert row["iterations"] == ""


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_the_row_of_an_interrupted_search_has_its_counts(tmp_path: Path, number: int) -> None:
    hard = ("world=npuzzle/korf100", "world.instances=[60,61]", "algorithm=idastar")
    arguments = (*hard, "heuristic=manhattan", "hydra.run.dir=out")
    assert run(tmp_path, *arguments[:-1], "limits.nodes=10").returncode == 0  # compile the kernels
    process = Forked(tmp_path, *arguments)
    wait_for((tmp_path / "out" / "environment.json").exists)
    time.sleep(1.5)
    process.send_signal(number)
    _, errors = process.communicate()
    assert process.returncode == 128 + number
    assert errors.endswith("are kept; a run cannot be continued, but a sweep can (-m)\n")
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert row["status"] == "interrupted"
    assert int(row["expanded"]) > 0


@pytest.mark.skipif(sys.platform != "linux", reason="on other systems it ends only with its instance")
def test_no_worker_outlives_its_parent(tmp_path: Path) -> None:
    install_deadly(tmp_path, w1="deaf")
    arguments = ("plugins=[deadly]", "heuristic=deadly", "hydra.run.dir=out")
    process = Forked(tmp_path, *arguments)
    wait_for(lambda: (tmp_path / "out" / "environment.json").exists() and children(process.pid))
    (child,) = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for(lambda: state_of(child)[0] in ENDED)


def test_a_system_without_fork_runs_all_instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    done = run(tmp_path, "workers=2", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 7


def test_a_worker_that_dies_outside_of_a_search_fails_its_cell(tmp_path: Path) -> None:
    """It dies in the source or while a heuristic is built. Its cell fails, and the other cells run."""
    install(tmp_path, "dying")
    done = run(
        tmp_path, "-m", "plugins=[dying]", "world=dying,wumpus/static", "heuristic=none,heavy", "hydra.sweep.dir=out"
    )
    assert done.returncode == 1
    assert "making its instances: killed by SIGKILL" in done.stderr
    assert "building what its heuristics need: the process ended with exit code 3" in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["world"] for row in found if row["world"] != "dying"] == ["wumpus/static"] * 7
    assert "SIGKILL" in (tmp_path / "out" / "0" / "failed.txt").read_text()


def test_a_time_limit_applies_to_each_instance(tmp_path: Path) -> None:
    """The instances after one that exceeds the limit have the full time; together they take more."""
    install(tmp_path, "slow")
    done = run(tmp_path, "plugins=[slow]", "heuristic=slow", "limits.time=1.2", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row["status"] for row in rows(tmp_path / "out" / "metrics.csv")}
    assert found.pop("unibz_w2") == "time_limit"
    assert set(found.values()) == {"solved", "unsolvable"}
