"""Criterion `short` and platform `log` for exercises."""

from __future__ import annotations

from dataclasses import dataclass

from runner.plugin import Criterion, Exam, Marks, Outcome, criterion, platform


@criterion("short")
@dataclass(frozen=True)
class Short(Criterion):
    """Plans of few steps.

    Attributes
    ----------
    steps : int
        Most steps of a plan.
    """

    steps: int = 10

    def judge(self, exam: Exam) -> Outcome:
        """Look at the plan of each instance."""
        plans = [result.plan or () for result in exam.search(self.world)]
        wrong = [f"a plan of {len(plan)} steps" for plan in plans if len(plan) > self.steps]
        return self.all_or_nothing(wrong, "every plan is short")


@platform("log")
def log(marks: Marks) -> dict[str, str]:
    """Return a line for each criterion."""
    return {"marks.log": "".join(f"{each.name} {each.points:g}: {each.text}\n" for each in marks.verdicts)}
