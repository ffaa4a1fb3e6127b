"""``dry_run=true``: the cells that would run, their finished instances, and an estimate of the time."""

from __future__ import annotations

from datetime import timedelta

from rich.table import Table
from rich.text import Text

from runner.base.console import console
from runner.base.messages import REFUSED, SUCCESS, plural
from runner.execution.plan import SweepPlan


def show_plan(planned: SweepPlan) -> int:
    """Print a plan and return the exit code: 2 if a cell is wrong."""
    table = Table("cell", "instances", "done", "to do")
    for each in planned.cells:
        table.add_row(
            Text(each.label or "run"),
            f"{each.total:,}",
            f"{each.total - each.missing_count:,}",
            f"{each.missing_count:,}",
        )
    total, waiting = sum(each.total for each in planned.cells), sum(each.missing_count for each in planned.cells)
    table.add_section()
    table.add_row(plural(len(planned.cells), "cell"), *(f"{count:,}" for count in (total, total - waiting, waiting)))
    out = console()
    out.print(table)
    skipped = sum(bool(each.problem) and not each.is_wrong for each in planned.candidates)
    for count, outcome in ((skipped, "skipped"), (len(planned.refused), "refused")):
        if count:
            out.print(f"{plural(count, 'cell')} would be {outcome}: see above")
    out.print(_estimate(planned))
    return REFUSED if planned.refused else SUCCESS


def _estimate(planned: SweepPlan) -> str:
    """Estimate the time for the remaining instances from the finished rows of their cell, or else of all cells."""
    if not any(each.missing_count for each in planned.cells):
        return "nothing to do"
    known = planned.logs.mean_seconds
    if not known:
        return "no estimate of the time: there are no rows yet"
    mean = sum(known.values()) / len(known)
    rest = sum(each.missing_count * each.cell.repeat * known.get(each.folder, mean) for each in planned.cells)
    return f"about {timedelta(seconds=round(rest))} of search, estimated from the finished rows"
