"""Plan of a command, made before anything runs: the cells, their folders, and the instances to search.

An instance is searched unless a log of the sweep has a finished row with its `run_id` (`runner.records.rule`). If that
row stands elsewhere, in the log of another cell or at another number, it is copied.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product, zip_longest
from pathlib import Path

from runner.base import KINDS, Retry, directory_kept
from runner.config import Cell, Composition, Order
from runner.execution.candidates import Candidate
from runner.execution.rereading import kept_runs
from runner.execution.solver import Solver
from runner.records import Job, Log, RowRule, SweepLogs, code_and_note, key_of


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
    rule : RowRule
        Rule for the rows.
    missing : list of range
        Numbers of the instances that have no finished row.
    finished : int
        Number of instances that have a finished row.
    elsewhere : list of (Log, int, int)
        Finished rows that stand elsewhere, in the log of another cell or at another number: the log, the row in it, and
        the number of the instance here.
    left : int
        Number of further instances without a finished row that are not searched, because kept outputs are read again.
    unread : int
        Number of these instances that have a row whose output was read in another way.
    gone : frozenset of int
        Keys of rows in the log whose instances have changed or are gone.
    by_code : int
        Number of rows that other code has made.
    interruptions : dict of int to int
        How many searches of a missing instance were interrupted, by its number.
    values : dict of str to str
        Values that may distinguish the combination from others, by their keys.
    """

    number: int
    label: str
    cell: Cell
    composition: Composition
    folder: Path
    rule: RowRule
    missing: list[range]
    finished: int = 0
    elsewhere: list[tuple[Log, int, int]] = field(default_factory=list)
    left: int = 0
    unread: int = 0
    gone: frozenset[int] = frozenset()
    by_code: int = 0
    interruptions: dict[int, int] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def missing_count(self) -> int:
        """Number of instances that have no finished row."""
        return sum(map(len, self.missing))

    @property
    def missing_searches(self) -> int:
        """Number of searches that these instances need, if none fails."""
        return self.missing_count * self.cell.repeat

    @property
    def total(self) -> int:
        """Number of instances. If there are rows, an instance that the source repeats counts once."""
        return self.finished + self.missing_count + self.left

    def missing_after(self, interruptions: int) -> list[range]:
        """Return the numbers of the missing instances that were interrupted so many times."""
        if not self.interruptions:
            return [] if interruptions else self.missing
        ranges: list[range] = []
        for number in chain.from_iterable(self.missing):
            if self.interruptions.get(number, 0) == interruptions:
                _append(ranges, number)
        return ranges


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
    folders : list of Path
        Folder of each combination.
    """

    candidates: list[Candidate]
    cells: list[PlannedCell]
    logs: SweepLogs
    retry: Retry = "failed"
    folders: list[Path] = field(default_factory=list)

    @property
    def by_code(self) -> int:
        """Number of rows on disk that other code has made."""
        return sum(cell.by_code for cell in self.cells)

    @property
    def by_content(self) -> int:
        """Number of rows on disk whose instances have changed or are gone."""
        return sum(len(cell.gone) for cell in self.cells)

    @property
    def refused(self) -> list[tuple[int, Candidate]]:
        """Combinations that are wrong, with their numbers."""
        return [(number, candidate) for number, candidate in enumerate(self.candidates) if candidate.is_wrong]

    def problems(self) -> dict[tuple[bool, str], list[str]]:
        """Return the labels of the combinations that are not run, by (whether it is a mistake, problem)."""
        labels: dict[tuple[bool, str], list[str]] = {}
        for candidate in self.candidates:
            if candidate.problem:
                labels.setdefault((candidate.is_wrong, candidate.problem), []).append(candidate.label)
        return labels

    def searches(self, order: Order = "cells", seed: int = 0) -> Iterator[tuple[int, range]]:
        """Yield the searches to make: numbers of instances, each range with the position of its cell in `cells`.

        All instances are searched once before any is searched again (`repeat`), so that the searches of an instance are
        spread over the time of the command. Instances whose searches were interrupted come last, those that were
        interrupted most often at the end: so a search that is longer than a task of a cluster does not block others.

        Parameters
        ----------
        order : {"cells", "interleaved", "random"}
            Order within such a pass: one cell after the other; one instance of each cell in turn; or random.
        seed : int
            Seed of the random order.
        """
        shuffling = random.Random(seed)
        repeat = max((cell.cell.repeat for cell in self.cells), default=0)
        interruptions = {0}.union(*(cell.interruptions.values() for cell in self.cells))
        for count, repetition in product(sorted(interruptions), range(repeat)):
            cells = [
                (position, cell.missing_after(count))
                for position, cell in enumerate(self.cells)
                if cell.cell.repeat > repetition
            ]
            if order == "cells":
                yield from ((position, numbers) for position, missing in cells for numbers in missing)
                continue
            turns = zip_longest(*([(position, number) for number in chain(*missing)] for position, missing in cells))
            searches = [search for turn in turns for search in turn if search is not None]
            if order == "random":
                shuffling.shuffle(searches)
            yield from ((position, range(number, number + 1)) for position, number in searches)

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
                folder=planned.folder.relative_to(root).as_posix(),
                overrides=list(planned.composition.overrides),
                cell=planned.cell.identity(),
                search=planned.cell.identity(with_limits=False),
                instances=planned.total - repeated.get(position, 0),
                code=planned.rule.code or "",
                reading=planned.cell.reading,
                limits=str(planned.cell.limits),
                repeat=planned.rule.repeat,
                values=values[position],
                swept=swept,
            )
            for position, planned in enumerate(self.cells)
        ]


def plan_sweep(
    candidates: Sequence[Candidate], folders: Sequence[Path], logs: SweepLogs, retry: Retry, *, rereads: bool = False
) -> SweepPlan:
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
    rereads : bool
        Whether kept outputs are read again, and nothing is searched.
    """
    cells = []
    codes: dict[tuple[object, ...], tuple[str, str]] = {}
    for number, (candidate, folder) in enumerate(zip(candidates, folders, strict=True)):
        if candidate.cell is None or candidate.composition is None:
            continue
        parts = candidate.cell.parts
        algorithm = candidate.cell.algorithm
        key = (frozenset(map(type, parts)), *algorithm.code_parts(), None, *algorithm.reading_parts())
        if key not in codes:
            codes[key] = code_and_note(parts)
        code, note = codes[key]
        cell = replace(candidate.cell, code=code, notes=(*candidate.cell.notes, *([note] if note else [])))
        limits = str(cell.limits)
        is_any_code = retry == "none" and not rereads
        rule = RowRule(limits=limits) if is_any_code else RowRule(cell.code, limits, cell.repeat)
        every = [range(len(cell.source))]
        planned = PlannedCell(
            number, candidate.label, cell, candidate.composition, folder, rule, every, values=candidate.values
        )
        cells.append(_without_finished(planned, logs, retry, rereads) if logs.rows or rereads else planned)
    return SweepPlan(list(candidates), cells, logs, retry, list(folders))


