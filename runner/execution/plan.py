"""Plan of a command, made before anything runs: the cells, their folders, and the instances to search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from runner.base.registry import KINDS
from runner.base.status import Retry
from runner.config.composition import Composition
from runner.config.schema import Cell
from runner.execution.candidates import Candidate
from runner.execution.solver import Solver
from runner.records.code import code_of
from runner.records.folder import Job
from runner.records.log import Log, Wanted
from runner.records.row import key_of
from runner.records.view import SweepLogs


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
    finished : int
        Number of instances that have a finished row.
    repeated : int
        Number of instances known to repeat another; they have no row of their own.
    adopted : list of (Log, int, int)
        Finished rows that stand elsewhere, in the log of another cell or at another place: the log, the row in it, and
        the number of the instance here.
    gone : frozenset of int
        Keys of rows in the log whose instances have changed or are gone.
    is_settled : bool
        Whether the log of a complete cell is sorted, and holds nothing else.
    values : dict of str to str
        Values that may distinguish the combination from others, by their keys.
    """

    number: int
    label: str
    cell: Cell
    composition: Composition
    folder: Path
    missing: list[range]
    finished: int = 0
    repeated: int = 0
    adopted: list[tuple[Log, int, int]] = field(default_factory=list)
    gone: frozenset[int] = frozenset()
    is_settled: bool = False
    values: dict[str, str] = field(default_factory=dict)

    @property
    def missing_count(self) -> int:
        """Number of instances that have no finished row."""
        return sum(map(len, self.missing))

    @property
    def total(self) -> int:
        """Number of instances. If there are rows, an instance that the source repeats counts once."""
        return self.finished + self.missing_count


@dataclass(frozen=True)
class SweepPlan:
    """All cells of a command.

    Attributes
    ----------
    candidates : list of Candidate
        All combinations.
    cells : list of PlannedCell
        Cells that are run.
    logs : SweepLogs
        Rows on disk.
    retry : {"failed", "limits", "none"}
        Setting that decides which rows are finished.
    by_code, by_content : int
        Numbers of rows on disk that do not count: other code made them, or their instances have changed or are gone.
    folders : list of Path
        Folder of each combination.
    """

    candidates: list[Candidate]
    cells: list[PlannedCell]
    logs: SweepLogs
    retry: Retry = "failed"
    by_code: int = 0
    by_content: int = 0
    folders: list[Path] = field(default_factory=list)

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

    def jobs(self, root: Path, swept: Sequence[str], repeated: Mapping[int, int]) -> list[Job]:
        """Return the records of the cells for jobs.json.

        Parameters
        ----------
        root : Path
            Folder of the sweep.
        swept : sequence of str
            Keys that take several values.
        repeated : mapping of int to int
            Number of instances that have turned out to repeat another, by the position of the cell in `cells`.
        """
        values, swept = _swept_columns(self.cells, swept)
        return [
            Job(
                each.folder.relative_to(root).as_posix(),
                list(each.composition.overrides),
                each.cell.identity(),
                each.cell.identity(with_limits=False),
                len(each.cell.source),
                each.repeated + repeated.get(position, 0),
                "" if self.retry == "none" else each.cell.code,
                str(each.cell.limits),
                1 if self.retry == "none" else each.cell.repeat,
                sorted(each.gone),
                values=values[position],
                swept=swept,
            )
            for position, each in enumerate(self.cells)
        ]


def plan(candidates: Sequence[Candidate], folders: Sequence[Path], logs: SweepLogs, retry: Retry) -> SweepPlan:
    """Return the plan of some combinations: their instances without finished rows.

    Parameters
    ----------
    folders : sequence of Path
        Folder of each combination.
    logs : SweepLogs
        Rows on disk.
    retry : {"failed", "limits", "none"}
        Rows that are made again. "failed": rows with errors and interruptions. "limits": also rows that ended at a
        limit; other limits alone do not make a row stale. "none": no rows, not even those of other code.
    """
    cells = []
    codes: dict[frozenset[type], str] = {}
    by_code = by_content = 0
    for number, (each, folder) in enumerate(zip(candidates, folders, strict=True)):
        if each.cell is None or each.composition is None:
            continue
        classes = frozenset(map(type, each.cell.parts))
        if classes not in codes:
            codes[classes] = code_of(each.cell.parts)
        cell = replace(each.cell, code=codes[classes])
        everything = [range(len(cell.source))]
        planned = PlannedCell(number, each.label, cell, each.composition, folder, everything, values=each.values)
        if logs.rows:
            planned, other_code, other_content = _without_finished(planned, logs, retry)
            by_code, by_content = by_code + other_code, by_content + other_content
        cells.append(planned)
    return SweepPlan(list(candidates), cells, logs, retry, by_code, by_content, list(folders))


def wanted_of(cell: Cell) -> Wanted:
    """Return the conditions under which a row of a cell is finished."""
    return Wanted(str(cell.limits), cell.repeat)


def _without_finished(planned: PlannedCell, logs: SweepLogs, retry: Retry) -> tuple[PlannedCell, int, int]:
    """Compare the instances of a cell with the rows on disk.

    Returns
    -------
    PlannedCell
        The cell with the instances that have no finished row.
    int
        Number of its rows that other code has made.
    int
        Number of its rows whose instances have changed or are gone.
    """
    cell, solver, total = planned.cell, Solver.of(planned.cell), len(planned.cell.source)
    own, code = wanted_of(cell), None if retry == "none" else cell.code
    elsewhere = own._replace(limits=None) if retry == "limits" else own
    log = logs.of(planned.folder)
    counted, every = (
        {log.numbers[row]: row for row in rows} for rows in (log.newest(code, (), retry, own), log.newest(retry=retry))
    )
    adopted: list[tuple[Log, int, int]] = []
    seen: set[int] = set()
    missing: list[range] = []
    finished = repeated = by_code = 0
    try:
        for number, instance in enumerate(islice(cell.source.instances(), total)):
            key, row = key_of(solver.run_id(instance)), counted.get(number)
            if key in seen:
                repeated += 1
                continue
            seen.add(key)
            if row is not None and log.keys[row] == key and log.is_finished(row, retry, own):
                finished += 1
                by_code += log.kind(row).code != cell.code
            elif (found := logs.find(key, elsewhere, code, retry)) is not None:
                adopted.append((*found, number))
            else:
                by_code += row is None and number in every and log.keys[every[number]] == key
                is_next = missing and missing[-1].stop == number
                missing[-1 if is_next else len(missing) :] = [
                    range(missing[-1].start if is_next else number, number + 1)
                ]
    except BaseException:  # the source failed; the run will report it
        missing.append(range(len(seen) + repeated, total))
    gone = frozenset(log.keys) - seen if len(seen) + repeated == total else frozenset[int]()
    by_content = sum(log.keys[row] in gone for row in every.values())
    compared = replace(
        planned,
        missing=missing,
        finished=finished + len(adopted),
        repeated=repeated,
        adopted=adopted,
        gone=gone,
        is_settled=not missing and log.is_settled(log.newest(code, gone, wanted=own)),
    )
    return compared, by_code, by_content


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
