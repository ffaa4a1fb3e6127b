"""Violations of a check, and their simplification, step by step, as long as the violation remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from runner.execution import Stopped
from runner.features.audits.analysis import Analysis, starting_at
from runner.features.audits.checks.algorithm import Subject, Trial, analysis_of
from runner.features.audits.checks.registration import Check, Found, NotApplicable
from worlds.interface import Instance

Analyse = Callable[[Instance], Subject | None]
"""Analyses an instance, and searches it if the check is of an algorithm; None if the world proves it unsolvable."""

IsSupported = Callable[[Instance], bool]
"""Whether the heuristics are made for an instance. It may raise an exception instead."""


@dataclass(frozen=True, eq=False)
class Witness:
    """Violation of a check.

    Attributes
    ----------
    check : Check
    subject : Analysis or Trial
    place : int
        Number of the state or step that violates the check.
    message : str
        Message of the check about it, if it has one.
    is_repeated : bool
        Whether it happened again when the instance was searched or analysed a second time, as far as it was.
    """

    check: Check
    subject: Subject
    place: int
    message: str = ""
    is_repeated: bool = True

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


def witness(check: Check, subject: Subject, found: Found) -> Witness:
    """Return the violation nearest to a goal, and of several that at the start."""
    analysis, places = analysis_of(subject), found.places
    states = analysis.sources(places) if check.counted == "steps" else places
    best = int(places[np.lexsort((places, states != analysis.start, analysis.h_star[states]))[0]])
    return Witness(check, subject, best, found.messages.get(best, ""), is_repeated(check, subject))


def is_repeated(check: Check, subject: Subject) -> bool:
    """Return whether the second search of a program violates a check, too; True without one."""
    if not isinstance(subject, Trial) or subject.again is None:
        return True
    return _violates(check, replace(subject, result=subject.again, improvements=[], again=subject.result))


def _violates(check: Check, subject: Subject) -> bool:
    try:
        return len(check.look(subject).places) > 0
    except NotApplicable:
        return False


def shrink(found: Witness, analyse: Analyse, is_supported: IsSupported) -> Witness:
    """Replace the instance by the first simpler one that is supported and also violates the check, until there is none.

    A violation at the start stays at the start. For one elsewhere, an instance that starts there is tried first.
    """

    def analyse_supported(instance: Instance) -> Subject | None:
        return analyse(instance) if is_supported(instance) else None

    while (simpler := next(_simpler(found, analyse_supported), None)) is not None:
        found = simpler
    return found


def _simpler(found: Witness, analyse: Analyse) -> Iterator[Witness]:
    instance = found.analysis.instance
    if not found.is_at_start:
        searched = found.analysis.searched
        beginning = starting_at(instance.world, searched.problem.unpack(searched.state(found.state)))
        if beginning is not None:
            yield from _violating(instance.with_world(beginning), found, analyse, at_start=True)
    family = instance.world.family
    for smaller in () if family is None else family.smaller():
        yield from _violating(instance.with_world(smaller), found, analyse, found.is_at_start)


def _violating(instance: Instance, found: Witness, analyse: Analyse, at_start: bool) -> Iterator[Witness]:
    """Yield the witness of an instance if it violates the check, with `at_start` only if it does so at the start."""
    try:
        subject = analyse(instance)
        violations = Found() if subject is None else found.check.look(subject)
        is_declared = subject is not None and found.check.is_declared(subject) is True
    except Stopped:
        raise
    except BaseException:  # too large, or the user's heuristic or the check does not support this instance
        return
    if subject is None or not len(violations.places):
        return
    if not is_declared and found.check.is_declared(found.subject):
        return
    if at_start:
        analysis = analysis_of(subject)
        places = violations.places
        states = analysis.sources(places) if found.check.counted == "steps" else places
        violations = violations._replace(places=places[states == analysis.start])
    if len(violations.places):
        yield witness(found.check, subject, violations)


def unshared(found: Witness, analyse: Analyse) -> Witness:
    """Return the same witness with a state space of its own: re-analyse the instance if its space is shared.

    The search remains the one that violates the check: another one may not.
    """
    if not found.analysis.is_shared:
        return found
    subject = analyse(found.analysis.instance)
    assert subject is not None
    repeated = found.is_repeated and _violates(found.check, subject)
    analysis = analysis_of(subject)
    own = replace(found.subject, analysis=analysis) if isinstance(found.subject, Trial) else subject
    return Witness(found.check, own, analysis.start, found.message, repeated)
