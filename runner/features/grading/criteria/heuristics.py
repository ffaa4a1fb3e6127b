"""Criteria of heuristics: properties in all states, and comparisons with a reference."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from operator import gt, lt, ne
from typing import Any, ClassVar

import numpy as np

from algorithms.spaces import values
from heuristics.interface import Stack
from runner.base import UserError
from runner.features.audits import Analysis, Check, Tally, Witness, checks_of
from runner.features.grading.counterexample import estimate, text_of, told, too_much, too_steep
from runner.features.grading.criterion import Criterion, Outcome, Reference, criterion
from runner.features.grading.exam import Exam

_CHECKS = {check.name: check for check in checks_of("heuristic")}


@dataclass(frozen=True)
class _InAllStates(Criterion):
    """Property in all states that can be reached in the instances, with the smallest counterexample."""

    turn: ClassVar[int] = 0  # the values are kept, so that searches do not get others
    asks_all_states: ClassVar[bool] = True

    @abstractmethod
    def property(self, exam: Exam) -> Check:
        """Return the check."""

    @abstractmethod
    def words(self, exam: Exam, found: Witness) -> str:
        """Return a sentence on the counterexample."""

    def judge(self, exam: Exam) -> Outcome:
        tally = Tally(self.property(exam))
        for analysis in exam.analyses(self.world):
            tally.add(analysis)
        witness, verdict = tally.witness, tally.finding(is_exhaustive=True).verdict
        if witness is None:
            return Outcome(self.points, f"{tally.check.claim}: {verdict}")
        return Outcome(0, *told(witness, self.words(exam, witness), verdict, has_calls=not exam.has_form))


def _of_checks(name: str, sentence: Callable[[Witness], str]) -> type[Criterion]:
    """Register the criterion for a check of audits."""

    @criterion(name)
    @dataclass(frozen=True)
    class OfCheck(_InAllStates):
        def property(self, exam: Exam) -> Check:
            return _CHECKS[name]

        def words(self, exam: Exam, found: Witness) -> str:
            return sentence(found)

    OfCheck.__doc__ = f"{_CHECKS[name].claim}, in all states."
    return OfCheck


for _name, _sentence in (
    ("admissible", too_much), ("consistent", too_steep), ("zero_at_goals", too_much), ("dead_ends", too_much),
):  # fmt: skip
    _of_checks(_name, _sentence)


@dataclass(frozen=True)
class _Compared(_InAllStates):
    """Comparison with a reference in all states.

    Attributes
    ----------
    reference : str or list, optional
        Heuristic of ours; default: the reference of the exercise.
    """

    is_wrong: ClassVar[Callable[[Any, Any], Any]]
    sign: ClassVar[str]
    than: ClassVar[str]

    reference: Reference | None = None

    def check_parts(self, exam: Exam) -> None:
        exam.check_reference(self.world, self.reference)

    def property(self, exam: Exam) -> Check:
        stack = self._stack(exam)

        def violations(analysis: Analysis) -> Any:
            bound = stack.prepare(analysis.space.problem)
            if bound.problem is not analysis.space.problem:
                raise UserError(f"reference: {stack} changes the problem, and cannot be compared in all states")
            return np.flatnonzero(type(self).is_wrong(analysis.h, values(bound, analysis.space.all_states())))

        claim = f"h {self.sign} that of {stack} at every state"
        return Check(self.registered_name, claim, "states", violations, lambda _: None)

    def words(self, exam: Exam, found: Witness) -> str:
        stack, searched = self._stack(exam), found.analysis.searched
        (value,) = values(stack.prepare(searched.problem), searched.state(found.state))
        return f"{estimate(found)}, {self.than} that of {stack}, {text_of(found.analysis, value)}: here"

    def _stack(self, exam: Exam) -> Stack:
        return exam.material.stack(exam.world(self.world), exam.entries(self.reference))


@criterion("dominates")
@dataclass(frozen=True)
class Dominates(_Compared):
    """At least the value of a reference in all states."""

    is_wrong = lt
    sign = ">="
    than = "less than"


@criterion("dominated_by")
@dataclass(frozen=True)
class DominatedBy(_Compared):
    """At most the value of a reference in all states."""

    is_wrong = gt
    sign = "<="
    than = "more than"


@criterion("equals")
@dataclass(frozen=True)
class Equals(_Compared):
    """The value of a reference in all states."""

    is_wrong = ne
    sign = "="
    than = "and not"
