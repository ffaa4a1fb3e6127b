"""Names for everything that a configuration can choose, and the checking of parameters.

Imports nothing of ours, and every package may import it. An entry is a frozen dataclass: its fields are the parameters
that YAML may set. A configuration selects names that code has registered; only `plugins` names modules to import.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

Entry = TypeVar("Entry", bound=type)
T = TypeVar("T")

KINDS = ("world", "algorithm", "heuristic", "weighting")

MAX_MESSAGE = 1500

_entries: dict[tuple[str, str | None, str], type] = {}


class UserError(Exception):
    """Something that a user can mend: one line that says what is wrong, where, and what is allowed."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class Incompatible(UserError):
    """A combination of valid parts that do not fit together. A sweep skips such a cell; a single run refuses it."""


class ForeignDomain(Incompatible):
    """A heuristic that belongs to other domains than the world."""


def register(kind: str, name: str, *, domain: str | None = None) -> Callable[[Entry], Entry]:
    """Register a dataclass under a name.

    Parameters
    ----------
    kind : {"world", "algorithm", "heuristic", "weighting"}
    name : str
        What a configuration writes.
    domain : str, optional
        For heuristics: the domain they belong to. The same name may exist in several domains.

    Raises
    ------
    ValueError
        If the kind is unknown, the class is not a dataclass, or another class has the name.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")

    def add(entry: Entry) -> Entry:
        if not dataclasses.is_dataclass(entry):
            raise ValueError(f"{kind} {name!r}: {entry.__name__} must be a dataclass")
        known = _entries.get((kind, domain, name))
        if known is not None and (known.__module__, known.__qualname__) != (entry.__module__, entry.__qualname__):
            raise ValueError(f"{kind} {name!r} is registered already, by {known.__module__}.{known.__qualname__}")
        _entries[kind, domain, name] = entry
        entry.registered_name = name  # type: ignore[attr-defined]
        return entry

    return add


@contextmanager
def isolated(packages: Iterable[str]) -> Iterator[None]:
    """Know only what some packages have registered, and forget, at the end, what else was: for tests."""
    before = dict(_entries)
    for key, entry in before.items():
        if entry.__module__.partition(".")[0] not in packages:
            del _entries[key]
    try:
        yield
    finally:
        _entries.clear()
        _entries.update(before)


def names(kind: str, *, domain: str | None = None) -> list[str]:
    """Names of a kind, in the order of registration."""
    return [name for k, d, name in _entries if k == kind and d == domain]


def entries() -> list[tuple[str, str | None, str]]:
    """Everything that is registered, as (kind, domain, name)."""
    return list(_entries)


def domains(kind: str, name: str) -> list[str]:
    """Domains that have an entry of this kind and name."""
    return [d for k, d, n in _entries if k == kind and n == name and d is not None]


def find(kind: str, name: str, *, domain: str | None = None, where: str = "") -> Any:
    """The class registered under a name.

    Raises
    ------
    ForeignDomain
        If the name belongs to other domains only.
    UserError
        If there is no such name anywhere.
    """
    entry = _entries.get((kind, domain, name))
    if entry is not None:
        return entry
    elsewhere = domains(kind, name)
    allowed = names(kind, domain=domain)
    owner = f"{domain} has no {kind}" if domain else f"there is no {kind}"
    message = f"{where or kind}: {owner} '{name}'"
    if elsewhere:
        message += f" (it belongs to {', '.join(elsewhere)})"
    message += suggest(name, allowed)
    raise (ForeignDomain if elsewhere else UserError)(message)


def build(kind: str, name: str, parameters: Mapping[str, Any], *, domain: str | None = None, where: str = "") -> Any:
    """Make an entry from its name and parameters.

    Parameters
    ----------
    where : str
        The key in the configuration that the parameters come from, for error messages.

    Raises
    ------
    UserError
        For an unknown name, an unknown parameter, or a value of the wrong type or range.
    """
    return convert(
        find(kind, name, domain=domain, where=where), parameters, where=where or kind, owner=f"{kind} '{name}'"
    )


def convert(cls: type[T], parameters: Mapping[str, Any], *, where: str, owner: str = "") -> T:
    """Make a dataclass from a mapping, checking names and types of its fields.

    Raises
    ------
    UserError
        For an unknown key, or a value of the wrong type or range.
    """
    fields = {yaml_name(each.name): each.name for each in dataclasses.fields(cls) if each.init}  # type: ignore[arg-type]
    allowed = list(fields)
    for key in parameters:
        if key not in allowed:
            of = f" of {owner}" if owner else ""
            raise UserError(
                f"{_join(where, key)}: unknown {'parameter' + of if where else 'key'}{suggest(str(key), allowed)}"
            )
    try:
        return msgspec.convert({fields[key]: value for key, value in parameters.items()}, cls)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$")
        path = path.rstrip("`")
        missing = re.search(r"missing required field `(.+)`", problem)
        if missing:
            raise UserError(f"{_join((where + path).lstrip('.'), yaml_name(missing[1]))}: missing") from None
        choices = _choices(cls, path) if problem.startswith("Invalid enum value") else []
        path = re.sub(r"^\.[^.\[]+", lambda field: yaml_name(field[0]), path)
        value = _look_up(parameters, path)
        shown = "" if value is _MISSING else f", got {reprlib.repr(value)}"
        problem = f"expected one of {', '.join(choices)}" if choices else _plain(problem)
        near = difflib.get_close_matches(str(value), choices, n=1, cutoff=0.5)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise UserError(f"{(where + path).lstrip('.')}: {problem}{shown}{hint}") from None


def parameters(entry: Any) -> dict[str, Any]:
    """Parameters of an entry (or their defaults, of a class), by their names in YAML, in their order.

    A field is named as in YAML, but with a trailing underscore where Python does not allow that (`from_`) or the class
    has a method of that name (`instances_`).
    """
    fields = [field for field in dataclasses.fields(entry) if field.init]
    return {yaml_name(f.name): _default(f) if isinstance(entry, type) else getattr(entry, f.name) for f in fields}


def changed(entry: Any) -> dict[str, Any]:
    """Parameters of an entry that are not at their defaults, in their order."""
    defaults = parameters(type(entry))
    return {name: value for name, value in parameters(entry).items() if value != defaults[name]}


def yaml_name(field: str) -> str:
    """How a configuration spells the parameter that a field holds."""
    return field.removesuffix("_")


def assignments(parameters: Mapping[str, Any], separator: str) -> str:
    """Parameters as `name=value` texts, values as in YAML."""
    return separator.join(
        f"{name}={msgspec.json.encode(value).decode().strip(chr(34))}" for name, value in parameters.items()
    )


def one_line(text: str) -> str:
    """Text for a message: without line breaks, what cannot be seen spelled out, the middle of what is long left out."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 500]} ... {text[-490:]}"


def suggest(name: str, allowed: Iterable[str]) -> str:
    """Continue an error message with the nearest valid spelling and all valid ones."""
    allowed = list(allowed)
    near = difflib.get_close_matches(name, allowed, n=1, cutoff=0.5)
    hint = f"; did you mean '{near[0]}'?" if near else ";"
    return f"{hint} choose from: {', '.join(allowed)}" if allowed else ""


_MISSING = object()


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _join(where: str, key: object) -> str:
    return f"{where}.{key}" if where else str(key)


def _look_up(value: Any, path: str) -> Any:
    for key, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", path):
        try:
            value = value[key] if key else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value


def _choices(cls: type, path: str) -> list[str]:
    """Allowed values of a field that is a Literal."""
    hint = get_type_hints(cls).get(re.split(r"[.\[]", path)[1])
    return [str(value) for value in get_args(hint)] if get_origin(hint) is Literal else []


def _plain(problem: str) -> str:
    """A message of msgspec in plain words: "Expected `int | array`, got `float`" -> "expected int | list"."""
    problem = re.sub(r", got `[^`]*`$", "", problem).replace("`", "")
    problem = problem.replace("array", "list").replace("object", "mapping")
    return problem[:1].lower() + problem[1:]
