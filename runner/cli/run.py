"""Runs and sweeps: compose, plan, search, record, and print the results."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from runner.base.console import show
from runner.base.errors import UserError
from runner.base.messages import FAILED, REFUSED, SUCCESS, message, plural, reason, shown
from runner.cli import plan_table
from runner.cli.progress import TerminalProgress
from runner.cli.sweep import prepare_sweep
from runner.cli.terminal import FEW_CELLS, show_run, show_sweep
from runner.config.composition import Composition
from runner.config.request import Request, settings_in
from runner.config.schema import Parser, Settings
from runner.config.space import swept_keys
from runner.execution import pool
from runner.execution.candidates import Candidate
from runner.execution.plan import PlannedCell, SweepPlan, plan
from runner.execution.recorder import Recorder
from runner.execution.stop import INTERRUPTED_LINE, Stop
from runner.records.folder import SweepFolder, refuse_occupied
from runner.records.log import Log
from runner.records.totals import Totals
from runner.records.view import SweepLogs, collect

_SECONDS_BETWEEN_LINES = 10.0
_MAX_SHOWN = 100
"""Number of rows of a single run that are printed."""

Display = Callable[[str, int], AbstractContextManager[pool.ProgressDisplay]]


def run(request: Request) -> int:
    """Run one cell and return the exit code."""
    with request.locating():
        return run_composed(request.single)


def run_composed(composition: Composition) -> int:
    """Run the cell of a configuration and return the exit code."""
    chosen = settings_in(composition)
    cell = Parser().parse(composition.resolved)
    directory = composition.directory("run")
    swept = swept_keys(composition)
    refuse_occupied(directory)
    candidate = Candidate("", composition, cell)
    planned = plan([candidate], [directory], SweepLogs(), chosen.retry)
    for note in cell.notes:
        message(f"note: {note}")
    if swept:
        message(f"note: this configuration is a sweep over {', '.join(swept)}; add -m to run all of it")
    if chosen.dry_run:
        return plan_table.show_plan(planned, ["run"])
    stop = Stop()
    recorder = execute(planned, None, chosen, stop)
    totals = recorder.totals[0]
    is_shown = True
    if totals.rows or not stop.requested:
        is_shown = recorder.mistakes > 0 or show(lambda: show_run(totals, _first_rows(directory), shown(directory)))
    exit_code = FAILED if totals.faulty or recorder.failures or not is_shown else SUCCESS
    return _exit_code(REFUSED if recorder.mistakes else exit_code, stop)


def _first_rows(directory: Path) -> list[dict[str, str]]:
    """Return the first rows of a run, in the order of the instances."""
    log = Log(directory, with_parts=False)
    return [row for _, row in log.rows([*log.newest().values()][:_MAX_SHOWN])]


def sweep(request: Request) -> int:
    """Run all cells of a sweep and return the exit code."""
    prepared = prepare_sweep(request)
    if prepared.settings.dry_run:
        return prepared.show(prepared.plan())
    stop = Stop()
    planned = prepared.begin()
    prepared.record(planned)
    recorder = execute(planned, prepared.folder, prepared.settings, stop)
    return _exit_code(_conclude(prepared.folder, planned, recorder, prepared.request.space.swept), stop)


def execute(
    planned: SweepPlan, folder: SweepFolder | None, chosen: Settings, stop: Stop, display: Display | None = None
) -> Recorder:
    """Search the remaining instances of a plan, and return the recorder of their rows.

    Parameters
    ----------
    display : callable, optional
        Returns the context of a display of progress for a title and a number of instances. By default progress and the
        totals of cells are shown on the terminal: of every cell of a small sweep, and now and then of a large one.
    """
    report = _reporter(len(planned.cells)) if display is None else _ignore
    recorder = Recorder(planned, folder, report, _print_failure)
    done = [
        (cell, totals) for cell, totals in zip(planned.cells, recorder.totals, strict=True) if not cell.missing_count
    ]
    if len(done) > FEW_CELLS and display is None:
        rows = sum(totals.before for _, totals in done)
        message(f"{len(done):,} of {plural(len(planned.cells), 'cell')} done before: {plural(rows, 'row')}")
    else:
        for cell, totals in done:
            report(cell, totals)
    workers = _processors() if chosen.workers == "all" else int(chosen.workers)
    waiting = sum(cell.missing_count for cell in planned.cells)
    title = str(planned.cells[0].cell.stack) if len(planned.cells) == 1 else plural(len(planned.cells), "cell")
    cells = [each.cell for each in planned.cells]
    try:
        shown_by = TerminalProgress(title, waiting, chosen.progress) if display is None else display(title, waiting)
        with shown_by as progress:
            pool.Pool(cells, planned.ranges(), min(workers, max(1, waiting)), recorder, progress, stop).run()
    finally:
        recorder.close()
    return recorder


def _ignore(cell: PlannedCell, totals: Totals) -> None:
    """Print nothing."""


def _reporter(cells: int) -> Callable[[PlannedCell, Totals], None]:
    """Return what prints the totals of cells: of each if they are few, else of those with errors, and every 10 s."""
    due = time.monotonic() + _SECONDS_BETWEEN_LINES

    def report(cell: PlannedCell, totals: Totals) -> None:
        nonlocal due
        if cells <= FEW_CELLS or totals.faulty or time.monotonic() > due:
            due = time.monotonic() + _SECONDS_BETWEEN_LINES
            _print_totals(cell, totals)

    return report


def _print_totals(cell: PlannedCell, totals: Totals) -> None:
    """Print the totals of a cell of a sweep on standard error."""
    if cell.label:
        message(f"{cell.label}: {totals}" + (f", {totals.search_seconds:.3f} s" if totals.rows else ""))


def _print_failure(cell: PlannedCell, problem: str) -> None:
    message(f"{cell.label}: error: {problem}" if cell.label else f"error: {problem}")


def _processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _conclude(folder: SweepFolder, planned: SweepPlan, recorder: Recorder, swept: Sequence[str]) -> int:
    """Collect the rows of a finished or interrupted sweep, print its table, and return the exit code."""
    if not folder.path.is_dir():
        message(f"error: {folder.path}: was removed while the sweep ran")
        return FAILED
    refused = planned.refused
    has_rows = any(totals.rows for totals in recorder.totals) or planned.logs.rows
    exit_code = REFUSED if refused or recorder.mistakes else FAILED if recorder.failures else SUCCESS
    if not has_rows:
        return exit_code
    try:
        totals = collect_rows(folder, planned, recorder, swept)
    except UserError as error:
        message(f"error: {error}")
        return FAILED
    except OSError as error:
        message(f"error: {reason(error, folder.path)}")
        return FAILED
    overrides = {job.folder: job.overrides for job in folder.recorded()}
    is_shown = show(lambda: show_sweep(totals, overrides, folder.path))
    if refused:
        message(f"{len(refused):,} of {plural(len(planned.candidates), 'cell')} refused: see above")
    if exit_code:
        return exit_code
    return FAILED if not is_shown or any(each.faulty for each in totals) else SUCCESS


def collect_rows(folder: SweepFolder, planned: SweepPlan, recorder: Recorder, swept: Sequence[str]) -> list[Totals]:
    """Write the rows of all cells into one table, and return the totals of the cells that have rows."""
    if recorder.repeated:
        folder.record(planned.jobs(folder.path, swept, recorder.repeated))
    return collect(folder)


def _exit_code(exit_code: int, stop: Stop) -> int:
    if stop.requested:
        message(INTERRUPTED_LINE)
    return max(exit_code, stop.exit_code)
