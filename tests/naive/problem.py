"""Problems of the naive searches: functions of hashable states, and the order of nodes with the same f."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

State = TypeVar("State", bound=Hashable)
Successors = Callable[[State], list[tuple[State, int]]]
"""Returns the successors of a state as (state, cost of the step)."""
IsGoal = Callable[[State], bool]
Heuristic = Callable[[State], float]
Outcome = dict[str, Any]
"""Status, cost and counts of a search, by the names that `algorithms.engine.search` gives them."""
OLDEST_FIRST = ("fifo", "low_h_fifo")
"""Values of `ties` with which, of nodes that are still equal, the oldest comes first."""


def tie_of(ties: str, h: float) -> float:
    """Return the key that decides between nodes with the same f, unless it is drawn."""
    return {"low_h": h, "low_h_fifo": h, "high_h": -h}.get(ties, 0)
