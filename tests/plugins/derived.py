"""World with a metric that follows from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import runner
from runner import Metric


@runner.register("world", "staircase")
@dataclass(frozen=True)
class Staircase(runner.PythonWorld):
    """Staircase with single and double steps."""

    metrics = (
        Metric("jumps", is_main=False, meaning="number of double steps"),
        Metric("jump_rate", aggregate="mean", digits=2, meaning="share of double steps", derived="jumps / length"),
    )

    height: int = 9

    def initial(self) -> int:
        return 0

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return [(name, state + n, n) for name, n in (("walk", 1), ("jump", 2)) if state + n <= self.height]

    def is_goal(self, state: Any) -> bool:
        return bool(state == self.height)

    def measured(self, plan: Sequence[str] | None) -> dict[str, float | None]:
        return {} if plan is None else {"jumps": plan.count("jump")}
