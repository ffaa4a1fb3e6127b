"""A signal whose exception got lost still ends the run."""

from __future__ import annotations

import subprocess
import sys

from tests.runner_cli import environment

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
