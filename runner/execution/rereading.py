"""Rows whose kept output is read again (``resume --reread``): no program is started."""

from __future__ import annotations

from dataclasses import fields

from algorithms.programs.interface import ExternalPlanner, KeptRun
from runner.base import UserError, number_of, read_bytes
from runner.config import Cell
from runner.machine import Usage
from runner.records import Log, RowRule, decode_plan

_TEXTS = ("limits", "measured_by")
_OF_THE_RUN = (
    "search_seconds", "cpu_seconds", "compile_seconds", "memory_bytes", "repetitions", "spread", "seconds_low",
    "seconds_high", "limits", *(field.name for field in fields(Usage)),
)  # fmt: skip
"""Columns that do not depend on how the output is read."""


def kept_runs(cell: Cell, log: Log, rule: RowRule) -> dict[int, KeptRun]:
    """Return the runs of a cell whose kept output is whole and was read in another way, by the keys of their rows.

    The kept output is that of the newest row of a search, so it must be the same program that has made this row.
    """
    planner = cell.algorithm
    if not isinstance(planner, ExternalPlanner):
        return {}
    newest = {key: row for row, key in enumerate(log.keys)}.values()
    wanted = [row for row in newest if rule.is_read_otherwise(log.kind(row)) and _can_read(planner, log, row)]
    runs: dict[int, KeptRun] = {}
    plans = log.plans(log.keys[row] for row in wanted)
    for row, (_, values), lines in zip(wanted, log.rows(wanted), plans, strict=True):
        columns = {
            name: values.get(name) or None if name in _TEXTS else number_of(values.get(name)) for name in _OF_THE_RUN
        }
        improvements = [
            (tuple(plan.actions), plan.seconds)
            for plan in map(decode_plan, lines.splitlines())
            if plan.seconds is not None
        ]
        runs[log.keys[row]] = KeptRun(log.output_of(row), columns, improvements)
    return runs


def _can_read(planner: ExternalPlanner, log: Log, row: int) -> bool:
    try:
        return planner.can_read(read_bytes(log.output_of(row)).decode(errors="replace"))
    except UserError:  # there is no such file
        return False
