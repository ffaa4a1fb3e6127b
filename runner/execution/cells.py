"""Cells of a sweep: combinations of values, composed and checked, with what the plan knows of their instances."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from runner.base import KINDS, ForeignDomain, Incompatible, UserError, one_line, section_of_word
from runner.config import (
    NOT_OF_IDENTITY,
    Cell,
    Choice,
    Composition,
    Order,
    Parser,
    Request,
    Settings,
    blamed,
    experiments,
    placed,
    values_of,
    without_heuristic,
)
from runner.records import ALL_ROWS, Log, RowRule

_NO_COLUMN = {"hydra", "sweep", *Settings.__dataclass_fields__, *NOT_OF_IDENTITY}
"""Keys and sections that do not change a cell."""
_NOT_NAMED = _NO_COLUMN - {"plugins"}


class OmittedCell(NamedTuple):
    """Combination that is not run.

    Attributes
    ----------
    number : int
        Number of the combination.
    label : str
        Number and overrides.
    problem : str
        Reason why it is not run.
    is_wrong : bool
        Whether the reason is a mistake of the user, and not that its parts are incompatible, that its words do not
        compose together while each does elsewhere, or that another cell makes the same searches.
    composition : Composition or None
        Configuration; None if it cannot be composed.
    """

    number: int
    label: str
    problem: str
    is_wrong: bool
    composition: Composition | None


@dataclass(frozen=True)
class SweepCell:
    """Cell of a sweep. What follows `values` is known when the sweep has been planned.

    Attributes
    ----------
    number : int
        Number of the combination.
    label : str
        Number and overrides of the combination; empty for a run.
    values : dict of str to str
        Values that may distinguish the combination from others, by their keys.
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
    not_reread : int
        Number of further instances without a finished row that are not searched, because kept outputs are read again.
    unread : int
        Number of these instances that have a row whose output was read in another way.
    gone : frozenset of int
        Keys of rows in the log whose instances have changed or are gone.
    of_other_code : int
        Number of rows that other code has made.
    interruptions : dict of int to int
        How many searches of a missing instance were interrupted, by its number.
    """

    number: int
    label: str
    cell: Cell
    composition: Composition
    values: dict[str, str] = field(default_factory=dict)
    folder: Path = Path()
    rule: RowRule = ALL_ROWS
    missing: list[range] = field(default_factory=list)
    finished: int = 0
    elsewhere: list[tuple[Log, int, int]] = field(default_factory=list)
    not_reread: int = 0
    unread: int = 0
    gone: frozenset[int] = frozenset()
    of_other_code: int = 0
    interruptions: dict[int, int] = field(default_factory=dict)

    @cached_property
    def digests(self) -> tuple[str, str, str]:
        """Digests of the searches, of the searches without their limits, and of how outputs are read."""
        return self.cell.identity(), self.cell.identity(with_limits=False), self.cell.reading

    @property
    def missing_count(self) -> int:
        """Number of instances that have no finished row."""
        return sum(map(len, self.missing))

    @property
    def total(self) -> int:
        """Number of instances. If there are rows, an instance that the source repeats counts once."""
        return self.finished + self.missing_count + self.not_reread

    def missing_interrupted(self, interruptions: int) -> list[range]:
        """Return the numbers of the missing instances that were interrupted so many times."""
        if not self.interruptions:
            return [] if interruptions else self.missing
        ranges: list[range] = []
        for number in chain.from_iterable(self.missing):
            if self.interruptions.get(number, 0) == interruptions:
                append_to(ranges, number)
        return ranges


def append_to(ranges: list[range], number: int) -> None:
    """Add the next larger number to ranges: to the last one, if it ends there."""
    if ranges and ranges[-1].stop == number:
        ranges[-1] = range(ranges[-1].start, number + 1)
    else:
        ranges.append(range(number, number + 1))


def combinations(request: Request) -> tuple[list[SweepCell], list[OmittedCell]]:
    """Compose and check all combinations of a sweep, and return those that run, and the others.

    Combinations that repeat another or whose parts are incompatible are not run. A pattern such as ``heuristic=*``
    stands for the heuristics of the world's domain only.

    Raises
    ------
    UserError
        If an override is wrong in every combination.
    """
    composer = request.composer
    space = request.space
    parser = Parser()
    cells: dict[int, SweepCell] = {}
    omitted: list[OmittedCell] = []
    proven: set[tuple[str, str]] = set()
    mistakes: dict[tuple[str, str], UserError] = {}
    first: dict[tuple[str, str, str], int] = {}
    for choices in space.cells():
        number = len(cells) + len(omitted)
        named = [_named(choice, space.swept) for choice in choices if section_of_word(choice.key) not in _NOT_NAMED]
        label = _label(number, named)
        try:
            composition = composer.compose([choice.override for choice in choices])
        except UserError as error:
            problem = placed(str(error), choices)
            for choice in blamed(str(error), choices):
                if not (composer.groups.is_group(choice.key) and choice.value in composer.groups.names(choice.key)):
                    mistakes.setdefault((choice.where, choice.text), UserError(problem))
            omitted.append(OmittedCell(number, label, problem, is_wrong=False, composition=None))
            continue
        proven.update((choice.where, choice.text) for choice in choices)
        space.refuse_nested(composition)
        try:
            parsed = parser.parse(composition.resolved)
        except UserError as error:
            if isinstance(error, ForeignDomain) and any(choice.is_globbed for choice in choices):
                continue
            is_wrong = not isinstance(error, Incompatible)
            problem = composer.located(placed(str(error), choices)) if is_wrong else str(error)
            omitted.append(OmittedCell(number, label, problem, is_wrong, composition))
            continue
        own = {key: each for key, each in values_of(choices).items() if section_of_word(key) not in _NO_COLUMN}
        values = {key: _shown(each) for key, each in own.items()}
        if parsed.algorithm.heuristic == "ignored":
            label = _label(number, without_heuristic(named))
        cell = SweepCell(number, label, parsed, composition, values)
        same = first.setdefault(cell.digests, number)
        if same == number:
            cells[number] = cell
            continue
        cells[same] = replace(cells[same], values=values | cells[same].values)
        other = parsed.notes[0] if parsed.notes else ""
        problem = f"the same as another cell ({other})" if other else f"the same as cell {same}"
        omitted.append(OmittedCell(number, _label(number, named), problem, is_wrong=False, composition=composition))
    for given, mistake in mistakes.items():
        if given not in proven:
            raise mistake
    if omitted and omitted[0].number == 0 and not proven:
        raise UserError(omitted[0].problem)
    return list(cells.values()), omitted


def cells_of(request: Request) -> list[Cell]:
    """Return the cells that a request runs, without the combinations that are refused."""
    if not request.is_sweep:
        return [Parser().parse(request.single.resolved)]
    return [each.cell for each in combinations(request)[0]]


def refuse_wrong(omitted: Sequence[OmittedCell]) -> None:
    """Raise `UserError` if a combination is wrong."""
    wrong = [each for each in omitted if each.is_wrong]
    if wrong:
        others = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
        raise UserError(f"{wrong[0].label}: {wrong[0].problem}{others}")


def searches(cells: Sequence[SweepCell], order: Order = "cells", seed: int = 0) -> Iterator[tuple[int, range]]:
    """Yield the searches to make: numbers of instances, each range with the position of its cell.

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
    repeat = max((each.cell.repeat for each in cells), default=0)
    interruptions = {0}.union(*(each.interruptions.values() for each in cells))
    for count, repetition in product(sorted(interruptions), range(repeat)):
        in_pass = [
            (position, each.missing_interrupted(count))
            for position, each in enumerate(cells)
            if each.cell.repeat > repetition
        ]
        if order == "cells":
            yield from ((position, numbers) for position, missing in in_pass for numbers in missing)
            continue
        turns = zip_longest(*([(position, number) for number in chain(*missing)] for position, missing in in_pass))
        single = [search for turn in turns for search in turn if search is not None]
        if order == "random":
            shuffling.shuffle(single)
        yield from ((position, range(number, number + 1)) for position, number in single)


