"""LaCAM and LaCAM* as algorithms. `joint_exploration` has the search."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.interface import ALGORITHMS, Optimal
from algorithms.mapf.joint_exploration import JointExploration
from algorithms.mapf.team_search import TeamAlgorithm
from heuristics.interface import BoundStack, Weighting
from worlds.interface import Seed


@ALGORITHMS.register("lacam")
@dataclass(frozen=True)
class LazyConstraints(TeamAlgorithm):
    """LaCAM: depth-first search over configurations, whose successors `pibt` generates under lazy constraints.

    Complete: it finds a plan, or proves that there is none, because constraints enumerate all joint steps. An expansion
    is one call of the generator: a constraint of a configuration is tried. `generated` counts the calls that find a
    joint step. Sources: Okumura, AAAI 2023 and, with `star` and `swap`, IJCAI 2023.

    Attributes
    ----------
    star : bool
        Go on after the first plan (LaCAM*): better plans follow, and at last an optimal one.
    swap : bool
        Whether one of two agents that must pass each other in a corridor backs off, and pulls the other one.
    seed : int
        Seed of the random choices among equally good cells.
    """

    complete = True

    star: bool = False
    swap: bool = True
    seed: Seed = 0

    @property
    def optimal(self) -> Optimal:  # type: ignore[override]
        """Always with `star`, otherwise never."""
        return "always" if self.star else "never"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> JointExploration:
        """Start with the configuration of the starts."""
        return JointExploration(stack, self.star, self.swap, self.seed)
