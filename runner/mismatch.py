"""Where and why a value does not fit a type, in the words of YAML. Of the runner it imports only `spelling`."""

from __future__ import annotations

import dataclasses
import reprlib
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from runner.spelling import did_you_mean, range_hint

_WORDS = {types.NoneType: "null", list: "list", tuple: "list", dict: "mapping", Mapping: "mapping", Sequence: "list"}
_CONSTRAINTS = {
    "ge": ">=",
    "gt": ">",
    "le": "<=",
    "lt": "<",
    "multiple_of": "divisible by",
    "min_length": "of length >=",
    "max_length": "of length <=",
    "pattern": "matching",
}
"""Attributes of `msgspec.Meta`, in words."""


def mismatch(value: Any, hint: Any, where: str) -> str | None:
    """Return a message about the innermost value that does not fit its type; None if all fit.

    Parameters
    ----------
    value : object
        Plain value, as YAML or JSON gives it.
    hint : type hint
        Any type that msgspec converts to.
    where : str
        Key of the value in the configuration.
    """
    if _fits(value, hint):
        return None
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return mismatch(value, arguments[0], where) or _expected(_with_constraint(value, hint), value, where)
    if origin is Literal:
        names = list(map(str, arguments))
        return _expected(f"one of {', '.join(names)}", value, where) + did_you_mean(str(value), names)
    members = arguments if origin in (Union, types.UnionType) else ()
    alternatives = (mismatch(value, each, where) for each in members if _fits(value, _outer(each)))
    items = (mismatch(item, kind, f"{where}{step}") for step, item, kind in _items(value, hint))
    missing = [f"{where}.{name}: missing" for name in missing_fields(hint, value)]
    return next(filter(None, (*alternatives, *items, *missing)), _expected(_words(hint), value, where))


def missing_fields(cls: Any, given: Any) -> list[str]:
    """Return the names of the required fields of a dataclass that a mapping does not have."""
    if not (isinstance(given, Mapping) and isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        return []
    required = [
        each.name
        for each in dataclasses.fields(cls)
        if each.init and each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    ]
    return [name for name in required if name not in given]


def _fits(value: Any, hint: Any) -> bool:
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def _expected(expected: str, value: Any, where: str) -> str:
    return f"{where}: expected {expected}, got {reprlib.repr(value)}{range_hint(where, value)}"


def _outer(hint: Any) -> Any:
    """Return a type without its constraints and the types of its items."""
    if get_origin(hint) is Annotated:
        return _outer(get_args(hint)[0])
    if dataclasses.is_dataclass(hint):
        return dict
    return hint if get_origin(hint) in (None, Literal, Union, types.UnionType) else get_origin(hint)


def _items(value: Any, hint: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the items of a list, mapping or dataclass: the end of the key, the item and its type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(value, (list, tuple)) and origin in (list, tuple) and arguments:
        kinds = arguments if origin is tuple and Ellipsis not in arguments else arguments[:1] * len(value)
        yield from ((f"[{index}]", item, kind) for index, (item, kind) in enumerate(zip(value, kinds, strict=False)))
    elif isinstance(value, Mapping) and origin is dict:
        yield from ((f".{key}", item, arguments[1]) for key, item in value.items())
    elif isinstance(value, Mapping) and isinstance(hint, type) and dataclasses.is_dataclass(hint):
        kinds_of_fields = get_type_hints(hint, include_extras=True)
        yield from ((f".{key}", item, kinds_of_fields[key]) for key, item in value.items() if key in kinds_of_fields)


def _words(hint: Any) -> str:
    """Return a type in words, without the types of its items."""
    if get_origin(hint) is tuple and Ellipsis not in get_args(hint):
        return f"list of length {len(get_args(hint))}"
    hint = _outer(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(_words, get_args(hint))))
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    return _WORDS.get(hint, getattr(hint, "__name__", str(hint)))


def _with_constraint(value: Any, hint: Any) -> str:
    """Return an annotated type in words, with the first of its constraints that a value violates."""
    base, *annotations = get_args(hint)
    for meta in (each for each in annotations if isinstance(each, Meta)):
        for name, words in _CONSTRAINTS.items():
            limit = getattr(meta, name)
            if limit is not None and not _fits(value, Annotated[base, Meta(**{name: limit})]):
                return f"{_words(base)} {words} {float(limit) if base is float else limit}"
    return _words(base)


def check_declared(cls: type, types: Mapping[str, Any]) -> None:
    """Raise `TypeError` if the class declares an attribute with a value that is not of its type.

    Properties and inherited attributes are not checked.
    """
    for name, expected in types.items():
        declared = vars(cls).get(name)
        problem = mismatch(declared, expected, f"{cls.__name__}: {name}") if name in vars(cls) else None
        if problem and not isinstance(declared, property):
            raise TypeError(problem)
