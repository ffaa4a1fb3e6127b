"""Interface of algorithms: registered dataclasses that start a search, ask a program, or play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from algorithms.engine import Limits, Search
from algorithms.interface.expansion_order import ExpansionOrder
from heuristics.interface import BoundStack, Weighting
from runner.base import Incompatible, Metric, PartRegistry, changed_parameters, check_declared
from worlds.interface import MAX_CODE, Instance

UseOfHeuristic = Literal["needed", "used", "ignored"]
Optimal = Literal["always", "admissible", "unit_costs", "bounded", "never"]
"""When the solutions of an algorithm are optimal (`PlanningAlgorithm`)."""
Answer = Literal["plan", "front", "plans"]
"""Kinds of answers (`PlanningAlgorithm.answer`)."""
_FLAGS = (
    "uses_weighting", "needs_consistent", "needs_unit_costs", "needs_inverse", "expands_states", "complete",
    "counts_levels",
)  # fmt: skip
_DECLARED = {"heuristic": UseOfHeuristic, "optimal": Optimal, "answer": Answer, **dict.fromkeys(_FLAGS, bool)}


class Algorithm(ABC):
    """Base of what `algorithm` selects. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    heuristic : {"needed", "used", "ignored"}
        Use of heuristics. An algorithm that needs a heuristic is refused without one; an algorithm that ignores
        heuristics runs with an empty stack.
    uses_weighting : bool
        Whether a weighting has an effect.
    needs_consistent : bool
        Whether heuristics are refused that are not declared consistent.
    needs_preferred : bool
        Whether stacks are refused in which no heuristic prefers successors. May depend on parameters.
    metrics : tuple of Metric
        Additional metrics of its searches (`Search.measured`) or of its players.
    without_effect : tuple of str
        Parameters that have no effect on counts and plans; a `run_id` does not depend on them.
    """

    registered_name: ClassVar[str]
    heuristic: ClassVar[UseOfHeuristic] = "used"
    uses_weighting: ClassVar[bool] = False
    needs_consistent: ClassVar[bool] = False
    metrics: ClassVar[tuple[Metric, ...]] = ()
    without_effect: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_declared(cls, _DECLARED)

    @property
    def identity_name(self) -> str:
        """Name in a `run_id`: that of the algorithm that makes the same search, or its own."""
        return self.registered_name

    @property
    def needs_preferred(self) -> bool:
        """Whether it needs a heuristic that prefers successors."""
        return False

    @property
    def title(self) -> str:
        """Name in tables of results."""
        return self.registered_name

    def variant(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, for the column `parameters`."""
        return changed_parameters(self)

    def code_parts(self) -> Iterable[Path | str]:
        """Return files, and texts, beside the sources of the class that determine rows: a change makes them stale."""
        return ()

    def reading_parts(self) -> Iterable[Path | str]:
        """Return files, and texts, on how what a planner prints becomes rows. Kept outputs can be read by others."""
        return ()

    def versions(self) -> Mapping[str, str]:
        """Return the versions of programs of others that make its rows, by their names."""
        return {}

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm and the weighting that run if this one is configured with a weighting (or None).

        Configurations of the same search return the same.
        """
        return self, weighting

    def check(self, instance: Instance) -> None:  # noqa: B027
        """Refuse an instance that the algorithm cannot search or play.

        Raises
        ------
        runner.base.errors.Incompatible
        """

    def check_limits(self, limits: Limits) -> None:  # noqa: B027
        """Refuse limits that the algorithm cannot keep, or the lack of one that it needs.

        Raises
        ------
        runner.base.errors.Incompatible
        """


ALGORITHMS: PartRegistry[Algorithm] = PartRegistry("algorithm", Algorithm)


class PlanningAlgorithm(Algorithm):
    """Base of algorithms that look for a plan with full information, and what they promise about it.

    Attributes
    ----------
    needs_unit_costs, needs_inverse : bool
        Whether worlds are refused if their steps do not all cost 1, or if they lack what searches from the goals need
        (`World.lacks_backward`).
    expands_states : bool
        Whether it expands states of the world. Others search in a space of their own, such as plans of single agents.
    complete : bool
        Whether, on a finite space, it finds a solution if there is one, and otherwise proves that there is none. This
        assumes enough time and memory, and a heuristic whose dead ends have no solution. May be a property that depends
        on parameters.
    optimal : {"always", "admissible", "unit_costs", "bounded", "never"}
        When a solution is optimal: always; under an admissible heuristic; if every step costs 1; never, but the cost is
        within a known factor under an admissible heuristic; or never. The proven bound of a single solution is
        `Search.bound`.
    """

    needs_unit_costs: ClassVar[bool] = False
    needs_inverse: ClassVar[bool] = False
    expands_states: ClassVar[bool] = True
    optimal: ClassVar[Optimal] = "never"

    @property
    def answer(self) -> Answer:
        """The answer that it looks for: one plan; several plans, the cheapest first (`Search.solutions`); or a front.

        A front has, in a world with `CostVectors`, a plan for each vector of costs that no other one dominates.
        """
        return "plan"

    @property
    def complete(self) -> bool:
        """Whether the algorithm is complete on finite spaces."""
        return False

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the guaranteed suboptimality bound (1 = optimal) for a heuristic with these properties; else None.

        It states `optimal` for these parameters and this weighting.
        """
        holds = {"always": True, "admissible": admissible, "unit_costs": unit_costs}
        return 1.0 if holds.get(self.optimal) else None

    def check(self, instance: Instance) -> None:
        """Refuse an instance that lacks unit costs or predecessors, if it needs them, or has too many successors."""
        kernels = instance.world.kernels
        if self.expands_states and kernels is not None and kernels.max_successors > MAX_CODE:
            raise Incompatible(
                f"algorithm: {self.registered_name} expands states, and those of {instance.id} have up to "
                f"{float(kernels.max_successors):.3g} successors; the engine takes {MAX_CODE:,}"
            )
        if self.needs_inverse and (lacks := instance.world.lacks_backward):
            raise Incompatible(
                f"algorithm: {self.registered_name} searches from the goals; {instance.world.domain} has no {lacks}"
            )
        if not self.needs_unit_costs:
            return
        try:
            has_unit_costs = instance.world.unit_costs
        except Exception:  # the row of this instance reports the error
            return
        if not has_unit_costs:
            raise Incompatible(
                f"algorithm: {self.registered_name} needs a world where every step costs 1; "
                f"steps in {instance.world.domain} have other costs"
            )


class SearchAlgorithm(PlanningAlgorithm):
    """Base of algorithms that search on the engine.

    Attributes
    ----------
    counts_levels : bool
        Whether its searches count the states at each distance from the goals (`Search.levels`). Such an algorithm has
        the parameter `save`.
    """

    counts_levels: ClassVar[bool] = False

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the order in which it takes its open nodes, for those who watch it."""
        return ExpansionOrder("an order of its own", "newest", None)

    @abstractmethod
    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Start a search on the problem of the stack."""


def declaring(**declared: Any) -> Callable[..., SearchAlgorithm]:
    """Return the first registered algorithm with these declarations, such as ``counts_levels=True``.

    So the runner finds the search that it needs without the name of an algorithm.

    Raises
    ------
    LookupError
        If there is none.
    """
    for _, _, algorithm in ALGORITHMS.entries():
        has_all = all(getattr(algorithm, key, None) == value for key, value in declared.items())
        if has_all and issubclass(algorithm, SearchAlgorithm):
            return algorithm
    raise LookupError(f"no algorithm declares {declared}")
