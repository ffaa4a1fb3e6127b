"""Slices of a plan: the instances that a task of a cluster searches on its node."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner.base import FAILED, SUCCESS, UserError
from runner.config import Parser, Request, parse
from runner.execution import Display, Stop, SweepCell, execute, plan_cells
from runner.records import PART, Job, RecordFile, SweepFolder, SweepLogs

_PIECES_PER_TASK = 4


@dataclass(frozen=True)
class PlanPiece:
    """Piece of a plan: the instances of a cell with the numbers from `first` to `last` - 1.

    Attributes
    ----------
    folder : str
        Folder of the cell, relative to that of the sweep.
    subfolder : str
        Name of the folder for the rows, inside the folder of the cell; empty if the piece is the whole cell.
    cell : int
        Number of the cell in the sweep.
    """

    folder: str
    subfolder: str
    first: int
    last: int
    cell: int

    def __len__(self) -> int:
        return self.last - self.first

    @staticmethod
    def instances(pieces: Iterable[PlanPiece]) -> dict[str, list[range]]:
        """Return the numbers of the instances of some pieces, by the folders of their cells."""
        numbers: dict[str, list[range]] = {}
        for piece in pieces:
            numbers.setdefault(piece.folder, []).append(range(piece.first, piece.last))
        return numbers

    @classmethod
    def of_tasks(cls, cells: Sequence[SweepCell], sweep: Path, tasks: int, seed: int) -> list[tuple[PlanPiece, ...]]:
        """Divide the missing instances among tasks, whole cells at a time. With few cells, divide cells too.

        The pieces are dealt out in random order. In the order of the cells, a slow domain could fill one node, and
        times would depend on the node that has a cell.

        Parameters
        ----------
        sweep : Path
            Folder of the sweep, as in the folders of the cells.
        tasks : int
            Maximum number of tasks.
        seed : int
            Seed of the order.

        Returns
        -------
        list of tuple of PlanPiece
            Pieces of each task, at least one. There may be fewer tasks than asked for.
        """
        parts = -(-_PIECES_PER_TASK * tasks // max(1, len(cells)))
        pieces: list[PlanPiece] = []
        for cell in cells:
            size = -(-cell.missing_count // max(1, min(parts, cell.missing_count)))
            for numbers in cell.missing:
                for first in range(numbers.start, numbers.stop, size):
                    last = min(first + size, numbers.stop)
                    is_whole = len(cell.missing) == 1 and size >= cell.missing_count
                    subfolder = "" if is_whole else f"{PART}{first:09}"
                    folder = cell.folder.relative_to(sweep).as_posix()
                    pieces.append(cls(folder, subfolder, first, last, cell.number))
        random.Random(seed).shuffle(pieces)
        return [tuple(pieces[task::tasks]) for task in range(min(tasks, len(pieces)))]


def search_pieces(
    folder: SweepFolder, request: Request, pieces: Sequence[PlanPiece], display: Display, stop: Stop
) -> int:
    """Search pieces of a recorded sweep, and return the exit code.

    Parameters
    ----------
    folder : SweepFolder
        Folder of the sweep, locked as a task.
    request : Request
        Request that continues the sweep.

    Raises
    ------
    UserError
        If a cell is not the recorded one any more.
    """
    settings, parser = request.settings, Parser()
    jobs = {job.folder: job for job in folder.jobs()}
    planned_cells: dict[str, SweepCell] = {}
    cells: list[SweepCell] = []
    for piece in pieces:
        if piece.folder not in jobs:
            raise UserError(f"{folder.path}: {RecordFile.JOBS} has no cell {piece.folder}; submit the sweep again")
        if piece.folder not in planned_cells:
            planned_cells[piece.folder] = _planned(folder.path, jobs[piece.folder], request, parser)
        cell = planned_cells[piece.folder]
        in_piece = (range(max(numbers.start, piece.first), min(numbers.stop, piece.last)) for numbers in cell.missing)
        missing = [numbers for numbers in in_piece if numbers]
        finished = len(piece) - sum(map(len, missing))
        rows = cell.folder / piece.subfolder
        cells.append(replace(cell, number=piece.cell, folder=rows, missing=missing, finished=finished))
    recorder = execute(cells, folder, settings, stop, display)
    is_faulty = recorder.failures or recorder.mistakes or any(totals.faulty for totals in recorder.totals)
    return max(FAILED if is_faulty else SUCCESS, stop.exit_code)


def _planned(sweep: Path, job: Job, request: Request, parser: Parser) -> SweepCell:
    """Return the plan of a recorded cell, from the rows of all its pieces."""
    composition = request.composer.compose(parse(job.overrides))
    problem = "it has changed since its submission"
    try:
        cell = parser.parse(composition.resolved)
    except UserError as error:
        problem = str(error)
    else:
        if cell.identity() == job.cell:
            home = sweep / job.folder
            composed = SweepCell(0, job.folder, cell, composition, folder=home)
            return plan_cells([composed], SweepLogs(home), request.settings.retry)[0]
    raise UserError(f"{sweep}: cell {job.folder}: {problem}; submit the sweep again")
