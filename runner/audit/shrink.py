"""Makes a counterexample small: one step simpler, again and again, as long as the violation stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from runner.audit.tally import Subject, Witness, examination_of, witness
from runner.execution.stop import Stopped
from worlds.interface import Instance

Look = Callable[[Instance], Subject | None]


def shrink(found: Witness, look: Look) -> Witness:
    """Take the first simpler instance that violates the check, too, until there is none.

    A violation at the start stays at the start. One elsewhere is first tried as the start of an instance.

    Parameters
    ----------
    found : Witness
    look : callable
        Examines (or searches) an instance; None if the world proves it unsolvable.
    """
    while (simpler := next(_simpler(found, look), None)) is not None:
        found = simpler
    return found


def _simpler(found: Witness, look: Look) -> Iterator[Witness]:
    instance = found.analysis.instance
    if not found.is_at_start:
        beginning = instance.starting_at(found.analysis.searched.state(found.state))
        if beginning is not None:
            yield from _violating(beginning, found, look, at_start=True)
    for candidate in instance.smaller():
        yield from _violating(candidate, found, look, found.is_at_start)


def _violating(instance: Instance, found: Witness, look: Look, at_start: bool) -> Iterator[Witness]:
    """The witness of an instance, if it has one; at its start, if that is asked for."""
    try:
        subject = look(instance)
        violations = None if subject is None else found.check.violations(subject)
    except Stopped:
        raise
    except BaseException:  # too large, or not what a heuristic of the user's is made for
        return
    if subject is None or violations is None or not len(violations):
        return
    if found.check.declared(subject) is not True and found.check.declared(found.subject) is True:
        return
    new = witness(found.check, subject, violations)
    if not at_start or new.is_at_start:
        yield new


def looked_at_anew(found: Witness, look: Look) -> Witness:
    """The same witness with a state space of its own, if it shares one with other instances."""
    if not found.analysis.is_shared:
        return found
    subject = look(found.analysis.instance)
    assert subject is not None
    return Witness(found.check, subject, examination_of(subject).start)
