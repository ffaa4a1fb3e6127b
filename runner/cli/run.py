"""Runs and sweeps: compose, plan, search, record, and print the results."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from shlex import quote

from algorithms.programs.interface import ExternalPlanner
from runner.base import (
    ERROR,
    FAILED,
    INTERRUPTED_LINE,
    LIMITS,
    REFUSED,
    SUCCESS,
    UNSOLVABLE,
    UserError,
    message,
    plural,
    reason,
    show,
    shown,
)
from runner.cli.display import TerminalDisplay
from runner.cli.outcome import show_run, show_sweep
from runner.config import Composition, Request, swept_keys
from runner.execution import Recorder, Stop, Sweep, SweepCell
from runner.records import Log

_MAX_SHOWN = 100
"""Number of rows of a single run that are printed."""


def run(request: Request) -> int:
    """Run one cell and return the exit code."""
    with request.locating():
        return run_composed(request.single)


def run_composed(composition: Composition) -> int:
    """Run the cell of a configuration and return the exit code."""
    prepared = Sweep.of_run(composition, TerminalDisplay())
    swept = swept_keys(composition)
    if swept:
        message(f"note: this configuration is a sweep over {', '.join(swept)}; add -m to run all of it")
    return run_prepared(prepared)


def sweep(request: Request, *, rereads: bool = False) -> int:
    """Run all cells of a sweep, or read their kept outputs again, and return the exit code."""
    return run_prepared(Sweep.of(request, TerminalDisplay(), rereads=rereads))


def run_prepared(prepared: Sweep) -> int:
    """Run all cells of a prepared sweep and return the exit code."""
    if prepared.settings.dry_run:
        prepared.plan()
        return TerminalDisplay.show_plan(prepared)
    stop = Stop()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        how_to_stop = f"to stop: kill {os.getpid()}"
        message(f"note: Ctrl-C (SIGINT) is ignored, as the caller set it, such as by & in a script; {how_to_stop}")
    with prepared.begun():
        recorder = prepared.search(stop)
        if prepared.request is None:
            exit_code = _conclude_run(recorder, stop)
            how_to_go_on = "a run cannot be continued, but a sweep can (-m)"
        else:
            exit_code = _conclude_sweep(prepared, recorder)
            how_to_go_on = f"to continue: python -m runner resume {quote(shown(prepared.folder.path))}"
    if stop.requested:
        message(f"{INTERRUPTED_LINE}; {how_to_go_on}")
    else:
        for text in _unfilled(prepared.cells, with_parts=prepared.request is not None):
            message(f"note: {text}")
    return max(exit_code, stop.exit_code)


def _unfilled(cells: Sequence[SweepCell], *, with_parts: bool) -> Iterator[str]:
    """Yield which patterns and keys of programs have given no value, unless in rows at a limit or of no output.

    A cost is expected with a plan only, and a plan unless the program says that there is none.
    """
    rows_without: Counter[str] = Counter()
    filled: set[str] = set()
    for cell in cells:
        planner = cell.cell.algorithm
        if not isinstance(planner, ExternalPlanner):
            continue
        wanted = {text: column for column, text in planner.expected.items() if text not in filled}
        log = Log(cell.folder, with_parts=with_parts)
        for _, row in log.rows(log.current(cell.rule)):
            filled.update(text for text, column in wanted.items() if row.get(column))
            wanted = {text: column for text, column in wanted.items() if text not in filled}
            if not wanted:
                break
            if row["status"] not in LIMITS and (row["status"] != ERROR.name or row.get("exit_code")):
                is_expected = {"valid": row["status"] != UNSOLVABLE.name, "claimed_cost": row.get("valid")}
                rows_without.update(text for text, column in wanted.items() if is_expected.get(column, True))
    for text, count in rows_without.items():
        if text not in filled:
            yield f"{text} has given no value in {plural(count, 'row')}"


def _conclude_run(recorder: Recorder, stop: Stop) -> int:
    """Print the table of a finished or interrupted run, and return the exit code."""
    if recorder.mistakes:
        return REFUSED
    totals = recorder.totals[0]
    if not totals.directory.is_dir() and (totals.rows or not stop.requested):
        if not recorder.failures:  # they have been reported
            message(f"error: {totals.directory}: was removed while the run went on")
        return FAILED
    is_shown = True
    if totals.rows or not stop.requested:
        log = Log(totals.directory, with_parts=False)
        first = [row for _, row in log.rows(log.counted()[:_MAX_SHOWN])]
        is_shown = show(lambda: show_run(totals, first, shown(totals.directory)))
    return FAILED if totals.faulty or recorder.failures or not is_shown else SUCCESS


def _conclude_sweep(prepared: Sweep, recorder: Recorder) -> int:
    """Collect the rows of a finished or interrupted sweep, print its table, and return the exit code."""
    folder = prepared.folder
    if not folder.path.is_dir():
        message(f"error: {folder.path}: was removed while the sweep ran")
        return FAILED
    refused = prepared.refused
    exit_code = REFUSED if refused or recorder.mistakes else FAILED if recorder.failures else SUCCESS
    try:
        totals = prepared.collect(recorder)
    except UserError as error:
        message(f"error: {error}")
        return FAILED
    except OSError as error:
        message(f"error: {reason(error, folder.path)}")
        return FAILED
    if totals is None:
        return exit_code
    overrides = {job.folder: job.overrides for job in folder.recorded()}
    is_shown = show(lambda: show_sweep(totals, overrides, folder.path))
    if refused:
        count = len(prepared.cells) + len(prepared.omitted)
        message(f"{len(refused):,} of {plural(count, 'cell')} refused: see above")
    if exit_code:
        return exit_code
    return FAILED if not is_shown or any(each.faulty for each in totals) else SUCCESS
