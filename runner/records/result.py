"""The result of one instance, and the better solutions found on the way to it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

ERROR, CRASHED, INTERRUPTED = "error", "crashed", "interrupted"
FAULTY = (ERROR, CRASHED)
FAILED = (*FAULTY, INTERRUPTED)
"""Statuses that are no outcome: such an instance may be tried again."""


@dataclass(frozen=True)
class Result:
    """Result of one instance. All fields but the last are the columns of metrics.csv, in order.

    None stands for "not applicable". See docs/metrics.md for definitions.
    """

    run_id: str
    world: str
    instance: str
    seed: int | None
    algorithm: str
    heuristic: str
    weighting: str | None
    status: str
    cost: int | None = None
    length: int | None = None
    reward: int | None = None
    valid: bool | None = None
    bound: float | None = None
    expanded: int | None = None
    generated: int | None = None
    evaluated: int | None = None
    reopened: int | None = None
    iterations: int | None = None
    simulated_actions: int | None = None
    initial_h: int | None = None
    peak_nodes: int | None = None
    memory_bytes: int | None = None
    search_seconds: float | None = None
    cpu_seconds: float | None = None
    compile_seconds: float | None = None
    error: str | None = None
    ties: str | None = None
    limits: str | None = None
    parameters: str | None = None
    reason: str | None = None
    moves: str | None = None
    actions: int | None = None
    arrow_used: bool | None = None
    rooms_explored: int | None = None
    solver_calls: int | None = None
    solver_seconds: float | None = None
    plan: tuple[str, ...] | None = None

    def row(self) -> dict[str, Any]:
        """Return the columns of metrics.csv."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = tuple(field.name for field in dataclasses.fields(Result))[:-1]


@dataclass(frozen=True)
class Improvement:
    """A better solution that an anytime search has found on its way.

    Attributes
    ----------
    seconds : float
        Since the search began.
    """

    cost: int
    bound: float | None
    seconds: float
    expanded: int
    plan: tuple[str, ...]
