"""Outcomes of named checks: passed, failed, or not checked and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from runner.base.errors import one_line

Verdict = Literal["passed", "failed", "not checked", "not declared"]


class NotApplicable(Exception):
    """A check does not apply to an instance. The message is the reason, such as "the world has no predecessors"."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one check.

    Attributes
    ----------
    check : str
        Name of the check.
    verdict : {"passed", "failed", "not checked", "not declared"}
        "not declared": the property does not hold, but it is not declared either. This is no failure.
    detail : str
        What was checked, why it was not, or the violation.
    error : Exception or None
        Error that describes a failure; its cause is the exception of the user's code, if there was one.
    """

    check: str
    verdict: Verdict
    detail: str
    error: Exception | None = None


@dataclass(frozen=True, repr=False)
class Outcomes:
    """Outcomes of all checks of a subject. As text they are a table.

    Attributes
    ----------
    subject : str
        What was checked.
    all : tuple of Outcome
        In the order of the checks. Iteration yields them, too.
    """

    subject: str
    all: tuple[Outcome, ...]

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    @property
    def failed(self) -> list[Outcome]:
        """Outcomes of the checks that failed."""
        return [each for each in self.all if each.verdict == "failed"]

    def __str__(self) -> str:
        """Return a line for each check: its name, its verdict and the detail."""
        names = max((len(each.check) for each in self.all), default=0)
        verdicts = max((len(each.verdict) for each in self.all), default=0)
        lines = (f"  {each.check:<{names}}  {each.verdict:<{verdicts}}  {one_line(each.detail)}" for each in self.all)
        return "\n".join([self.subject, *lines])

    __repr__ = __str__
