"""Plan of the cells of a sweep, made before anything runs: the instances to search.

An instance is searched unless a log of the sweep has a finished row with its `run_id` (`runner.records.rule`). If that
row stands elsewhere, in the log of another cell or at another number, it is copied. For ``resume --reread``, those with
a kept output are planned, and no program is started.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import islice

from algorithms.programs.interface import ExternalPlanner, KeptRun
from runner.base import Retry, UserError, directory_kept, number_of, read_bytes
from runner.config import Cell
from runner.execution.cells import SweepCell, append_to
from runner.execution.solver import Solver
from runner.machine import Usage
from runner.records import Log, RowRule, SweepLogs, code_and_note, decode_plan, key_of

_TEXTS = ("limits", "measured_by")
_OF_THE_RUN = (
    "search_seconds", "cpu_seconds", "compile_seconds", "memory_bytes", "repetitions", "spread", "seconds_low",
    "seconds_high", "limits", *(field.name for field in fields(Usage)),
)  # fmt: skip
"""Columns that do not depend on how the output is read."""


def plan_cells(cells: Iterable[SweepCell], logs: SweepLogs, retry: Retry, *, rereads: bool = False) -> list[SweepCell]:
    """Return cells with the code that makes their rows, and the instances that have no finished row.

    Parameters
    ----------
    logs : SweepLogs
        Rows on disk.
    retry : {"failed", "limits", "none"}
        Rows that are made again. "failed": rows with errors and interruptions. "limits": also rows that ended at a
        limit; other limits alone do not make a row stale. "none": no rows, not even those of other code.
    rereads : bool
        Whether kept outputs are read again, and nothing is searched.
    """
    found = []
    codes: dict[tuple[object, ...], tuple[str, str]] = {}
    for each in cells:
        cell = each.cell
        of_heuristics = (each for heuristic in cell.stack.heuristics for each in heuristic.code_parts())
        programs = (*cell.algorithm.code_parts(), None, *of_heuristics, None, *cell.algorithm.reading_parts())
        key = (frozenset(map(type, cell.parts)), *programs)
        if key not in codes:
            codes[key] = code_and_note(cell.parts)
        code, note = codes[key]
        cell = replace(cell, code=code, notes=(*cell.notes, *([note] if note else [])))
        limits = str(cell.limits)
        is_any_code = retry == "none" and not rereads
        rule = RowRule(limits=limits) if is_any_code else RowRule(code, limits, cell.repeat)
        planned = replace(each, cell=cell, rule=rule, missing=[range(len(cell.source))])
        found.append(_without_finished(planned, logs, retry, rereads) if logs.rows or rereads else planned)
    return found


@directory_kept()
def _without_finished(planned: SweepCell, logs: SweepLogs, retry: Retry, rereads: bool) -> SweepCell:
    """Return a cell with the instances that have no finished row: neither in its log nor in another one.

    If kept outputs are read again, only the instances with such an output are missing.
    """
    cell = planned.cell
    rule = planned.rule
    rule_elsewhere = rule._replace(limits=None) if retry == "limits" else rule
    log = logs.of(planned.folder)
    current = log.current(rule)
    finished_rows = {log.keys[row]: row for row in current if rule.is_finished(log.kind(row), retry)}
    interruptions_of_keys = log.interruptions()
    keys_of_other_code = {*log.keys}.difference(log.keys[row] for row in current)
    kept = kept_runs(cell, log, rule) if rereads else None
    keys_read_otherwise = keys_of_other_code.intersection(
        log.keys[row] for row in (log.counted(rule) if rereads else ())
    )
    solver = Solver.of(cell)
    total = len(cell.source)
    keys: set[int] = set()
    missing: list[range] = []
    elsewhere: list[tuple[Log, int, int]] = []
    interruptions: dict[int, int] = {}
    finished = of_other_code = iterated = not_reread = unread = 0
    try:
        for number, instance in enumerate(islice(cell.source.instances(), total)):
            key = key_of(solver.run_id(instance))
            iterated += 1
            if key in keys:
                continue  # the source repeats an instance
            keys.add(key)
            row = finished_rows.get(key)
            finished_row = logs.find(key, rule_elsewhere, retry) if row is None else (log, row)
            if finished_row is None and kept is not None and key not in kept:
                not_reread += 1
                unread += key in keys_read_otherwise
            elif finished_row is None:
                of_other_code += key in keys_of_other_code
                append_to(missing, number)
                if key in interruptions_of_keys:
                    interruptions[number] = interruptions_of_keys[key]
            elif row is not None and log.numbers[row] == number:
                of_other_code += log.kind(row).code != cell.code
                finished += 1
            else:
                elsewhere.append((*finished_row, number))
    except KeyboardInterrupt:
        raise
    except BaseException:  # the source failed; the run will report it
        if kept is None:
            missing.append(range(iterated, total))
        else:
            not_reread += total - iterated
    return replace(
        planned,
        cell=cell if kept is None else replace(cell, kept=kept, repeat=1),
        missing=missing,
        not_reread=not_reread,
        unread=unread,
        finished=finished + len(elsewhere),
        elsewhere=elsewhere,
        gone=frozenset(log.keys).difference(keys) if iterated == total else frozenset(),
        of_other_code=0 if rereads else of_other_code,
        interruptions=interruptions,
    )


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
