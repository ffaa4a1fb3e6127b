"""Order in which a search expands states."""

from __future__ import annotations

import numpy as np

from algorithms.engine.search import ResumableSearch, Status
from algorithms.interface import Algorithm, SearchAlgorithm
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Weighting
from runner.registry import Incompatible, UserError
from worlds.expansion_log import ROOM, ExpansionLog
from worlds.interface import Instance, Unsolvable, Words
from worlds.python_problem import PythonProblem

_ENDS = (Status.SOLVED, Status.EXHAUSTED, Status.CUTOFF)


def expansions(
    instance: Instance, algorithm: Algorithm, stack: Stack, weighting: Weighting | None, most: int
) -> tuple[Words, tuple[str, ...]]:
    """Search an instance.

    Returns
    -------
    ndarray of uint64, shape (expansions, words)
        The expanded states in their order. A state that is expanded again is there again.
    tuple of str
        The plan; empty if there is none.

    Raises
    ------
    Incompatible
        If the algorithm is an agent, or its expansions or those of the world cannot be observed.
    UserError
        If there are more expansions than `most`.
    """
    if not isinstance(algorithm, SearchAlgorithm):
        raise Incompatible(f"algorithm: {algorithm.registered_name} is an agent, which expands no states")
    log = ExpansionLog()
    try:
        bound = stack.prepare(instance.problem())
    except Unsolvable:
        return log.take(), ()
    if isinstance(bound.problem, PythonProblem):
        raise Incompatible(
            f"world: the expansions of {instance.domain} cannot be observed: it is a world in plain Python"
        )
    observed = BoundStack(stack, log.observe(bound.problem), bound.bound_terms)
    search = algorithm.start(observed, weighting)
    if not isinstance(search, ResumableSearch):
        raise Incompatible(f"algorithm: the expansions of {algorithm.registered_name} cannot be observed")
    log.take()  # of preparations
    parts, count = list[Words](), 0
    while True:
        status = search.step(ROOM)
        parts.append(log.take())
        count += len(parts[-1])
        if status == Status.OUT_OF_MEMORY:
            search.grow(None)
        if count > most:
            raise UserError(f"{instance.id} takes more than {most:,} expansions; choose a smaller instance")
        if status in _ENDS:
            break
    if count != search.counts.expanded:
        raise Incompatible(f"algorithm: the expansions of {algorithm.registered_name} cannot be observed")
    has_plan = status == Status.SOLVED or search.has_solution
    return np.concatenate(parts), instance.plan(search.path(), observed.problem) if has_plan else ()
