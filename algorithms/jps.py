"""Registered jump point search: its parameters and guarantees. The search is `algorithms.engine.jump_point_search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.best_first import BestFirst
from algorithms.engine.best_first_search import Priority
from algorithms.engine.jump_point_search import JumpPointSearch
from algorithms.interface import Optimal
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.registry import Incompatible, register
from worlds.gridmap.instance import GridInstance
from worlds.interface import Instance


@register("algorithm", "jps")
@dataclass(frozen=True)
class JumpPoint(BestFirst):
    """Jump point search on grid maps: A* over jump points only (Harabor and Grastien, AAAI 2011).
    """

    optimal: ClassVar[Optimal] = "admissible"

    preprocess: bool = False

    def check(self, instance: Instance) -> None:
        """Refuse all but grid maps with eight directions and without weights."""
        if not isinstance(instance, GridInstance):
            raise Incompatible(
                f"algorithm: jps searches grid maps only, not {instance.domain}; choose a world such as gridmap/random, or astar"
            )
        if not instance.grid.diagonal:
            raise Incompatible("algorithm: jps needs world.directions=8; choose astar for 4 directions")
        if instance.grid.weights:
            raise Incompatible("algorithm: jps needs steps of equal cost; leave out world.weights, or choose astar")

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return 1 under an admissible heuristic, if nodes are reopened or the heuristic is consistent."""
        return 1.0 if admissible and (self.reopen or consistent) else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> JumpPointSearch:
        """Start at the start."""
        return JumpPointSearch(stack, Priority(ties=self.ties, reopen=self.reopen), self.preprocess)
