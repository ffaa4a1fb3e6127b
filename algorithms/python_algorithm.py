"""Algorithms in plain Python: functions over the states of any world."""

from __future__ import annotations

import math
from collections.abc import Callable

from algorithms.engine.python_search import PythonSearch
from algorithms.engine.search_problem import Plan
from algorithms.interface import ALGORITHMS, Optimal, SearchAlgorithm, UseOfHeuristic
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.base.errors import UserError, suggest
from runner.base.function_entry import Signature, check_name, register_function, signature_of
from runner.base.metric import Metric

Function = Callable[..., Plan | None]


def python_algorithm(
    name: str,
    *,
    heuristic: UseOfHeuristic = "used",
    complete: bool = False,
    optimal: Optimal = "never",
    bound: float | str | None = None,
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
    bound : float or str
        For ``optimal="bounded"``: the factor within which the cost of a plan is optimal under an admissible heuristic,
        or the name of the parameter that is this factor.
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
        _check_bound(name, optimal, bound, signature)

        def promised_bound(self: SearchAlgorithm, weighting: Weighting | None, **properties: bool) -> float | None:
            if bound is None:
                return SearchAlgorithm.promised_bound(self, weighting, **properties)
            value = getattr(self, bound) if isinstance(bound, str) else bound
            if not isinstance(value, int | float) or not 1 <= value < math.inf:
                raise UserError(f"algorithm.{bound}: {name} needs a number of at least 1, got {value!r}")
            return float(value) if properties["admissible"] else None

        def start(self: SearchAlgorithm, stack: BoundStack, weighting: Weighting | None) -> PythonSearch:
            promised = self.promised_bound(
                weighting,
                admissible=bool(stack.stack.admissible),
                consistent=bool(stack.stack.consistent),
                unit_costs=stack.problem.unit_costs,
            )
            return PythonSearch(signature.bound(function, self), stack, is_complete=complete, promised_bound=promised)

        register_function(
            ALGORITHMS, name, None, function, signature, SearchAlgorithm,
            start=start, promised_bound=promised_bound, heuristic=heuristic, complete=complete, optimal=optimal,
            needs_unit_costs=needs_unit_costs, metrics=metrics,
        )  # fmt: skip
        return function

    return decorate


def _check_bound(name: str, optimal: Optimal, bound: float | str | None, signature: Signature) -> None:
    if (bound is not None) != (optimal == "bounded"):
        raise TypeError(f"algorithm '{name}': optimal=\"bounded\" and bound=... are declared together")
    if isinstance(bound, str) and bound not in signature.defaults:
        raise TypeError(
            f"algorithm '{name}': bound='{bound}' is no parameter of the function{suggest(bound, signature.defaults)}"
        )
    if isinstance(bound, int | float) and not 1 <= bound < math.inf:
        raise TypeError(
            f"algorithm '{name}': bound is a number of at least 1 or the name of a parameter, not {bound!r}"
        )
