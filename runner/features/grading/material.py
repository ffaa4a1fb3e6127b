"""Material for comparisons with submissions: instances, their state spaces, and searches of references."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS
from algorithms.spaces import INFINITY, StateSpace, TooLarge
from heuristics.interface import Stack, stack_of_entries
from runner.base import SOLVED, UNSOLVABLE, Result, UserError
from runner.config import SearchParts, source_of
from runner.execution import Solver
from runner.features.audits import DEFAULT_LIMITS, InstanceTooLarge
from runner.features.grading.submission import is_same_world
from worlds.interface import Instance, Unsolvable

_KEPT = 8
"""Number of worlds whose state spaces and searches are kept: those of the exercise, and those of one student."""


class Size(NamedTuple):
    """Size of the state space of an instance.

    Attributes
    ----------
    states, steps : int
    optimal_cost : int or None
        In the units of the engine; None without a plan.
    """

    states: int
    steps: int
    optimal_cost: int | None


class Material:
    """Worlds and references of an exercise, made when they are first needed, in the process of the grader only.

    A world is the JSON of its section, in which no seed depends on the student any more.
    """

    def __init__(self) -> None:
        self.instances = lru_cache(_KEPT)(_instances)
        self.spaces = lru_cache(_KEPT)(self._spaces)
        self.searched = lru_cache(4 * _KEPT)(self._searched)
        self.sizes = lru_cache(_KEPT)(lambda world: [size_of(instance) for instance in self.instances(world)])

    def stack(self, world: str, entries: str) -> Stack:
        """Return the stack that the JSON of its entries describes, with its tables."""
        sample = self.instances(world)[0]
        stack = stack_of_entries(sample.world.domain, json.loads(entries))
        for heuristic in stack.heuristics:
            heuristic.check(sample)
        stack.build(sample)
        return stack

    def _spaces(self, world: str) -> list[StateSpace]:
        """Return the state spaces of the instances, without those that another one contains."""
        limits, found = Limits.of(DEFAULT_LIMITS), list[StateSpace]()
        for instance in self.instances(world):
            try:
                problem = instance.problem()
                is_known = (
                    bool(found)
                    and problem.callbacks is None
                    and is_same_world(found[-1].problem, problem)
                    and found[-1].find(problem.initial)[0] >= 0
                )
                if not is_known:
                    found.append(StateSpace(problem, limits))
            except Unsolvable:
                continue
            except TooLarge as error:
                raise InstanceTooLarge(instance.id, error) from None
        if not found:
            raise UserError("world: every instance is proven unsolvable")
        return found

    def _searched(self, world: str, algorithm: str, entries: str, nodes: tuple[int, ...] = ()) -> list[Result]:
        """Return the results of a search by ours of each instance, or of the first ones within numbers of nodes."""
        chosen, stack = algorithm_of(algorithm), self.stack(world, entries)
        instances = self.instances(world)
        if nodes:
            limited = zip(instances, nodes, strict=False)
            return [search(chosen, stack, each, Limits(nodes=limit)) for each, limit in limited]
        results = [search(chosen, stack, each) for each in instances]
        for result in results:
            if result.status not in (SOLVED.name, UNSOLVABLE.name):
                how = f"{algorithm} with {stack} has the status {result.status} on {result.instance}"
                raise UserError(f"reference: {how}; choose another reference, or other instances")
        return results


def algorithm_of(text: str) -> Any:
    """Return an algorithm by its name, or by the JSON of its name and its parameters."""
    given = json.loads(text) if text.startswith("{") else {"name": text}
    if not isinstance(given.get("name"), str):
        raise UserError(f"algorithm: expected a name, or name and parameters, got {text}")
    return ALGORITHMS.build(given.pop("name"), given, where="algorithm")


def size_of(instance: Instance, most: int | None = None) -> Size:
    """Return the size of the state space of an instance.

    Parameters
    ----------
    most : int, optional
        Number of states that suffice to know that there are too many.

    Raises
    ------
    InstanceTooLarge
        If there are more states.
    """
    limits = Limits.of(DEFAULT_LIMITS)
    try:
        space = StateSpace(instance.problem(), limits if most is None else replace(limits, nodes=most))
    except Unsolvable:
        return Size(0, 0, None)
    except TooLarge as error:
        raise InstanceTooLarge(instance.id, error) from None
    distance = int(space.distance[0])
    return Size(space.count, len(space.target), None if distance == INFINITY else distance)


def search(algorithm: Any, stack: Stack, instance: Instance, limits: Limits | None = None) -> Result:
    """Search an instance."""
    parts = SearchParts(algorithm, stack, None).fitted([instance])
    assert parts.algorithm is not None
    solver = Solver(parts.algorithm, parts.stack, parts.weighting, limits or Limits(), parts.declared)
    return solver.attempt(instance).result()


def _instances(world: str) -> list[Instance]:
    source = source_of(json.loads(world)).refusing()
    source.check()
    found = list(source.instances())
    if not found:
        raise UserError("world: there are no instances")
    return found
