"""What is checked of an algorithm: its documented guarantees, against the exact optimum of each instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from algorithms.engine.search import CUTOFF, INTERRUPTED, LIMITS, SOLVED, UNSOLVABLE
from algorithms.interface import SearchAlgorithm
from heuristics.weighting import Weighting
from runner.audit import checks
from runner.audit.analysis import Analysis, Integers
from runner.audit.checks import NONE, Check
from runner.execution.solver import Solver
from runner.execution.stop import Stopped
from runner.records.result import Improvement, Result
from runner.status import ERROR


@dataclass(frozen=True, eq=False)
class Trial:
    """A search, beside what is known of its instance.

    Attributes
    ----------
    analysis : Analysis
    algorithm : SearchAlgorithm
    weighting : Weighting or None
    result : Result
    improvements : list of Improvement
        The solutions on the way, of anytime searches.
    """

    analysis: Analysis
    algorithm: SearchAlgorithm
    weighting: Weighting | None
    result: Result
    improvements: list[Improvement] = field(default_factory=list)

    @cached_property
    def promised_bound(self) -> float | None:
        """How many times the optimum a solution may cost: by what the search says itself, or the algorithm's promise.

        What counts is what the heuristic is in this instance, whatever it declares: no search is held to what a
        heuristic made it believe. A search from both sides has a second heuristic, backwards, of which only the
        declaration is known. What an anytime search promises holds at its end, and only it knows whether it came there.
        """
        analysis = self.analysis
        admissible = all(not found(analysis).size for found in (checks.overestimates, checks.lost_optimum))
        if self.algorithm.needs_inverse:
            admissible = admissible and bool(analysis.stack.admissible)
        consistent = admissible and not checks.inconsistent_steps(analysis).size
        known = []
        if admissible and (consistent or getattr(self.algorithm, "reopen", True)):
            known.append(self.result.bound)
        if not self.improvements:
            unit_costs = analysis.space.problem.unit_costs
            known.append(
                self.algorithm.promised_bound(
                    self.weighting, admissible=admissible, consistent=consistent, unit_costs=unit_costs
                )
            )
        return min((bound for bound in known if bound is not None), default=None)

    @property
    def is_cut_off(self) -> bool:
        """Whether a limit ended it before it had a solution or a proof."""
        return self.result.status in LIMITS

    @cached_property
    def is_informed_rightly(self) -> bool:
        """Whether no heuristic calls anything a dead end that is none."""
        found = (checks.wrong_dead_ends, checks.lost_optimum)
        return not any(violations(self.analysis).size for violations in found)


def failures(trial: Trial) -> Integers:
    """A search that ended with an error."""
    return _of_instance(trial, trial.result.status == ERROR.name)


def invalid_plans(trial: Trial) -> Integers | None:
    """A plan that the rules do not accept, or that costs something else than was claimed."""
    return None if trial.result.valid is None else _of_instance(trial, not trial.result.valid)


def solutions_missed(trial: Trial) -> Integers | None:
    """A search that ended by itself, without the solution that there is."""
    if trial.result.status not in (SOLVED, UNSOLVABLE, CUTOFF):
        return None
    return _of_instance(trial, trial.result.status != SOLVED and trial.analysis.optimum is not None)


def false_unsolvability(trial: Trial) -> Integers | None:
    """An instance that is called unsolvable, and is not."""
    if trial.result.status != UNSOLVABLE:
        return None
    return _of_instance(trial, trial.analysis.optimum is not None)


def suboptimal_plans(trial: Trial) -> Integers | None:
    """A plan that is not among the cheapest."""
    if trial.result.status != SOLVED or trial.result.cost is None or trial.analysis.optimum is None:
        return None
    return _of_instance(trial, trial.result.cost > trial.analysis.optimum)


def plans_beyond_bound(trial: Trial) -> Integers | None:
    """A plan that costs more than the bound that was proven or promised, where that is not 1."""
    bound, cost, optimum = trial.promised_bound, trial.result.cost, trial.analysis.optimum
    if trial.result.status != SOLVED or bound in (None, 1) or cost is None or optimum is None:
        return None
    return _of_instance(trial, cost > (bound or 1) * optimum)


def non_monotone_improvements(trial: Trial) -> Integers | None:
    """Solutions on the way that are no improvements, or whose bound rises."""
    if not trial.improvements:
        return None
    costs = [improvement.cost for improvement in trial.improvements]
    bounds = [improvement.bound for improvement in trial.improvements if improvement.bound is not None]
    falls = all(later < earlier for earlier, later in pairwise(costs))
    return _of_instance(trial, not falls or bounds != sorted(bounds, reverse=True) or trial.result.cost != costs[-1])


def try_out(
    analysis: Analysis,
    solver: Solver,
    algorithm: SearchAlgorithm,
    weighting: Weighting | None,
    watch: Callable[[object], None] = lambda _: None,
) -> Trial:
    """Search the instance of an analysis.

    Parameters
    ----------
    watch : callable
        Called on the way; what it raises ends the search.

    Raises
    ------
    Stopped
        If `watch` has raised it.
    """
    improvements: list[Improvement] = []
    result = solver.solve(analysis.instance, watch, improvements.append)
    if result.status == INTERRUPTED:
        raise Stopped
    return Trial(analysis, algorithm, weighting, result, improvements)


def _of_instance(trial: Trial, is_violated: bool) -> Integers:
    return np.array([trial.analysis.start]) if is_violated else NONE


PROMISES = (
    Check("no_failure", "ends without an error", "instances", failures, lambda _: True),
    Check("valid_plan", "plans are accepted by the rules", "instances", invalid_plans, lambda _: True),
    Check(
        "complete", "finds a solution if there is one", "instances", solutions_missed,
        lambda trial: trial.algorithm.complete and trial.is_informed_rightly,
    ),
    Check(
        "proofs", "unsolvable only what is", "instances", false_unsolvability,
        lambda trial: trial.algorithm.complete and trial.is_informed_rightly,
    ),
    Check("optimal", "no plan is cheaper", "instances", suboptimal_plans, lambda trial: trial.promised_bound == 1),
    Check("bounded", "costs at most bound times the optimum", "instances", plans_beyond_bound, lambda _: True),
    Check(
        "monotone", "costs and bounds of improvements only fall", "instances",
        non_monotone_improvements, lambda _: True,
    ),
)  # fmt: skip
