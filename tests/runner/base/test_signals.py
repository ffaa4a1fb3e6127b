"""Ctrl-C while foreign code runs is raised after that code has ended."""

from __future__ import annotations

import os
import signal

import pytest

import runner
from runner.base.signals import interrupts_deferred


def test_a_deferred_signal_is_raised_at_the_end_of_the_block() -> None:
    before = signal.getsignal(signal.SIGINT)
    steps = []
    with pytest.raises(KeyboardInterrupt), interrupts_deferred():
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("ended")
    assert steps == ["ended"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_call_of_clingo_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in a callback of clingo would end the process."""
    clingo = pytest.importorskip("clingo")
    ground, solve = clingo.Control.ground, clingo.Control.solve
    steps = []

    def interrupted_ground(control: object, *arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        ground(control, *arguments)
        steps.append("ground")

    def recorded_solve(control: object, **keywords: object) -> object:
        steps.append("solve")
        return solve(control, **keywords)

    monkeypatch.setattr(clingo.Control, "ground", interrupted_ground)
    monkeypatch.setattr(clingo.Control, "solve", recorded_solve)
    cave = next(iter(runner.load("wumpus/static")))
    with pytest.raises(KeyboardInterrupt):
        runner.solve(cave, "asp_agent")
    assert steps == ["ground", "solve"]


def test_a_deferred_signal_is_raised_if_the_block_raises() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_deferred():
        os.kill(os.getpid(), signal.SIGINT)
        raise ValueError("the kernel does not compile")
