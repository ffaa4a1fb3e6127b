"""Tally of one check over many instances: counts, the violation to show, and the finding."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from algorithms.spaces import INFINITY
from runner.base import LIMITS, error_text, own_traceback, plural
from runner.features.audits.checks.algorithm import Subject, Trial, analysis_of
from runner.features.audits.checks.registration import Check, CheckError, NotApplicable
from runner.features.audits.checks.world import Sample
from runner.features.audits.finding import Counterexample, Finding, Outcome
from runner.features.audits.shrink import Witness, witness

Checked = TypeVar("Checked")
_COUNT = re.compile(r"([\d,]+) (\w+?)s?")  # what a check of worlds has looked at, such as "514 states"


class _Counts(ABC, Generic[Checked]):
    """Counts of one check over many instances.

    Attributes
    ----------
    check : Check
    reasons : list of str
        Why the check does not apply, for each instance to which it does not.
    """

    def __init__(self, check: Check) -> None:
        self.check = check
        self.reasons: list[str] = []
        self._instances = self._spaces = self._states = self._steps = 0
        self._violations = self._violating = self._declaring = self._denying = self._broken = 0

    @abstractmethod
    def add(self, checked: Checked) -> None:
        """Check one more instance."""

    @abstractmethod
    def _verdict(self, is_exhaustive: bool) -> str:
        """Return the result as text, after at least one instance. It never claims more than what was checked."""

    def _count(self, violations: int, declared: bool | None, states: int = 0, steps: int = 0) -> None:
        """Count an instance to which the check applies."""
        if self.check.counted == "instances":
            violations = min(violations, 1)
        self._instances += 1
        self._spaces += 1
        self._states += states
        self._steps += steps
        self._declaring += declared is True
        self._denying += declared is False
        self._violations += violations
        self._violating += violations > 0
        self._broken += violations > 0 and declared is True

    def finding(
        self,
        is_exhaustive: bool = False,
        reason: str = "",
        left_out: str = "",
        counterexample: Counterexample | None = None,
    ) -> Finding[Counterexample]:
        """Return the result.

        Parameters
        ----------
        is_exhaustive : bool
            Whether the instances are all that there are of a family.
        reason : str
            Why no instance was analysed; empty if there was one.
        left_out : str
            Description of the instances that exceed a limit; empty if there is none.
        """
        outcome: Outcome = "not checked"
        verdict = reason or self._why_not
        if self._instances:
            outcome = "passed" if not self._violations else "failed" if self._broken else "not declared"
            verdict = self._verdict(is_exhaustive) + (f"; not in {left_out}" if left_out else "")
        return Finding(
            check=self.check.name,
            outcome=outcome,
            verdict=verdict,
            claim=self.check.claim,
            declared=self._declared,
            violations=self._violations,
            violating=self._violating,
            declaring=self._declaring,
            broken=self._broken,
            instances=self._instances,
            states=self._states if self.check.counted != "instances" else None,
            steps=self._steps if self.check.counted == "steps" else None,
            counterexample=counterexample,
            traceback=self._traceback,
        )

    @property
    def _why_not(self) -> str:
        return "; ".join(dict.fromkeys(self.reasons)) or self.check.otherwise

    @property
    def _declared(self) -> str:
        if not self._declaring:
            return "no" if self._denying else "unknown"
        of_some = f"for the {plural(self._declaring, 'instance')} of {self._spaces:,} where its premises hold"
        return of_some if self._denying else "yes"

    @property
    def _traceback(self) -> str:
        return ""


class Tally(_Counts[Subject]):
    """Tally of a check of heuristics or algorithms, over analysed instances or searches of them.

    Attributes
    ----------
    witness : Witness or None
        Violation nearest to a goal, of several that in the instance with the fewest states; violations of declared
        properties come first, then those that happened again.
    """

    def __init__(self, check: Check) -> None:
        super().__init__(check)
        self.witness: Witness | None = None
        self._rank = (True, True, INFINITY, INFINITY)
        self._cut_off = 0  # instances where the check was impossible because the search ended at a limit
        self._once = 0  # instances where a second search did not violate the check

    def add(self, checked: Subject) -> None:
        """Check one more instance."""
        analysis = analysis_of(checked)
        if analysis.is_shared and self.check.counted != "instances":
            self._instances += 1  # its states have been checked
            return
        try:
            found, declared = self.check.look(checked), self.check.is_declared(checked)
        except NotApplicable as reason:
            self.reasons.append(str(reason) or self.check.otherwise)
            self._cut_off += isinstance(checked, Trial) and checked.result.status in LIMITS
            return
        self._count(len(found.places), declared, analysis.states, analysis.steps)
        if not len(found.places):
            return
        nearest = witness(self.check, checked, found)
        self._once += not nearest.is_repeated
        rank = (not declared, not nearest.is_repeated, int(analysis.h_star[nearest.state]), analysis.states)
        if rank < self._rank:
            self._rank, self.witness = rank, nearest

    @property
    def _why_not(self) -> str:
        return "every search ended at a limit" if self._cut_off else super()._why_not

    def _verdict(self, is_exhaustive: bool) -> str:
        where = plural(self._instances, "instance")
        rest = f"; in {self._cut_off:,} more the search ended at a limit" if self._cut_off else ""
        checked, violations = where, f"{self._violations:,} of {where}"
        if self.check.counted != "instances":
            if self._spaces < self._instances:
                where = f"{plural(self._spaces, 'space')} that {where} share"
            number = plural(self._states if self.check.counted == "states" else self._steps, self.check.counted[:-1])
            checked = f"{number} of {where}"
            violations = f"{self._violations:,} of {number} ({self._violating:,} of {where})"
        if self._violations and self._once == self._violating:
            return f"seen once in {violations}, did not happen again{rest}"
        if self._violations:
            once = f", in {self._once:,} of these it did not happen again" if self._once else ""
            return f"VIOLATED in {violations}{once}{rest}"
        return f"no violation in {checked}{rest}" if rest or not is_exhaustive else f"holds in all {checked}"


class WorldTally(_Counts[Sample]):
    """Tally of a check of worlds, over samples of their states.

    Attributes
    ----------
    failure : str
        First violation; empty if there is none. An exception of the world's code is one.
    cause : BaseException or None
        The exception.
    """

    def __init__(self, check: Check) -> None:
        super().__init__(check)
        self.failure = ""
        self.cause: BaseException | None = None
        self._looked: list[str] = []

    def add(self, checked: Sample) -> None:
        """Check one more instance."""
        try:
            found, declared = self.check.look(checked), self.check.is_declared(checked)
        except NotApplicable as reason:
            self.reasons.append(str(reason) or self.check.otherwise)
            return
        except CheckError as error:
            self._fail(checked, str(error))
            self._count(1, declared=True)
            return
        except (Exception, SystemExit) as error:  # of the user's world
            self._fail(checked, error_text(error), error)
            self._count(1, declared=True)
            return
        if len(found.places):
            first = int(found.places[0])
            self._fail(checked, found.messages.get(first) or f"violated by {checked.show(checked.states[first])}")
        if found.looked:
            self._looked.append(found.looked)
        self._count(len(found.places), declared, len(checked.states))

    def _fail(self, sample: Sample, problem: str, cause: BaseException | None = None) -> None:
        if not self.failure:
            self.failure, self.cause = f"{sample.instance.id}: {problem}", cause

    @property
    def _declared(self) -> str:
        return ""

    @property
    def _traceback(self) -> str:
        return "" if self.cause is None else own_traceback(self.cause)

    def _verdict(self, is_exhaustive: bool) -> str:  # noqa: ARG002
        if self._violations:
            return self.failure
        instances, different = plural(self._instances, "instance"), [*dict.fromkeys(self._looked)]
        counts = [match for each in self._looked if (match := _COUNT.fullmatch(each))]
        detail = f"{plural(self._states, 'state')} of {instances}"
        if len(different) > 1 and len(counts) == len(self._looked) and len({match[2] for match in counts}) == 1:
            detail = f"{plural(sum(int(match[1].replace(',', '')) for match in counts), counts[0][2])} of {instances}"
        elif different:
            detail = f"{', '.join(different)} of {'each of ' if self._instances > 1 else ''}{instances}"
        left_out = ", ".join(dict.fromkeys(self.reasons))
        return f"{detail}; not in {len(self.reasons):,}: {left_out}" if left_out else detail
