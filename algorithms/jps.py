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
    """Jump point search: A* on a grid map that skips the cells between jump points (Harabor and Grastien 2011).

    Of the paths with equal costs, it follows those with the diagonal moves first. So it scans the map in straight and
    diagonal lines up to cells where such a path may turn beside an obstacle. Only these jump points are nodes: `expanded`
    and `generated` count them, not cells. Rows and columns are scanned by up to 64 cells at once, and cells of diagonal
    scans are no nodes (Harabor and Grastien 2014). Corners are not cut. Water and ground are not joined.

    Complete. Optimal if the heuristic is admissible, and either `reopen` is on or the heuristic is consistent. Proof:
    let v be the first cell of an optimal path, in the order of g*, that no scan reaches at the cost g*(v), and u the
    cell before v on an optimal path to v. Some scan reaches u at the cost g*(u), and then continues or makes u a node.
    Unless this node is still open, v was pruned at u: there is a path to v around u that is not more expensive. As v is
    not cheaper to reach, its cost is the same, the move to u was straight, and that to v is diagonal. The path with these
    two moves exchanged is optimal, too, and enters v by the straight move; at its last cell, v is not pruned. So a node of
    an optimal path is open with its g*, until the goal is reached at the cost g*.

    It refuses other worlds, maps with four directions, and maps with weights.

    Attributes
    ----------
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Order of nodes with the same f: smallest h first, largest h first, oldest first, or newest first. Among nodes
        that are still equal, the newest comes first.
    reopen : bool
        Reopen a closed node when a cheaper path to it is found.
    preprocess : bool
        Also compute, once per map, where diagonal scans find a jump point, so that they look at up to 64 cells at once
        (JPS+, Harabor and Grastien 2014, with bits instead of distances). The nodes are the same. The time counts for
        the first problem on a map.
    """

    optimal: ClassVar[Optimal] = "admissible"

    preprocess: bool = False

    def check(self, instance: Instance) -> None:
        """Refuse all but grid maps with eight directions and without weights."""
        if not isinstance(instance, GridInstance):
            raise Incompatible(
                f"algorithm: jps searches grid maps only, not {instance.domain}; "
                "choose a world such as gridmap/random, or another algorithm such as astar"
            )
        if not instance.grid.diagonal:
            raise Incompatible("algorithm: jps needs diagonal moves; set world.directions=8, or choose algorithm=astar")
        if instance.grid.weights:
            raise Incompatible(
                "algorithm: jps needs the same costs in all cells; leave out world.weights, or choose algorithm=astar"
            )

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return 1 under an admissible heuristic, if nodes are reopened or the heuristic is consistent."""
        return 1.0 if admissible and (self.reopen or consistent) else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> JumpPointSearch:
        """Start at the start."""
        return JumpPointSearch(stack, Priority(ties=self.ties, reopen=self.reopen), self.preprocess)
