"""Input of the checks of worlds: an instance, and states near its start."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from runner.base.errors import UserError
from worlds.interface import Instance, Problem, Words


class WorldError(UserError):
    """Violation of a check by a world. The message names the check, the instance and a state.

    Attributes
    ----------
    violation : str
        The message without the name of the check.
    """

    def __init__(self, check: str, violation: str) -> None:
        super().__init__(f"check_world: {check}: {violation}")
        self.violation = violation


@dataclass(frozen=True)
class Sample:
    """Input of the checks: an instance, its problem, and states near the start.

    Attributes
    ----------
    instance : Instance
    problem : Problem
    states : list of ndarray of uint64
        Distinct packed states in breadth-first order; the start is the first.
    paths : list of tuple of int
        Action codes that lead from the start to each state.
    expansions : int
        Maximum number of expansions of a search.
    """

    instance: Instance
    problem: Problem
    states: list[Words]
    paths: list[tuple[int, ...]]
    expansions: int

    @classmethod
    def of(cls, instance: Instance, states: int, expansions: int) -> Sample:
        """Pack an instance, and collect states until their number is `states`.

        Raises
        ------
        worlds.interface.Unsolvable
            If the world proves the instance unsolvable.
        """
        problem = instance.problem()
        found = list(islice(_breadth_first(problem), states))
        return cls(instance, problem, [state for state, _ in found], [path for _, path in found], expansions)

    def fail(self, check: Any, message: str) -> WorldError:
        """Return a `WorldError` that names the check, which is a function, and the instance."""
        return WorldError(check.__name__, f"{self.instance.id}: {message}")

    def cost(self, cost: int) -> float:
        """Return a cost of the engine in the units of the user."""
        return self.instance.user_cost(cost)

    def show(self, state: Words) -> str:
        """Return a state as text for a message."""
        return repr(self.problem.unpack(state))


def _breadth_first(problem: Problem) -> Iterator[tuple[Words, tuple[int, ...]]]:
    seen = {problem.initial.tobytes()}
    queue: deque[tuple[Words, tuple[int, ...]]] = deque([(problem.initial, ())])
    while queue:
        state, path = queue.popleft()
        yield state, path
        for successor, _, code in problem.successors(state):
            if successor.tobytes() not in seen:
                seen.add(successor.tobytes())
                queue.append((successor, (*path, code)))
