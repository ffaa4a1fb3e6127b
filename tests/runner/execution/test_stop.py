"""Signals set a flag and raise nothing; the current instances become rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import runner
from runner.execution.stop import Stop, Stopped
from tests.runner_cli import environment, rows, run_process
from worlds.python_world import PythonWorld

INTERRUPTED = "interrupted; rows that were finished are kept\n"


def test_a_signal_sets_a_flag_and_ends_polling() -> None:
    stop = Stop()
    handler = signal.getsignal(signal.SIGTERM)
    with stop.listening():
        assert not stop.requested
        assert stop.exit_code == 0
        stop.check()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.requested
        assert os.read(stop.fileno(), 8) == bytes([signal.SIGTERM])
        with pytest.raises(Stopped):
            stop.check()
    assert stop.exit_code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is handler
    assert stop.fileno() == -1


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        stop = Stop()
        with stop.listening():
            os.kill(os.getpid(), signal.SIGINT)
        assert not stop.requested
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_other_threads_there_are_no_signals() -> None:
    found: list[int] = []

    def listen() -> None:
        with Stop().listening() as stop:
            found.append(stop.fileno())

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert found == [-1]


TWICE = """
import os, signal
from runner.execution.stop import Stop

with Stop().listening():
    os.kill(os.getpid(), signal.SIGINT)
    print("goes on", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    print("never said", flush=True)
"""


def test_a_second_signal_ends_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TWICE], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "goes on\n", INTERRUPTED)


class Interrupted(PythonWorld):
    """Ctrl-C comes while the world runs."""

    def initial(self) -> int:
        return 0

    def successors(self, state: int):
        if state == 10:
            os.kill(os.getpid(), signal.SIGINT)
        return [("next", state + 1, 1)]

    def is_goal(self, state: int) -> bool:
        return False


def test_an_interrupted_search_or_audit_from_python_raises() -> None:
    (instance,) = Interrupted().instances()
    with pytest.raises(KeyboardInterrupt):
        runner.solve(instance, "ucs")
    with pytest.raises(KeyboardInterrupt):
        runner.audit(instance)


SENT = """
import os, signal

os.kill(os.getpid(), signal.SIGTERM)
"""

SENT_IN_A_RESOLVER = """
from omegaconf import OmegaConf

OmegaConf.register_new_resolver("lost", lambda: __import__("lost"))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["plugins=[lost]"],
        ["world.suite=${lost:}"],
        ["-m", "world.suite=${lost:}"],
        ["world.suite=${lost:}", "dry_run=true"],
        ["-m", "world.suite=${lost:}", "dry_run=true"],
        ["hydra.run.dir=${lost:}"],
        ["-m", "hydra.sweep.dir=${lost:}"],
    ],
    ids=" ".join,
)
def test_before_anything_runs_a_signal_ends_at_once(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "lost.py").write_text(SENT)
    if arguments != ["plugins=[lost]"]:
        arguments = ["plugins=[lost_resolver]", *arguments]
        (tmp_path / "lost_resolver.py").write_text(SENT_IN_A_RESOLVER)
    done = run_process(tmp_path, "hydra.run.dir=out", "hydra.sweep.dir=out", *arguments)
    assert (done.returncode, done.stderr) == (143, INTERRUPTED)
    assert not (tmp_path / "out").exists()


AT_A_FORK = """
import os, signal

MAIN = os.getpid()
LEFT = [1]

def send():
    if LEFT and (os.getpid() == MAIN) == {in_parent}:
        if LEFT.pop():
            os.kill(os.getpid(), signal.SIGTERM)

os.register_at_fork({when}=send)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_a_signal_while_a_process_forks_ends_the_sweep(tmp_path: Path, when: str) -> None:
    (tmp_path / "forks.py").write_text(AT_A_FORK.format(when=when, in_parent=True))
    done = run_process(tmp_path, "-m", "plugins=[forks]", "hydra.sweep.dir=out")
    assert done.returncode == 143
    assert done.stderr == INTERRUPTED
    found = rows(tmp_path / "out" / "0" / "metrics.csv") if (tmp_path / "out" / "0" / "metrics.csv").exists() else []
    assert {row["status"] for row in found} <= {"interrupted"}
    again = run_process(tmp_path, "-m", "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
def test_a_signal_to_a_new_process_is_a_row(tmp_path: Path) -> None:
    """The signal comes before the process can handle it."""
    (tmp_path / "forks.py").write_text(AT_A_FORK.format(when="after_in_child", in_parent=False))
    done = run_process(tmp_path, "-m", "plugins=[forks]", "hydra.sweep.dir=out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert len(found) == 7
    assert {row["status"] for row in found} == {"crashed"}


WHILE_COLLECTING = """
import os, signal
from runner.cli import run

concatenate = run.concatenate

def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGTERM)
    return concatenate(*arguments)

run.concatenate = interrupted
"""


def test_a_signal_while_rows_are_collected(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(WHILE_COLLECTING)
    done = run_process(tmp_path, "-m", "plugins=[late]", "hydra.sweep.dir=out")
    assert done.returncode == 143
    assert done.stderr.endswith(INTERRUPTED)
    assert len(rows(tmp_path / "out" / "0" / "metrics.csv")) == 7


def test_sighup_keeps_rows(tmp_path: Path) -> None:
    (tmp_path / "up.py").write_text(
        "import os, signal, runner\n"
        "@runner.python_heuristic('up', domain='wumpus')\n"
        "def up(state, world):\n"
        "    if world.id == 'unibz_w3' and SEEN.pop(world.id, None):\n"
        "        os.kill(os.getppid(), signal.SIGHUP)\n"
        "        import time; time.sleep(0.2)\n"
        "    return 0\n"
        "SEEN = {'unibz_w3': 1}\n"
    )
    done = run_process(tmp_path, "plugins=[up]", "heuristic=up", "hydra.run.dir=out")
    assert (done.returncode, done.stderr) == (129, INTERRUPTED)
    assert "results: out" in done.stdout
    found = [row["status"] for row in rows(tmp_path / "out" / "metrics.csv")]
    assert found == ["solved", "solved", "interrupted"]
