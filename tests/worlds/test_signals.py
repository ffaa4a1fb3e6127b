"""A signal that comes while foreign code runs is not lost, and not raised inside of it."""

from __future__ import annotations

import os
import signal

import pytest

from worlds.signals import interrupts_deferred


def test_a_signal_is_raised_at_the_end() -> None:
    before = signal.getsignal(signal.SIGINT)
    steps = []
    with pytest.raises(KeyboardInterrupt), interrupts_deferred():
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("ended")
    assert steps == ["ended"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_question_to_the_answer_set_program_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clingo calls back, an exception would end the process."""
    clingo = pytest.importorskip("clingo")
    import runner

    steps = []

    class Control(clingo.Control):  # type: ignore[misc]
        def ground(self, *arguments: object) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            super().ground(*arguments)
            steps.append("ground")

        def solve(self, **keywords: object) -> object:
            steps.append("solve")
            return super().solve(**keywords)

    monkeypatch.setattr(clingo, "Control", Control)
    cave = next(iter(runner.load("wumpus/static")))
    with pytest.raises(KeyboardInterrupt):
        runner.solve(cave, "asp_agent")
    assert steps == ["ground", "solve"]
