"""``dry_run=true``: what would be run, how much of it is done, and how long the rest might take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from rich.table import Table
from rich.text import Text

from runner.console import console
from runner.execution.plan import Plan
from runner.messages import REFUSED, SUCCESS


def show_plan(planned: Plan, labels: Sequence[str]) -> int:
    """Show a plan; returns the exit code, 2 if some cell is wrong."""
    table = Table("cell", "instances", "done", "to do")
    for label, each in zip(labels, planned.cells, strict=True):
        table.add_row(Text(label), f"{each.total:,}", f"{each.total - each.waiting:,}", f"{each.waiting:,}")
    total, waiting = sum(each.total for each in planned.cells), sum(each.waiting for each in planned.cells)
    table.add_section()
    cells = f"{len(planned.cells):,} {'cell' if len(planned.cells) == 1 else 'cells'}"
    table.add_row(cells, *(f"{count:,}" for count in (total, total - waiting, waiting)))
    out = console()
    out.print(table)
    skipped = sum(bool(each.problem) and not each.is_wrong for each in planned.candidates)
    for count, what in ((skipped, "skipped"), (len(planned.refused), "refused")):
        if count:
            out.print(f"{count} {'cell' if count == 1 else 'cells'} would be {what}: see above")
    out.print(_estimate(planned))
    return REFUSED if planned.refused else SUCCESS


def _estimate(planned: Plan) -> str:
    """Return the time for what is to do, by the rows that are there: those of the same cell, else all."""
    if not any(each.waiting for each in planned.cells):
        return "nothing is to do"
    known = planned.index.mean_seconds
    if not known:
        return "no estimate of the time: there are no rows yet"
    mean = sum(known.values()) / len(known)
    rest = sum(each.waiting * known.get(each.folder, mean) for each in planned.cells)
    return f"about {timedelta(seconds=round(rest))} of search, by the rows that are there"
