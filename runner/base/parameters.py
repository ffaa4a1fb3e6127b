"""Parameters of entries: the fields of a dataclass that YAML may set.

A parameter whose name is a keyword of Python or a method of the class is a field with a trailing underscore (`from_`).
"""

from __future__ import annotations

import dataclasses
import re
import reprlib
from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from runner.base.errors import UserError, did_you_mean, range_hint, suggest

T = TypeVar("T")

_PATH = re.compile(r"^(?P<problem>.*) - at (?P<key>`key` in )?`\$(?P<path>.*)`$", re.DOTALL)
_WORDS = {
    r"\bobject\b": "mapping",
    r"\barray\b": "list",
    r"`bool`(?=, got)": "true or false",
    r"\bbool(?= \|)": "true | false",
    "`": "",
}
"""Words of YAML for those of JSON."""
_SOME_KEY = "[...]"
"""Text of msgspec for any key of a mapping."""


def convert(cls: type[T], parameters: Mapping[str, Any], *, where: str, owner: str = "") -> T:
    """Make a dataclass from a mapping, and check the names and types of its fields.

    Raises
    ------
    UserError
        For an unknown key, a missing key, or a value of the wrong type or range.
    """
    if not isinstance(parameters, Mapping):
        raise UserError(f"{where}: expected a mapping, got {reprlib.repr(parameters)}")
    fields = {name: field.name for name, field in fields_of(cls).items()}
    for key in parameters:
        if key not in fields:
            of = f" of {owner}" if owner else ""
            what = f"parameter{of}" if where else "key"
            raise UserError(f"{_join(where, key)}: unknown {what}{suggest(str(key), fields)}")
    if any(isinstance(value, (Mapping, list, tuple)) for value in parameters.values()):
        _refuse_unknown(parameters, cls, where)
    made: T = checked({fields[key]: value for key, value in parameters.items()}, cls, where)
    return made


def _refuse_unknown(value: Any, hint: Any, where: str) -> None:
    """Raise `UserError` for an unknown key of a mapping, at any depth, that becomes a dataclass."""
    if get_origin(hint) in (Union, UnionType):
        kinds = [each for each in get_args(hint) if dataclasses.is_dataclass(each) or get_origin(each)]
        if len(kinds) == 1:
            _refuse_unknown(value, kinds[0], where)
    elif isinstance(value, Mapping) and dataclasses.is_dataclass(hint) and isinstance(hint, type):
        fields, hints = fields_of(hint), hints_of(hint)
        for key, each in value.items():
            if key not in fields:
                misplaced = getattr(hint, "misplaced", {}).get(key)  # keys of another section, with what to write
                raise UserError(f"{_join(where, key)}: {misplaced or f'unknown key{suggest(str(key), fields)}'}")
            _refuse_unknown(each, hints[fields[key].name], _join(where, key))
    elif isinstance(value, (list, tuple)) and get_origin(hint) in (list, tuple):
        for place, each in enumerate(value):
            _refuse_unknown(each, get_args(hint)[0], f"{where}[{place}]")
    elif isinstance(value, Mapping) and get_origin(hint) is dict:
        for key, each in value.items():
            _refuse_unknown(each, get_args(hint)[1], f"{where}.{key}")


@lru_cache(maxsize=256)
def hints_of(cls: Hashable) -> dict[str, Any]:
    """Return the types of the fields of a dataclass."""
    return get_type_hints(cls)


def checked(value: Any, hint: Any, where: str) -> Any:
    """Convert a plain value, as YAML or JSON gives it, to a type.

    Parameters
    ----------
    hint : type hint
        Any type that msgspec converts to.
    where : str
        Key of the value in the configuration, for the message.

    Raises
    ------
    UserError
        If the value does not fit. The message is msgspec's, with the key in front.
    """
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError as error:
        raise UserError(_explained(error, value, hint, where)) from None


