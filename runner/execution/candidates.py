"""The combinations of a sweep, composed and checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from runner.config.compose import Composer
from runner.config.composition import Composition
from runner.config.schema import Cell, Parser
from runner.config.space import Space
from runner.registry import ForeignDomain, Incompatible, UserError, one_line

_NOT_NAMED = ("hydra", "retry", "workers", "progress", "dry_run", "label")
"""Keys that change nothing about a cell."""
_NO_COLUMN = (*_NOT_NAMED, "plugins")


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
    values : dict of str to str
        By keys, what distinguishes it from the others, or may.
    """

    label: str
    composition: Composition | None
    cell: Cell | None
    problem: str = ""
    is_wrong: bool = False
    values: dict[str, str] = field(default_factory=dict)


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
        values = {each.key: _shown(each.value) for each in choices if not each.key.startswith(_NO_COLUMN)}
        candidate = replace(candidate, values=values)
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


def _shown(value: Any) -> str:
    """Return a value as it stands in results.csv."""
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
