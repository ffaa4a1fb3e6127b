"""Criteria of worlds: their checks, and the size of their spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from runner.base import plural
from runner.features.audits import INSTANCES, run_checks
from runner.features.grading.criterion import Criterion, Outcome, criterion
from runner.features.grading.exam import Exam
from runner.features.grading.material import Size
from runner.features.grading.submitted_world import checked


@criterion("world_checks")
@dataclass(frozen=True)
class WorldChecks(Criterion):
    """All checks of worlds, such as that the rules do not change between two calls."""

    judges: ClassVar[tuple[str, ...]] = ("world",)

    def judge(self, exam: Exam) -> Outcome:
        violation: str | None = checked(exam.submission.ask("check"), str | None)
        if violation is None:  # it may be forged
            failed = [each for each in run_checks(exam.submitted(INSTANCES)) if each.outcome == "failed"]
            violation = f"{failed[0].check}: {failed[0].verdict}" if failed else None
        return self.all_or_nothing([] if violation is None else [violation], "no check is violated")


@criterion("same_space")
@dataclass(frozen=True)
class SameSpace(Criterion):
    """The numbers of states and steps, and the optimal costs, of the world of the exercise, instance by instance."""

    judges: ClassVar[tuple[str, ...]] = ("world",)

    def judge(self, exam: Exam) -> Outcome:
        expected = exam.material.sizes(exam.world(self.world))
        count = len(exam.submitted(len(expected) + 1))
        if count != len(expected):
            got = "more" if count > len(expected) else count
            return Outcome(0, f"expected {plural(len(expected), 'instance')}, got {got}")
        wrong = []
        for number, (ours, theirs) in enumerate(zip(expected, exam.sizes(expected), strict=False)):
            if theirs is None:
                wrong.append(f"instance {number}: expected {plural(ours.states, 'state')}, got more")
                continue
            wrong += [
                f"instance {number}: {name.replace('_', ' ')}: expected {right}, got {given}"
                for name, right, given in zip(Size._fields, ours, theirs, strict=True)
                if right != given
            ]
        return self.all_or_nothing(wrong, f"the spaces of {plural(len(expected), 'instance')} agree")
