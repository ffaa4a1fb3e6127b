"""What became of a check over many instances."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from algorithms.engine.distances import INFINITY
from runner.audit.analysis import Analysis, Integers
from runner.audit.checks import Check
from runner.audit.promises import Trial

Subject = Analysis | Trial


@dataclass(frozen=True, eq=False)
class Witness:
    """Where a check is violated.

    Attributes
    ----------
    check : Check
    subject : Analysis or Trial
    place : int
        The state or the step.
    """

    check: Check
    subject: Subject
    place: int

    @property
    def analysis(self) -> Analysis:
        """Of the instance."""
        return examination_of(self.subject)

    @property
    def state(self) -> int:
        """The state, or that from which the step leads."""
        return self.analysis.source(self.place) if self.check.counted == "steps" else self.place

    @property
    def is_at_start(self) -> bool:
        """Whether that is the start."""
        return self.state == self.analysis.start


def examination_of(subject: Subject) -> Analysis:
    """What is known of the instance."""
    return subject.analysis if isinstance(subject, Trial) else subject


def witness(check: Check, subject: Subject, found: Integers) -> Witness:
    """Of the violations the one nearest to a goal, the start first."""
    analysis = examination_of(subject)
    states = found
    if check.counted == "steps":
        states = np.searchsorted(analysis.searched.first, found, side="right") - 1
    best = np.lexsort((found, analysis.exact[states], states != analysis.start))[0]
    return Witness(check, subject, int(found[best]))


@dataclass
class Tally:
    """Counts of one check.

    Attributes
    ----------
    check : Check
    instances, spaces, states, steps : int
        On which it was made. Instances may have their state space in common.
    cut_off : int
        Instances on which it could not be made, because the search ended at a limit.
    violations : int
        States, steps or instances that violate the claim.
    violating : int
        Instances, or where they share spaces these.
    declaring, denying : int
        Instances for which the claim is made, or expressly not.
    broken : int
        Instances that violate it although the claim is made.
    witness : Witness or None
        One of the violations: of a declared claim if there is one, in the instance with the fewest states.
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

    def add(self, subject: Subject) -> None:
        """Make the check on one more instance."""
        analysis = examination_of(subject)
        if analysis.is_shared and self.check.counted != "instances":
            self.instances += 1  # its states have been looked at
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
        rank = (not declared, analysis.states, int(analysis.exact[analysis.start]))
        if rank < self._rank:
            self._rank, self.witness = rank, witness(self.check, subject, found)

    @property
    def declared(self) -> str:
        """Whether the claim is made: yes, no, unknown, or of how many instances."""
        if not self.declaring:
            return "no" if self.denying else "unknown"
        return "yes" if not self.denying else f"for {self.declaring:,} instances"

    def verdict(self, is_exhaustive: bool) -> str:
        """In words: never more than what was looked at."""
        if not self.instances:
            why = "every search ended at a limit" if self.cut_off else "it means nothing here"
            return f"not checked: {why}"
        where = _number(self.instances, "instance")
        if self.spaces < self.instances:
            where = f"{_number(self.spaces, 'space')} that {where} share"
        looked_at = where
        if self.check.counted != "instances":
            count = self.states if self.check.counted == "states" else self.steps
            looked_at = f"{_number(count, self.check.counted[:-1])} of {where}"
        if self.violations and self.check.counted == "instances":
            return f"VIOLATED in {self.violations:,} of {where}{self._rest}"
        if self.violations:
            in_instances = f"{self.violating:,} of {where}"
            return f"VIOLATED in {self.violations:,} of {_number(count, self.check.counted[:-1])} ({in_instances})"
        if is_exhaustive and not self.cut_off:
            return f"holds in all {looked_at}"
        return f"no violation in {looked_at}{self._rest}"

    @property
    def _rest(self) -> str:
        return f"; in {self.cut_off:,} more the search ended at a limit" if self.cut_off else ""


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
