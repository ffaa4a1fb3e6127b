"""Parse and write overrides in Hydra's grammar, such as ``algorithm.weight=1.5,2``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override

from runner.base.errors import UserError
from runner.config import settings
from runner.config.explain import FOREIGN, explained

_SPECIAL = ("null", "true", "false", "nan", "inf")


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


@cache
def _parser() -> OverridesParser:
    return OverridesParser.create()


def is_of_hydra(override: str) -> bool:
    """Whether an override, or a key, belongs to Hydra's own section."""
    return override.lstrip("+~").startswith(("hydra.", "hydra/"))


def section_of_word(key: str) -> str:
    """Return the section of a key or an override, such as ``world`` for ``+world.size=4`` or ``world=snake/random``."""
    return re.split("[./=]", key.lstrip("+~"), maxsplit=1)[0]


def without_heuristic(overrides: Sequence[str]) -> list[str]:
    """Return the overrides of a cell that runs without a heuristic: ``heuristic=none`` instead of what it ignores."""
    return list(dict.fromkeys("heuristic=none" if section_of_word(each) == "heuristic" else each for each in overrides))


def override_text(value: Any) -> str:
    """Return a value as text for an override.

    Examples
    --------
    >>> override_text(["manhattan", {"name": "obstacle", "as_published": True}])
    '[manhattan,{name:obstacle,as_published:true}]'
    >>> override_text(None), override_text("a, b")
    ('null', "'a, b'")
    """
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{override_text(key)}:{override_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(override_text, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return str(value)
    plain = value.replace("_", "").replace("/", "").replace(".", "a")
    if plain.isalnum() and plain.isascii() and not value[0].isdigit() and value.lower() not in _SPECIAL:
        return value
    # in Hydra's grammar a backslash is special only before a quote
    return "'" + re.sub(r"(\\*)('|$)", lambda end: end[1] * 2 + (end[2] and "\\'"), value) + "'"
