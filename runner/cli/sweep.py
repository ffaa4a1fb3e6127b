"""Preparation of a sweep, for runs on this machine and on a cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from omegaconf import OmegaConf, read_write

from runner.base.errors import UserError
from runner.base.messages import message, plural, reason
from runner.cli import plan_table
from runner.config.grammar import is_of_hydra
from runner.config.request import Request, settings_in
from runner.config.schema import Settings
from runner.config.space import SECTION
from runner.execution.candidates import Candidate, candidates_of
from runner.execution.plan import SweepPlan, plan
from runner.execution.recorder import REFUSED_FILE, adopt
from runner.records.folder import SweepFolder, refuse_occupied
from runner.records.latest import SWEEP
from runner.records.view import SweepLogs
from worlds.files import atomic_write


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

    def show(self, planned: SweepPlan) -> int:
        """Print a plan instead of running it, and return the exit code."""
        print_notes(planned)
        return plan_table.show_plan(planned, [each.label for each in planned.cells])

    def begin(self) -> SweepPlan:
        """Lock the folder, plan, and complete the logs of cells whose finished rows stand elsewhere."""
        self.folder.lock()
        planned = self.plan()
        print_notes(planned)
        for each in planned.cells:
            adopt(each, planned.retry)
        if not planned.cells and not planned.refused:
            self.folder.discard()
            raise UserError("no cell of the sweep can run: see above")
        return planned

    def record(self, planned: SweepPlan) -> None:
        """Write the record of the command into the folder, and the problems of refused cells."""
        try:
            if planned.cells or not self.folder.recorded():  # if all cells are refused, the older record stays
                self.folder.record(planned.jobs(self.folder.path, self.request.space.swept, {}))
                with atomic_write(self.folder.path / SWEEP) as out:
                    out.write(_record(self.request))
            for number, each in planned.refused:
                folder = self.folder.path / (self.names[number] if self.names else str(number))
                folder.mkdir(exist_ok=True)
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
    if names is not None and folder.has_rows():
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
    for note in dict.fromkeys(note for each in planned.cells for note in each.cell.notes):
        message(f"note: {note}")
    if planned.by_code:
        action = "retry=none keeps them" if planned.retry == "none" else "made again"
        message(f"note: {plural(planned.by_code, 'row')} made by other code: {action}")
    if planned.by_content:
        message(f"note: {plural(planned.by_content, 'row')} of instances that have changed or are gone: left out")


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
        names.append(name)
    return names


def _record(request: Request) -> str:
    """Return the content of multirun.yaml: the configuration and the overrides, as Hydra records them."""
    config = request.common.config
    with read_write(config.hydra):
        config.hydra.overrides.task = [text for text in request.overrides if not is_of_hydra(text)]
        config.hydra.overrides.hydra = [text for text in request.overrides if is_of_hydra(text)]
    return OmegaConf.to_yaml(config)
