"""Everything that a command will run, known before anything runs: cells, their folders, and the instances to search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from runner import registry
from runner.config.composition import Composition
from runner.config.schema import Cell
from runner.execution.candidates import Candidate
from runner.execution.solver import Solver
from runner.records.code import code_of, plugin_sources
from runner.records.folder import Job
from runner.records.index import Index, Stale
from runner.records.row import key_of


@dataclass(frozen=True)
class PlannedCell:
    """A cell that is run.

    Attributes
    ----------
    number : int
        Of the combination.
    missing : list of range
        Numbers of the instances that have no finished row.
    known : dict of int to int
        Keys of the finished rows, and the numbers of their instances.
    elsewhere : dict of Path to set of int
        Of these, those that only the folders of other cells have: their keys, by files.
    values : dict of str to str
        As of the combination.
    """

    number: int
    label: str
    cell: Cell
    composition: Composition
    folder: Path
    missing: list[range]
    known: dict[int, int] = field(default_factory=dict)
    elsewhere: dict[Path, set[int]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """Number of instances that have no finished row."""
        return sum(map(len, self.missing))

    @property
    def total(self) -> int:
        """Number of instances; those that a source repeats count once, as soon as there are rows."""
        return len(self.known) + self.waiting


@dataclass(frozen=True)
class Plan:
    """All cells of a command.

    Attributes
    ----------
    candidates : list of Candidate
        All combinations.
    cells : list of PlannedCell
        Those that are run.
    index : Index
        Of the rows that are there already.
    stale : dict of Path to Stale
        Of these, those that are no longer what the cells would make, by their files.
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
        """Return the labels of combinations that are not run, by whether they are wrong, and why."""
        found: dict[tuple[bool, str], list[str]] = {}
        for each in self.candidates:
            if each.problem:
                found.setdefault((each.is_wrong, each.problem), []).append(each.label)
        return found

    def ranges(self) -> Iterator[tuple[int, range]]:
        """Yield the instances to search, with the positions of their cells in `cells`."""
        for position, cell in enumerate(self.cells):
            for numbers in cell.missing:
                yield position, numbers

    def jobs(self, root: Path, swept: Sequence[str], before: Sequence[int] | None = None) -> list[Job]:
        """Return what jobs.json records.

        Parameters
        ----------
        root : Path
            The folder of the sweep.
        swept : sequence of str
            Keys that take several values.
        before : sequence of int, optional
            How many rows of each cell turned out to be there; as planned unless given.
        """
        values, swept = _told_apart(self.cells, swept)
        return [
            Job(
                each.folder.relative_to(root).as_posix(),
                list(each.composition.overrides),
                each.cell.identity(),
                each.cell.identity(with_limits=False),
                each.total - (0 if before is None else before[position] - len(each.known)),
                values=values[position],
                swept=swept,
            )
            for position, each in enumerate(self.cells)
        ]


def plan(candidates: Sequence[Candidate], folders: Sequence[Path], index: Index) -> Plan:
    """Plan what is left to do of some combinations.

    Parameters
    ----------
    folders : sequence of Path
        One for each combination.
    index : Index
        Of the rows that are there.
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
            codes[classes] = code_of(plugin_sources(each.cell.parts))
        cell = replace(each.cell, code=codes[classes])
        total = len(cell.source)
        known: dict[int, int] = {}
        missing = [range(total)]
        if index.rows:
            known, missing, keys, is_complete = _subtract(cell, total, index)
            current.setdefault(str(cell.limits), {}).update(dict.fromkeys(keys, cell.code))
            complete += [folder] if is_complete else []
        elsewhere = _outside(folder, known.keys(), cell, index) if known else {}
        cells.append(
            PlannedCell(number, each.label, cell, each.composition, folder, missing, known, elsewhere, each.values)
        )
    return Plan(list(candidates), cells, index, index.stale(current, complete))


def _outside(folder: Path, keys: Set[int], cell: Cell, index: Index) -> dict[Path, set[int]]:
    kind = str(cell.limits), cell.code
    return index.outside(folder, keys - index.finished_in(folder, *kind), *kind)


def _subtract(cell: Cell, total: int, index: Index) -> tuple[dict[int, int], list[range], set[int], bool]:
    """Return the finished rows of a cell, the numbers of the instances without, the keys of its instances, and whether
    these are all: the source has not failed.
    """
    solver = Solver.of(cell)
    known: dict[int, int] = {}
    seen: set[int] = set()
    missing: list[range] = []
    limits, number = str(cell.limits), 0
    try:
        for instance in islice(cell.source.instances(), total):
            key = key_of(solver.run_id(instance))
            if key in seen:
                pass
            elif index.has(key, limits, cell.code):
                known[key] = number
            elif missing and missing[-1].stop == number:
                missing[-1] = range(missing[-1].start, number + 1)
            else:
                missing.append(range(number, number + 1))
            seen.add(key)
            number += 1
    except BaseException:  # of the source's; the run will show it
        missing.append(range(number, total))
        return known, missing, seen, False
    return known, missing, seen, True


def _told_apart(cells: Sequence[PlannedCell], swept: Sequence[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Return the values of the cells, and the keys that were swept, as columns.

    Choices of a section have its column, unless two choices look the same there: then they have a column of their own.
    """
    renamed = {"limits": "choice.limits"}
    for kind in registry.KINDS:
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
