"""Simplification of counterexamples, step by step, as long as the violation remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from runner.audits.tally import Subject, Witness, analysis_of, witness
from runner.execution.stop import Stopped
from worlds.interface import Instance

Analyse = Callable[[Instance], Subject | None]
"""Analyses an instance, and searches it if the check is of an algorithm; None if the world proves it unsolvable."""


def shrink(found: Witness, analyse: Analyse) -> Witness:
    """Replace the instance by the first simpler one that also violates the check, until there is none.

    A violation at the start stays at the start. For one elsewhere, an instance that starts there is tried first.
    """
    while (simpler := next(_simpler(found, analyse), None)) is not None:
        found = simpler
    return found


def _simpler(found: Witness, analyse: Analyse) -> Iterator[Witness]:
    instance = found.analysis.instance
    if not found.is_at_start:
        beginning = instance.starting_at(found.analysis.searched.state(found.state))
        if beginning is not None:
            yield from _violating(beginning, found, analyse, at_start=True)
    for candidate in instance.smaller():
        yield from _violating(candidate, found, analyse, found.is_at_start)


def _violating(instance: Instance, found: Witness, analyse: Analyse, at_start: bool) -> Iterator[Witness]:
    """Yield the witness of an instance if it violates the check, with `at_start` only if it does so at the start."""
    try:
        subject = analyse(instance)
        violations = None if subject is None else found.check.violations(subject)
    except Stopped:
        raise
    except BaseException:  # too large, or the user's heuristic does not support this instance
        return
    if subject is None or violations is None or not len(violations):
        return
    if found.check.declared(subject) is not True and found.check.declared(found.subject) is True:
        return
    analysis = analysis_of(subject)
    if at_start:
        states = analysis.sources(violations) if found.check.counted == "steps" else violations
        violations = violations[states == analysis.start]
    if len(violations):
        yield witness(found.check, subject, violations)


def unshared(found: Witness, analyse: Analyse) -> Witness:
    """Return the same witness with a state space of its own: re-analyse the instance if its space is shared."""
    if not found.analysis.is_shared:
        return found
    subject = analyse(found.analysis.instance)
    assert subject is not None
    return Witness(found.check, subject, analysis_of(subject).start)
