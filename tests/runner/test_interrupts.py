"""A signal whose exception got lost still ends the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import runner
from runner import interrupts
from tests.runner_cli import environment, rows, run
from worlds.python_world import PythonWorld

LOST = """
import os, signal
from runner import interrupts

signal.signal(signal.SIGINT, signal.default_int_handler)
interrupts.install()
interrupts.raise_if_received()
try:
    os.kill(os.getpid(), signal.{name})
    raise AssertionError("no exception")
except KeyboardInterrupt:
    pass
assert interrupts.received() == signal.{name}
try:
    interrupts.raise_if_received()
except KeyboardInterrupt:
    print("raised again")
"""


def test_what_was_swallowed_is_raised_again() -> None:
    for name in ("SIGINT", "SIGTERM"):
        done = subprocess.run(
            [sys.executable, "-c", LOST.format(name=name)],
            env=environment(), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("raised again\n", "")


IN_A_DESTRUCTOR = """
import os, signal
from runner import interrupts

interrupts.install()

class Destroyed:
    def __init__(self, action):
        self.action = action
    def __del__(self):
        self.action()

Destroyed(lambda: os.kill(os.getpid(), signal.SIGTERM))
assert interrupts.received() == signal.SIGTERM
Destroyed(lambda: 1 / 0)
"""


def test_a_signal_in_a_destructor_is_remembered_in_silence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_DESTRUCTOR],
        env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "KeyboardInterrupt" not in done.stderr
    assert "ZeroDivisionError" in done.stderr


LOST_IN_A_PLUGIN = """
import os, signal

try:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
except KeyboardInterrupt:
    raise ValueError("something else")
"""

IN_A_TEXT = """
exec("import os, signal; os.kill(os.getpid(), signal.SIGTERM); signal.pause()")
"""

LOST_IN_A_RESOLVER = """
from omegaconf import OmegaConf

OmegaConf.register_new_resolver("lost", lambda: __import__("lost"))
"""


class Interrupted(PythonWorld):
    """Ctrl-C comes while a library runs code of its own, and it makes another exception of it."""

    def initial(self) -> int:
        return 0

    def successors(self, state: int):
        interrupts._received.append(signal.SIGINT)
        raise TypeError("can't unbox a NULL")

    def is_goal(self, state: int) -> bool:
        return False


def test_what_came_out_as_another_exception_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_received", [])
    (instance,) = Interrupted().instances()
    with pytest.raises(KeyboardInterrupt):
        runner.solve(instance, "ucs")
    monkeypatch.setattr(interrupts, "_received", [])
    with pytest.raises(KeyboardInterrupt):
        runner.audit(instance)


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
def test_what_came_out_as_a_mistake_of_the_users_is_an_interrupt(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "lost.py").write_text(LOST_IN_A_PLUGIN)
    if arguments != ["plugins=[lost]"]:
        arguments = ["plugins=[lost_resolver]", *arguments]
        (tmp_path / "lost_resolver.py").write_text(LOST_IN_A_RESOLVER)
    done = run(tmp_path, "hydra.run.dir=out", "hydra.sweep.dir=out", *arguments)
    assert (done.returncode, done.stderr) == (143, "interrupted; rows that were finished are kept\n")
    assert not list(tmp_path.glob("out/**/refused.txt"))


def test_the_exit_code_is_ours_wherever_the_signal_came(tmp_path: Path) -> None:
    """CPython would end the process by SIGINT."""
    (tmp_path / "text.py").write_text(IN_A_TEXT)
    done = run(tmp_path, "plugins=[text]")
    assert (done.returncode, done.stderr) == (143, "interrupted; rows that were finished are kept\n")


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
    done = run(tmp_path, "-m", "plugins=[forks]", "hydra.sweep.dir=out")
    assert (done.returncode, done.stderr) == (143, "interrupted; rows that were finished are kept\n")
    assert rows(tmp_path / "out" / "0" / "metrics.csv") == []
    again = run(tmp_path, "-m", "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
def test_a_signal_to_a_new_process_is_a_row(tmp_path: Path) -> None:
    """It comes before the process can do anything with it."""
    (tmp_path / "forks.py").write_text(AT_A_FORK.format(when="after_in_child", in_parent=False))
    done = run(tmp_path, "-m", "plugins=[forks]", "hydra.sweep.dir=out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert len(found) == 7
    assert {row["status"] for row in found} == {"crashed"}


WHILE_COLLECTING = """
import os, signal
from runner.sweep import results

collect = results.collect

def interrupted(directory):
    os.kill(os.getpid(), signal.SIGTERM)
    return collect(directory)

results.collect = interrupted
"""


def test_a_signal_while_rows_are_collected(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(WHILE_COLLECTING)
    done = run(tmp_path, "-m", "plugins=[late]", "hydra.sweep.dir=out")
    assert done.returncode == 143
    assert done.stderr.endswith("\ninterrupted; rows that were finished are kept\n")
    assert len(rows(tmp_path / "out" / "0" / "metrics.csv")) == 7
    assert not (tmp_path / "out" / "results.csv").exists()
