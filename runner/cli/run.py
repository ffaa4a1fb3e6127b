"""Runs and sweeps: compose, plan, search, record, and print the results."""

from __future__ import annotations

from pathlib import Path

from runner.base.console import show
from runner.base.errors import UserError
from runner.base.messages import FAILED, REFUSED, SUCCESS, message, plural, reason, shown
from runner.cli import plan_table
from runner.cli.terminal import show_run, show_sweep
from runner.config.composition import Composition
from runner.config.request import Request, settings_in
from runner.config.schema import Parser
from runner.config.space import swept_keys
from runner.execution.candidates import Candidate
from runner.execution.plan import SweepPlan, plan
from runner.execution.recorder import Recorder
from runner.execution.stop import INTERRUPTED_LINE, Stop
from runner.execution.sweep import PreparedSweep, collect_rows, execute, prepare_sweep, print_notes
from runner.records.folder import refuse_occupied
from runner.records.log import Log
from runner.records.view import SweepLogs

_MAX_SHOWN = 100
"""Number of rows of a single run that are printed."""


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
    for note in cell.all_notes:
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
    log = Log(directory)
    return [row for _, row in log.rows(log.newest()[:_MAX_SHOWN])]


def sweep(request: Request) -> int:
    """Run all cells of a sweep and return the exit code."""
    return sweep_prepared(prepare_sweep(request))


def sweep_prepared(prepared: PreparedSweep) -> int:
    """Run all cells of a prepared sweep and return the exit code."""
    if prepared.settings.dry_run:
        return show_plan(prepared.plan())
    stop = Stop()
    with prepared.begun() as planned:
        prepared.record(planned)
        recorder = execute(planned, prepared.folder, prepared.settings, stop)
        return _exit_code(_conclude(prepared, planned, recorder), stop)


def show_plan(planned: SweepPlan) -> int:
    """Print the plan of a sweep instead of running it, and return the exit code."""
    print_notes(planned)
    return plan_table.show_plan(planned, [each.label for each in planned.cells])


def _conclude(prepared: PreparedSweep, planned: SweepPlan, recorder: Recorder) -> int:
    """Collect the rows of a finished or interrupted sweep, print its table, and return the exit code."""
    folder = prepared.folder
    if not folder.path.is_dir():
        message(f"error: {folder.path}: was removed while the sweep ran")
        return FAILED
    refused = planned.refused
    has_rows = any(totals.rows for totals in recorder.totals) or planned.logs.rows
    exit_code = REFUSED if refused or recorder.mistakes else FAILED if recorder.failures else SUCCESS
    if not has_rows:
        return exit_code
    try:
        totals = collect_rows(prepared, planned, recorder)
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


def _exit_code(exit_code: int, stop: Stop) -> int:
    if stop.requested:
        message(INTERRUPTED_LINE)
    return max(exit_code, stop.exit_code)
