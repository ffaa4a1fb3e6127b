"""Sections of a configuration: mappings become checked sources, algorithms, stacks, weightings and limits."""

from __future__ import annotations

import dataclasses
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import Meta

from algorithms.engine.search import Limits
from algorithms.interface import ALGORITHMS, Algorithm
from heuristics.interface import HEURISTICS, Heuristic
from heuristics.stack import MAX_TERMS, Stack
from heuristics.weighting import WEIGHTINGS, Weighting
from runner.base.errors import ForeignDomain, UserError, suggest
from runner.base.parameters import changed_parameters, convert, parameters_of
from worlds.interface import Instance
from worlds.sources import WORLDS, Source

Entries = str | Sequence[str | Mapping[str, Any]]
"""A stack in Python code: the name of a documented stack, or a list of names and of mappings with parameters."""

AS_PUBLISHED = "as_published"
"""A parameter that every stack accepts, even if none of its heuristics has it: a sweep sets it for all stacks."""

BYTES = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12,
         "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip
SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE, _TIME = "bytes or a size such as 500MB or 1GiB", "seconds above 0, or a time such as 500ms, 10s or 2h"


@dataclass(frozen=True)
class _LimitsSection:
    time: float | str | None = None
    nodes: Annotated[int, Meta(ge=1, le=10**15)] | None = None
    memory: str | int | None = None
    cpu: float | str | None = None
    call: float | str | None = None


@dataclass(frozen=True)
class _HeuristicSection:
    stack: list[str | dict[str, Any]] = field(default_factory=list)
    combine: Literal["sum", "max"] = "sum"


def checked_instance(value: object) -> Instance:
    """Return an argument of the public API that must be an instance."""
    if isinstance(value, Instance):
        return value
    world = reprlib.repr(value) if isinstance(value, str) else "..."
    raise UserError(f"instance: expected one instance, such as runner.load({world})[0], got {reprlib.repr(value)}")


def source_of(section: Mapping[str, Any]) -> Source:
    """Return the source of instances that a `world` section describes."""
    name, parameters = _named(section, "world", WORLDS.names())
    return WORLDS.build(name, parameters)


