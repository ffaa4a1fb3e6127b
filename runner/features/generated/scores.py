"""Score of a candidate: rows of its instances, their sums, and what an instance without an answer counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from algorithms.engine import Limits
from runner.base import ERROR, Declared, Result, one_line
from worlds.interface import Instance

Row = dict[str, Any]
"""Row of an instance, as an object for JSON."""
COUNTS = ("expanded", "generated", "evaluated")
UNSOLVED = "unsolved"
SCORES = (*COUNTS, "search_seconds", "cost", UNSOLVED)
"""Metrics of scores; less is better."""
_PENALTY_FACTOR, _PENALTY = 10.0, 1e9
"""Value of an instance without an answer: so many times the limit of the metric, or a constant without a limit."""


def row_of(
    instance: Instance, result: Result | None = None, declared: Declared | None = None, where: str | None = None
) -> Row:
    """Return the row of an instance; without a result, the columns are None.

    Parameters
    ----------
    declared : Declared, optional
        Statuses that tell whether a result is a success.
    where : str, optional
        File and line of the error.
    """
    names = ("status", "cost", *COUNTS, "search_seconds")
    row: Row = {"id": instance.id, **{name: getattr(result, name, None) for name in names}}
    error = getattr(result, "error", None)
    if result is not None and error is None and result.valid is False:
        row["status"], error = ERROR.name, f"the plan is not valid: {result.reason or result.status}"
    is_solved = declared is not None and declared.status(row["status"]).is_success
    return {**row, "solved": is_solved, "error": None if error is None else one_line(error), "where": where}


def summary(rows: Sequence[Row], score: str, limits: Limits) -> dict[str, Any]:
    """Return the status, the score and the sums of rows.

    The score is the mean of log10(1 + count) for counts, the mean for seconds and costs, and the number of instances
    without an answer for `UNSOLVED`. An instance without an answer counts ten times the limit.
    """
    answered = [row for row in rows if row["solved"]]
    others = [row for row in rows if not row["solved"]]
    limit = {**dict.fromkeys(COUNTS, limits.nodes), "search_seconds": limits.time}.get(score)
    penalty = _PENALTY if limit is None else _PENALTY_FACTOR * float(limit)
    if score == UNSOLVED:
        value = float(len(others))
    else:
        values = [float(row[score] or 0) for row in answered] + [penalty] * len(others)
        value = math.fsum(math.log10(1 + each) if score in COUNTS else each for each in values) / len(values)
    first = next((row for row in others if row["error"]), others[0] if others else None)
    sums = {name: sum(row[name] or 0 for row in rows) for name in (*COUNTS, "search_seconds", "cost")}
    return {
        "status": "ok" if first is None else first["status"],
        "score": value,
        "metric": score,
        "solved": len(answered),
        "instances": len(rows),
        **sums,
        **{name: None if first is None else first[name] for name in ("error", "where")},
    }
