"""World `lights`: a row of lamps. A step switches a lamp and its neighbours; all must be off. And how to search it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from runner import PythonWorld, priority, python_algorithm, python_heuristic, register

State = tuple[bool, ...]


@register("world", "lights")
@dataclass(frozen=True)
class Lights(PythonWorld):
    """Row of lamps that are all on.

    Parameters
    ----------
    lamps : int
        Number of lamps.
    """

    lamps: Annotated[int, Meta(ge=1, le=16)] = 5

    def initial(self) -> State:
        """Return the start."""
        return (True,) * self.lamps

    def successors(self, state: State) -> Iterator[tuple[str, State, int]]:
        """Yield each step."""
        for lamp in range(self.lamps):
            near = range(max(0, lamp - 1), min(self.lamps, lamp + 2))
            yield f"press{lamp}", tuple(on != (place in near) for place, on in enumerate(state)), 1

    def is_goal(self, state: State) -> bool:
        """Return whether all lamps are off."""
        return not any(state)


@python_heuristic("lit", domain="lights", admissible=True, consistent=True)
def lit(state: State, world: Lights) -> int:
    """Return the number of lit lamps divided by three, rounded up: a step switches at most three."""
    return -(-sum(state) // 3)


@python_heuristic("eager", domain="lights")
def eager(state: State, world: Lights) -> int:
    """Return the number of lit lamps, about which nothing is declared."""
    return sum(state)


@priority("pwxd", bound="weight")
def pwxd(g: float, h: float, w: float) -> float:
    """Two straight lines in place of the parabola of xdp (Chen and Sturtevant, AAAI 2021).

    Parameters
    ----------
    weight : float
        Weight w, by which the cost is bounded.
    """
    return g + h if g < h else (g + (2 * w - 1) * h) / w


@python_algorithm("layers", heuristic="ignored", complete=True, optimal="unit_costs")
def layers(problem: Any) -> list[str] | None:
    """Search one layer after the other."""
    plans = {problem.start: []}
    waiting = deque([problem.start])
    while waiting:
        state = waiting.popleft()
        if problem.is_goal(state):
            return plans[state]
        for action, successor, _ in problem.expand(state):
            if successor not in plans:
                plans[successor] = [*plans[state], action]
                waiting.append(successor)
    return None
