"""Types of the naive searches: a problem is given as functions of hashable states."""

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
