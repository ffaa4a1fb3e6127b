"""LaCAM and LaCAM* as algorithms. `joint_exploration` has the search."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.engine.search import Counts, StepStatus
from algorithms.interface import ALGORITHMS, Optimal
from algorithms.mapf.joint_exploration import JointExploration
from algorithms.mapf.team_search import Paths, TeamAlgorithm, TeamSearch
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from worlds.source_parameters import Seed


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

    def start(self, stack: BoundStack, weighting: Weighting | None) -> LacamSearch:
        """Start with the configuration of the starts."""
        return LacamSearch(stack, self.star, self.swap, self.seed)


class LacamSearch(TeamSearch):
    """LaCAM in progress. For the parameters see `LazyConstraints`."""

    def __init__(self, stack: BoundStack, star: bool, swap: bool, seed: int) -> None:
        super().__init__(stack)
        self._is_star, self._is_finished = star, False
        self._exploration = JointExploration(
            self.neighbours,
            self.starts,
            self.goals,
            self.distances,
            is_makespan=self.is_makespan,
            star=star,
            swap=swap,
            seed=seed,
        )

    def step(self, budget: int) -> StepStatus:
        """Try at most `budget` constraints."""
        status = self._exploration.step(budget)
        self._is_finished = status == StepStatus.SOLVED
        return status

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what is full."""
        return self._exploration.grow(memory_limit)

    @property
    def counts(self) -> Counts:
        """Constraints tried, and joint steps found."""
        found = self._exploration
        return Counts(found.expanded, found.generated, peak_nodes=found.nodes, memory_bytes=found.nbytes)

    @property
    def has_solution(self) -> bool:
        """Whether there is a plan, which is the last one unless `star`."""
        return self._exploration.has_solution

    @property
    def paths(self) -> Paths:
        """Paths of the best solution, shape (agents, steps + 1)."""
        return self._exploration.paths

    @property
    def bound(self) -> float | None:
        """1 after the end of LaCAM*, which proves that the plan is optimal."""
        return 1.0 if self._is_star and self._is_finished else None
