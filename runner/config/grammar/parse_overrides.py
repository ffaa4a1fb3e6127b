"""Parse overrides in Hydra's grammar, such as ``algorithm.weight=1.5,2``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override

from runner.base import UserError, section_of_word, with_quoted_scalars
from runner.config.grammar import settings
from runner.config.grammar.explain import FOREIGN, explained


def parse(overrides: Iterable[str]) -> list[Override]:
    """Parse overrides."""
    return [_parsed(override) for override in overrides]


def _parsed(override: str) -> Override:
    try:
        (parsed,) = _parser().parse_overrides([override])
    except FOREIGN as error:
        raise explained(error) from None
    except ValueError as error:  # a number with thousands of digits
        raise UserError(f"{override[:300]}: {error}") from None
    settings.refuse_replaced(parsed.key_or_group)
    return parsed


def as_texts(override: Override) -> Override:
    """Return an override with texts instead of numbers and booleans; the same one if it has none."""
    word = str(override.input_line)
    quoted = with_quoted_scalars(word)
    with suppress(UserError):
        return override if quoted == word else _parsed(quoted)
    return override


@cache
def _parser() -> OverridesParser:
    return OverridesParser.create()


def is_of_hydra(override: str) -> bool:
    """Whether an override, or a key, belongs to Hydra's own section."""
    return override.lstrip("+~").startswith(("hydra.", "hydra/"))


def without_heuristic(overrides: Sequence[str]) -> list[str]:
    """Return the overrides of a cell that runs without a heuristic: ``heuristic=none`` instead of what it ignores."""
    return list(dict.fromkeys("heuristic=none" if section_of_word(each) == "heuristic" else each for each in overrides))
