"""Algorithms in plain Python: functions over the states of any world (`SearchProblem`)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

from algorithms.engine import Counts, Limiter, Search
from algorithms.interface.algorithm import ALGORITHMS, Optimal, SearchAlgorithm, UseOfHeuristic
from algorithms.interface.expansion_order import ExpansionOrder, Formula
from algorithms.interface.search_problem import Plan, RecordedProblem, SearchProblem
from heuristics.interface import BoundStack, Weighting
from runner.base import (
    CUTOFF,
    NODE_LIMIT,
    SOLVED,
    UNSOLVABLE,
    Metric,
    bound_of,
    check_bound,
    check_name,
    register_function,
    signature_of,
)
from worlds.interface import Instance

Function = Callable[..., Plan | None]


class PythonAlgorithm(SearchAlgorithm):
    """Base of the algorithms that `python_algorithm` registers."""

    @abstractmethod
    def call(self, problem: SearchProblem) -> Plan | None:
        """Call the function, with the parameters of the algorithm."""


def python_algorithm(
    name: str = "",
    *,
    heuristic: UseOfHeuristic = "used",
    complete: bool = False,
    optimal: Optimal = "never",
    bound: float | str | None = None,
    needs_unit_costs: bool = False,
    check: Callable[[Instance], None] | None = None,
    order: str = "an order of its own; {f}",
    metrics: tuple[Metric, ...] = (),
) -> Callable[[Function], Function]:
    """Register a function as an algorithm.

    The function takes a `SearchProblem`. It returns the actions of a plan, or None if it has found none.
    Its further parameters, which must have defaults, are parameters of the algorithm in YAML.

    Parameters
    ----------
    name : str
        Name in configurations.
    heuristic : {"needed", "used", "ignored"}
        Use of heuristics, see `algorithms.interface.Algorithm`.
    complete : bool
        Whether None proves, on a finite space, that there is no solution. Otherwise the status is then `cutoff`.
    optimal : {"always", "admissible", "unit_costs", "bounded", "never"}
        When its plans are optimal, see `algorithms.interface.PlanningAlgorithm`. Declare only what you know: the
        `bound` column relies on it, and an audit checks it.
    bound : float or str
        For ``optimal="bounded"``: the factor within which the cost of a plan is optimal under an admissible heuristic,
        or the name of the parameter that is this factor.
    needs_unit_costs : bool
        Whether worlds are refused if their steps do not all cost 1.
    check : callable, optional
        Takes an instance, and raises `runner.base.errors.Incompatible` if the algorithm cannot search it.
    order : str
        Order in which it takes its open nodes, for those who watch it, such as ``"last in, first out"``. ``{f}`` stands
        for f = g + h.
    metrics : tuple of Metric
        Metrics whose values the function sets in `SearchProblem.measured`.

    Raises
    ------
    TypeError
        If the decorator has no name, the function has another form, or a declaration is unknown.
    """
    check_name("runner.python_algorithm", name)

    def decorate(function: Function) -> Function:
        signature = signature_of("algorithm", name, function, {1: "(problem)"})
        if (bound is not None) != (optimal == "bounded"):
            raise TypeError(f"algorithm '{name}': optimal=\"bounded\" and bound=... are declared together")
        check_bound(f"algorithm '{name}'", bound, signature.defaults)

        def promised_bound(self: SearchAlgorithm, weighting: Weighting | None, **properties: bool) -> float | None:
            if bound is None:
                return SearchAlgorithm.promised_bound(self, weighting, **properties)
            factor = bound_of(self, bound, f"algorithm.{bound}: {name}")
            return factor if properties["admissible"] else None

        def check_instance(self: SearchAlgorithm, instance: Instance) -> None:
            SearchAlgorithm.check(self, instance)
            if check is not None:
                check(instance)

        def expansion_order(self: SearchAlgorithm, weighting: Weighting | None) -> ExpansionOrder:
            return ExpansionOrder(order, "newest", Formula.of(0 if heuristic == "ignored" else None))

        def start(self: SearchAlgorithm, stack: BoundStack, weighting: Weighting | None) -> PythonSearch:
            promised = self.promised_bound(
                weighting,
                admissible=bool(stack.stack.admissible),
                consistent=bool(stack.stack.consistent),
                unit_costs=stack.problem.world.unit_costs,
            )
            return PythonSearch(signature.bound(function, self), stack, is_complete=complete, promised_bound=promised)

        register_function(
            ALGORITHMS, name, None, function, signature, (PythonAlgorithm,),
            start=start, call=lambda self, problem: signature.bound(function, self)(problem),
            check=check_instance, promised_bound=promised_bound,
            expansion_order=expansion_order, heuristic=heuristic, complete=complete, optimal=optimal,
            needs_unit_costs=needs_unit_costs, metrics=metrics,
        )  # fmt: skip
        return function

    return decorate


class PythonSearch(Search):
    """Search by a function in plain Python.

    Parameters
    ----------
    function : callable
        Takes a `SearchProblem`; returns the actions of a plan, or None.
    stack : BoundStack
    is_complete : bool
        Whether the instance is unsolvable if the function returns None.
    promised_bound : float or None
        Suboptimality bound of every plan that the function returns.
    """

    def __init__(
        self,
        function: Callable[[SearchProblem], Plan | None],
        stack: BoundStack,
        *,
        is_complete: bool,
        promised_bound: float | None,
    ) -> None:
        self._function, self._stack = function, stack
        self._is_complete, self._promised_bound = is_complete, promised_bound
        h = stack.evaluate(stack.problem.initial)
        self._initial_h = None if h == math.inf else int(h)
        self._problem = SearchProblem(stack, self)
        self._is_solved = False

    def run(self, limiter: Limiter) -> str:
        """Call the function: a search that a limit has ended begins again from the start."""
        new = SearchProblem if self.record is None else partial(RecordedProblem, record=self.record)
        problem = self._problem = new(self._stack, self)
        ended, plan = problem.run(self._function, limiter)
        if ended or limiter.is_out_of_nodes(self):
            return ended or NODE_LIMIT.name
        if plan is not None:
            problem.conclude(plan)
        elif problem.best is None:
            return UNSOLVABLE.name if self._is_complete else CUTOFF.name
        self._is_solved = True
        return SOLVED.name

    def warm(self) -> None:
        """Call the kernels once, uncounted."""
        warming = SearchProblem(self._stack, self)
        warming.expand(warming.start)
        warming.h(warming.start)
        warming.is_goal(warming.start)

    @property
    def counts(self) -> Counts:
        """Counts so far."""
        return self._problem.complete_counts()

    @property
    def columns(self) -> dict[str, int | None]:
        """Counts by their columns. Nodes and memory are unknown unless the function counts them."""
        counts = self.counts.by_column()
        return {**counts, **{name: counts[name] or None for name in ("peak_nodes", "memory_bytes")}}

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._initial_h

    @property
    def has_solution(self) -> bool:
        """Whether a plan is known."""
        return self._problem.best is not None

    def path(self) -> list[int]:
        """Return the actions of the best plan."""
        return [] if self._problem.best is None else self._problem.best[1]

    @property
    def cost(self) -> int:
        """Cost of `path`."""
        return 0 if self._problem.best is None else self._problem.best[0]

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the first with an f of the cost of the solution; None if one is larger, or all unknown."""
        problem, cost = self._problem, self.cost
        if not self._is_solved or problem.expanded_with_f == 0 or problem.largest_f > cost:
            return None
        return problem.before_largest_f if problem.largest_f == cost else problem.expanded_with_f

    @property
    def bound(self) -> float | None:
        """Bound that the algorithm promises for the plan that it returns."""
        return self._promised_bound if self._is_solved else None

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Values of the algorithm's own metrics."""
        return self._problem.measured