def _explained(error: msgspec.ValidationError, value: Any, hint: Any, where: str) -> str:
    found = _PATH.match(str(error))
    problem, path = (found["problem"], found["path"]) if found else (str(error.__cause__ or error), "")
    missing = re.fullmatch(r"Object missing required field `(\w+)`", problem)
    if missing:
        problem, path = "missing", f"{path}.{missing[1]}"
    outer = path.partition(_SOME_KEY)[0]
    given, kind = _inner(value, hint, re.findall(r"\w+", outer))
    if outer != path:
        return next(_mistakes(given, kind, f"{where}{outer}"), f"{where}{outer}: {problem}")
    key = re.sub(r"^(\.\w+?)_(?=\W|$)", r"\1", path)  # see `yaml_name`
    place = (f"{where}{key}" if where else key.lstrip(".")).strip() or "value"
    if found and found["key"]:
        place, given = f"{place}: key", None
    if problem.startswith("Invalid enum value"):
        choices = [str(each) for each in _choices(kind)]
        problem = f"expected one of {', '.join(choices)}, got {reprlib.repr(given)}{did_you_mean(str(given), choices)}"
    for word, ours in _WORDS.items():
        problem = re.sub(word, ours, problem)
    if problem.startswith("Expected"):
        problem = problem[0].lower() + problem[1:] + ("" if ", got" in problem else f", got {reprlib.repr(given)}")
    is_plain = isinstance(given, (bool, int, float)) or (given is None and place.endswith("]"))
    quotes = "; put quotes round it" if is_plain and re.match(r"expected .*\bstr\b.*, got", problem) else ""
    brackets = f"; write {place}=[{given}]" if isinstance(given, str) and problem == "expected list, got str" else ""
    return f"{place}: {problem}{quotes}{brackets}{range_hint(place, given)}"


def _mistakes(mapping: Mapping[Any, Any], hint: Any, where: str) -> Iterator[str]:
    """Yield a message for each value of a mapping that does not fit."""
    of_values = next((get_args(each)[1] for each in (hint, *get_args(hint)) if get_origin(each) is dict), Any)
    for key, value in mapping.items():
        try:
            checked(value, of_values, f"{where}.{key}")
        except UserError as error:
            yield str(error)


def _inner(value: Any, hint: Any, keys: list[str]) -> tuple[Any, Any]:
    """Return the value at a path, and its type where it is that of a field."""
    for key in keys:
        hint = next((kind for kind in (hint, *get_args(hint)) if dataclasses.is_dataclass(kind)), hint)
        if dataclasses.is_dataclass(hint):
            hint = get_type_hints(hint, include_extras=True).get(key, Any)
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, (list, tuple)) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
    return value, hint


def _choices(hint: Any) -> Iterator[Any]:
    """Yield the values of all literals in a type, and true and false if it has booleans."""
    for each in get_args(hint):
        if get_origin(hint) is Literal:
            yield each
        elif each is bool:
            yield from ("true", "false")
        else:
            yield from _choices(each)


def check_declared(cls: type, types: Mapping[str, Any]) -> None:
    """Raise `TypeError` if the class declares an attribute with a value that is not of its type.

    Properties and inherited attributes are not checked.
    """
    for name, expected in types.items():
        if name in vars(cls) and not isinstance(vars(cls)[name], property):
            try:
                checked(vars(cls)[name], expected, f"{cls.__name__}: {name}")
            except UserError as error:
                raise TypeError(str(error)) from None


def parameters_of(entry: Any) -> dict[str, Any]:
    """Return the parameters of an entry, or the defaults of a class, by their names in YAML.

    A field has the name of its parameter. It has an additional trailing underscore if the name is a keyword of Python
    (`from_`) or a method of the class (`instances_`).
    """
    fields = fields_of(entry).items()
    return {name: _default(f) if isinstance(entry, type) else getattr(entry, f.name) for name, f in fields}


def defaults_in_yaml(cls: type, what: str) -> dict[str, Any]:
    """Return the parameters of a dataclass with their defaults as they stand in YAML, where ``???`` is none.

    Raises
    ------
    UserError
        If a default cannot stand in YAML; the message begins with `what`.
    """
    return {
        key: "???" if value is dataclasses.MISSING else _plain(value, f"{what}: parameter {key}")
        for key, value in parameters_of(cls).items()
    }


def _plain(value: Any, what: str) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(item, what) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item, what) for key, item in value.items()}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise UserError(f"{what}: the default cannot stand in YAML: {reprlib.repr(value)}")


def changed_parameters(entry: Any) -> dict[str, Any]:
    """Return the parameters of an entry that differ from their defaults."""
    defaults = parameters_of(type(entry))
    return {name: value for name, value in parameters_of(entry).items() if value != defaults[name]}


def yaml_name(field: str) -> str:
    """Return the name in YAML of the parameter that a field holds."""
    return field.removesuffix("_")


def assignments(parameters: Mapping[str, Any], separator: str) -> str:
    """Return parameters as `name=value` texts; values are written as in YAML."""
    return separator.join(
        f"{name}={msgspec.json.encode(value).decode().strip(chr(34))}" for name, value in parameters.items()
    )


def fields_of(entry: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a dataclass that are parameters, by their names in YAML."""
    return {yaml_name(each.name): each for each in dataclasses.fields(entry) if each.init}


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _join(where: str, key: object) -> str:
    return f"{where}.{key}" if where else str(key)
