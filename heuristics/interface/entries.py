"""Stacks of heuristics as users describe them: names, and mappings with parameters."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heuristics.interface.combination import COMBINATIONS, SIMPLE, Combination
from heuristics.interface.heuristic import HEURISTICS, Heuristic
from heuristics.interface.stack import MAX_TERMS, Combine, Stack
from runner.base import ForeignDomain, UserError, convert, did_you_mean, parameters_of, suggest
from worlds.interface import domains_of_sources

Entries = str | Sequence[str | Mapping[str, Any]]
"""A stack in Python code: the name of a documented stack, or a list of names and of mappings with parameters."""

AS_PUBLISHED = "as_published"
"""A parameter that every stack accepts, even if none of its heuristics has it: a sweep sets it for all stacks."""


@dataclass(frozen=True)
class _HeuristicSection:
    stack: list[str | dict[str, Any]] = field(default_factory=list)
    combine: Any = "sum"


def stack_of(domain: str, section: Mapping[str, Any]) -> Stack:
    """Return the stack that a `heuristic` section describes, for a domain.

    Any key except `stack` and `combine` is a parameter of all heuristics in the stack that have it. None leaves the
    parameter at its default. A parameter that a heuristic has in another domain only may be at its default there.
    """
    own = [each.name for each in dataclasses.fields(_HeuristicSection)]
    shared = {key: value for key, value in section.items() if key not in own}
    checked = convert(_HeuristicSection, {k: v for k, v in section.items() if k in own}, where="heuristic")
    name = str(checked.stack[-1]) if checked.stack else ""
    others = HEURISTICS.domains(name)
    if domain not in others and checked.stack in [documented_stack(each, name) for each in others]:
        _found(name, domain=domain, where="heuristic")  # the user has chosen it by this name
    entries = [_entry(domain, entry, f"heuristic.stack[{index}]", _found) for index, entry in enumerate(checked.stack)]
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
    combine = _combine(domain, checked.combine, "heuristic.combine")
    return _stack(domain, [_heuristic(*entry, shared) for entry in entries], combine, "heuristic.stack")


def documented_stack(domain: str, name: str, where: str = "heuristic") -> list[str]:
    """Return the names of the documented stack that ends with a heuristic."""
    if name == "none":
        return []
    return [*HEURISTICS.find(name, domain=domain, where=where).builds_on, name]


def stack_of_entries(
    domain: str, entries: Entries, combine: str | Mapping[str, Any] = "sum", where: str = "heuristic.stack"
) -> Stack:
    """Return the stack with these entries, or the documented stack of this name. `where` is the key of the list."""
    is_list = isinstance(entries, (list, tuple))
    wrong = [each for each in entries if callable(each)] if is_list else [entries]
    key = where.removesuffix(".stack")
    if wrong and not isinstance(entries, str):
        raise UserError(f"{key}: expected a name or a list of names, got {shown(wrong[0], 'heuristic')}")
    listed = documented_stack(domain, entries, key) if isinstance(entries, str) else list(entries)
    checked = convert(_HeuristicSection, {"stack": listed, "combine": combine}, where=key)
    found = [_entry(domain, entry, f"{where}[{index}]") for index, entry in enumerate(checked.stack)]
    combined = _combine(domain, checked.combine, f"{key}.combine")
    return _stack(domain, [_heuristic(*entry, {}) for entry in found], combined, where)


def _combine(domain: str, given: Any, where: str) -> Combine:
    """Return how values combine: `sum`, `max`, or a combination of the domain by its name or as a mapping."""
    allowed = [*SIMPLE, *COMBINATIONS.names(domain=domain)]
    name, parameters = name_and_parameters(given, where, allowed) if isinstance(given, Mapping) else (given, {})
    if isinstance(name, str) and name not in allowed and (others := COMBINATIONS.domains(name)):
        raise UserError(f"{where}: '{name}' is for heuristics of {', '.join(others)}, not of {domain}")
    if name not in allowed:
        hint = did_you_mean(name, allowed) if isinstance(name, str) else ""
        raise UserError(f"{where}: expected one of {', '.join(allowed)}, got {name!r}{hint}")
    if name not in SIMPLE:
        return COMBINATIONS.build(name, parameters, domain=domain, where=where)
    if parameters:
        raise UserError(f"{where}: '{name}' has no parameters, got {', '.join(parameters)}")
    return "max" if name == "max" else "sum"


def _stack(domain: str, heuristics: list[Heuristic], combine: Combine, where: str) -> Stack:
    for index, heuristic in enumerate(heuristics):
        others = [other for other in heuristics[:index] if other.registered_name == heuristic.registered_name]
        if heuristic in others or (others and combine == "sum"):
            hint = "" if heuristic in others else "; with other parameters this is allowed under heuristic.combine=max"
            raise UserError(f"{where}: '{heuristic.registered_name}' is listed twice{hint}")
    if len(heuristics) > MAX_TERMS:
        raise UserError(f"{where}: at most {MAX_TERMS} heuristics, got {len(heuristics)}")
    if isinstance(combine, Combination):
        _check_abstractions(domain, heuristics, combine, where)
    elif len(heuristics) == 1:
        combine = "sum"
    return Stack(tuple(heuristics), combine if heuristics else "sum")


def _check_abstractions(domain: str, heuristics: list[Heuristic], combine: Combination, where: str) -> None:
    lacking = [each.registered_name for each in heuristics if not each.has_abstractions]
    if lacking:
        names = HEURISTICS.names(domain=domain)
        having = [name for name in names if HEURISTICS.find(name, domain=domain)().has_abstractions]
        raise UserError(
            f"{where}: heuristic.combine={combine.registered_name} divides costs among abstractions; {lacking[0]} has "
            f"none; of {domain}, these have some: {', '.join(having)}"
        )


def name_and_parameters(section: Mapping[str, Any], where: str, allowed: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """Return the name of a mapping that describes an entry of a registry, and the parameters."""
    if not isinstance(section, Mapping):
        raise UserError(f"{where}: expected a name, or a mapping with it, got {shown(section, where)}")
    parameters = dict(section)
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise UserError(f"{where}.name: expected one of {', '.join(allowed)}, got {name!r}")
    return name, parameters


def shown(value: object, kind: str) -> str:
    """Return a value as text; for a function, how it is registered."""
    if not callable(value):
        return reprlib.repr(value)
    return f"a function; register it with @runner.python_{kind}(NAME, ...), and give this name"


def _entry(
    domain: str, entry: str | dict[str, Any], where: str, find: Callable[..., type[Heuristic]] = HEURISTICS.find
) -> tuple[type[Heuristic], dict[str, Any], str]:
    """Return the class of an entry of a stack, its parameters, and its key in the configuration."""
    section = {"name": entry} if isinstance(entry, str) else entry
    name, parameters = name_and_parameters(section, where, HEURISTICS.names(domain=domain))
    cls = find(name, domain=domain, where=where)
    foreign = [key for key in parameters if key not in parameters_of(cls)]
    if foreign and set(foreign) <= dict(_elsewhere(name)).keys():
        owners = ", ".join(each for each in HEURISTICS.domains(name) if each != domain)
        raise ForeignDomain(f"{where}.{foreign[0]}: {domain}'s '{name}' has no such parameter (it belongs to {owners})")
    return cls, parameters, where


def _found(name: str, *, domain: str, where: str) -> type[Heuristic]:
    """Return the class of a heuristic of a domain, which a configuration names.

    Raises
    ------
    ForeignDomain
        If only other domains have the heuristic. The message names a world of the first one, if there is any.
    UserError
        If there is no such heuristic.
    """
    try:
        return HEURISTICS.find(name, domain=domain, where=where)
    except ForeignDomain as error:
        domains = domains_of_sources()
        owner = HEURISTICS.domains(name)[0]
        worlds = [world for world, its in domains.items() if its == owner]
        hint = f"there is no domain {owner}{did_you_mean(owner, sorted({*domains.values()}))}"
        if worlds:
            hint = f"add world={min(worlds, key=lambda world: not world.endswith('/random'))}"
        raise ForeignDomain(f"{error}; {hint}") from None


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
