"""Criterion of all kinds of submissions: their time, and their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.engine import Limits
from runner.features.grading.criterion import Criterion, Outcome, criterion
from runner.features.grading.exam import Exam
from runner.features.grading.marks import same_error


@criterion("limits")
@dataclass(frozen=True)
class TimeLimit(Criterion):
    """All other criteria were judged without an error, within a time.

    Attributes
    ----------
    cpu : float or str, optional
        Processor time for all criteria, such as 5s. It is the only measure that depends on the machine.
    """

    judges: ClassVar[tuple[str, ...]] = ("heuristic", "algorithm", "world", "program")
    turn: ClassVar[int] = 2

    cpu: float | str | None = None

    def check(self) -> None:
        Limits.of({"cpu": self.cpu})

    def judge(self, exam: Exam) -> Outcome:
        exam.submission.end()
        seconds, limit = exam.submission.cpu_seconds, Limits.of({"cpu": self.cpu}).cpu
        stopped = "" if exam.submission.failure is None else str(exam.submission.failure)
        errors = filter(None, (*exam.failures, stopped, exam.submission.warning))
        wrong = list({same_error(each): each for each in errors}.values())
        if limit is not None and seconds > limit:
            wrong.append(f"took {seconds:.1f} s of processor time, more than {limit:g} s")
        return self.all_or_nothing(wrong, "kept")
