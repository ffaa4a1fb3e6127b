"""Costs of operators that a heuristic for planning estimates with, whatever they cost in the plan."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import Heuristic
from worlds.pddl.task import CostMode


@dataclass(frozen=True)
class CostTyped(Heuristic):
    """Base of heuristics that can estimate with other costs than those of the plan.

    Attributes
    ----------
    cost_type : {"normal", "one", "plus_one"}
        Costs of operators in the estimates: as in the plan, 1, or 1 more than in the plan unless all of them are 1.
        With other costs than those of the plan, nothing is promised about the cost of a plan.
    """

    cost_type: CostMode = "normal"

    def _if_normal(self, promise: bool) -> bool | None:
        """Return a promise about the costs in the plan. With other costs, it is unknown."""
        return promise if self.cost_type == "normal" else None
