"""Rule that decides which rows count: of each search, the newest finished row of the current code.

A row is found by the `run_id` of its search. Its `number`, the place of its instance in the source, is only its order.
The plan of a sweep, results.csv, ``status`` and reports ask this rule.
"""

from __future__ import annotations

from typing import NamedTuple

from runner.base import Retry, Status


class RowKind(NamedTuple):
    """Columns that decide whether a row counts. They have the same values in many rows."""

    status: Status
    code: str = ""
    limits: str = ""
    repetitions: int = 1


class RowRule(NamedTuple):
    """Rows that count in a cell, and those of them that are finished.

    Attributes
    ----------
    code : str, optional
        Fingerprint of the code whose rows count. None: all rows count.
    limits : str, optional
        Limits of the cell. A row that ended at others is not finished. None: the limits do not matter.
    repeat : int
        Number of searches. A row of fewer searches is not finished, unless it failed or ended at a limit.
    """

    code: str | None = None
    limits: str | None = None
    repeat: int = 1

    def is_finished(self, kind: RowKind, retry: Retry = "failed") -> bool:
        """Return whether a sweep with this setting of ``retry`` does not make a row again."""
        if retry == "none":
            return True
        if kind.status.is_end:
            return kind.repetitions >= self.repeat
        return self.limits in (None, kind.limits) and not kind.status.is_made_again(retry)

    def is_capped(self, kind: RowKind) -> bool:
        """Return whether a row ended at other limits, so that it is not finished."""
        return kind.status.retry == "limits" and self.limits not in (None, kind.limits)

    def is_current(self, kind: RowKind) -> bool:
        """Return whether the current code has made a row, and has read the output of its program."""
        return self.code in (None, kind.code)

    def is_read_otherwise(self, kind: RowKind) -> bool:
        """Return whether a row differs from those of the current code only in how the output of its program is read."""
        return self.code not in (None, kind.code) and build_of(self.code or "") == build_of(kind.code)

    def rank(self, kind: RowKind) -> int:
        """Return the rank of a row among those of its search: 0 if its code does not count.

        A failure or a limit does not replace an answer, even one of fewer searches than wanted. A row whose output was
        read in another way counts until it is read again.
        """
        if not (self.is_current(kind) or self.is_read_otherwise(kind)):
            return 0
        return 1 + 2 * kind.status.is_end + self.is_finished(kind) + 4 * self.is_current(kind)


def build_of(code: str) -> str:
    """Return the fingerprint of what made a row, without how the output of its program is read."""
    return "+".join(code.split("+")[:2])


ALL_ROWS = RowRule()
"""All rows count, whatever their code; whatever the limits, one that ended at them is finished."""
