"""The cells of a sweep: all combinations of what is swept, some of it in step, without what is excluded."""

from __future__ import annotations

import itertools
import math
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import OverrideParseException

from runner.registry import UserError, suggest

WHERE = "hydra.sweeper"
MOST_JOBS = 100_000


@dataclass(frozen=True)
class Choice:
    """One value that a key takes.

    Attributes
    ----------
    key : str
        Without a plus sign.
    override : str
        As Hydra takes it.
    value : object
        As Hydra reads it.
    """

    key: str
    override: str
    value: Any


Point = tuple[Choice, ...]


class Space:
    """What a sweep combines.

    Parameters
    ----------
    parser : OverridesParser
    product : mapping
        Values of keys, all of which are combined: a list, or a text in Hydra's grammar (``a,b``, ``glob(*)``,
        ``range(1,5)``).
    zipped : sequence of mapping
        In each mapping lists of the same length, which are gone through in step.
    exclude : sequence of mapping
        A combination is left out if all keys of a mapping have the value that is given (or one of a list; ``*`` stands
        for anything in a text).
    arguments : sequence of str
        Overrides of the command line. What they set is taken out of the others.
    default : callable
        The value of a key that is not swept; raises KeyError.

    Attributes
    ----------
    keys, varied : set of str
        What is set, and what takes several values.
    excluded : list of int
        How many combinations each mapping has left out so far.

    Raises
    ------
    UserError
        For what cannot be swept, naming the key.
    """

    def __init__(
        self,
        parser: OverridesParser,
        product: Mapping[str, Any],
        zipped: Sequence[Mapping[str, Any]],
        exclude: Sequence[Mapping[str, Any]],
        arguments: Sequence[str],
        default: Callable[[str], Any],
    ) -> None:
        self._parser = parser
        given = {bare(each.get_key_element()): self._choices(each) for each in parser.parse_overrides(list(arguments))}
        self._axes: list[list[Point]] = []
        known: set[str] = set()
        for key, values in product.items():
            self._claim(bare(key), known, f"{WHERE}.product")
            choices = given.pop(bare(key), None) or self._listed(key, values, f"{WHERE}.product.{key}")
            self._axes.append([(choice,) for choice in choices])
        for index, group in enumerate(zipped):
            where = f"{WHERE}.zip[{index}]"
            columns = []
            for key, values in group.items():
                self._claim(bare(key), known, where)
                if bare(key) not in given:
                    columns.append(self._listed(key, values, f"{where}.{key}"))
            if len({len(column) for column in columns}) > 1:
                lengths = ", ".join(f"{column[0].key} {len(column)}" for column in columns)
                raise UserError(f"{where}: expected lists of the same length, got {lengths}")
            self._axes += [list(zip(*columns, strict=True))] if columns else []
        self._axes += [[(choice,) for choice in choices] for choices in given.values()]
        self.keys = {choice.key for axis in self._axes for choice in axis[0]}
        self.varied = {choice.key for axis in self._axes if len(axis) > 1 for choice in axis[0]}
        self._exclude = [
            self._exclusion(each, f"{WHERE}.exclude[{index}]", default) for index, each in enumerate(exclude)
        ]
        self.excluded = [0] * len(exclude)

    def jobs(self) -> Iterator[list[str]]:
        """The overrides of each job; what comes first changes slowest. Counts in `excluded` what is left out."""
        count = math.prod(map(len, self._axes))
        if count > MOST_JOBS:
            raise UserError(f"a sweep of {count:,} jobs; at most {MOST_JOBS:,} are allowed")
        for points in itertools.product(*self._axes):
            choices = [choice for point in points for choice in point]
            values = {choice.key: choice.value for choice in choices}
            reason = next((index for index, each in enumerate(self._exclude) if _excludes(each, values)), None)
            if reason is None:
                yield [choice.override for choice in choices]
            else:
                self.excluded[reason] += 1

    def _claim(self, key: str, known: set[str], where: str) -> None:
        if key in known:
            raise UserError(f"{where}.{key}: is swept twice")
        try:
            self._parser.parse_overrides([f"{key or '?'}="])
        except OverrideParseException:
            raise UserError(f"{where}: '{key}' cannot be the name of a key") from None
        known.add(key)

    def _listed(self, key: str, values: Any, where: str) -> list[Choice]:
        if not isinstance(values, list):
            swept = values if isinstance(values, str) else text(values)
            (override,) = self._parser.parse_overrides([f"{key}={swept}"])
            return self._choices(override)
        if not values:
            raise UserError(f"{where}: the list is empty; give at least one value")
        return [self._choice(f"{key}={text(value)}") for value in values]

    def _choices(self, override: Override) -> list[Choice]:
        if not override.is_sweep_override():
            key = override.get_key_element()
            return [self._choice(key if override.is_delete() else f"{key}={override.get_value_element_as_str()}")]
        if not override.is_discrete_sweep():
            raise UserError(f"{override.input_line}: cannot be swept; list the values, or give a range(...)")
        return [self._choice(f"{override.get_key_element()}={value}") for value in override.sweep_string_iterator()]

    def _choice(self, override: str) -> Choice:
        (parsed,) = self._parser.parse_overrides([override])
        return Choice(bare(parsed.get_key_element()), override, parsed.value())

    def _exclusion(self, given: Any, where: str, default: Callable[[str], Any]) -> dict[str, list[Any]] | None:
        """The keys of a mapping that are swept; None if another key keeps it from ever applying."""
        if not isinstance(given, Mapping) or not given:
            raise UserError(f"{where}: expected a mapping of keys to values, got {reprlib.repr(given)}")
        patterns = {bare(str(key)): value if isinstance(value, list) else [value] for key, value in given.items()}
        for key in patterns.keys() - self.keys:
            for swept in self.varied:
                if key.startswith(f"{swept}.") or (swept.startswith("experiment")):
                    raise UserError(f"{where}.{key}: depends on {swept}, which is swept; name {swept} here instead")
            try:
                value = default(key)
            except KeyError:
                raise UserError(f"{where}.{key}: unknown key{suggest(key, sorted(self.keys))}") from None
            if not _matches(patterns[key], value):
                return None
        return {key: values for key, values in patterns.items() if key in self.keys}


def text(value: Any) -> str:
    """A value as it stands in an override.

    Examples
    --------
    >>> text(["manhattan", {"name": "obstacle", "as_published": True}]), text(None), text("a, b")
    ('[manhattan,{name:obstacle,as_published:true}]', 'null', "'a, b'")
    """
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{text(key)}:{text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(text, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return str(value)
    plain = value.replace("_", "").replace("/", "").replace(".", "a")
    if plain.isalnum() and plain.isascii() and not value[0].isdigit() and value.lower() not in _SPECIAL:
        return value
    # backslashes mean something before a quote only
    return "'" + re.sub(r"(\\*)('|$)", lambda end: end[1] * 2 + (end[2] and "\\'"), value) + "'"


_SPECIAL = ("null", "true", "false", "nan", "inf")


def bare(key: str) -> str:
    """A key without a plus sign or tilde."""
    return key.lstrip("+~")


def _excludes(patterns: Mapping[str, list[Any]] | None, values: Mapping[str, Any]) -> bool:
    return patterns is not None and all(_matches(allowed, values[key]) for key, allowed in patterns.items())


def _matches(patterns: list[Any], value: Any) -> bool:
    return any(
        fnmatchcase(value, pattern) if isinstance(pattern, str) and isinstance(value, str) else pattern == value
        for pattern in patterns
    )
