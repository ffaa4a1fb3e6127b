"""What is to be audited, checked before anything is explored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from algorithms.engine.search import Limits
from algorithms.interface import SearchAlgorithm
from heuristics.stack import Stack
from heuristics.weighting import Weighting
from runner import registry
from runner.columns import Declared
from runner.config import schema, sections
from runner.registry import Incompatible, UserError
from worlds.interface import Instance, Source


@dataclass(frozen=True)
class Request:
    """What is to be audited.

    Attributes
    ----------
    instances : iterable of Instance
    count : int
    world : str
        What to call them.
    exhaustive : str or None
        What they are all of, in words.
    stack : Stack
    algorithm : SearchAlgorithm or None
        Audited, too, if there is one.
    weighting : Weighting or None
    others : sequence of Stack
        That the stack should be nowhere below.
    limits : Limits
        `nodes` bounds the states of an instance and the expansions of a search, `memory` the bytes of either, `time`
        the seconds of either.
    shrink : bool
        Make counterexamples small.
    declared : Declared
        Metrics that results of the algorithm may have, beside ours.
    notes : tuple of str
        What the user should know about how the request was understood.
    """

    instances: Iterable[Instance]
    count: int
    world: str
    exhaustive: str | None
    stack: Stack
    algorithm: SearchAlgorithm | None = None
    weighting: Weighting | None = None
    others: Sequence[Stack] = ()
    limits: Limits = field(default_factory=Limits)
    shrink: bool = True
    declared: Declared = field(default_factory=Declared)
    notes: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """What is audited, as text."""
        if self.algorithm is None:
            return str(self.stack)
        weight = "" if self.weighting is None else f", {self.weighting}"
        return f"{self.algorithm.registered_name} with {self.stack}{weight}"


@dataclass(frozen=True)
class _Options:
    dominates: list[str] = field(default_factory=list)
    shrink: bool = True


@dataclass(frozen=True)
class _Configuration:
    world: dict[str, Any]
    heuristic: dict[str, Any]
    weighting: dict[str, Any]
    limits: dict[str, Any]
    algorithm: dict[str, Any] | None = None
    label: str | int | float | None = None
    audit: dict[str, Any] = field(default_factory=dict)


def parse(configuration: Mapping[str, Any]) -> Request:
    """The request that a whole configuration describes.

    Raises
    ------
    UserError
        For anything wrong, naming the key.
    """
    given = {key: value for key, value in configuration.items() if key not in schema.OF_COMMANDS}
    parts = registry.convert(_Configuration, given, where="")
    options = registry.convert(_Options, parts.audit, where="audit")
    source = sections.source_of(parts.world)
    return make(
        source,
        sections.stack_of(source.domain, parts.heuristic),
        None if parts.algorithm is None else sections.algorithm_of(parts.algorithm),
        sections.weighting_of(parts.weighting),
        others=[
            sections.stack_of(source.domain, {"stack": sections.documented_stack(source.domain, name)})
            for name in dict.fromkeys(options.dominates)
        ],
        limits=sections.limits_of(parts.limits),
        shrink=options.shrink,
    )


def make(
    world: Source | Sequence[Instance],
    stack: Stack,
    algorithm: Any,
    weighting: Weighting | None,
    *,
    others: Sequence[Stack],
    limits: Limits,
    shrink: bool,
) -> Request:
    """Check that the parts go together, and build what the heuristics need.

    Raises
    ------
    UserError
        If they do not.
    """
    if isinstance(world, Source):
        world.check()
        instances, count, samples = world.instances(), len(world), list(world.samples())
        label, exhaustive = _label_of(world), world.exhaustive
    else:
        instances, count, samples = iter(world), len(world), list(world[:1])
        label, exhaustive = f"{len(world)} instances", None
        if len({instance.domain for instance in world}) > 1:
            raise UserError("audit: the instances are of several domains")
    if not samples:
        raise UserError("world: there are no instances")
    if algorithm is not None and not isinstance(algorithm, SearchAlgorithm):
        raise Incompatible(f"algorithm: {algorithm.registered_name} is an agent; only searches are audited")
    if algorithm is None and weighting is not None:
        raise Incompatible("weighting: without an algorithm nothing has a weight; choose algorithm=..., too")
    stack, notes = (stack, ()) if algorithm is None else schema.used_stack(algorithm, stack)
    chosen = algorithm
    for sample in samples:
        if chosen is not None:
            algorithm, weighting = schema.fit(chosen, stack, weighting, sample)
        for heuristic in (*stack.heuristics, *(part for other in others for part in other.heuristics)):
            heuristic.check(sample)
            heuristic.build(sample, lambda *_: None)
    declared = Declared() if algorithm is None else schema.declared_of(algorithm, stack, samples)
    return Request(
        instances, count, label, exhaustive, stack, algorithm, weighting, others, limits, shrink, declared, notes
    )


def _label_of(source: Source) -> str:
    """A source by its name, with the parameters that are not at their defaults."""
    changed = registry.changed(source)
    return source.registered_name + (f"({registry.assignments(changed, ',')})" if changed else "")
