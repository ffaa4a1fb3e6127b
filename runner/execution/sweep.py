"""Sweeps of commands, clusters and notebooks: prepare a request, search what is missing, collect the rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from omegaconf import OmegaConf, read_write

from runner.base import UserError, atomic_write, files_below, plural, reason
from runner.config import SWEEP_KEY, Composition, Parser, Request, Settings, is_of_hydra, settings_in
from runner.execution import pool
from runner.execution.cells import OmittedCell, SweepCell, combinations, refuse_wrong, searches, swept_columns
from runner.execution.display import Display
from runner.execution.places import places
from runner.execution.plan import plan_cells
from runner.execution.recorder import Recorder, adopt
from runner.execution.stop import Stop
from runner.machine import Observer, physical_cores
from runner.records import PART, Job, RecordFile, SweepFolder, SweepLogs, Totals, collect, refuse_occupied

_NO_FOLDERS = {"..", *RecordFile.ALL, RecordFile.LOCK, RecordFile.TASK_LOCKS, RecordFile.REFUSED, RecordFile.FAILED}
"""Names that the folder of a cell cannot have."""


@dataclass
class Sweep:
    """Sweep whose cells have been composed and checked. Nothing has been written yet.

    A run is a sweep of one cell, in a folder that it has for itself: nothing is locked, and there are no earlier rows.

    Attributes
    ----------
    folder : SweepFolder
        Folder of the sweep, or of the run.
    cells : list of SweepCell
        Cells that run. `plan` and `begun` plan them.
    omitted : list of OmittedCell
        Combinations that do not run.
    display : Display
        Shows the events of the sweep.
    request : Request or None
        Request of the sweep; None for a run.
    names : list of str or None
        Names of the combinations' folders; before the plan None, unless hydra.sweep.subdir chooses them.
    rereads : bool
        Whether kept outputs of programs are read again, and nothing is searched.
    logs : SweepLogs
        Rows on disk before the plan.
    """

    settings: Settings
    folder: SweepFolder
    cells: list[SweepCell]
    omitted: list[OmittedCell]
    display: Display
    request: Request | None = None
    names: list[str] | None = None
    rereads: bool = False
    logs: SweepLogs = field(default_factory=SweepLogs)

    @classmethod
    def of_run(cls, composition: Composition, display: Display) -> Sweep:
        """Check the cell of a run."""
        settings = settings_in(composition)
        cell = Parser().parse(composition.resolved)
        path = composition.directory("run")
        refuse_occupied(path, RecordFile.SWEEP, RecordFile.JOBS)
        return cls(settings, SweepFolder(path), [SweepCell(0, "", cell, composition)], [], display)

    @classmethod
    def of(cls, request: Request, display: Display, *, rereads: bool = False) -> Sweep:
        """Compose and check all cells of a sweep."""
        with request.locating():
            space = request.space
            settings = settings_in(request.common)
            path = request.common.directory("sweep")
            folder = SweepFolder(path)
            refuse_occupied(path)
            if folder.is_locked() and not settings.dry_run:
                folder.refuse_locked()
            cells, omitted = combinations(request)
            names = _subdirectories(cells, omitted)
            if names is not None and files_below(path, RecordFile.METRICS):
                raise UserError(
                    f"{path}: holds results; a sweep with hydra.sweep.subdir cannot be continued, choose another folder"
                )
            for index, count in enumerate(space.excluded):
                display.excluded(index, count)
            if not cells and not omitted:
                none = f"{SWEEP_KEY}.exclude: excludes every combination"
                raise UserError(none if space.excluded else "glob: matches heuristics of other domains only")
            return cls(settings, folder, cells, omitted, display, request, names, rereads)

    @property
    def refused(self) -> list[OmittedCell]:
        """Combinations that are wrong."""
        return [each for each in self.omitted if each.is_wrong]

    def refuse_wrong(self) -> None:
        """Raise `UserError` if a combination is wrong."""
        refuse_wrong(self.omitted)

    def plan(self) -> None:
        """Find the folders of the cells, and the instances without a finished row. Show which cells are not run."""
        path, retry = self.folder.path, self.settings.retry
        if self.request is None:
            folders = [path]
        else:
            digests: list[tuple[str, ...] | None] = [None] * (len(self.cells) + len(self.omitted))
            for each in self.cells:
                digests[each.number] = each.digests
            self.names = self.names or self.folder.allocate(digests, with_limits=retry != "limits")
            folders = [path / self.names[each.number] for each in self.cells]
            self.logs = SweepLogs(path)
        cells = [replace(each, folder=folder) for each, folder in zip(self.cells, folders, strict=True)]
        self.cells = plan_cells(cells, self.logs, retry, rereads=self.rereads)
        self.display.planned(self.cells, self.omitted, retry)

    @contextmanager
    def begun(self) -> Iterator[None]:
        """Lock the folder, plan, and complete the logs of cells whose finished rows stand elsewhere."""
        if self.request is None:
            self.plan()
            yield
            return
        self.folder.lock(self.names or ())
        try:
            self.plan()
            adopt(self.cells, self.logs)
            if not self.cells and not self.refused:
                raise UserError("no cell of the sweep can run: see above")
            yield
        except UserError:
            self.folder.discard()
            raise
        finally:
            self.folder.unlock()

    def record(self) -> None:
        """Write the record of the command into the folder of a sweep, and the problems of refused cells."""
        if self.request is None or self.names is None:
            return
        path = self.folder.path
        try:
            if self.cells or not self.folder.recorded():  # if all cells are refused, the older record stays
                self._record_cells({})
                with atomic_write(path / RecordFile.SWEEP) as out:
                    out.write(_record(self.request))
            for each in self.refused:
                folder = path / self.names[each.number]
                folder.mkdir(parents=True, exist_ok=True)
                (folder / RecordFile.REFUSED).write_text(
                    f"{each.problem}\n", encoding="utf-8", errors="backslashreplace"
                )
        except OSError as error:
            raise UserError(reason(error, path)) from None

    def _record_cells(self, repeated: Mapping[int, int]) -> None:
        """Write jobs.json. A cell without an output to read again keeps its record, and so its rows.

        Parameters
        ----------
        repeated : mapping of int to int
            Number of instances that have turned out to repeat another, by the position of the cell in `cells`.
        """
        assert self.request is not None
        former = {job.folder: job for job in self.folder.recorded()} if self.rereads else {}
        values, swept = swept_columns(self.cells, self.request.space.swept)
        jobs = []
        for position, each in enumerate(self.cells):
            cell, search, reading = each.digests
            job = Job(
                folder=each.folder.relative_to(self.folder.path).as_posix(),
                overrides=list(each.composition.overrides),
                cell=cell,
                search=search,
                instances=each.total - repeated.get(position, 0),
                code=each.rule.code or "",
                reading=reading,
                limits=str(each.cell.limits),
                repeat=each.rule.repeat,
                values=values[position],
                swept=swept,
            )
            jobs.append(job if each.missing else former.get(job.folder, job))
        self.folder.record(jobs)

    def search(self, stop: Stop) -> Recorder:
        """Record the command, search the remaining instances, and return the recorder of their rows."""
        folder = None if self.request is None else self.folder
        return execute(self.cells, folder, self.settings, stop, self.display, self.record)

    def collect(self, recorder: Recorder) -> list[Totals] | None:
        """Write the rows of all cells into one table, and return the totals of the cells; None if there are no rows."""
        if not self.logs.rows and not any(totals.rows for totals in recorder.totals):
            return None
        if recorder.repeated:
            self._record_cells(recorder.repeated)
        return collect(self.folder)


def execute(
    cells: Sequence[SweepCell], folder: SweepFolder | None, chosen: Settings, stop: Stop, display: Display,
    record: Callable[[], None] = lambda: None,
) -> Recorder:  # fmt: skip
    """Search the remaining instances of planned cells, and return the recorder of their rows.

    Parameters
    ----------
    folder : SweepFolder or None
        Folder of the sweep; None for a run.
    record : callable
        Writes the record of the command, once the machine is known to have the places that the settings demand.
    """
    waiting = sum(each.missing_count * each.cell.repeat for each in cells)
    wanted = len(physical_cores()) if chosen.workers == "all" else int(chosen.workers)
    workers = min(wanted, max(1, waiting))
    title = str(cells[0].cell.stack) if len(cells) == 1 else plural(len(cells), "cell")
    repeat = max((each.cell.repeat for each in cells), default=1)
    if repeat > 1:
        title += f", {repeat} searches of each instance"
    observer = Observer()
    with places(workers, pinned=chosen.pin, measure=chosen.measure) as found:
        record()
        is_pinned = any(place.core is not None for place in found)
        recorder = Recorder(cells, folder, display, observer, pinned=is_pinned)
        display.begins(cells, recorder.totals)
        try:
            with display.progress(title, waiting, chosen.progress) as progress:
                ranges = searches(cells, chosen.order, chosen.order_seed)
                pool.Pool([each.cell for each in cells], ranges, found, recorder, progress, stop).run()
        finally:
            recorder.close()
    return recorder


def _subdirectories(cells: Sequence[SweepCell], omitted: Sequence[OmittedCell]) -> list[str] | None:
    """Return the folders that hydra.sweep.subdir names; None if it names none."""
    first_with: dict[str, int] = {}
    names = []
    combined: list[SweepCell | OmittedCell] = [*cells, *omitted]
    for each in sorted(combined, key=lambda each: each.number):
        name = str(each.number) if each.composition is None else each.composition.subdirectory(each.number)
        if name is None:
            return None
        if not Path(name).parts or Path(name).is_absolute() or not _NO_FOLDERS.isdisjoint(Path(name).parts):
            raise UserError(f"hydra.sweep.subdir: expected a folder inside that of the sweep, got {name!r}")
        has_files = isinstance(each, SweepCell) or each.is_wrong
        if has_files and first_with.setdefault(os.path.normpath(name), each.number) != each.number:
            other = first_with[os.path.normpath(name)]
            raise UserError(f"hydra.sweep.subdir: cells {other} and {each.number} have the same folder, {name}")
        if Path(name).name.startswith(PART):
            raise UserError(f"hydra.sweep.subdir: {name}: names that begin with {PART} belong to tasks of a cluster")
        names.append(name)
    return names or None


def _record(request: Request) -> str:
    """Return the content of multirun.yaml: the configuration and the overrides, as Hydra records them."""
    config = request.common.config
    with read_write(config.hydra):
        config.hydra.overrides.task = [text for text in request.overrides if not is_of_hydra(text)]
        config.hydra.overrides.hydra = [text for text in request.overrides if is_of_hydra(text)]
    return OmegaConf.to_yaml(config)
