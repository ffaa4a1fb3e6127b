"""Cells of a sweep: combinations of the swept values, without the excluded ones."""

from __future__ import annotations

import glob
import itertools
import math
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from hydra.core.override_parser.types import Glob, Override

from runner.base import UserError, find_files, override_text, scalar_text, section_of_word, suggest
from runner.config.compose.composer import Composer
from runner.config.compose.composition import Composition
from runner.config.grammar.explain import FOREIGN, explained
from runner.config.grammar.parse_overrides import as_texts, parse

T = TypeVar("T")

SWEEP_KEY = "sweep"
MAX_CELLS = 100_000
_PARTS = ("product", "zip", "cells", "exclude")
_FILE = "heuristic.path"
"""Key whose value is one file. A folder or a pattern stands for the files in it, one cell each."""


@dataclass(frozen=True)
class Choice:
    """One value of a key.

    Attributes
    ----------
    override : Override
        Override that sets the value.
    is_globbed : bool
        True for a match of a pattern. A sweep leaves out matches that are incompatible with the rest.
    where : str
        Key of the value in the section ``sweep``, such as ``sweep.cells[2].heuristic``; empty on the command line.
    """

    override: Override
    is_globbed: bool = False
    where: str = ""

    @property
    def key(self) -> str:
        """Key without a plus sign."""
        return self.override.key_or_group

    @property
    def text(self) -> str:
        """Override in Hydra's grammar."""
        return str(self.override.input_line)

    @cached_property
    def value(self) -> Any:
        """Value as Hydra parses it."""
        return self.override.value()


Point = tuple[Choice, ...]


