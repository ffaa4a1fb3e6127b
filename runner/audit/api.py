"""The audit as a function, for notebooks, scripts and the tests of plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from algorithms.interface import SearchAlgorithm
from heuristics.stack import Stack
from runner import registry, schema
from runner.api import Entries, stack_of_entries, weighting_of_value
from runner.audit.auditor import Audit, Request, run
from runner.registry import Unsuitable, UserError
from worlds.interface import Instance, Source

DEFAULT_LIMITS = {"nodes": 10_000_000, "memory": "4GiB"}
"""As in conf/audit.yaml."""


def audit(
    world: str | Source | Sequence[Instance],
    heuristic: Entries = (),
    algorithm: str | Mapping[str, Any] | None = None,
    weighting: float | Mapping[str, Any] | None = None,
    *,
    combine: str = "sum",
    dominates: Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
    shrink: bool = True,
    **parameters: Any,
) -> Audit:
    """Audit a heuristic, or an algorithm with it, on all states of some instances.

    Parameters
    ----------
    world : str, Source or sequence of Instance
        Name of a registered source, a source (a world in plain Python is one), or instances.
    heuristic, algorithm, weighting, combine, limits
        As for `runner.solve`. `limits` bounds every instance: `nodes` its states (10 million unless given), `memory`
        the bytes that they take (4 GiB).
    dominates : sequence of str
        Names of heuristics that this one should be nowhere below.
    shrink : bool
        Make counterexamples small.
    **parameters
        Of a source given by name.

    Returns
    -------
    Audit
        `violated` and `broken` name the checks that are violated, and those of them that were declared to hold;
        `counterexamples` show how.

    Raises
    ------
    runner.UserError
        If the request is not valid, or an instance exceeds a limit.
    """
    source = schema.source_of({"name": world, **parameters}) if isinstance(world, str) else world
    instances: Iterable[Instance]
    if isinstance(source, Source):
        source.check()
        instances, samples = source.instances(), list(source.samples())
        label, exhaustive = label_of(source), source.exhaustive
    else:
        instances, samples = source, list(source[:1])
        label, exhaustive = f"{len(source)} instances", None
    if not samples:
        raise UserError("audit: there are no instances")
    stack = stack_of_entries(samples[0], heuristic, combine)
    request = request_of(
        samples,
        stack,
        None if algorithm is None else {"name": algorithm} if isinstance(algorithm, str) else algorithm,
        weighting_of_value(weighting),
        [stack_of_entries(samples[0], name, "sum") for name in dominates],
        schema.limits_of({**DEFAULT_LIMITS, **(limits or {})}),
        instances=instances,
        world=label,
        exhaustive=exhaustive,
        shrink=shrink,
    )
    found = run(request)
    if found.is_interrupted:
        raise KeyboardInterrupt
    return found


def request_of(
    samples: Sequence[Instance],
    stack: Stack,
    algorithm: Mapping[str, Any] | None,
    weighting: Any,
    others: Sequence[Stack],
    limits: Any,
    **rest: Any,
) -> Request:
    """Check that the parts go together, and build what the heuristics need.

    Raises
    ------
    UserError
        If they do not.
    """
    chosen = None if algorithm is None else schema.algorithm_of(algorithm)
    if chosen is not None and not isinstance(chosen, SearchAlgorithm):
        raise Unsuitable(f"algorithm: {chosen.registered_name} is an agent; only searches are audited")
    if chosen is not None and chosen.heuristic == "ignored":
        stack = Stack()
    for sample in samples:
        if chosen is not None:
            weight = schema.fit(chosen, stack, weighting, sample)
        for heuristic in (*stack.heuristics, *(part for other in others for part in other.heuristics)):
            heuristic.check(sample)
            heuristic.build(sample, lambda *_: None)
    if chosen is None and weighting is not None:
        raise Unsuitable("weighting: without an algorithm nothing has a weight; choose algorithm=..., too")
    return Request(
        stack=stack, algorithm=chosen, weighting=weight if chosen is not None else None, others=others, limits=limits,
        **rest,
    )  # fmt: skip


def label_of(source: Source) -> str:
    """A source by its name, with the parameters that are not at their defaults."""
    changed = registry.changed(source)
    return source.registered_name + (f"({registry.assignments(changed, ',')})" if changed else "")
