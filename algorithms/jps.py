"""Registered jump point search: its parameters and guarantees. The search is `algorithms.engine.jump_point_search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.best_first import BestFirst
from algorithms.engine.best_first_search import Priority
from algorithms.engine.jump_point_search import JumpPointSearch
from algorithms.interface import ALGORITHMS, Optimal
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.base.errors import Incompatible
from worlds.gridmap.world import GridWorld
from worlds.interface import Instance


@ALGORITHMS.register("jps")
@dataclass(frozen=True)
class JumpPoint(BestFirst):
    """Jump point search: A* on a grid map that skips the cells between jump points (Harabor and Grastien 2011).

    Of the paths with equal costs, it follows those with the diagonal moves first. So it scans the map in straight and
    diagonal lines for jump points: the goal, cells where such a path may turn beside an obstacle, and cells on a
    diagonal from which a straight scan finds one of these. Only jump points are nodes, and `expanded` and `generated`
    count them, not cells. A straight scan looks at up to 64 cells at once (Harabor and Grastien 2014).
    Corners are not cut. Water and ground are not joined.

    Complete. Optimal if the heuristic is admissible, and either `reopen` is on or the heuristic is consistent. Proof: a
    scan reaches a cell v of an optimal path at its distance g(v) from the start, or a node of such a path is open with
    its distance. Otherwise let v be the first such cell that no scan reaches at g(v), and u the cell before it. A scan
    reaches u at g(u), and v is pruned there: a path around u is cheaper, which is impossible, or it costs the same, the
    move to u is straight and the one to v diagonal. Exchange these two moves. The path now enters v from another cell
    by a straight move, which is pruned there only if v can be reached more cheaply: a contradiction.

    It refuses other worlds, maps with four directions, and maps with weights.

    Attributes
    ----------
    ties : {"low_h", "high_h", "fifo", "lifo"}
        Order of nodes with the same f: smallest h first, largest h first, oldest first, or newest first. Among nodes
        that are still equal, the newest comes first.
    reopen : bool
        Reopen a closed node when a cheaper path to it is found.
    preprocess : bool
        Compute once per map on which cells diagonal scans stop, so that they look at up to 64 cells at once, too (as in
        JPS+, Harabor and Grastien 2014, but with bits instead of distances). Paths and counts are the same.
    """

    optimal: ClassVar[Optimal] = "admissible"

    preprocess: bool = False

    def check(self, instance: Instance) -> None:
        """Refuse all but grid maps with eight directions and without weights."""
        if not isinstance(instance.rules, GridWorld):
            raise Incompatible(
                f"algorithm: jps searches grid maps only, not {instance.domain}; "
                "choose a world such as gridmap/random, or another algorithm such as astar"
            )
        if not instance.rules.grid.diagonal:
            raise Incompatible("algorithm: jps needs diagonal moves; set world.directions=8, or choose algorithm=astar")
        if instance.rules.grid.weights:
            raise Incompatible(
                "algorithm: jps needs the same costs in all cells; leave out world.weights, or choose algorithm=astar"
            )

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return 1 under an admissible heuristic, if nodes are reopened or the heuristic is consistent."""
        return 1.0 if admissible and (self.reopen or consistent) else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> JumpPointSearch:
        """Start with f = g + h."""
        return JumpPointSearch(stack, Priority(ties=self.ties, reopen=self.reopen), self.preprocess)
