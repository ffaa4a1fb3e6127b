"""A signal whose exception got lost still ends the run."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import runner
from runner import interrupts
from tests.runner_cli import environment, run
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
