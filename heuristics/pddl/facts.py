"""Facts of a task as numbers, and the tables in which kernels find them.

A variable has as many facts as values. They are numbered through all variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runner.base import Unsupported
from worlds.compile import as_index, helper
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import CostMode, Task
from worlds.pddl.world import PlanningWorld


def task_of(problem: Problem, cost_type: CostMode = "normal") -> Task:
    """Return the task of a packed problem, with the costs of the instance, or those that a heuristic uses instead."""
    assert isinstance(problem.world, PlanningWorld)
    return problem.world.task.with_costs(cost_type)


def refuse_axioms(task: Task, name: str) -> None:
    """Raise `Unsupported` if a heuristic without axioms gets a task with axioms that do not always hold."""
    if any(axiom.conditions for axiom in task.axioms):
        raise Unsupported(f"heuristic {name}: the task has axioms, which it does not support")


def first_facts(task: Task) -> list[int]:
    """Return the number of the first fact of each variable, and the number of facts."""
    return list(accumulate(map(len, task.facts), initial=0))


def places_of(packing: Packing, first: Sequence[int]) -> list[int]:
    """Return word, shift, mask and first fact of each variable, one after the other, as `fact_at` reads them."""
    return list(chain.from_iterable((*field, fact) for field, fact in zip(packing.fields, first[:-1], strict=True)))


def joined(
    header: ArrayLike, tables: Mapping[int, Iterable[int]], lengths: Mapping[int, Sequence[int]]
) -> NDArray[np.int64]:
    """Return a header and tables as one array. The header gets the index of each table.

    A table of lists, whose lengths are given, follows the index of each of its lists, and the index of its end.
    """
    parts = [np.array(header, np.int64)]
    size = len(parts[0])
    for name, table in tables.items():
        part = np.array(table if isinstance(table, np.ndarray) else list(table), np.int64)
        if name in lengths:
            starts = np.cumsum([0, *lengths[name]])
            part = np.concatenate([starts + size + len(starts), part])
        parts[0][name] = size
        parts.append(part)
        size += len(part)
    return np.concatenate(parts)


@helper
def fact_at(params, place, states, at):
    """Return the fact of the variable with a place in the state at word offset `at`."""
    value = (states[at + params[place]] >> np.uint64(params[place + 1])) & np.uint64(params[place + 2])
    return as_index(params[place + 3] + np.int64(value))


@helper
def members(params, place):
    """Return the indices of the members of a list. Its own index is at `place`, and that of the next list follows."""
    return range(as_index(params[place]), as_index(params[place + 1]))