def algorithm_of(section: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm that an `algorithm` section describes."""
    name, parameters = _named(section, "algorithm", ALGORITHMS.names())
    return ALGORITHMS.build(name, parameters)


def weighting_of(section: Mapping[str, Any]) -> Weighting | None:
    """Return the weighting that a `weighting` section describes."""
    name, parameters = _named(section, "weighting", WEIGHTINGS.names())
    if name == "none" and not parameters:
        return None
    return WEIGHTINGS.build(name, parameters)


def stack_of(domain: str, section: Mapping[str, Any]) -> Stack:
    """Return the stack that a `heuristic` section describes, for a domain.

    Any key except `stack` and `combine` is a parameter of all heuristics in the stack that have it. None leaves the
    parameter at its default. A parameter that a heuristic has in another domain only may be at its default there.
    """
    own = [each.name for each in dataclasses.fields(_HeuristicSection)]
    shared = {key: value for key, value in section.items() if key not in own}
    checked = convert(_HeuristicSection, {k: v for k, v in section.items() if k in own}, where="heuristic")
    entries = [_entry(domain, entry, f"heuristic.stack[{index}]") for index, entry in enumerate(checked.stack)]
    allowed = {name: None for cls, _, _ in entries for name in parameters_of(cls)}
    elsewhere = {name: default for cls, _, _ in entries for name, default in _elsewhere(cls.registered_name)}
    for key, value in shared.items():
        if key in allowed or (key == AS_PUBLISHED and isinstance(value, (bool, type(None)))):
            continue
        if key not in elsewhere or value not in (None, elsewhere[key]):
            raise UserError(
                f"heuristic.{key}: unknown key, and no heuristic of the stack has such a parameter"
                f"{suggest(key, [*own, *allowed])}"
            )
    heuristics = [_heuristic(*entry, shared) for entry in entries]
    for index, heuristic in enumerate(heuristics):
        others = [other for other in heuristics[:index] if other.registered_name == heuristic.registered_name]
        if heuristic in others or (others and checked.combine == "sum"):
            hint = "" if heuristic in others else "; with other parameters this is allowed under heuristic.combine=max"
            raise UserError(f"heuristic.stack: '{heuristic.registered_name}' is listed twice{hint}")
    if len(heuristics) > MAX_TERMS:
        raise UserError(f"heuristic.stack: at most {MAX_TERMS} heuristics, got {len(heuristics)}")
    return Stack(tuple(heuristics), checked.combine if len(heuristics) > 1 else "sum")


def documented_stack(domain: str, name: str) -> list[str]:
    """Return the names of the documented stack that ends with a heuristic."""
    if name == "none":
        return []
    return [*HEURISTICS.find(name, domain=domain, where="heuristic").builds_on, name]


def stack_of_entries(domain: str, entries: Entries, combine: str = "sum") -> Stack:
    """Return the stack with these entries, or the documented stack of this name."""
    is_list = isinstance(entries, (list, tuple))
    wrong = [each for each in entries if callable(each)] if is_list else [entries]
    if wrong and not isinstance(entries, str):
        raise UserError(f"heuristic: expected a name or a list of names, got {_shown(wrong[0], 'heuristic')}")
    listed = documented_stack(domain, entries) if isinstance(entries, str) else list(entries)
    return stack_of(domain, {"stack": listed, "combine": combine})


def weighting_of_value(weighting: float | Mapping[str, Any] | None) -> Weighting | None:
    """Return a constant weighting, or the weighting that a mapping describes."""
    if weighting is None or isinstance(weighting, Mapping):
        return weighting_of(weighting or {"name": "none"})
    return WEIGHTINGS.build("constant", {"weight": weighting})


def limits_of(section: Mapping[str, Any]) -> Limits:
    """Return the limits that a `limits` section describes: seconds or 10s, bytes or 1GiB."""
    checked = convert(_LimitsSection, section, where="limits")
    memory = _quantity(checked.memory, "limits.memory", BYTES, _SIZE)
    if memory is not None and memory < 1:
        raise UserError(f"limits.memory: expected {_SIZE}, got {checked.memory!r}")
    return Limits(
        _quantity(checked.time, "limits.time", SECONDS, _TIME),
        checked.nodes,
        None if memory is None else int(memory),
        _quantity(checked.cpu, "limits.cpu", SECONDS, _TIME),
        _quantity(checked.call, "limits.call", SECONDS, _TIME),
    )


def search_key(algorithm: Algorithm, stack: Stack, weighting: Weighting | None) -> dict[str, Any]:
    """Return the part of a `run_id` that is not the instance, as JSON-compatible values.

    Parameters at their defaults are left out, so that a new one changes no `run_id`.
    """
    return {
        "algorithm": _entry_key(algorithm),
        "heuristic": [{"name": each.registered_name, **each.identity()} for each in stack.heuristics],
        "combine": stack.combine,
        "weighting": None if weighting is None else _entry_key(weighting),
    }


def _entry_key(entry: Any) -> dict[str, Any]:
    return {"name": entry.registered_name, **changed_parameters(entry)}


def _named(section: Mapping[str, Any], where: str, allowed: Iterable[str]) -> tuple[str, dict[str, Any]]:
    if not isinstance(section, Mapping):
        raise UserError(f"{where}: expected a name, or a mapping with it, got {_shown(section, where)}")
    parameters = dict(section)
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise UserError(f"{where}.name: expected one of {', '.join(allowed)}, got {name!r}")
    return name, parameters


def _shown(value: object, kind: str) -> str:
    """Return a value as text; for a function, how it is registered."""
    if not callable(value):
        return reprlib.repr(value)
    return f"a function; register it with @runner.python_{kind}(NAME, ...), and give this name"


def _entry(domain: str, entry: str | dict[str, Any], where: str) -> tuple[type[Heuristic], dict[str, Any], str]:
    """Return the class of an entry of a stack, its parameters, and its key in the configuration."""
    section = {"name": entry} if isinstance(entry, str) else entry
    name, parameters = _named(section, where, HEURISTICS.names(domain=domain))
    cls = HEURISTICS.find(name, domain=domain, where=where)
    foreign = [key for key in parameters if key not in parameters_of(cls)]
    if foreign and set(foreign) <= dict(_elsewhere(name)).keys():
        owners = ", ".join(each for each in HEURISTICS.domains(name) if each != domain)
        raise ForeignDomain(f"{where}.{foreign[0]}: {domain}'s '{name}' has no such parameter (it belongs to {owners})")
    return cls, parameters, where


def _elsewhere(name: str) -> Iterator[tuple[str, Any]]:
    """Yield the parameters, with their defaults, that the heuristics of a name have in any domain."""
    for domain in HEURISTICS.domains(name):
        yield from parameters_of(HEURISTICS.find(name, domain=domain)).items()


def _heuristic(cls: type[Heuristic], parameters: Mapping[str, Any], where: str, shared: Mapping[str, Any]) -> Heuristic:
    """Make a heuristic. Its own parameters take precedence over shared ones; a shared None is ignored."""
    inherited = {k: v for k, v in shared.items() if k in parameters_of(cls) and v is not None}
    where = "heuristic" if inherited and not parameters else where
    owner = f"heuristic '{cls.registered_name}'"
    return convert(cls, {**inherited, **parameters}, where=where, owner=owner)


def _quantity(value: float | str | None, where: str, units: Mapping[str, float], expected: str) -> float | None:
    """Return a number of seconds or bytes; a text is a number with a unit."""
    number: float | None
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{0,9})?)\s*([a-zA-Z]*)\s*", value)
        number = float(match[1]) * units.get(match[2].lower(), 0) if match else 0.0
    else:
        number = value
    if number is not None and not number > 0:
        raise UserError(f"{where}: expected {expected}, got {value!r}")
    return number
