"""Signals: they set a flag, the current instances become rows, and a second signal ends the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Hashable
from pathlib import Path

import pytest

import runner
from runner.execution.stop import Stop, Stopped
from tests.plugins import install
from tests.runner.waiting import HANGING
from tests.runner_cli import Forked, environment, rows, run, run_forked
from worlds.interface.python_world import PythonWorld
from worlds.interface.world import Step

INTERRUPTED = "interrupted; rows that were finished are kept\n"
RUN = INTERRUPTED.replace("\n", "; a run cannot be continued, but a sweep can (-m)\n")
SWEEP = INTERRUPTED.replace("\n", "; to continue: python -m runner resume out\n")


def test_a_signal_sets_a_flag() -> None:
    stop = Stop()
    handler = signal.getsignal(signal.SIGTERM)
    with stop.listening():
        assert (stop.requested, stop.exit_code) == (False, 0)
        stop.check()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.requested
        with pytest.raises(Stopped):
            stop.check()
    assert stop.exit_code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is handler


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        stop = Stop()
        with stop.listening():
            os.kill(os.getpid(), signal.SIGINT)
        assert not stop.requested
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_receive_no_signals() -> None:
    before = signal.getsignal(signal.SIGTERM)
    found = []

    def listen() -> None:
        with Stop().listening():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert found == [before]


def interrupted_twice(_: list[str]) -> int:
    with Stop().listening():
        os.kill(os.getpid(), signal.SIGINT)
        print("after the first", flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
        print("after the second", flush=True)
    return 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
def test_a_second_signal_ends_the_process(tmp_path: Path) -> None:
    process = Forked(tmp_path, program=interrupted_twice)
    assert process.communicate() == ("after the first\n", INTERRUPTED)
    assert process.returncode == 130


EARLY = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "runner.base":
            os.kill(os.getpid(), signal.{name})

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
sys.meta_path.insert(0, Interrupting())
from runner.__main__ import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_first_imports_ends_the_command_without_a_traceback(number: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY.replace("{name}", number.name)],
        env=environment(), capture_output=True, text=True, timeout=HANGING, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (-number, "", "")


def test_a_run_that_ignores_ctrl_c_says_how_it_ends(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = run(tmp_path, "-m", "world=wumpus/static", "algorithm=ucs,bfs", "hydra.sweep.dir=out")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0
    assert done.stderr.count("note: Ctrl-C (SIGINT) is ignored") == 1
    assert f"to stop: kill {os.getpid()}\n" in done.stderr


PROCESS = os.getpid()


class Interrupted(PythonWorld):
    """World that sends SIGINT to the process of the tests in the state 10, also from a worker."""

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[Step]:
        assert isinstance(state, int)
        if state == 10:
            os.kill(PROCESS, signal.SIGINT)
        return [("next", state + 1, 1)]

    def is_goal(self, state: Hashable) -> bool:
        return False


def test_solve_and_audit_raise_keyboard_interrupt() -> None:
    (instance,) = Interrupted().instances()
    with pytest.raises(KeyboardInterrupt):
        runner.solve(instance, "ucs")
    for workers in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            runner.audit(instance, workers=workers)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plugins=[terminated]"],
        ["world.suite=${terminate:}"],
        ["-m", "world.suite=${terminate:}"],
        ["world.suite=${terminate:}", "dry_run=true"],
        pytest.param(["-m", "world.suite=${terminate:}", "dry_run=true"], marks=pytest.mark.long),
        ["hydra.run.dir=${terminate:}"],
        ["-m", "hydra.sweep.dir=${terminate:}"],
    ],
    ids=" ".join,
)
def test_a_signal_before_the_first_search_ends_the_command(tmp_path: Path, arguments: list[str]) -> None:
    install(tmp_path, "terminated")
    install(tmp_path, "terminated_by_resolver")
    if arguments != ["plugins=[terminated]"]:
        arguments = ["plugins=[terminated_by_resolver]", *arguments]
    done = run_forked(tmp_path, "hydra.run.dir=out", "hydra.sweep.dir=out", *arguments)
    assert (done.returncode, done.stderr) == (143, INTERRUPTED)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_a_signal_while_a_process_forks_ends_the_sweep(tmp_path: Path, when: str) -> None:
    install(tmp_path, "terminated_at_fork")
    done = run_forked(tmp_path, "-m", "plugins=[terminated_at_fork]", "hydra.sweep.dir=out", FORK_HOOK=when)
    assert done.returncode == 143
    assert done.stderr == SWEEP
    found = rows(tmp_path / "out" / "0" / "metrics.csv") if (tmp_path / "out" / "0" / "metrics.csv").exists() else []
    assert {row["status"] for row in found} <= {"interrupted"}
    again = run_forked(tmp_path, "-m", "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
def test_a_worker_that_a_signal_ends_at_its_start_is_a_row(tmp_path: Path) -> None:
    """The signal comes before the worker installs its handlers."""
    install(tmp_path, "terminated_at_fork")
    sweep = ("-m", "plugins=[terminated_at_fork]", "hydra.sweep.dir=out")
    done = run_forked(tmp_path, *sweep, FORK_HOOK="after_in_child")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert len(found) == 7
    assert {row["status"] for row in found} == {"crashed"}


def test_a_signal_while_rows_are_collected_keeps_the_rows_of_the_cells(tmp_path: Path) -> None:
    install(tmp_path, "terminated_while_collecting")
    done = run_forked(tmp_path, "-m", "plugins=[terminated_while_collecting]", "hydra.sweep.dir=out")
    assert done.returncode == 143
    assert done.stderr.endswith(INTERRUPTED)
    assert len(rows(tmp_path / "out" / "0" / "metrics.csv")) == 7


def test_sighup_keeps_the_finished_rows(tmp_path: Path) -> None:
    install(tmp_path, "hangup")
    done = run_forked(tmp_path, "plugins=[hangup]", "heuristic=hangup", "hydra.run.dir=out")
    assert (done.returncode, done.stderr) == (129, RUN)
    assert "results: out" in done.stdout
    found = [row["status"] for row in rows(tmp_path / "out" / "metrics.csv")]
    assert found == ["solved", "solved", "interrupted"]
