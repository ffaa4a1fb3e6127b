"""Algorithms in plain Python: functions over the states of any world."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.engine.python_search import PythonSearch
from algorithms.engine.search_problem import Plan
from algorithms.interface import Optimal, SearchAlgorithm, UseOfHeuristic
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.function_entry import check_name, register_function, signature_of
from runner.metric import Metric

Function = Callable[..., Plan | None]


def python_algorithm(
    name: str,
    *,
    heuristic: UseOfHeuristic = "used",
    complete: bool = False,
    optimal: Optimal = "never",
    needs_unit_costs: bool = False,
    metrics: tuple[Metric, ...] = (),
) -> Callable[[Function], Function]:
    """Register a function as an algorithm.

    The function takes an `algorithms.engine.search_problem.SearchProblem`. It returns the actions of a plan, or None if
    it has found none. Its further parameters, which must have defaults, are parameters of the algorithm in YAML.

    Parameters
    ----------
    name : str
        Name in configurations.
    heuristic : {"needed", "used", "ignored"}
        Use of heuristics, see `algorithms.interface.Algorithm`.
    complete : bool
        Whether None proves, on a finite space, that there is no solution. Otherwise the status is then `cutoff`.
    optimal : {"always", "admissible", "unit_costs", "bounded", "never"}
        When its plans are optimal, see `algorithms.interface.SearchAlgorithm`. Declare only what you know: the `bound`
        column relies on it, and an audit checks it.
    needs_unit_costs : bool
        Whether worlds are refused if their steps do not all cost 1.
    metrics : tuple of Metric
        Metrics whose values the function sets in `SearchProblem.measured`.

    Raises
    ------
    TypeError
        If the decorator has no name, the function has another form, or a declaration is unknown.
    """
    check_name("python_algorithm", name)

    def decorate(function: Function) -> Function:
        signature = signature_of("algorithm", name, function, {1: "(problem)"})

        def start(self: SearchAlgorithm, stack: BoundStack, weighting: Weighting | None) -> PythonSearch:
            bound = self.promised_bound(
                weighting,
                admissible=bool(stack.stack.admissible),
                consistent=bool(stack.stack.consistent),
                unit_costs=stack.problem.unit_costs,
            )
            return PythonSearch(signature.bound(function, self), stack, is_complete=complete, promised_bound=bound)

        register_function(
            "algorithm", name, None, function, signature, SearchAlgorithm,
            start=start, heuristic=heuristic, complete=complete, optimal=optimal, needs_unit_costs=needs_unit_costs,
            metrics=metrics,
        )  # fmt: skip
        return function

    return decorate
