"""From a composed configuration to checked objects: a cell is one source x algorithm x stack x weighting."""

from __future__ import annotations

import dataclasses
import json
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import Meta

from algorithms.engine.search import Limits
from algorithms.interface import Algorithm
from heuristics.interface import Heuristic
from heuristics.stack import MAXIMUM_TERMS, Stack
from heuristics.weighting import Constant, Weighting
from runner import registry
from runner.registry import Unsuitable, UserError
from worlds.interface import Instance, Source

AS_PUBLISHED = "as_published"
"""A parameter that may be set for stacks of which no heuristic has it: a sweep sets it for all."""

Retry = Literal["failed", "limits", "none"]
"""What a sweep tries again that is run again into its folder."""

Isolation = Literal["auto", "none", "process"]
"""Where instances are searched: in a child process or not; auto: in the jobs of a sweep."""

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True)
class Cell:
    """One combination to run, checked.

    Attributes
    ----------
    notes : tuple of str
        What the user should know about how the configuration was understood.
    retry : {"failed", "limits", "none"}
        Which rows are made again, where a sweep goes on.
    shards, shard : int
        Which part of the instances it is.
    isolation : {"auto", "none", "process"}
    """

    source: Source
    algorithm: Algorithm
    stack: Stack
    weighting: Weighting | None
    limits: Limits
    progress: bool = True
    notes: tuple[str, ...] = ()
    retry: Retry = "failed"
    shards: int = 1
    shard: int = 0
    isolation: Isolation = "auto"

    @property
    def part(self) -> range:
        """The numbers of its instances among those of the source: all, or those of a shard, which lie side by side."""
        ends = [len(self.source) * shard // self.shards for shard in (self.shard, self.shard + 1)]
        return range(*ends)

    def instances(self) -> Iterator[Instance]:
        """Its instances, in the order of the source."""
        return self.source.part(self.part)

    def key(self) -> dict[str, Any]:
        """What identifies the cell apart from its instances, as JSON-compatible values."""
        return search_key(self.algorithm, self.stack, self.weighting)

    def identity(self) -> str:
        """All that makes two cells of a sweep the same run."""
        return json.dumps([self.key(), repr(self.source), repr(self.limits), self.shards, self.shard], sort_keys=True)


@dataclass(frozen=True)
class _LimitsSection:
    time: Annotated[float, Meta(gt=0)] | None = None
    nodes: Annotated[int, Meta(ge=1)] | None = None
    memory: str | int | None = None
    cpu: Annotated[float, Meta(gt=0)] | None = None


@dataclass(frozen=True)
class _HeuristicSection:
    stack: list[str | dict[str, Any]] = field(default_factory=list)
    combine: Literal["sum", "max"] = "sum"


@dataclass(frozen=True)
class HowToRun:
    """What goes for a whole command.

    Attributes
    ----------
    retry : {"failed", "limits", "none"}
    dry_run : bool
    shards : int
        Into how many jobs a sweep splits the instances of every cell.
    """

    retry: Retry = "failed"
    dry_run: bool = False
    shards: Annotated[int, Meta(ge=1, le=100_000)] = 1


@dataclass(frozen=True)
class _Configuration:
    world: dict[str, Any]
    algorithm: dict[str, Any]
    heuristic: dict[str, Any]
    weighting: dict[str, Any]
    limits: dict[str, Any]
    plugins: list[str] = field(default_factory=list)
    progress: bool = True
    retry: Retry = "failed"
    dry_run: bool = False
    shards: int = 1
    shard: int | None = None
    isolation: Isolation = "auto"


def parse(configuration: Mapping[str, Any]) -> Cell:
    """Check a whole configuration; nothing is run, and no instance is made but those read from files.

    Raises
    ------
    UserError
        For anything wrong, naming the key.
    Unsuitable
        If the parts are valid but do not fit together.
    """
    sections = registry.convert(_Configuration, configuration, where="")
    if sections.dry_run:
        raise UserError("dry_run: goes for a whole command; it cannot be swept, or switched on by a part of it")
    if sections.shards > 1 and sections.shard is None:
        raise UserError(
            "shards: split the jobs of a sweep, add -m; or choose one of them by shard=0 (it cannot be swept)"
        )
    if sections.shard is not None and not 0 <= sections.shard < sections.shards:
        raise UserError(f"shard: expected a number from 0 to shards - 1 = {sections.shards - 1}, got {sections.shard}")
    source = source_of(sections.world)
    algorithm = algorithm_of(sections.algorithm)
    stack = stack_of(source.domain, sections.heuristic)
    weighting = weighting_of(sections.weighting)
    stack, notes = used_stack(algorithm, stack)
    source.check()
    samples = list(source.samples())
    if not samples:
        raise UserError(f"world: {source.registered_name} has no instances with these parameters")
    effective = [fit(algorithm, stack, weighting, sample) for sample in samples]
    cell = Cell(
        source,
        algorithm,
        stack,
        effective[0],
        limits_of(sections.limits),
        sections.progress,
        notes,
        sections.retry,
        sections.shards,
        sections.shard or 0,
        sections.isolation,
    )
    if not cell.part:
        raise Unsuitable(f"shard {cell.shard} of {cell.shards} is empty: there are {len(source)} instances")
    return cell


def used_stack(algorithm: Algorithm, stack: Stack) -> tuple[Stack, tuple[str, ...]]:
    """The stack that an algorithm uses when this one is chosen, with a note where that is another one."""
    if not stack.heuristics or algorithm.heuristic != "ignored":
        return stack, ()
    return Stack(), (f"{algorithm.registered_name} ignores the heuristic {stack}: it runs as heuristic=none",)


def how_to_run(configuration: Mapping[str, Any]) -> HowToRun:
    """What goes for a whole command, checked."""
    names = [each.name for each in dataclasses.fields(HowToRun)]
    given = {name: configuration[name] for name in names if name in configuration}
    return registry.convert(HowToRun, given, where="")  # type: ignore[no-any-return]


def plugins_of(configuration: Mapping[str, Any]) -> list[str]:
    """The modules that must be imported before anything else of the configuration is looked at."""
    plugins = configuration.get("plugins") or []
    named = isinstance(plugins, list) and all(isinstance(module, str) for module in plugins)
    if not named or not all(part.isidentifier() for module in plugins for part in module.split(".")):
        raise UserError(f"plugins: expected a list of module names, got {reprlib.repr(plugins)}")
    return plugins


def source_of(section: Mapping[str, Any]) -> Source:
    """The source of instances that a `world` section describes."""
    name, parameters = _named(section, "world", registry.names("world"))
    return registry.build("world", name, parameters, where="world")  # type: ignore[no-any-return]


def algorithm_of(section: Mapping[str, Any]) -> Algorithm:
    """The algorithm that an `algorithm` section describes."""
    name, parameters = _named(section, "algorithm", registry.names("algorithm"))
    return registry.build("algorithm", name, parameters, where="algorithm")  # type: ignore[no-any-return]


def weighting_of(section: Mapping[str, Any]) -> Weighting | None:
    """The weighting that a `weighting` section describes."""
    name, parameters = _named(section, "weighting", registry.names("weighting"))
    if name == "none" and not parameters:
        return None
    return registry.build("weighting", name, parameters, where="weighting")  # type: ignore[no-any-return]


def fit(algorithm: Algorithm, stack: Stack, weighting: Weighting | None, instance: Instance) -> Weighting | None:
    """Check that the parts go together; returns the weighting that the algorithm uses when this one is chosen.

    Raises
    ------
    Unsuitable
        For a combination that means nothing.
    """
    name = algorithm.registered_name
    if weighting is not None and not algorithm.uses_weighting:
        users = [user for user in registry.names("algorithm") if registry.find("algorithm", user).uses_weighting]
        raise Unsuitable(
            f"weighting: {name} has no weight; choose weighting=none, or an algorithm that has one: {', '.join(users)}"
        )
    if algorithm.heuristic == "needed" and not stack.heuristics:
        raise Unsuitable(f"heuristic: {name} needs one; choose heuristic=..., or an algorithm that searches without")
    for heuristic in stack.heuristics:
        heuristic.check(instance)
    algorithm.check(instance)
    return algorithm.effective_weighting(weighting)


def stack_of(domain: str, section: Mapping[str, Any]) -> Stack:
    """The stack that a `heuristic` section describes, for a domain.

    Keys beside `stack` and `combine` are parameters of all heuristics of the stack that have them.
    """
    own = [f.name for f in dataclasses.fields(_HeuristicSection)]
    shared = {key: value for key, value in section.items() if key not in own}
    checked = registry.convert(_HeuristicSection, {k: v for k, v in section.items() if k in own}, where="heuristic")
    entries = [_entry(domain, entry, f"heuristic.stack[{index}]") for index, entry in enumerate(checked.stack)]
    allowed = {name: None for cls, _, _ in entries for name in registry.parameters(cls)}
    for key in shared:
        if key == AS_PUBLISHED and isinstance(shared[key], (bool, type(None))):
            continue
        if key not in allowed:
            raise UserError(
                f"heuristic.{key}: unknown key, and no heuristic of the stack has such a parameter"
                f"{registry.suggest(key, [*own, *allowed])}"
            )
    heuristics = [_heuristic(domain, *entry, shared) for entry in entries]
    for index, heuristic in enumerate(heuristics):
        others = [other for other in heuristics[:index] if other.registered_name == heuristic.registered_name]
        if heuristic in others or (others and checked.combine == "sum"):
            hint = "" if heuristic in others else "; with other parameters it may be under heuristic.combine=max"
            raise UserError(f"heuristic.stack: '{heuristic.registered_name}' is listed twice{hint}")
    if len(heuristics) > MAXIMUM_TERMS:
        raise UserError(f"heuristic.stack: at most {MAXIMUM_TERMS} heuristics, got {len(heuristics)}")
    return Stack(tuple(heuristics), checked.combine)


def documented_stack(domain: str, name: str) -> list[str]:
    """Names of the documented stack that ends with a heuristic."""
    if name == "none":
        return []
    return [*registry.find("heuristic", name, domain=domain, where="heuristic").builds_on, name]


def limits_of(section: Mapping[str, Any]) -> Limits:
    """The limits that a `limits` section describes; memory as a number of bytes or a text such as 1GiB."""
    checked = registry.convert(_LimitsSection, section, where="limits")
    return Limits(checked.time, checked.nodes, _bytes(checked.memory), checked.cpu)


def constant_weight(weight: float) -> Constant:
    """A constant weighting, with the weight checked."""
    return registry.build("weighting", "constant", {"weight": weight}, where="weighting")  # type: ignore[no-any-return]


def search_key(algorithm: Algorithm, stack: Stack, weighting: Weighting | None) -> dict[str, Any]:
    """What identifies how an instance is searched, as JSON-compatible values."""
    return {
        "algorithm": _entry_key(algorithm),
        "heuristic": [_entry_key(heuristic) for heuristic in stack.heuristics],
        "combine": stack.combine,
        "weighting": None if weighting is None else _entry_key(weighting),
    }


def _entry_key(entry: Any) -> dict[str, Any]:
    return {"name": entry.registered_name, **registry.parameters(entry)}


def _named(section: Mapping[str, Any], where: str, allowed: Iterable[str]) -> tuple[str, dict[str, Any]]:
    parameters = dict(section)
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise UserError(f"{where}.name: expected one of {', '.join(allowed)}, got {name!r}")
    return name, parameters


def _entry(domain: str, entry: str | dict[str, Any], where: str) -> tuple[Any, dict[str, Any], str]:
    """Class and parameters of an entry of a stack, and where it stands."""
    section = {"name": entry} if isinstance(entry, str) else entry
    name, parameters = _named(section, where, registry.names("heuristic", domain=domain))
    return registry.find("heuristic", name, domain=domain, where=where), parameters, where


def _heuristic(
    domain: str, cls: Any, parameters: Mapping[str, Any], where: str, shared: Mapping[str, Any]
) -> Heuristic:
    """Make a heuristic; parameters of its own go before those that the stack shares, of which None is not set."""
    inherited = {k: v for k, v in shared.items() if k in registry.parameters(cls) and v is not None}
    where = "heuristic" if inherited and not parameters else where
    return registry.build(  # type: ignore[no-any-return]
        "heuristic", cls.registered_name, {**inherited, **parameters}, domain=domain, where=where
    )


def _bytes(size: str | int | None) -> int | None:
    if size is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([a-zA-Z]*)\s*", str(size))
    unit = UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or float(match[1]) * unit < 1:
        raise UserError(f"limits.memory: expected bytes or a size such as 500MB or 1GiB, got {size!r}")
    return int(float(match[1]) * unit)
