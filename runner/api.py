"""The public API for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from algorithms.engine.search import Limits
from heuristics.stack import Stack
from heuristics.weighting import Weighting
from runner import schema
from runner.progress import Progress
from runner.result import Result
from runner.solver import Solver
from worlds.interface import Instance, Unsolvable

Entries = str | Sequence[str | Mapping[str, Any]]


def load(world: str, **parameters: Any) -> list[Instance]:
    """Instances of a source.

    Parameters
    ----------
    world : str
        Name of the source, for example ``"wumpus/static"``.
    **parameters
        As in the world's YAML.

    Raises
    ------
    runner.UserError
        For an unknown name or parameter, or a bad file.
    """
    source = schema.source_of({"name": world, **parameters})
    source.check()
    return list(source.instances())


def solve(
    instance: Instance,
    algorithm: str | Mapping[str, Any] = "astar",
    heuristic: Entries = (),
    weighting: float | Mapping[str, Any] | None = None,
    *,
    combine: str = "sum",
    limits: Mapping[str, Any] | Limits | None = None,
) -> Result:
    """Search one instance.

    Parameters
    ----------
    instance : Instance
        From `load`.
    algorithm : str or mapping
        A name, or a mapping with `name` and parameters.
    heuristic : list or str
        The stack: names, or mappings with `name` and parameters. A single text stands for the documented stack of
        that name, as ``heuristic=...`` on the command line.
    weighting : float or mapping, optional
        A constant weight, or a mapping with `name` and parameters.
    combine : {"sum", "max"}
    limits : mapping, optional
        `time` (seconds), `nodes` (expansions), `memory` (bytes, or a text such as "1GiB").

    Returns
    -------
    Result
        A failure of the search itself is a result of status "error".

    Raises
    ------
    runner.UserError
        If the request is not valid.
    KeyboardInterrupt
        On Ctrl-C.
    """
    chosen = schema.algorithm_of({"name": algorithm} if isinstance(algorithm, str) else algorithm)
    stack = stack_of_entries(instance, heuristic, combine)
    if chosen.heuristic == "ignored":
        stack = Stack()
    weight = schema.fit(chosen, stack, weighting_of_value(weighting), instance)
    bounds = limits if isinstance(limits, Limits) else schema.limits_of(limits or {})
    solver = Solver(schema.search_key(chosen, stack, weight), chosen, stack, weight, bounds)
    _build(stack, instance)
    solver.warm(instance)
    result = solver.solve(instance)
    if result.status == "interrupted":
        raise KeyboardInterrupt
    return result


def heuristic(instance: Instance, stack: Entries, *, combine: str = "sum") -> Callable[[Any], float]:
    """A heuristic as a function of states as `Instance.state` gives them.

    Returns
    -------
    callable
        Gives an int, or ``math.inf`` for a dead end (everywhere, if the stack proves the instance unsolvable).
    """
    chosen = stack_of_entries(instance, stack, combine)
    for part in chosen.heuristics:
        part.check(instance)
    _build(chosen, instance)
    try:
        bound = chosen.prepare(instance.problem())
    except Unsolvable:
        return lambda _: float("inf")
    return lambda state: bound.evaluate(bound.problem.pack(state))


def stack_of_entries(instance: Instance, entries: Entries, combine: str) -> Stack:
    """The stack that `solve` takes: a list of entries, or the name of a documented stack."""
    listed = schema.documented_stack(instance.domain, entries) if isinstance(entries, str) else list(entries)
    return schema.stack_of(instance.domain, {"stack": listed, "combine": combine})


def _build(stack: Stack, instance: Instance) -> None:
    with Progress(str(stack), 1, enabled=True) as progress:
        stack.build(instance, progress.build)


def weighting_of_value(weighting: float | Mapping[str, Any] | None) -> Weighting | None:
    """The weighting that `solve` takes: a constant weight, or a mapping."""
    if weighting is None or isinstance(weighting, Mapping):
        return schema.weighting_of(weighting or {"name": "none"})
    return schema.constant_weight(weighting)
