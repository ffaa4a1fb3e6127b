"""End of a program, as the status of an instance without a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from algorithms.programs.execution import CLOSED, FILES, LINES, OUTPUT, Finished
from runner.base import (
    CPU_LIMIT,
    CUTOFF,
    ERROR,
    INTERRUPTED,
    LIMITS,
    MEMORY_LIMIT,
    NODE_LIMIT,
    TIME_LIMIT,
    UNSOLVABLE,
    UNSUPPORTED,
    exit_reason,
    one_line,
)

STATUSES = tuple(
    status.name for status in (UNSOLVABLE, CUTOFF, TIME_LIMIT, CPU_LIMIT, NODE_LIMIT, MEMORY_LIMIT, UNSUPPORTED, ERROR)
)
"""Statuses that an exit code, or the answer of a server, may stand for. `solved` needs a plan."""
BOUNDS = {
    OUTPUT: "it printed more than 10 MiB",
    FILES: "its working directory holds more than 1 GiB or 100,000 files",
    LINES: "the server printed more than one line for a request",
    CLOSED: "the server closed its standard input or output",
}
"""Why a program was ended that exceeded a bound, or did not keep to what servers do."""
_MAX_TAIL = 500


class ProgramOutcome(NamedTuple):
    """Status of an instance, and the texts for the columns `reason` and `error`."""

    status: str
    reason: str | None = None
    error: str | None = None


def outcome_of(finished: Finished, exit_codes: Mapping[int, str], missing: str = "no plan") -> ProgramOutcome:
    """Return the outcome of a program that has given no plan.

    The first that applies counts: an interruption by the user, the exit code as configured, a limit, a bound, a
    signal, any other exit code.

    Parameters
    ----------
    missing : str
        What is missing, for the message.
    """
    ended_by = finished.ended_by
    if ended_by == INTERRUPTED.name:
        return ProgramOutcome(INTERRUPTED.name)
    configured = None if finished.exit_code is None else exit_codes.get(finished.exit_code)
    if configured is not None and configured != ERROR.name:
        why = _tail(finished) if configured == UNSUPPORTED.name else ""
        return ProgramOutcome(configured, f"exit code {finished.exit_code}{why}")
    if ended_by in LIMITS:
        return ProgramOutcome(ended_by)
    if ended_by in BOUNDS:
        return ProgramOutcome(ERROR.name, error=BOUNDS[ended_by])
    return ProgramOutcome(ERROR.name, error=f"{missing}: {how_ended(finished)}{_tail(finished)}")


def how_ended(finished: Finished) -> str:
    """Return how a program ended, in words: its exit code, or the signal."""
    return f"exit code {finished.exit_code}" if finished.signal is None else exit_reason(-finished.signal)


def _tail(finished: Finished) -> str:
    """Return the last lines of what the program has printed to standard error, or else to standard output."""
    text = finished.stderr.strip() or finished.stdout.strip()
    return f"; {one_line(text[-_MAX_TAIL:])}" if text else ""
