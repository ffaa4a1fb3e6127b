"""Plan of a command, made before anything runs: the cells, their folders, and the instances to search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from runner.base.registry import KINDS
from runner.config.composition import Composition
from runner.config.schema import Cell
from runner.execution.candidates import Candidate
from runner.execution.solver import Solver
from runner.records.code import code_of
from runner.records.folder import Job
from runner.records.index import Index, Stale
from runner.records.row import key_of


@dataclass(frozen=True)
class PlannedCell:
    """Cell that is run.

    Attributes
    ----------
    number : int
        Number of the combination.
    label : str
        Number and overrides of the combination.
    folder : Path
        Folder of the rows.
    missing : list of range
        Numbers of the instances that have no finished row.
    finished_rows : dict of int to int
        Number of the instance of each finished row, by the key of the row.
    rows_elsewhere : dict of Path to set of int
        Keys of the finished rows that only other cells have, by the files of these rows.
    values : dict of str to str
        Values that may distinguish the combination from others, by their keys.
    """

    number: int
    label: str
    cell: Cell
    composition: Composition
    folder: Path
    missing: list[range]
    finished_rows: dict[int, int] = field(default_factory=dict)
    rows_elsewhere: dict[Path, set[int]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def missing_count(self) -> int:
        """Number of instances that have no finished row."""
        return sum(map(len, self.missing))

    @property
    def total(self) -> int:
        """Number of instances. If there are rows, an instance that the source repeats counts once."""
        return len(self.finished_rows) + self.missing_count


@dataclass(frozen=True)
class SweepPlan:
    """All cells of a command.

    Attributes
    ----------
    candidates : list of Candidate
        All combinations.
    cells : list of PlannedCell
        Cells that are run.
    index : Index
        Index of the rows on disk.
    stale : dict of Path to Stale
        Rows on disk that the cells would no longer make, by their files.
    """

    candidates: list[Candidate]
    cells: list[PlannedCell]
    index: Index
    stale: dict[Path, Stale] = field(default_factory=dict)

    @property
    def refused(self) -> list[tuple[int, Candidate]]:
        """Combinations that are wrong, with their numbers."""
        return [(number, each) for number, each in enumerate(self.candidates) if each.is_wrong]

    def problems(self) -> dict[tuple[bool, str], list[str]]:
        """Return the labels of the combinations that are not run, by (whether it is a mistake, problem)."""
        found: dict[tuple[bool, str], list[str]] = {}
        for each in self.candidates:
            if each.problem:
                found.setdefault((each.is_wrong, each.problem), []).append(each.label)
        return found

    def ranges(self) -> Iterator[tuple[int, range]]:
        """Yield the numbers of the instances to search, each range with the position of its cell in `cells`."""
        for position, cell in enumerate(self.cells):
            for numbers in cell.missing:
                yield position, numbers

    def jobs(self, root: Path, swept: Sequence[str], before: Sequence[int] | None = None) -> list[Job]:
        """Return the records of the cells for jobs.json.

        Parameters
        ----------
        root : Path
            Folder of the sweep.
        swept : sequence of str
            Keys that take several values.
        before : sequence of int, optional
            Number of rows that each cell had before the command. By default the planned numbers.
        """
        values, swept = _swept_columns(self.cells, swept)
        return [
            Job(
                each.folder.relative_to(root).as_posix(),
                list(each.composition.overrides),
                each.cell.identity(),
                each.cell.identity(with_limits=False),
                each.total - (0 if before is None else before[position] - len(each.finished_rows)),
                values=values[position],
                swept=swept,
            )
            for position, each in enumerate(self.cells)
        ]


def plan(candidates: Sequence[Candidate], folders: Sequence[Path], index: Index) -> SweepPlan:
    """Return the plan of some combinations: their instances without finished rows.

    Parameters
    ----------
    folders : sequence of Path
        Folder of each combination.
    index : Index
        Index of the rows on disk.
    """
    cells = []
    codes: dict[frozenset[type], str] = {}
    current: dict[str, dict[int, str]] = {}
    complete: list[Path] = []
    for number, (each, folder) in enumerate(zip(candidates, folders, strict=True)):
        if each.cell is None or each.composition is None:
            continue
        classes = frozenset(map(type, each.cell.parts))
        if classes not in codes:
            codes[classes] = code_of(each.cell.parts)
        cell = replace(each.cell, code=codes[classes])
        total = len(cell.source)
        finished_rows: dict[int, int] = {}
        missing = [range(total)]
        if index.rows:
            finished_rows, missing, keys, is_complete = _subtract(cell, total, index)
            current.setdefault(str(cell.limits), {}).update(dict.fromkeys(keys, cell.code))
            complete += [folder] if is_complete else []
        elsewhere = _outside(folder, finished_rows.keys(), cell, index) if finished_rows else {}
        cells.append(
            PlannedCell(
                number, each.label, cell, each.composition, folder, missing, finished_rows, elsewhere, each.values
            )
        )
    return SweepPlan(list(candidates), cells, index, index.stale(current, complete))


def _outside(folder: Path, keys: Set[int], cell: Cell, index: Index) -> dict[Path, set[int]]:
    """Return the keys that only other folders have, by the files of their rows."""
    kind = str(cell.limits), cell.code
    return index.outside(folder, keys - index.finished_in(folder, *kind), *kind)


def _subtract(cell: Cell, total: int, index: Index) -> tuple[dict[int, int], list[range], set[int], bool]:
    """Compare the instances of a cell with the rows on disk.

    Returns
    -------
    finished_rows : dict of int to int
        Number of the instance of each finished row, by the key of the row.
    missing : list of range
        Numbers of the instances without a finished row.
    keys : set of int
        Keys of all instances.
    is_complete : bool
        False if the source failed, so that instances are missing from `keys`.
    """
    solver = Solver.of(cell)
    finished_rows: dict[int, int] = {}
    seen: set[int] = set()
    missing: list[range] = []
    limits, number = str(cell.limits), 0
    try:
        for instance in islice(cell.source.instances(), total):
            key = key_of(solver.run_id(instance))
            if key in seen:
                pass
            elif index.has(key, limits, cell.code):
                finished_rows[key] = number
            elif missing and missing[-1].stop == number:
                missing[-1] = range(missing[-1].start, number + 1)
            else:
                missing.append(range(number, number + 1))
            seen.add(key)
            number += 1
    except BaseException:  # the source failed; the run will report it
        missing.append(range(number, total))
        return finished_rows, missing, seen, False
    return finished_rows, missing, seen, True


def _swept_columns(cells: Sequence[PlannedCell], swept: Sequence[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Return the values of each cell by column of results.csv, and the columns of the swept keys.

    The choices of a section such as `algorithm` stand in the column of that name. If two choices look the same there,
    they stand in the column `choice.algorithm`.
    """
    renamed = {"limits": "choice.limits"}
    for kind in KINDS:
        chosen = (each for each in cells if kind in each.values and not _is_ignored(kind, each.cell))
        found = {(_columns(each.cell)[kind], each.values[kind]) for each in chosen}
        if len({column for column, _ in found}) < len(found):
            renamed[kind] = f"choice.{kind}"
    values = [{renamed.get(key, key): value for key, value in each.values.items()} for each in cells]
    return values, [renamed.get(key, key) for key in swept]


def _is_ignored(kind: str, cell: Cell) -> bool:
    return kind == "heuristic" and cell.algorithm.heuristic == "ignored"


def _columns(cell: Cell) -> dict[str, str]:
    return {
        "world": cell.source.registered_name,
        "algorithm": cell.algorithm.registered_name,
        "heuristic": cell.stack.name,
        "weighting": str(cell.weighting),
    }