class Space:
    """Combinations of the values that a sweep takes.

    The section ``sweep`` has four keys. `product` combines all values of its keys; the values are a list, or a text in
    Hydra's grammar. `zip` takes the values of lists of the same length in parallel. `cells` takes one mapping of keys
    to values after the other. Each mapping in `exclude` excludes the combinations in which all its keys have the value
    given there, or one of a list of values; ``*`` in a text matches anything.

    Parameters
    ----------
    common : Composition
        Configuration that all cells share, with the section ``sweep``.
    overrides : sequence of Override
        Overrides of the command line. They replace the same keys of the section; one mapping is merged into them.

    Attributes
    ----------
    swept : list of str
        Keys with several values.
    excluded : list of int
        Number of combinations that each mapping of `exclude` has excluded so far.
    """

    def __init__(self, composer: Composer, common: Composition, overrides: Sequence[Override]) -> None:
        self._composer, self._common = composer, common
        section = _section_of(common)
        given = self._given(overrides)
        self._axes: list[list[Point]] = []
        known: set[str] = set()
        product = _mapping(f"{SWEEP_KEY}.product", section.get("product"))
        for key, values in product.items():
            self._claim(key, known, f"{SWEEP_KEY}.product")
            choices = _replacing(key, given)
            if choices is None:
                choices = self._listed(key, values, f"{SWEEP_KEY}.product.{_bare(key)}")
            else:
                given.remove(choices)
            self._axes.append([(choice,) for choice in choices])
        for index, group in enumerate(_list(f"{SWEEP_KEY}.zip", section.get("zip"))):
            self._axes += self._zipped(_mapping(f"{SWEEP_KEY}.zip[{index}]", group), given, known, index)
        cells = [self._arms(where, arms, given, known) for where, arms in _lists_of_cells(section)]
        self._axes += filter(None, cells)
        self._axes += [[(choice,) for choice in choices] for choices in given]
        self._keys = set(_keys(self._axes))
        self.swept = _keys(axis for axis in self._axes if len(axis) > 1)
        self._defaults = self._defaults_of(itertools.chain(*cells))
        exclude = _list(f"{SWEEP_KEY}.exclude", section.get("exclude"))
        self._exclude = [self._exclusion(each, f"{SWEEP_KEY}.exclude[{index}]") for index, each in enumerate(exclude)]
        self.excluded = [0] * len(exclude)

    def cells(self) -> Iterator[Point]:
        """Yield the choices of each cell; the first key varies slowest. Count excluded combinations in `excluded`."""
        for points in _product(self._axes):
            choices = tuple(choice for point in points for choice in point)
            values = {**self._defaults, **values_of(choices)}
            index = next((index for index, each in enumerate(self._exclude) if _excludes(each, values)), None)
            if index is None:
                yield choices
            else:
                self.excluded[index] += 1

    def _given(self, overrides: Iterable[Override]) -> list[list[Choice]]:
        """Return the values of each override, in the order in which they are set.

        As in a run, mappings are merged, and of other values of a key the last ones count. Those have the place of the
        first, so that the order of the cells stays, unless a mapping or a key inside is set in between.
        """
        given: list[list[Choice]] = []
        for override in overrides:
            choices = self._values_of(override)
            key, name = choices[0].key, override.get_key_element()
            earlier = [each for each in given if each[0].override.get_key_element() == name and not _is_mapping(each)]
            place = len(given)
            for before in earlier if not _is_mapping(choices) else []:
                index = given.index(before)
                between = [each[0].key for each in given[index + 1 :]]
                if self._composer.groups.is_group(key) or not any(_is_related(key, each) for each in between):
                    place = index
                del given[index]
            given.insert(place, choices)
        return given

    def refuse_nested(self, composition: Composition) -> None:
        """Raise `UserError` if a swept experiment has a section ``sweep`` of its own, which would have no effect."""
        if composition.unresolved.get(SWEEP_KEY) != self._common.unresolved.get(SWEEP_KEY):
            raise UserError(
                f"{' '.join(composition.overrides)}: has its own section {SWEEP_KEY}; run such experiments one by one"
            )

    def _zipped(
        self, group: Mapping[str, Any], given: Sequence[list[Choice]], known: set[str], index: int
    ) -> list[list[Point]]:
        where, columns = f"{SWEEP_KEY}.zip[{index}]", []
        for key, values in group.items():
            self._claim(key, known, where)
            if _replacing(key, given) is None:
                columns.append(self._listed(key, values, f"{where}.{_bare(key)}"))
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f"{column[0].key} {len(column)}" for column in columns)
            raise UserError(f"{where}: expected lists of the same length, got {lengths}")
        return [list(zip(*columns, strict=True))] if columns else []

    def _arms(self, place: str, arms: Sequence[Any], given: Sequence[list[Choice]], known: set[str]) -> list[Point]:
        """Return the choices of each arm, a mapping in `sweep.cells`, without the keys that the command line gives.

        A list that is no value of its key stands for several values: the mapping for all their combinations.
        """
        found: list[Point] = []
        elsewhere = frozenset(known)
        for index, arm in enumerate(arms):
            where = f"{place}[{index}]"
            mapping = _mapping(where, arm)
            columns: list[list[Choice]] = []
            for key, value in mapping.items():
                bare = _bare(key)
                if bare not in known - elsewhere:
                    self._claim(key, known, where)
                if _replacing(key, given) is not None:
                    continue
                chosen = mapping.get(section_of_word(bare))
                names = [each for each in (chosen if isinstance(chosen, list) else [chosen]) if isinstance(each, str)]
                is_value = not isinstance(value, list) or self._composer.texts.takes_list(bare, value, names)
                columns.append(self._listed(key, [value] if is_value else value, f"{where}.{bare}"))
            found += _product(columns)
        return found

    def _defaults_of(self, arms: Iterable[Point]) -> dict[str, Any]:
        """Return the values that keys of some arms have in the others, for `exclude`."""
        found: dict[str, Any] = {}
        for key in _keys([[*arms]]):
            with suppress(KeyError):
                found[key] = self._default(key)
        return found

    def _claim(self, key: str, known: set[str], where: str) -> None:
        if _bare(key) in known:
            raise UserError(f"{where}.{_bare(key)}: has values in two places of the section {SWEEP_KEY}; keep one")
        try:
            parse([f"{key or '?'}="])
        except UserError as error:
            raise UserError(f"{where}: '{key}' cannot be the name of a key ({error})") from None
        known.add(_bare(key))

    def _listed(self, key: str, values: Any, where: str) -> list[Choice]:
        if not isinstance(values, list):
            swept = values if isinstance(values, str) else override_text(values)
            (override,) = parse([f"{key}={swept}"])
            return self._values_of(override, where)
        if not values:
            raise UserError(f"{where}: the list is empty; give at least one value")
        return _chosen(parse(f"{key}={override_text(value)}" for value in values), where)

    def _values_of(self, override: Override, where: str = "") -> list[Choice]:
        """Return the values of an override; a pattern stands for the matching choices of its group."""
        key, value = override.get_key_element(), override.value()
        is_any = value == "*" and self._composer.groups.is_group(override.key_or_group)
        pattern = Glob(include=["*"]) if is_any else value
        if isinstance(pattern, Glob):
            names = pattern.filter(self._composer.groups.names(override.key_or_group))
            if not names:
                raise UserError(f"{override.input_line}: no choice of {override.key_or_group} matches")
            return [Choice(each, is_globbed=True, where=where) for each in parse(f"{key}={name}" for name in names)]
        if not override.is_sweep_override():
            return _chosen([self._composer.texts.typed(override)], where)
        if not override.is_discrete_sweep():
            raise UserError(f"{override.input_line}: cannot be swept; give a list of values, or a range(...)")
        texts = self._composer.texts.as_texts(override)
        try:
            values = list(itertools.islice(override.sweep_string_iterator(), MAX_CELLS + 1))
            typed = list(itertools.islice(texts.sweep_string_iterator(), MAX_CELLS + 1))
        except FOREIGN as error:
            raise explained(error) from None
        except (ArithmeticError, ValueError):
            raise UserError(f"{override.input_line}: a range needs numbers, and a step other than 0") from None
        if not 0 < len(values) <= MAX_CELLS:
            raise UserError(
                f"{override.input_line}: expected 1 to {MAX_CELLS:,} values, got {'more' if values else 'none'}"
            )
        found = parse(f"{key}={value}" for value in values)
        if texts is not override:
            words = parse(f"{key}={text}" for text in typed)
            found = [self._composer.texts.typed(each, as_texts(word)) for each, word in zip(found, words, strict=True)]
        if self._composer.texts.takes_text(override):  # a number that a range yields, and true, have one spelling
            found = [_spelled(each) for each in found]
        return _chosen(found, where)

    def _exclusion(self, given: Any, where: str) -> dict[str, list[Any]] | None:
        """Return the swept keys of a mapping with their values; None if another key never has the value given here."""
        if not isinstance(given, Mapping) or not given:
            raise UserError(f"{where}: expected a mapping of keys to values, got {reprlib.repr(given)}")
        patterns = {_bare(str(key)): value if isinstance(value, list) else [value] for key, value in given.items()}
        for key in patterns.keys() - self._keys:
            for swept in self.swept:
                if key.startswith(f"{swept}.") or swept.startswith("experiment"):
                    raise UserError(f"{where}.{key}: depends on {swept}, which is swept; name {swept} here instead")
            try:
                value = self._default(key)
            except KeyError:
                raise UserError(f"{where}.{key}: unknown key{suggest(key, sorted(self._keys))}") from None
            if not _matches(patterns[key], value):
                return None
        return {key: values for key, values in patterns.items() if key in self._keys}

    def _default(self, key: str) -> Any:
        """Return the choice or the value of a key that is not swept."""
        chosen = self._common.chosen
        return chosen[key] if key in chosen else self._common.select(key)


