"""Everything that a command will run, known before anything runs: cells, their folders, and the instances to search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from runner.config.compose import Composer
from runner.config.composition import Composition
from runner.config.schema import Cell, Parser
from runner.config.space import Space
from runner.execution.solver import Solver
from runner.records.folder import Job
from runner.records.index import Index
from runner.records.row import key_of
from runner.registry import ForeignDomain, Incompatible, UserError, one_line

_NOT_NAMED = ("hydra", "retry", "workers", "progress", "dry_run")
"""Keys that change nothing about a cell."""


@dataclass(frozen=True)
class Candidate:
    """A combination of what is swept.

    Attributes
    ----------
    label : str
        Its number and overrides.
    composition : Composition or None
        None if it cannot be composed.
    cell : Cell or None
        None if it is not run.
    problem : str
        Why it is not run.
    is_wrong : bool
        Because of a mistake, not because its parts do not fit together.
    """

    label: str
    composition: Composition | None
    cell: Cell | None
    problem: str = ""
    is_wrong: bool = False


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
    elsewhere : int
        Finished rows that lie in the folders of other cells.
    """

    number: int
    label: str
    cell: Cell
    composition: Composition
    folder: Path
    missing: list[range]
    known: dict[int, int] = field(default_factory=dict)
    elsewhere: int = 0

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
    """

    candidates: list[Candidate]
    cells: list[PlannedCell]
    index: Index

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

    def jobs(self, root: Path, before: Sequence[int] | None = None) -> list[Job]:
        """Return what jobs.json records.

        Parameters
        ----------
        root : Path
            The folder of the sweep.
        before : sequence of int, optional
            How many rows of each cell turned out to be there; as planned unless given.
        """
        return [
            Job(
                each.folder.relative_to(root).as_posix(),
                list(each.composition.overrides),
                each.cell.identity(),
                each.cell.identity(with_limits=False),
                each.total - each.elsewhere - (0 if before is None else before[position] - len(each.known)),
            )
            for position, each in enumerate(self.cells)
        ]


def candidates_of(composer: Composer, parser: Parser, space: Space) -> list[Candidate]:
    """Compose and check all combinations of a sweep.

    Combinations that repeat another are not run, nor are those whose parts do not fit together. Heuristics of other
    domains that a pattern such as ``heuristic=*`` stands for are left out without a word.
    """
    found: list[Candidate] = []
    proven: set[str] = set()
    mistakes: dict[str, UserError] = {}
    first: dict[str, int] = {}
    for choices in space.cells():
        overrides = [choice.override for choice in choices]
        named = [choice.override for choice in choices if not choice.key.startswith(_NOT_NAMED)]
        label = one_line(f"[{len(found)}] {' '.join(named)}".strip())
        try:
            composition = composer.compose(overrides)
        except UserError as error:
            for choice in choices:
                if not (composer.is_group(choice.key) and choice.value in composer.choices(choice.key)):
                    mistakes.setdefault(choice.override, error)
            found.append(Candidate(label, None, None, str(error)))
            continue
        proven.update(overrides)
        space.refuse_nested(composition)
        try:
            candidate = candidate_of(label, composition, parser)
        except ForeignDomain as error:
            if any(choice.is_globbed for choice in choices):
                continue
            candidate = Candidate(label, composition, None, str(error))
        if candidate.cell is not None:
            number = first.setdefault(candidate.cell.identity(), len(found))
            if number != len(found):
                notes = f" ({candidate.cell.notes[0]})" if candidate.cell.notes else ""
                candidate = Candidate(label, composition, None, f"the same as cell {number}{notes}")
        found.append(candidate)
    for override, mistake in mistakes.items():
        if override not in proven:
            raise mistake
    if found and found[0].problem and not proven:
        raise UserError(found[0].problem)
    return found


def candidate_of(label: str, composition: Composition, parser: Parser) -> Candidate:
    """Check one combination.

    Raises
    ------
    ForeignDomain
        If a heuristic belongs to another domain than the world.
    """
    try:
        return Candidate(label, composition, parser.parse(composition.resolved))
    except ForeignDomain:
        raise
    except Incompatible as error:
        return Candidate(label, composition, None, str(error))
    except UserError as error:
        return Candidate(label, composition, None, str(error), is_wrong=True)


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
    for number, (each, folder) in enumerate(zip(candidates, folders, strict=True)):
        if each.cell is None or each.composition is None:
            continue
        total = len(each.cell.source)
        known, missing = _subtract(each.cell, total, index) if index.rows else ({}, [range(total)])
        elsewhere = len(known.keys() - index.keys_in(folder)) if known else 0
        cells.append(PlannedCell(number, each.label, each.cell, each.composition, folder, missing, known, elsewhere))
    return Plan(list(candidates), cells, index)


def _subtract(cell: Cell, total: int, index: Index) -> tuple[dict[int, int], list[range]]:
    """Return the finished rows of a cell, and the numbers of the instances without."""
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
            elif index.has(key, limits):
                known[key] = number
            elif missing and missing[-1].stop == number:
                missing[-1] = range(missing[-1].start, number + 1)
            else:
                missing.append(range(number, number + 1))
            seen.add(key)
            number += 1
    except Exception:  # of the source's; the run will show it
        missing.append(range(number, total))
    return known, missing
