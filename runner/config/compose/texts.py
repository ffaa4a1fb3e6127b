"""Texts as they were typed: where a key is a text, `1.10`, `010`, `True` and `2026_11` are not numbers or booleans.

YAML and Hydra's grammar read a value before anybody knows the type of its key. Where the type is a text, the value is
replaced by what stands in the file, or on the command line. Where it is a text, a whole number or any other number, as
in a command, a value stays what it is unless it would be written differently.

So `typed` makes ``label='1.10'`` of ``label=1.10``: the value is 1.1; `as_texts` reads the word again, without numbers,
as "1.10"; by `_kinds`, a label may be a text or any number; so `as_typed` takes "1.10", which 1.1 is not written as.
"""

from __future__ import annotations

import itertools
import math
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hydra.core.override_parser.types import Override
from omegaconf import OmegaConf

from runner.base import KINDS, UserError, fields_of, hints_of, override_text, scalar_text
from runner.config.cell.keys import SECTIONS, CellSections, Settings
from runner.config.cell.registries import registered_parts
from runner.config.compose.files import ConfigFile, KeyPath, dotted
from runner.config.grammar.parse_overrides import as_texts, parse

_HYDRA = ("run.dir", "sweep.dir", "sweep.subdir", "job.name", "output_subdir")


class TextKeys:
    """Keys whose values are texts, by the types of the parameters that have these names.

    Parameters
    ----------
    is_group : callable
        Whether a key is the name of a group, whose value is the name of a choice.
    """

    def __init__(self, is_group: Callable[[str], bool]) -> None:
        self._is_group = is_group
        self._types: dict[KeyPath, list[list[Any]]] = {}

    def takes_text(self, override: Override) -> bool:
        """Whether the key of an override is a text, or may have one below."""
        return not override.is_delete() and self.may_hold_text(_path(override.key_or_group))

    def as_texts(self, override: Override) -> Override:
        """Return an override with texts instead of numbers and booleans, if its key takes texts."""
        return as_texts(override) if self.takes_text(override) else override

    def typed(self, override: Override, texts: Override | None = None) -> Override:
        """Return an override, without a sweep, in which texts are as they were typed: in quotes, if need be.

        Parameters
        ----------
        texts : Override, optional
            The same override with texts instead of numbers and booleans.
        """
        texts = texts or self.as_texts(override)
        if texts.input_line == override.input_line:
            return override
        before = override.value()
        value = self.as_typed(_path(override.key_or_group), before, texts.value())
        if repr(value) == repr(before):
            return override
        (typed,) = parse([f"{override.get_key_element()}={override_text(value)}"])
        return typed

    def may_hold_text(self, path: KeyPath) -> bool:
        """Whether a key is a text, or may have one below."""
        return any(set(kinds) - {int, float, bool, type(None), Any} for kinds in self._kinds(path))

    def as_typed(self, path: KeyPath, value: Any, texts: Any) -> Any:
        """Return a value, in which texts are as they were typed.

        Parameters
        ----------
        texts : object
            The same value as it was typed: a text for each number or boolean.
        """
        if isinstance(value, Mapping) and isinstance(texts, Mapping):
            pairs = zip(value.items(), texts.values(), strict=True)
            return {key: self.as_typed((*path, key), each, text) for (key, each), text in pairs}
        if isinstance(value, list) and isinstance(texts, list):
            pairs_of = enumerate(zip(value, texts, strict=True))
            return [self.as_typed((*path, index), each, text) for index, (each, text) in pairs_of]
        if not isinstance(value, (bool, int, float)) or not isinstance(texts, str):
            return value
        kinds = self._kinds(path)
        return texts if kinds and all(_is_text(each, value, texts) for each in kinds) else value

    def _kinds(self, path: KeyPath) -> list[list[Any]]:
        """Return the types that a value may have: one list for each parameter of this name, as `path` of two worlds."""
        generic = tuple(0 if isinstance(step, int) else step for step in path)
        if generic not in self._types:
            paths = _swept(generic) if generic[0] == "sweep" else [generic]
            found = ([kinds for kinds in self._found(each) if kinds] for each in paths)
            self._types[generic] = next(filter(None, found), [])
        return self._types[generic]

    def takes_list(self, key: str, value: list[Any], names: Sequence[str]) -> bool:
        """Whether a list is one value of a key, and not several: lists are where the type of the key has lists.

        Parameters
        ----------
        names : sequence of str
            Entries whose parameter the key may be; if none of them has it, that of any entry.
        """
        path = _path(key)
        kinds = [*itertools.chain(*self._found(path, names))] or [*itertools.chain(*self._found(path))]
        return path[0] != "limits" and (not kinds or any(_has_lists_of(kind, value) for kind in kinds))

    def _found(self, path: KeyPath, names: Sequence[str] = ()) -> Iterator[list[Any]]:
        section, *rest = path
        of_stack = section == "heuristic" and rest[:1] == ["stack"]
        if section == "sweep" or rest == ["stack"]:
            yield [dict, list[str]]
        elif (not rest and self._is_group(str(section))) or (of_stack and len(rest) == 2):
            yield [str]
        elif section == "hydra":
            key = ".".join(map(str, rest))
            yield [str] if key in _HYDRA else [dict] if any(each.startswith(f"{key}.") for each in _HYDRA) else []
        elif section in KINDS:
            for entry in (entry for _, name, entry in registered_parts(str(section)) if not names or name in names):
                yield _below(entry, rest[2:] if of_stack else rest)  # heuristic.stack[0].path
        elif section in SECTIONS.names():
            yield _below(SECTIONS.find(str(section)), rest)
        else:
            yield from (_below(own, [section, *rest]) for own in (Settings, CellSections))


