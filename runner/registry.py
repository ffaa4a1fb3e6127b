"""Names of everything that a configuration can choose, and the checking of parameters.

Worlds, heuristics and algorithms import this module; it imports them for type checking only. An entry is a frozen
dataclass whose fields are the parameters that YAML may set. A configuration selects names that code has registered;
only `plugins` names modules to import.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar, get_args, get_type_hints, overload

import msgspec

from runner.metric import Metric
from runner.mismatch import mismatch, missing_fields
from runner.spelling import did_you_mean

if TYPE_CHECKING:
    from algorithms.interface import Algorithm
    from heuristics.interface import Heuristic
    from heuristics.weighting import Weighting
    from worlds.sources import Source

Kind = Literal["world", "algorithm", "heuristic", "weighting"]
KINDS: tuple[str, ...] = get_args(Kind)

_PACKAGES = ("algorithms", "heuristics", "worlds")
"""Packages with the base classes of entries."""

MAX_MESSAGE = 1500
"""Maximum number of characters of a message."""


class Registered(Protocol):
    """Class that can be registered; `register` sets its name."""

    registered_name: ClassVar[str]


Entry = TypeVar("Entry", bound=type[Registered])
T = TypeVar("T")

_entries: dict[tuple[str, str | None, str], type[Registered]] = {}


class UserError(Exception):
    """Mistake that the user can correct. The message is one line: what is wrong, where, and what is allowed."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class Incompatible(UserError):
    """Combination of valid parts that do not fit together. A sweep skips the cell; a single run refuses it."""


class ForeignDomain(Incompatible):
    """Heuristic that belongs to other domains than the world."""


def register(kind: Kind, name: str, *, domain: str | None = None) -> Callable[[Entry], Entry]:
    """Register a dataclass under a name.

    Parameters
    ----------
    kind : {"world", "algorithm", "heuristic", "weighting"}
    name : str
        Name in configurations.
    domain : str, optional
        Domain of a heuristic. Heuristics of several domains may have the same name.

    Raises
    ------
    ValueError
        If the kind is unknown, the class is not a dataclass, another class has the name, or a parameter has a name that
        its base class or YAML uses.
    TypeError
        If the class lacks a required method, or `metrics` is no tuple of `Metric`.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")

    def add(entry: Entry) -> Entry:
        has_fields = dataclasses.is_dataclass(entry)
        if not has_fields:
            raise ValueError(f"{kind} {name!r}: {entry.__name__} must be a dataclass")
        _check_parameters(kind, name, entry)
        _check_metrics(kind, name, entry)
        _check_methods(kind, name, entry)
        known = _entries.get((kind, domain, name))
        if known is not None and (known.__module__, known.__qualname__) != (entry.__module__, entry.__qualname__):
            raise ValueError(f"{kind} {name!r} is registered already, by {known.__module__}.{known.__qualname__}")
        _entries[kind, domain, name] = entry
        entry.registered_name = name
        return entry

    return add


def names(kind: str, *, domain: str | None = None) -> list[str]:
    """Return the names of a kind, in the order of registration."""
    return [name for k, d, name in _entries if k == kind and d == domain]


def entries() -> list[tuple[str, str | None, str]]:
    """Return the kind, domain and name of each entry, in the order of registration."""
    return list(_entries)


def domains(kind: str, name: str) -> list[str]:
    """Return the domains that have an entry of this kind and name."""
    return [d for k, d, n in _entries if k == kind and n == name and d is not None]


@overload
def find(kind: Literal["world"], name: str, *, where: str = ...) -> type[Source]: ...
@overload
def find(kind: Literal["algorithm"], name: str, *, where: str = ...) -> type[Algorithm]: ...
@overload
def find(kind: Literal["weighting"], name: str, *, where: str = ...) -> type[Weighting]: ...
@overload
def find(kind: Literal["heuristic"], name: str, *, domain: str | None, where: str = ...) -> type[Heuristic]: ...
@overload
def find(kind: str, name: str, *, domain: str | None = ..., where: str = ...) -> Any: ...
def find(kind: str, name: str, *, domain: str | None = None, where: str = "") -> Any:
    """Return the class that is registered under a name.

    Parameters
    ----------
    domain : str, optional
        Domain of a heuristic.
    where : str
        Key of the name in the configuration, for error messages.

    Raises
    ------
    ForeignDomain
        If only heuristics of other domains have the name.
    UserError
        If no entry has the name.
    """
    entry = _entries.get((kind, domain, name))
    if entry is not None:
        return entry
    elsewhere = domains(kind, name)
    owner = f"{domain} has no {kind}" if domain else f"there is no {kind}"
    message = f"{where or kind}: {owner} '{name}'"
    if elsewhere:
        message += f" (it belongs to {', '.join(elsewhere)})"
    message += suggest(name, names(kind, domain=domain))
    raise (ForeignDomain if elsewhere else UserError)(message)


@overload
def build(kind: Literal["world"], name: str, parameters: Mapping[str, Any]) -> Source: ...
@overload
def build(kind: Literal["algorithm"], name: str, parameters: Mapping[str, Any]) -> Algorithm: ...
@overload
def build(kind: Literal["weighting"], name: str, parameters: Mapping[str, Any]) -> Weighting: ...
@overload
def build(
    kind: Literal["heuristic"], name: str, parameters: Mapping[str, Any], *, domain: str | None, where: str = ...
) -> Heuristic: ...
def build(kind: str, name: str, parameters: Mapping[str, Any], *, domain: str | None = None, where: str = "") -> Any:
    """Make an entry from its name and parameters.

    Parameters
    ----------
    where : str
        Key of the parameters in the configuration, for error messages; default: the kind.

    Raises
    ------
    UserError
        For an unknown name, an unknown parameter, or a value of the wrong type or range.
    """
    cls = find(kind, name, domain=domain, where=where)
    return convert(cls, parameters, where=where or kind, owner=f"{kind} '{name}'")


def convert(cls: type[T], parameters: Mapping[str, Any], *, where: str, owner: str = "") -> T:
    """Make a dataclass from a mapping, and check the names and types of its fields.

    Raises
    ------
    UserError
        For an unknown key, a missing key, or a value of the wrong type or range.
    """
    if not isinstance(parameters, Mapping):
        raise UserError(f"{where}: expected a mapping, got {reprlib.repr(parameters)}")
    fields = {name: field.name for name, field in _fields(cls).items()}
    for key in parameters:
        if key not in fields:
            of = f" of {owner}" if owner else ""
            what = f"parameter{of}" if where else "key"
            raise UserError(f"{_join(where, key)}: unknown {what}{suggest(str(key), fields)}")
    given = {fields[key]: value for key, value in parameters.items()}
    for name in missing_fields(cls, given):
        raise UserError(f"{_join(where, yaml_name(name))}: missing")
    try:
        return msgspec.convert(given, cls)
    except msgspec.ValidationError as error:
        types = get_type_hints(cls, include_extras=True)
        found = (mismatch(value, types[fields[key]], _join(where, key)) for key, value in parameters.items())
        # without a mismatch, the dataclass itself has refused the values
        raise UserError(next(filter(None, found), f"{where}: {error.__cause__ or error}")) from None


def parameters(entry: Any) -> dict[str, Any]:
    """Return the parameters of an entry, or the defaults of a class, by their names in YAML.

    A field has the name of its parameter. It has an additional trailing underscore if the name is a keyword of Python
    (`from_`) or a method of the class (`instances_`).
    """
    fields = _fields(entry).items()
    return {name: _default(f) if isinstance(entry, type) else getattr(entry, f.name) for name, f in fields}


def changed(entry: Any) -> dict[str, Any]:
    """Return the parameters of an entry that differ from their defaults."""
    defaults = parameters(type(entry))
    return {name: value for name, value in parameters(entry).items() if value != defaults[name]}


def yaml_name(field: str) -> str:
    """Return the name in YAML of the parameter that a field holds."""
    return field.removesuffix("_")


def assignments(parameters: Mapping[str, Any], separator: str) -> str:
    """Return parameters as `name=value` texts; values are written as in YAML."""
    return separator.join(
        f"{name}={msgspec.json.encode(value).decode().strip(chr(34))}" for name, value in parameters.items()
    )


def one_line(text: str) -> str:
    """Return text as one line: escape characters that cannot be printed, and shorten a long text in its middle."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 500]} ... {text[-490:]}"