@directory_kept()
def _without_finished(planned: PlannedCell, logs: SweepLogs, retry: Retry, rereads: bool) -> PlannedCell:
    """Return a cell with the instances that have no finished row: neither in its log nor in another one.

    If kept outputs are read again, only the instances with such an output are missing.
    """
    cell = planned.cell
    rule = planned.rule
    rule_elsewhere = rule._replace(limits=None) if retry == "limits" else rule
    log = logs.of(planned.folder)
    current = log.current(rule)
    finished_rows = {log.keys[row]: row for row in current if rule.is_finished(log.kind(row), retry)}
    interruptions_of_keys = log.interruptions()
    keys_of_other_code = {*log.keys}.difference(log.keys[row] for row in current)
    kept = kept_runs(cell, log, rule) if rereads else None
    keys_read_otherwise = keys_of_other_code.intersection(
        log.keys[row] for row in (log.counted(rule) if rereads else ())
    )
    solver = Solver.of(cell)
    total = len(cell.source)
    keys: set[int] = set()
    missing: list[range] = []
    elsewhere: list[tuple[Log, int, int]] = []
    interruptions: dict[int, int] = {}
    finished = by_code = iterated = left = unread = 0
    try:
        for number, instance in enumerate(islice(cell.source.instances(), total)):
            key = key_of(solver.run_id(instance))
            iterated += 1
            if key in keys:
                continue  # the source repeats an instance
            keys.add(key)
            row = finished_rows.get(key)
            finished_row = logs.find(key, rule_elsewhere, retry) if row is None else (log, row)
            if finished_row is None and kept is not None and key not in kept:
                left += 1
                unread += key in keys_read_otherwise
            elif finished_row is None:
                by_code += key in keys_of_other_code
                _append(missing, number)
                if key in interruptions_of_keys:
                    interruptions[number] = interruptions_of_keys[key]
            elif row is not None and log.numbers[row] == number:
                by_code += log.kind(row).code != cell.code
                finished += 1
            else:
                elsewhere.append((*finished_row, number))
    except BaseException:  # the source failed; the run will report it
        if kept is None:
            missing.append(range(iterated, total))
        else:
            left += total - iterated
    return replace(
        planned,
        cell=cell if kept is None else replace(cell, kept=kept, repeat=1),
        missing=missing,
        left=left,
        unread=unread,
        finished=finished + len(elsewhere),
        elsewhere=elsewhere,
        gone=frozenset(log.keys).difference(keys) if iterated == total else frozenset(),
        by_code=0 if rereads else by_code,
        interruptions=interruptions,
    )


def _append(ranges: list[range], number: int) -> None:
    """Add the next larger number to ranges: to the last one, if it ends there."""
    if ranges and ranges[-1].stop == number:
        ranges[-1] = range(ranges[-1].start, number + 1)
    else:
        ranges.append(range(number, number + 1))


def _swept_columns(cells: Sequence[PlannedCell], swept: Sequence[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Return the values of each cell by column of results.csv, and the columns of the swept keys.

    The choices of a section such as `algorithm` stand in the column of that name. If two choices look the same there,
    they stand in the column `choice.algorithm`.
    """
    renamed = {"limits": "choice.limits"}
    for kind in KINDS:
        with_choice = (cell for cell in cells if kind in cell.values and not _is_ignored(kind, cell.cell))
        choices = {(_columns(cell.cell)[kind], cell.values[kind]) for cell in with_choice}
        if len({column for column, _ in choices}) < len(choices):
            renamed[kind] = f"choice.{kind}"
    values = [{renamed.get(key, key): value for key, value in cell.values.items()} for cell in cells]
    return values, [renamed.get(key, key) for key in swept]


def _is_ignored(kind: str, cell: Cell) -> bool:
    return kind == "heuristic" and cell.algorithm.heuristic == "ignored"


def _columns(cell: Cell) -> dict[str, str]:
    return {
        "world": cell.source.registered_name,
        "algorithm": cell.algorithm.title,
        "heuristic": cell.stack.name,
        "weighting": str(cell.weighting),
    }