def _path(key: str) -> KeyPath:
    return tuple(key.split("."))


def _swept(path: KeyPath) -> list[KeyPath]:
    """Return the keys that a value in the section ``sweep`` may have, such as ``sweep.zip[0].world.size[3]``.

    In `cells` a list may be a value, or several.
    """
    key, *below = [*itertools.dropwhile(lambda step: isinstance(step, int), path[2:])] or ["sweep"]
    steps = str(key).lstrip("+~").split(".")
    values = below[1:] if below and isinstance(below[0], int) else below
    return [(*steps, *each) for each in ([below, values] if path[1:2] == ("cells",) else [values])]


def _below(hint: Any, path: Sequence[str | int]) -> list[Any]:
    """Return the types, without unions, of the value at a path in a value of some type."""
    found = list(_flat(hint))
    for step in path:
        found = [kind for each in found for kind in _inside(each, step)]
    return found


def _flat(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Annotated:
        yield from _flat(get_args(hint)[0])
    elif get_origin(hint) in (Union, types.UnionType):
        for each in get_args(hint):
            yield from _flat(each)
    elif get_origin(hint) is Literal:
        yield from {type(each): None for each in get_args(hint)}
    else:
        yield hint


def _inside(kind: Any, step: str | int) -> Iterator[Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        field = fields_of(kind).get(str(step))
        with suppress(NameError, TypeError):  # types of a plug-in that only exist for its type checker
            yield from () if field is None else _flat(hints_of(kind)[field.name])
    elif isinstance(origin, type) and issubclass(origin, Mapping) and len(arguments) > 1:
        yield from _flat(arguments[1])
    elif isinstance(origin, type) and issubclass(origin, Sequence) and arguments and str(step).isdecimal():
        for each in arguments if origin is tuple else arguments[:1]:
            yield from _flat(each)


def _has_lists_of(kind: Any, value: Any) -> bool:
    """Whether lists are where a type has lists."""
    is_list = kind is list or issubclass(get_origin(kind) or object, (list, tuple))
    if kind is Any or not isinstance(value, list):
        return kind is Any or not is_list
    return is_list and all(any(_has_lists_of(each, item) for each in _inside(kind, 0)) for item in value)


def _is_text(kinds: Sequence[Any], value: int | float, text: str) -> bool:
    """Whether a value is the text that was typed, where the types of the key are known."""
    if str not in kinds:
        return False
    is_accepted = type(value) in kinds or (type(value) is int and float in kinds)
    takes_all = int in kinds and float in kinds
    return not is_accepted or (takes_all and (scalar_text(value) != text or not math.isfinite(value)))


def is_number(value: object) -> bool:
    """Whether a value of Hydra's section, in which all are texts, may have been a number or a boolean."""
    return isinstance(value, str) and re.fullmatch(r"[+-]?[\d.].*|True|False|inf|nan", value) is not None


def text_in(files: Iterable[ConfigFile], path: KeyPath, value: Any) -> str | None:
    """Return the text of a value in the files of a configuration; None if it stands in none of them.

    Raises
    ------
    UserError
        If it may be one of several texts.
    """
    found = {text for file in files for text in file.texts_of(path) if _stands_for(text, value)}
    if len(found) > 1:
        texts = " or ".join(sorted(found))
        raise UserError(f"{dotted(path)}: {texts}? They are the same for YAML; put quotes round them")
    return found.pop() if found else None


def _stands_for(text: str, value: Any) -> bool:
    if scalar_text(value) == text:
        return True
    if "${" in text or len(text.split()) != 1:
        return False
    read: Any = OmegaConf.create(f"value: {text}")
    return repr(read["value"]) == repr(value) or (isinstance(value, str) and str(read["value"]) == value)
