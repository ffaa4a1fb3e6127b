"""Result of a check over many instances."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from algorithms.engine.distances import INFINITY
from runner.audits.analysis import Analysis, Integers
from runner.audits.checks import Check
from runner.audits.promises import Trial

Subject = Analysis | Trial


@dataclass(frozen=True, eq=False)
class Witness:
    """Violation of a check.

    Attributes
    ----------
    check : Check
    subject : Analysis or Trial
    place : int
        Number of the state or step that violates the check.
    """

    check: Check
    subject: Subject
    place: int

    @property
    def analysis(self) -> Analysis:
        """Analysis of the instance."""
        return analysis_of(self.subject)

    @property
    def state(self) -> int:
        """Number of the state, or of the state from which the step leads."""
        return int(self.analysis.sources(self.place)) if self.check.counted == "steps" else self.place

    @property
    def is_at_start(self) -> bool:
        """Whether `state` is the start."""
        return self.state == self.analysis.start


def analysis_of(subject: Subject) -> Analysis:
    """Return the analysis of the instance."""
    return subject.analysis if isinstance(subject, Trial) else subject


def witness(check: Check, subject: Subject, found: Integers) -> Witness:
    """Return the violation nearest to a goal, and of several that at the start."""
    analysis = analysis_of(subject)
    states = analysis.sources(found) if check.counted == "steps" else found
    best = np.lexsort((found, states != analysis.start, analysis.h_star[states]))[0]
    return Witness(check, subject, int(found[best]))


@dataclass
class Tally:
    """Counts of one check over many instances.

    Attributes
    ----------
    check : Check
    instances, spaces, states, steps : int
        Number of checked instances, state spaces, states and steps. Instances may share a state space.
    cut_off : int
        Number of instances where the check was impossible because the search ended at a limit.
    violations : int
        Number of states, steps or instances that violate the check.
    violating : int
        Number of instances with a violation. For checks of states and steps, instances with a common space count once.
    declaring, denying : int
        Number of instances for which the property is declared to hold, and declared not to hold.
    broken : int
        Number of instances that violate the check although the property is declared.
    witness : Witness or None
        Violation nearest to a goal, of several that in the instance with the fewest states; violations of declared
        properties come first.
    """

    check: Check
    instances: int = 0
    spaces: int = 0
    states: int = 0
    steps: int = 0
    cut_off: int = 0
    violations: int = 0
    violating: int = 0
    declaring: int = 0
    denying: int = 0
    broken: int = 0
    witness: Witness | None = None
    _rank: tuple[bool, int, int] = field(default=(True, INFINITY, INFINITY))

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker sends: the counts, without the state space of the witness and the functions."""
        check = replace(self.check, violations=_not_sent, declared=_not_sent)
        return {**vars(self), "check": check, "witness": None}

    def add(self, subject: Subject) -> None:
        """Check one more instance."""
        analysis = analysis_of(subject)
        if analysis.is_shared and self.check.counted != "instances":
            self.instances += 1  # its states have been checked
            return
        found = self.check.violations(subject)
        if found is None:
            self.cut_off += isinstance(subject, Trial) and subject.is_cut_off
            return
        declared = self.check.declared(subject)
        self.instances += 1
        self.spaces += 1
        self.declaring += declared is True
        self.denying += declared is False
        if self.check.counted != "instances":
            self.states += analysis.states
            self.steps += analysis.steps
        if not len(found):
            return
        self.violations += len(found)
        self.violating += 1
        self.broken += declared is True
        nearest = witness(self.check, subject, found)
        rank = (not declared, int(analysis.h_star[nearest.state]), analysis.states)
        if rank < self._rank:
            self._rank, self.witness = rank, nearest

    @property
    def declared(self) -> str:
        """Whether the property is declared: yes, no, unknown, or for how many instances."""
        if not self.declaring:
            return "no" if self.denying else "unknown"
        return "yes" if not self.denying else f"for {self.declaring:,} instances"

    def verdict(self, is_exhaustive: bool) -> str:
        """Return the result as text. It never claims more than what was checked.

        Parameters
        ----------
        is_exhaustive : bool
            Whether the instances are all that there are of a family.
        """
        if not self.instances:
            why = "every search ended at a limit" if self.cut_off else self.check.otherwise
            return f"not checked: {why}"
        where = _number(self.instances, "instance")
        if self.spaces < self.instances:
            where = f"{_number(self.spaces, 'space')} that {where} share"
        checked = where
        if self.check.counted != "instances":
            count = self.states if self.check.counted == "states" else self.steps
            checked = f"{_number(count, self.check.counted[:-1])} of {where}"
        if self.violations and self.check.counted == "instances":
            return f"VIOLATED in {self.violations:,} of {where}{self._rest}"
        if self.violations:
            in_instances = f"{self.violating:,} of {where}"
            return f"VIOLATED in {self.violations:,} of {_number(count, self.check.counted[:-1])} ({in_instances})"
        if is_exhaustive and not self.cut_off:
            return f"holds in all {checked}"
        return f"no violation in {checked}{self._rest}"

    @property
    def _rest(self) -> str:
        return f"; in {self.cut_off:,} more the search ended at a limit" if self.cut_off else ""


def _not_sent(_: Any) -> None:
    """Stand for a function of a check in a tally from a worker."""


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