def suggest(name: str, allowed: Iterable[str]) -> str:
    """Return the end of an error message: the nearest valid name, and all valid names."""
    allowed = list(allowed)
    return f"{did_you_mean(name, allowed) or ';'} choose from: {', '.join(allowed)}" if allowed else ""


def _check_methods(kind: str, name: str, entry: type) -> None:
    """Raise `TypeError` if the class lacks a required method."""
    own = [each for base in entry.__mro__ if base.__module__.partition(".")[0] not in _PACKAGES for each in vars(base)]
    for missing in sorted(getattr(entry, "__abstractmethods__", ())):
        hint = "".join(f"; is '{near}' misspelt?" for near in difflib.get_close_matches(missing, own, n=1))
        raise TypeError(f"{kind} '{name}': {entry.__name__} needs the method {missing}{hint}")


def _check_parameters(kind: str, name: str, entry: type) -> None:
    """Raise `ValueError` if a parameter has a name that another use would overwrite."""
    keys = ("name", "stack", "combine") if kind == "heuristic" else ("name",)
    bases = [base for base in entry.__mro__[1:] if base.__module__.partition(".")[0] in _PACKAGES]
    for yaml, each in _fields(entry).items():
        if yaml in keys:
            raise ValueError(f"{kind} '{name}': the parameter '{each.name}' is a key of every {kind}; choose another")
        if any(_takes(base, each.name) for base in bases):
            raise ValueError(
                f"{kind} '{name}': the parameter '{each.name}' is a name of {bases[0].__name__}; choose another, or "
                f"write '{each.name}_', which is '{each.name}' in YAML"
            )


def _takes(base: type, name: str) -> bool:
    """Return whether a base class has an attribute or method that a field must not replace.

    A field may replace an attribute that the base class annotates as one of its instances.
    """
    is_of_instances = not str(inspect.get_annotations(base).get(name, "ClassVar")).startswith("ClassVar")
    return name in vars(base) and not is_of_instances


def _check_metrics(kind: str, name: str, entry: type) -> None:
    metrics = getattr(entry, "metrics", ())
    is_list = isinstance(metrics, (tuple, list)) and all(isinstance(each, Metric) for each in metrics)
    if not is_list and not isinstance(metrics, property):
        comma = "; is a comma missing, as in (Metric(...),)?" if isinstance(metrics, Metric) else f", got {metrics!r}"
        raise TypeError(f"{kind} '{name}': metrics: expected a tuple of Metric{comma}")


def _fields(entry: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a dataclass that are parameters, by their names in YAML."""
    return {yaml_name(each.name): each for each in dataclasses.fields(entry) if each.init}


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _join(where: str, key: object) -> str:
    return f"{where}.{key}" if where else str(key)
