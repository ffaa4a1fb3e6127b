"""Runs and sweeps of commands, clusters and notebooks: prepare a request, search what is missing, collect the rows.

A run is a sweep of one cell, in a folder that it has for itself: nothing is locked, and there are no earlier rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from omegaconf import OmegaConf, read_write

from runner.base import UserError, atomic_write, files_below, plural, reason
from runner.config import SECTION, Composition, Parser, Request, Settings, is_of_hydra, settings_in
from runner.execution import pool
from runner.execution.candidates import Candidate, candidates_of, refuse_wrong
from runner.execution.display import Display
from runner.execution.places import places
from runner.execution.plan import SweepPlan, plan_sweep
from runner.execution.recorder import Recorder, adopt
from runner.execution.stop import Stop
from runner.machine import Observer, physical_cores
from runner.records import PART, Job, RecordFile, SweepFolder, SweepLogs, Totals, ask_tools, collect, refuse_occupied


@dataclass(frozen=True)
class PreparedRun:
    """Run whose cell has been composed and checked. Nothing has been written yet."""

    settings: Settings
    path: Path
    candidate: Candidate
    display: Display

    @classmethod
    def of(cls, composition: Composition, display: Display) -> PreparedRun:
        """Check the cell of a configuration."""
        chosen = settings_in(composition)
        cell = Parser().parse(composition.resolved)
        path = composition.directory("run")
        refuse_occupied(path)
        return cls(chosen, path, Candidate("", composition, cell), display)

    def plan(self) -> SweepPlan:
        """Return the plan: all instances."""
        planned = plan_sweep([self.candidate], [self.path], SweepLogs(), self.settings.retry)
        self.display.planned(planned)
        return planned

    @contextmanager
    def begun(self) -> Iterator[SweepPlan]:
        """Yield the plan."""
        yield self.plan()

    def search(self, planned: SweepPlan, stop: Stop) -> Recorder:
        """Search all instances, and return the recorder of their rows."""
        return execute(planned, None, self.settings, stop, self.display)


@dataclass(frozen=True)
class PreparedSweep:
    """Sweep whose cells have been composed and checked. Nothing has been written yet.

    Attributes
    ----------
    names : list of str or None
        Names of the candidates' folders; None unless hydra.sweep.subdir chooses them.
    display : Display
        Shows the events of the sweep.
    rereads : bool
        Whether kept outputs of programs are read again, and nothing is searched.
    """

    request: Request
    settings: Settings
    folder: SweepFolder
    candidates: list[Candidate]
    names: list[str] | None
    display: Display
    rereads: bool = False

    @classmethod
    def of(cls, request: Request, display: Display, *, rereads: bool = False) -> PreparedSweep:
        """Compose and check all cells of a sweep."""
        with request.locating():
            return replace(cls._of(request, display), rereads=rereads)

    @classmethod
    def _of(cls, request: Request, display: Display) -> PreparedSweep:
        space = request.space
        chosen = settings_in(request.common)
        path = request.common.directory("sweep")
        folder = SweepFolder(path)
        refuse_occupied(path)
        if folder.is_locked() and not chosen.dry_run:
            folder.refuse_locked()
        candidates = candidates_of(request)
        names = _subdirectories(candidates)
        if names is not None and files_below(path, RecordFile.METRICS):
            raise UserError(
                f"{path}: holds results; a sweep with hydra.sweep.subdir cannot be continued, choose another folder"
            )
        for index, count in enumerate(space.excluded):
            display.excluded(index, count)
        if not candidates:
            raise UserError(f"{SECTION}.exclude: excludes every combination")
        return cls(request, chosen, folder, candidates, names, display)

    def refuse_wrong(self) -> None:
        """Raise `UserError` if a combination is wrong."""
        refuse_wrong(self.candidates)

    def plan(self) -> SweepPlan:
        """Return the plan: the instances without a finished row in the folder. Show which cells are not run."""
        retry, path = self.settings.retry, self.folder.path
        cells = [each.cell for each in self.candidates]
        digests = [
            None if each is None else (each.identity(), each.identity(with_limits=False), each.reading)
            for each in cells
        ]
        names = self.names or self.folder.allocate(digests, with_limits=retry != "limits")
        folders = [path / name for name in names]
        planned = plan_sweep(self.candidates, folders, SweepLogs(path), retry, rereads=self.rereads)
        self.display.planned(planned)
        return planned

    @contextmanager
    def begun(self) -> Iterator[SweepPlan]:
        """Lock the folder, plan, and complete the logs of cells whose finished rows stand elsewhere."""
        self.folder.lock()
        try:
            planned = self.plan()
            adopt(planned)
            if not planned.cells and not planned.refused:
                raise UserError("no cell of the sweep can run: see above")
            yield planned
        except UserError:
            self.folder.discard()
            raise
        finally:
            self.folder.unlock()

    def record(self, planned: SweepPlan) -> None:
        """Write the record of the command into the folder, and the problems of refused cells."""
        try:
            if planned.cells or not self.folder.recorded():  # if all cells are refused, the older record stays
                self.folder.record(self._jobs(planned, {}))
                with atomic_write(self.folder.path / RecordFile.SWEEP) as out:
                    out.write(_record(self.request))
            for number, each in planned.refused:
                folder = planned.folders[number]
                folder.mkdir(parents=True, exist_ok=True)
                (folder / RecordFile.REFUSED).write_text(
                    f"{each.problem}\n", encoding="utf-8", errors="backslashreplace"
                )
        except OSError as error:
            raise UserError(reason(error, self.folder.path)) from None

    def _jobs(self, planned: SweepPlan, repeated: Mapping[int, int]) -> list[Job]:
        """Return the records of the cells. A cell without an output to read again keeps its record, and so its rows."""
        former = {job.folder: job for job in self.folder.recorded()} if self.rereads else {}
        jobs = planned.jobs(self.folder.path, self.request.space.swept, repeated)
        cells = zip(jobs, planned.cells, strict=True)
        return [job if cell.missing else former.get(job.folder, job) for job, cell in cells]

    def search(self, planned: SweepPlan, stop: Stop) -> Recorder:
        """Record the command, search the remaining instances, and return the recorder of their rows."""
        return execute(planned, self.folder, self.settings, stop, self.display, partial(self.record, planned))

    def collect(self, planned: SweepPlan, recorder: Recorder) -> list[Totals] | None:
        """Write the rows of all cells into one table, and return the totals of the cells; None if there are no rows."""
        if not planned.logs.rows and not any(totals.rows for totals in recorder.totals):
            return None
        if recorder.repeated:
            self.folder.record(self._jobs(planned, recorder.repeated))
        return collect(self.folder)


def execute(
    planned: SweepPlan, folder: SweepFolder | None, chosen: Settings, stop: Stop, display: Display,
    record: Callable[[], None] = lambda: None,
) -> Recorder:  # fmt: skip
    """Search the remaining instances of a plan, and return the recorder of their rows.

    Parameters
    ----------
    record : callable
        Writes the record of the command, once the machine is known to have the places that the settings demand.
    """
    waiting = sum(cell.missing_searches for cell in planned.cells)
    wanted = len(physical_cores()) if chosen.workers == "all" else int(chosen.workers)
    workers = min(wanted, max(1, waiting))
    searches = planned.searches(chosen.order, chosen.order_seed)
    title = str(planned.cells[0].cell.stack) if len(planned.cells) == 1 else plural(len(planned.cells), "cell")
    cells = [each.cell for each in planned.cells]
    repeat = max((cell.repeat for cell in cells), default=1)
    if repeat > 1:
        title += f", {repeat} searches of each instance"
    if waiting:
        ask_tools(part for each in planned.cells if each.missing for part in each.cell.parts)
    observer = Observer()
    with places(workers, pinned=chosen.pin, measure=chosen.measure) as found:
        record()
        is_pinned = any(place.core is not None for place in found)
        recorder = Recorder(planned, folder, display.finished, display.failed, observer, pinned=is_pinned)
        display.begins(planned, recorder.totals)
        try:
            with display.progress(title, waiting, chosen.progress) as progress:
                pool.Pool(cells, searches, found, recorder, progress, stop).run()
        finally:
            recorder.close()
    return recorder


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
