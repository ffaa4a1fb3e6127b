"""Log of the states that a search expands, in the order of the expansions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from worlds.interface import Problem, Words
from worlds.kernel import EXPAND, Kernel, helper

ROOM = 1 << 12
"""Number of states that are logged until they are taken out of the log."""


@dataclass(eq=False)
class ExpansionLog:
    """Log of a search on a problem that `observe` returned."""

    _tail: NDArray[np.int64] = field(default_factory=lambda: np.array([1, 0]))

    def observe(self, problem: Problem) -> Problem:
        """Return a problem whose kernels write each state that they expand into this log.

        The log lies behind the description of the world: the states, the number of words of each, and their number.
        """
        words = problem.initial.size
        world = np.concatenate([problem.world, np.zeros(words * ROOM, np.int64), np.array([words, 0], np.int64)])
        self._tail = world[problem.world.size :]
        backward = problem.predecessors
        return replace(
            problem,
            world=world,
            expand=_logged(problem.expand),
            predecessors=None if backward is None else _logged(backward),
            in_place=None,  # moves in place call no kernel of the world
            log=self,
        )

    def take(self) -> Words:
        """Return the states since the last call, shape (count, words), and remove them from the log."""
        words, count = (int(number) for number in self._tail[-2:])
        self._tail[-1] = 0
        return self._tail[: words * count].astype(np.uint64).reshape(count, words)


@cache
def _logged(expand: Kernel) -> Kernel:
    """Return a kernel that logs the state and then does the same."""
    function = helper(expand.function)

    def logged(world, states, at, out, out_at, cost, action, slot):
        end = world.size - 1
        words, count = world[end - 1], world[end]
        if count < ROOM:
            first = end - 1 - words * (ROOM - count)
            for k in range(words):
                world[first + k] = np.int64(states[at + k])
            world[end] = count + 1
        return function(world, states, at, out, out_at, cost, action, slot)

    logged.__qualname__ = f"logged.{function.__module__}.{function.__qualname__}"  # see `Kernel`
    return Kernel(logged, EXPAND)
