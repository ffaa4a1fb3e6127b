"""What an algorithm is: a registered dataclass that starts a resumable search, or an agent (`algorithms.agents`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from algorithms.engine.search import Search
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.metric import Metric
from runner.registry import Incompatible
from worlds.interface import Instance

UseOfHeuristic = Literal["needed", "used", "ignored"]
Optimal = Literal["always", "admissible", "unit_costs", "bounded", "never"]


class Algorithm(ABC):
    """What can be chosen as `algorithm`. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    heuristic : {"needed", "used", "ignored"}
        What a heuristic means to it. Without the one it needs it is refused; one that ignores heuristics runs with an
        empty stack.
    uses_weighting : bool
        Whether a weighting has a meaning.
    metrics : tuple of Metric
        What its searches measure (`Search.measured`), or its players, beside what all do.
    """

    registered_name: ClassVar[str]
    heuristic: ClassVar[UseOfHeuristic] = "used"
    uses_weighting: ClassVar[bool] = False
    metrics: ClassVar[tuple[Metric, ...]] = ()

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm and the weighting that run when a configuration chooses this one (or none).

        Choices that mean the same search give the same.
        """
        return self, weighting

    def check(self, instance: Instance) -> None:  # noqa: B027
        """Refuse an instance that the algorithm cannot take.

        Raises
        ------
        runner.registry.Incompatible
        """


class SearchAlgorithm(Algorithm):
    """Base of the algorithms that search under full information.

    Attributes
    ----------
    needs_unit_costs, needs_inverse : bool
        Whether it is refused for worlds whose steps do not all cost 1, or that have no predecessors.
    complete : bool
        On a finite space it finds a solution if there is one, and proves it if there is none (given room and time, and
        a heuristic that calls nothing a dead end that is none). May be a property that depends on parameters.
    optimal : {"always", "admissible", "unit_costs", "bounded", "never"}
        When a solution has the smallest cost: always; under an admissible heuristic; if every step costs 1; never, but
        it is within a known factor under an admissible heuristic; or never. What is proven of one solution is
        `Search.bound`.
    """

    needs_unit_costs: ClassVar[bool] = False
    needs_inverse: ClassVar[bool] = False
    optimal: ClassVar[Optimal] = "never"

    @property
    def complete(self) -> bool:
        """Whether it is complete on finite spaces."""
        return False

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """How many times the optimum a solution costs at most, by what the heuristic is; None without a promise.

        `optimal` with these parameters and this weighting; 1 stands for the smallest cost.
        """
        holds = {"always": True, "admissible": admissible, "unit_costs": unit_costs}
        return 1.0 if holds.get(self.optimal) else None

    @abstractmethod
    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Begin a search on the stack's problem."""

    def check(self, instance: Instance) -> None:
        """Refuse an instance whose moves are not what the algorithm needs."""
        if not (self.needs_unit_costs or self.needs_inverse):
            return
        try:
            problem = instance.problem()
        except Exception:  # whatever is wrong will be the row of this instance
            return
        if self.needs_unit_costs and not problem.unit_costs:
            raise Incompatible(
                f"algorithm: {self.registered_name} needs a world where every step costs 1; "
                f"in {instance.domain} that is not so"
            )
        if self.needs_inverse and problem.predecessors is None:
            raise Incompatible(
                f"algorithm: {self.registered_name} needs a world whose moves can be inverted; "
                f"{instance.domain} has no predecessors"
            )