def _spelled(override: Override) -> Override:
    """Return an override with a number or a boolean in the spelling that no text as it was typed has."""
    value = override.value()
    if not isinstance(value, (bool, float)):
        return override
    (spelled,) = parse([f"{override.get_key_element()}={scalar_text(value)}"])
    return spelled


def has_several_values(override: Override) -> bool:
    """Whether an override is swept: it has a list or a range of values, or stands for several files."""
    return override.is_sweep_override() or _files(override) is not None


def _files(override: Override) -> list[Path] | None:
    """Return the files that a folder or a pattern stands for; None for any other value."""
    value = override.value() if override.key_or_group == _FILE else None
    if not isinstance(value, str) or Path(value).is_file():
        return None
    is_several = glob.has_magic(value) or Path(value).expanduser().is_dir()
    return find_files(value, (".py",), "heuristics", _FILE) if is_several else None


def _chosen(overrides: Iterable[Override], where: str) -> list[Choice]:
    """Return the choices of some values; a folder or a pattern of files stands for all its files."""
    found: list[Override] = []
    for each in overrides:
        files = _files(each)
        key = each.get_key_element()
        found += [each] if files is None else parse(f"{key}={override_text(str(file))}" for file in files)
    return [Choice(each, where=where) for each in found]


def _section_of(composition: Composition) -> dict[str, Any]:
    """Return the section ``sweep``, checked."""
    section = _mapping(SWEEP_KEY, composition.select(SWEEP_KEY) if SWEEP_KEY in composition.unresolved else None)
    for key in section:
        if key not in _PARTS:
            raise UserError(f"{SWEEP_KEY}.{key}: unknown key{suggest(key, _PARTS)}")
    return section