def swept_columns(cells: Sequence[SweepCell], swept: Sequence[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Return the values of each cell by column of results.csv, and the columns of the swept keys.

    The choices of a section such as `algorithm` stand in the column of that name. If two choices look the same there,
    they stand in the column `choice.algorithm`.
    """
    renamed = {"limits": "choice.limits"}
    for kind in KINDS:
        with_choice = (each for each in cells if kind in each.values and not _is_ignored(kind, each.cell))
        choices = {(_columns(each.cell)[kind], each.values[kind]) for each in with_choice}
        if len({column for column, _ in choices}) < len(choices):
            renamed[kind] = f"choice.{kind}"
    values = [{renamed.get(key, key): value for key, value in each.values.items()} for each in cells]
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


def _named(choice: Choice, swept: Sequence[str]) -> str:
    """Return an override for a label. An experiment that all combinations have is called by the name of its file."""
    if choice.key != experiments.EXPERIMENT or choice.key in swept or not experiments.is_path(choice.value):
        return choice.text
    return f"+{choice.key}={Path(choice.value).name}"


def _label(number: int, overrides: Sequence[str]) -> str:
    return one_line(f"[{number}] {' '.join(overrides)}".strip())


def _shown(value: Any) -> str:
    """Return a value as it appears in results.csv."""
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
