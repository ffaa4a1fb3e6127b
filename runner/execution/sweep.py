"""Sweeps of commands, clusters and notebooks: prepare a request, search what is missing, and collect the rows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from omegaconf import OmegaConf, read_write

from runner.base.errors import UserError
from runner.base.messages import message, plural, reason
from runner.config.grammar import is_of_hydra
from runner.config.request import Request, settings_in
from runner.config.schema import Settings
from runner.config.space import SECTION
from runner.execution import pool
from runner.execution.candidates import Candidate, candidates_of
from runner.execution.plan import PlannedCell, SweepPlan, plan
from runner.execution.progress import TerminalProgress
from runner.execution.recorder import REFUSED_FILE, Recorder, adopt
from runner.execution.stop import Stop
from runner.records.folder import SweepFolder, refuse_occupied
from runner.records.latest import SWEEP
from runner.records.log import PART
from runner.records.reader import metrics_below
from runner.records.totals import Totals
from runner.records.view import SweepLogs, collect
from worlds.files import atomic_write

FEW_CELLS = 8
"""Largest number of cells that have a line each in any case, in the table and while they run."""
_SECONDS_BETWEEN_LINES = 10.0

Display = Callable[[str, int], AbstractContextManager[pool.ProgressDisplay]]


@dataclass(frozen=True)
class PreparedSweep:
    """Sweep whose cells have been composed and checked. Nothing has been written yet.

    Attributes
    ----------
    names : list of str or None
        Names of the candidates' folders; None unless hydra.sweep.subdir chooses them.
    """

    request: Request
    settings: Settings
    folder: SweepFolder
    candidates: list[Candidate]
    names: list[str] | None

    def plan(self) -> SweepPlan:
        """Return the plan: the instances without a finished row in the folder."""
        retry, path = self.settings.retry, self.folder.path
        cells = [each.cell for each in self.candidates]
        digests = [None if each is None else (each.identity(), each.identity(with_limits=False)) for each in cells]
        names = self.names or self.folder.allocate(digests, with_limits=retry != "limits")
        return plan(self.candidates, [path / name for name in names], SweepLogs(path), retry)

    @contextmanager
    def begun(self) -> Iterator[SweepPlan]:
        """Lock the folder, plan, and complete the logs of cells whose finished rows stand elsewhere."""
        self.folder.lock()
        try:
            planned = self.plan()
            print_notes(planned)
            adopt(planned.cells, planned.retry)
            if not planned.cells and not planned.refused:
                self.folder.discard()
                raise UserError("no cell of the sweep can run: see above")
            yield planned
        finally:
            self.folder.unlock()

    def record(self, planned: SweepPlan) -> None:
        """Write the record of the command into the folder, and the problems of refused cells."""
        try:
            if planned.cells or not self.folder.recorded():  # if all cells are refused, the older record stays
                self.folder.record(planned.jobs(self.folder.path, self.request.space.swept, {}))
                with atomic_write(self.folder.path / SWEEP) as out:
                    out.write(_record(self.request))
            for number, each in planned.refused:
                folder = planned.folders[number]
                folder.mkdir(parents=True, exist_ok=True)
                (folder / REFUSED_FILE).write_text(f"{each.problem}\n", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UserError(reason(error, self.folder.path)) from None


def prepare_sweep(request: Request) -> PreparedSweep:
    """Compose and check all cells of a sweep."""
    with request.locating():
        return _prepared(request)


def _prepared(request: Request) -> PreparedSweep:
    space, chosen, path = request.space, settings_in(request.common), request.common.directory("sweep")
    folder = SweepFolder(path)
    refuse_occupied(path)
    if folder.is_locked() and not chosen.dry_run:
        folder.refuse_locked()
    candidates = candidates_of(request)
    names = _subdirectories(candidates)
    if names is not None and metrics_below(path):
        raise UserError(
            f"{path}: holds results; a sweep with hydra.sweep.subdir cannot be continued, choose another folder"
        )
    for index, count in enumerate(space.excluded):
        note = "" if count else "note: "
        message(f"{note}{SECTION}.exclude[{index}]: excludes {plural(count, 'combination')}")
    if not candidates:
        raise UserError(f"{SECTION}.exclude: excludes every combination")
    return PreparedSweep(request, chosen, folder, candidates, names)


def print_notes(planned: SweepPlan) -> None:
    """Print why combinations are not run, each reason once, and how many rows on disk do not count."""
    for (is_wrong, problem), labels in sorted(planned.problems().items(), key=lambda item: item[0][0]):
        others = f" and {len(labels) - 1:,} more" if len(labels) > 1 else ""
        message(f"{labels[0]}{others}: {'error' if is_wrong else 'skipped'}: {problem}")
    for note in dict.fromkeys(note for each in planned.cells for note in each.cell.all_notes):
        message(f"note: {note}")
    if planned.by_code:
        action = "retry=none keeps them" if planned.retry == "none" else "made again"
        message(f"note: {plural(planned.by_code, 'row')} made by other code: {action}")
    if planned.by_content:
        message(f"note: {plural(planned.by_content, 'row')} of instances that have changed or are gone: left out")


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


def collect_rows(prepared: PreparedSweep, planned: SweepPlan, recorder: Recorder) -> list[Totals]:
    """Write the rows of all cells into one table, and return the totals of the cells that have rows."""
    if recorder.repeated:
        folder = prepared.folder
        folder.record(planned.jobs(folder.path, prepared.request.space.swept, recorder.repeated))
    return collect(prepared.folder)


def _subdirectories(candidates: Sequence[Candidate]) -> list[str] | None:
    """Return the folders that hydra.sweep.subdir names; None if it names none."""
    compositions = [each.composition for each in candidates]
    first = next((each for each in compositions if each is not None), None)
    if first is None or first.subdirectory(0) is None:
        return None
    first_with: dict[str, int] = {}
    names = []
    for number, each in enumerate(candidates):
        name = str(number) if each.composition is None else str(each.composition.subdirectory(number))
        if each.cell is not None and first_with.setdefault(os.path.normpath(name), number) != number:
            other = first_with[os.path.normpath(name)]
            raise UserError(f"hydra.sweep.subdir: cells {other} and {number} have the same folder, {name}")
        if Path(name).name.startswith(PART):
            raise UserError(f"hydra.sweep.subdir: {name}: names that begin with {PART} belong to tasks of a cluster")
        names.append(name)
    return names


def _record(request: Request) -> str:
    """Return the content of multirun.yaml: the configuration and the overrides, as Hydra records them."""
    config = request.common.config
    with read_write(config.hydra):
        config.hydra.overrides.task = [text for text in request.overrides if not is_of_hydra(text)]
        config.hydra.overrides.hydra = [text for text in request.overrides if is_of_hydra(text)]
    return OmegaConf.to_yaml(config)