def _lists_of_cells(section: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the lists in `cells`, which are combined, with their keys. Mappings alone are one list."""
    where = f"{SWEEP_KEY}.cells"
    cells = _list(where, section.get("cells"))
    index = next((index for index, each in enumerate(cells) if isinstance(each, list)), None)
    if index is None:
        return [(where, cells)]
    for other, each in enumerate(cells):
        if not isinstance(each, list):
            raise UserError(f"{where}[{other}]: expected a list, as {where}[{index}] is one, got {reprlib.repr(each)}")
        if not each:
            raise UserError(f"{where}[{other}]: the list is empty; give at least one mapping")
    return [(f"{where}[{place}]", each) for place, each in enumerate(cells)]


def _product(axes: Sequence[Sequence[T]]) -> Iterator[tuple[T, ...]]:
    count = math.prod(map(len, axes))
    if count > MAX_CELLS:
        raise UserError(f"a sweep of {count:,} cells; at most {MAX_CELLS:,} are allowed")
    return itertools.product(*axes)


def swept_keys(composition: Composition) -> list[str]:
    """Return the keys that the section ``sweep`` of a configuration sweeps."""
    section = _section_of(composition)
    mappings = _mappings([section.get(name) for name in ("product", "zip", "cells")])
    return list(dict.fromkeys(str(key) for mapping in mappings for key in mapping))


def _mappings(value: Any) -> Iterator[Mapping[Any, Any]]:
    """Yield a mapping, or those in lists of any depth."""
    if isinstance(value, list):
        for each in value:
            yield from _mappings(each)
    elif isinstance(value, Mapping):
        yield value


def values_of(choices: Point) -> dict[str, Any]:
    """Return the values of the keys in a cell. Mappings of one key are merged; a choice of its group stands for it."""
    found: dict[str, Any] = {}
    for choice in choices:
        before, value = found.get(choice.key, {}), choice.value
        if not isinstance(value, Mapping) or not before:
            found[choice.key] = value
        elif isinstance(before, Mapping):
            found[choice.key] = _merged(before, value)
    return found


def _merged(before: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(before)
    for key, each in value.items():
        inner = merged.get(key)
        merged[key] = _merged(inner, each) if isinstance(inner, Mapping) and isinstance(each, Mapping) else each
    return merged


def blamed(problem: str, choices: Point) -> list[Choice]:
    """Return the choices whose key a message begins with; all if there is none."""
    name = re.split(r"[:\[]", problem, maxsplit=1)[0]
    exact = [choice for choice in choices if choice.key == name]
    return exact or [choice for choice in choices if f"{choice.key}.".startswith(f"{name}.")] or list(choices)


def placed(problem: str, choices: Point) -> str:
    """Return a message about the value of a choice with the key that the value has in the section ``sweep``."""
    found = next((each for each in choices if each.where and re.match(rf"{re.escape(each.key)}[:\[]", problem)), None)
    return problem if found is None else found.where + problem.removeprefix(found.key)


def _keys(axes: Iterable[Sequence[Point]]) -> list[str]:
    """Return the keys of some axes, each once."""
    return list(dict.fromkeys(choice.key for axis in axes for point in axis for choice in point))


def _replacing(key: str, given: Sequence[list[Choice]]) -> list[Choice] | None:
    """Return the values on the command line that replace those of a key in the section; None if there are none."""
    named = (choices for choices in given if choices[0].key == _bare(key))
    return next((choices for choices in named if len(choices) > 1 or not _is_mapping(choices)), None)


def _is_mapping(choices: Sequence[Choice]) -> bool:
    """Whether values are mappings, which are merged into what their key has."""
    return all(isinstance(choice.value, Mapping) for choice in choices)


def _is_related(key: str, other: str) -> bool:
    """Whether a key is another one, or inside of it, or around it."""
    return f"{key}.".startswith(f"{other}.") or f"{other}.".startswith(f"{key}.")


def _bare(key: str) -> str:
    """Return a key without a plus sign or tilde."""
    return key.lstrip("+~")


def _mapping(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value or {}, dict):
        raise UserError(f"{name}: expected a mapping of keys to values, got {value!r}")
    return {str(key): item for key, item in (value or {}).items()}


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [value] if value else []
    if not isinstance(value or [], list):
        raise UserError(f"{name}: expected a list, got {value!r}")
    return list(value or [])


def _excludes(patterns: Mapping[str, list[Any]] | None, values: Mapping[str, Any]) -> bool:
    return patterns is not None and all(
        key in values and _matches(allowed, values[key]) for key, allowed in patterns.items()
    )


def _matches(patterns: list[Any], value: Any) -> bool:
    return any(
        fnmatchcase(value, pattern) if isinstance(pattern, str) and isinstance(value, str) else pattern == value
        for pattern in patterns
    )
