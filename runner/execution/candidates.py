"""Combinations of a sweep, composed and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from runner.base import ForeignDomain, Incompatible, UserError, one_line
from runner.config import (
    OF_ROWS,
    Cell,
    Choice,
    Composition,
    Parser,
    Request,
    blamed,
    experiments,
    placed,
    values_of,
    without_heuristic,
)

_NOT_NAMED = ("hydra", "sweep.", "retry", "workers", "progress", "dry_run", *OF_ROWS)
"""Keys that do not change a cell."""
_NO_COLUMN = (*_NOT_NAMED, "plugins")


@dataclass(frozen=True)
class Candidate:
    """Combination of swept values.

    Attributes
    ----------
    label : str
        Number and overrides.
    composition : Composition or None
        Configuration; None if it cannot be composed.
    cell : Cell or None
        Cell; None if it is not run.
    problem : str
        Reason why it is not run; empty if it is run.
    is_wrong : bool
        Whether the reason is a mistake of the user, and not that the parts are incompatible.
    values : dict of str to str
        Values that may distinguish it from other combinations, by their keys.
    """

    label: str
    composition: Composition | None
    cell: Cell | None
    problem: str = ""
    is_wrong: bool = False
    values: dict[str, str] = field(default_factory=dict)


def candidates_of(request: Request) -> list[Candidate]:
    """Compose and check all combinations of a sweep.

    Combinations that repeat another or whose parts are incompatible are not run. A pattern such as ``heuristic=*``
    stands for the heuristics of the world's domain only.

    Raises
    ------
    UserError
        If an override is wrong in every combination.
    """
    composer, space, parser = request.composer, request.space, Parser()
    found: list[Candidate] = []
    proven: set[tuple[str, str]] = set()
    mistakes: dict[tuple[str, str], UserError] = {}
    first: dict[tuple[str, str], int] = {}
    for choices in space.cells():
        named = [_named(choice, space.swept) for choice in choices if not choice.key.startswith(_NOT_NAMED)]
        label = _label(len(found), named)
        try:
            composition = composer.compose([choice.override for choice in choices])
        except UserError as error:
            problem = placed(str(error), choices)
            for choice in blamed(str(error), choices):
                if not (composer.choices.is_group(choice.key) and choice.value in composer.choices.names(choice.key)):
                    mistakes.setdefault((choice.where, choice.text), UserError(problem))
            found.append(Candidate(label, None, None, problem))
            continue
        proven.update((choice.where, choice.text) for choice in choices)
        space.refuse_nested(composition)
        try:
            candidate = candidate_of(label, composition, parser)
        except ForeignDomain as error:
            if any(choice.is_globbed for choice in choices):
                continue
            candidate = Candidate(label, composition, None, str(error))
        if candidate.is_wrong:
            candidate = replace(candidate, problem=composer.located(placed(candidate.problem, choices)))
        values = {key: _shown(value) for key, value in values_of(choices).items() if not key.startswith(_NO_COLUMN)}
        candidate = replace(candidate, values=values)
        cell = candidate.cell
        if cell is not None:
            number = first.setdefault((cell.identity(), cell.reading), len(found))
            if number != len(found):
                same = f"the same as another cell ({cell.notes[0]})" if cell.notes else f"the same as cell {number}"
                found[number] = replace(found[number], values=values | found[number].values)
                candidate = Candidate(label, composition, None, same)
            elif cell.algorithm.heuristic == "ignored":
                candidate = replace(candidate, label=_label(number, without_heuristic(named)))
        found.append(candidate)
    for value, mistake in mistakes.items():
        if value not in proven:
            raise mistake
    if found and found[0].problem and not proven:
        raise UserError(found[0].problem)
    return found


def cells_of(request: Request) -> list[Cell]:
    """Return the cells that a request runs, without the combinations that are refused."""
    if not request.is_sweep:
        return [Parser().parse(request.single.resolved)]
    return [each.cell for each in candidates_of(request) if each.cell is not None]


def refuse_wrong(candidates: Sequence[Candidate]) -> None:
    """Raise `UserError` if a combination is wrong."""
    wrong = [each for each in candidates if each.is_wrong]
    if wrong:
        others = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
        raise UserError(f"{wrong[0].label}: {wrong[0].problem}{others}")


def candidate_of(label: str, composition: Composition, parser: Parser) -> Candidate:
    """Check one combination.

    Raises
    ------
    ForeignDomain
        If a heuristic does not belong to the domain of the world.
    """
    try:
        return Candidate(label, composition, parser.parse(composition.resolved))
    except ForeignDomain:
        raise
    except Incompatible as error:
        return Candidate(label, composition, None, str(error))
    except UserError as error:
        return Candidate(label, composition, None, str(error), is_wrong=True)


def _named(choice: Choice, swept: Sequence[str]) -> str:
    """Return an override for a label. An experiment that all combinations have is called by the name of its file."""
    if choice.key != experiments.GROUP or choice.key in swept or not experiments.is_path(choice.value):
        return choice.text
    return f"+{choice.key}={Path(choice.value).name}"


def _label(number: int, overrides: Sequence[str]) -> str:
    return one_line(f"[{number}] {' '.join(overrides)}".strip())


def _shown(value: Any) -> str:
    """Return a value as it appears in results.csv."""
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
