"""Checks of an algorithm: its documented guarantees, compared with the optimal cost of each instance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from algorithms.interface import PlanningAlgorithm
from algorithms.programs.interface import ExternalPlanner
from heuristics.interface import Weighting
from runner.base import CUTOFF, ERROR, LIMITS, SOLVED, UNSOLVABLE, Result, scalar_text
from runner.features.audits.analysis import Analysis
from runner.features.audits.checks import heuristic
from runner.features.audits.checks.heuristic import at_start
from runner.features.audits.checks.registration import Integers, NotApplicable, Violation, check
from runner.features.audits.solution_sets import (
    MAX_LABELS,
    Costs,
    Front,
    cheaper_plans,
    costs_text,
    covering,
    pareto_front,
)
from runner.records import Improvement

_TOO_MANY = f"there are more than {MAX_LABELS:,} paths to compare with"


@dataclass(frozen=True, eq=False)
class Trial:
    """Search of an analysed instance.

    Attributes
    ----------
    analysis : Analysis
    algorithm : PlanningAlgorithm
    weighting : Weighting or None
    result : Result
    improvements : list of Improvement
        Solutions of an anytime search, in the order in which they were found.
    again : Result or None
        Result of a second search by a program of others, whose answers may depend on anything.
    """

    analysis: Analysis
    algorithm: PlanningAlgorithm
    weighting: Weighting | None
    result: Result
    improvements: list[Improvement] = field(default_factory=list)
    again: Result | None = None

    @cached_property
    def promised_bound(self) -> float | None:
        """Smallest bound that the result or the algorithm guarantees: cost <= bound * optimum; None if there is none.

        Guarantees depend on the properties of the heuristic. The properties found in this instance count, not the
        declared ones: a search is not blamed for a heuristic that violates its declaration. A bidirectional search also
        uses the heuristic backwards, which is not analysed; there the declaration must hold, too. An anytime search
        guarantees its bound only at its end, so only the bound that it reports itself counts.
        """
        analysis = self.analysis
        admissible = all(not found(analysis).size for found in (heuristic.overestimates, heuristic.lost_optimum))
        if self.algorithm.needs_inverse:
            admissible = admissible and bool(analysis.stack.admissible)
        consistent = admissible and not heuristic.inconsistent_steps(analysis).size
        known = []
        if admissible and (consistent or getattr(self.algorithm, "reopen", True)):
            known.append(self.result.bound)
        if not self.improvements:
            unit_costs = analysis.space.problem.world.unit_costs
            known.append(
                self.algorithm.promised_bound(
                    self.weighting, admissible=admissible, consistent=consistent, unit_costs=unit_costs
                )
            )
        return min((bound for bound in known if bound is not None), default=None)

    @property
    def start(self) -> int:
        """Number of the start state."""
        return self.analysis.start

    def size(self, counted: str) -> int:
        """Return the number of analysed steps for ``"steps"``, and of analysed states otherwise."""
        return self.analysis.size(counted)

    @property
    def cost(self) -> int | None:
        """Cost of the plan in the engine's units, in which costs are exact."""
        cost = self.result.cost
        return None if cost is None else round(cost * self.analysis.instance.world.engine_scale)

    @cached_property
    def vectors(self) -> list[Costs]:
        """Costs of the solutions, of a search for a front that has ended by itself."""
        found = self.algorithm.answer == "front" and self.result.status == SOLVED.name
        return [plan.costs for plan in self.result.plans] if found else []

    @cached_property
    def front(self) -> Front:
        """Pareto front by the rules; raises `NotApplicable` if there are no vectors to compare with it."""
        world = self.analysis.instance.world
        if world.cost_vectors is None or not self.vectors:
            raise NotApplicable
        front = pareto_front(world)
        if front is None:
            raise NotApplicable(_TOO_MANY)
        return front

    @cached_property
    def is_heuristic_safe(self) -> bool:
        """Whether the heuristic is infinite at dead ends only, and its preparation leaves an optimal plan."""
        found = (heuristic.false_dead_ends, heuristic.lost_optimum)
        return not any(violations(self.analysis).size for violations in found)


Subject = Analysis | Trial
"""Subject of a check: an analysed instance, or its search."""


def analysis_of(subject: Subject) -> Analysis:
    """Return the analysis of the instance."""
    return subject.analysis if isinstance(subject, Trial) else subject


def is_complete(trial: Trial) -> bool:
    """Return whether the algorithm is complete under this heuristic."""
    return trial.algorithm.complete and trial.is_heuristic_safe


@check("algorithm", "no_failure", "ends without an error")
def failures(trial: Trial) -> Integers:
    """Return the start if the search ended with an error."""
    return at_start(trial.analysis, trial.result.status == ERROR.name)


@check(
    "algorithm", "valid_plan", "the rules accept the plan and confirm its cost", otherwise="no search has found a plan"
)
def invalid_plans(trial: Trial) -> Integers:
    """Return the start if the rules do not accept the plan, or give it another cost than the search."""
    if trial.result.valid is None:
        raise NotApplicable
    if trial.result.valid and trial.vectors and trial.result.plan is None:  # costs alone, which nothing has proven
        wrong = next((costs for costs in trial.vectors if covering(trial.front, costs) is None), None)
        if wrong is not None:
            raise Violation(f"no plan costs {costs_text(wrong)}")
    return at_start(trial.analysis, not trial.result.valid)


@check(
    "algorithm", "complete", "finds a solution if there is one", declared=is_complete,
    otherwise="no search has ended by itself",
)  # fmt: skip
def solutions_missed(trial: Trial) -> Integers:
    """Return the start if the search ended by itself without a solution although there is one."""
    if trial.result.status not in (SOLVED.name, UNSOLVABLE.name, CUTOFF.name):
        raise NotApplicable
    return at_start(trial.analysis, trial.result.status != SOLVED.name and trial.analysis.optimum is not None)


@check(
    "algorithm", "proofs", "only unsolvable instances are reported as unsolvable", declared=is_complete,
    otherwise="no search has reported an unsolvable instance",
)  # fmt: skip
def false_unsolvability(trial: Trial) -> Integers:
    """Return the start if the search reports that a solvable instance is unsolvable."""
    if trial.result.status != UNSOLVABLE.name:
        raise NotApplicable
    return at_start(trial.analysis, trial.analysis.optimum is not None)


def _looks_for_front(algorithm: PlanningAlgorithm) -> bool:
    return algorithm.answer == "front"


def _has_cheapest(algorithm: PlanningAlgorithm) -> bool:
    return not _looks_for_front(algorithm)


@check(
    "algorithm", "optimal", "the plan is optimal", declared=lambda trial: trial.promised_bound == 1,
    applies=_has_cheapest, otherwise="no search has found a plan",
)  # fmt: skip
def suboptimal_plans(trial: Trial) -> Integers:
    """Return the start if the plan is not optimal."""
    cost, optimum = trial.cost, trial.analysis.optimum
    if trial.result.status != SOLVED.name or cost is None or optimum is None:
        raise NotApplicable
    return at_start(trial.analysis, cost > optimum)


@check(
    "algorithm", "bounded", "the plan costs at most bound times the optimum", applies=_has_cheapest,
    otherwise="no search guarantees a bound above 1",
)  # fmt: skip
def plans_beyond_bound(trial: Trial) -> Integers:
    """Return the start if the plan exceeds the guaranteed bound. `suboptimal_plans` handles a bound of 1."""
    bound, cost, optimum = trial.promised_bound, trial.cost, trial.analysis.optimum
    if trial.result.status != SOLVED.name or bound in (None, 1) or cost is None or optimum is None:
        raise NotApplicable
    return at_start(trial.analysis, cost > (bound or 1) * optimum)


@check(
    "algorithm", "complete_front", "for every plan, some solution of the front costs no more",
    declared=is_complete, applies=_looks_for_front, otherwise="no search has ended with a front",
)  # fmt: skip
def missing_vectors(trial: Trial) -> Iterator[Violation]:
    """Yield the first vector that is missing, up to the `epsilon` or the bound of the algorithm."""
    world = trial.analysis.instance.world
    bound = trial.algorithm.promised_bound(None, admissible=True, consistent=True, unit_costs=world.unit_costs)
    factor = 1 + getattr(trial.algorithm, "epsilon", (bound or 1) - 1)
    missing = [costs for costs in trial.front if covering(trial.vectors, costs, factor) is None]
    if missing:
        costs = min(missing)
        start, plan = world.text_of(world.initial()), " ".join(trial.front[costs])
        yield Violation(f"{len(missing)} of {len(trial.front)} missing from {start}: {costs_text(costs)}, by {plan}")


@check(
    "algorithm", "optimal_front", "no plan dominates a solution of the front", applies=_looks_for_front,
    declared=lambda trial: trial.promised_bound == 1, otherwise="no search has ended with a front",
)  # fmt: skip
def dominated_vectors(trial: Trial) -> Iterator[Violation]:
    """Yield the first vector that a plan dominates."""
    for costs in trial.vectors:
        less = covering(trial.front, costs)
        if less is not None and less != costs:
            yield Violation(f"{costs_text(costs)} is dominated by {costs_text(less)}, by {' '.join(trial.front[less])}")
            return


@check(
    "algorithm", "k_cheapest", "no plan without loops that is left out costs less than one of the answer",
    declared=lambda trial: trial.promised_bound == 1, applies=lambda algorithm: algorithm.answer == "plans",
    otherwise="no search has ended with several valid plans",
)  # fmt: skip
def plans_left_out(trial: Trial) -> Iterator[Violation]:
    """Yield the cheapest plan that is left out."""
    analysis, plans, world = trial.analysis, trial.result.plans, trial.analysis.instance.world
    is_answer = trial.result.status == SOLVED.name and trial.result.valid and plans
    if not is_answer or analysis.searched is not analysis.space:
        raise NotApplicable
    cheaper = cheaper_plans(analysis.space, analysis.start, round(plans[-1].costs[0] * world.engine_scale))
    if cheaper is None:
        raise NotApplicable(_TOO_MANY)
    known, problem = {plan.actions for plan in plans}, analysis.instance.problem()
    for cost, codes in cheaper:
        plan = problem.plan(codes)
        if plan not in known:
            yield Violation(f"left out, cost {scalar_text(world.user_cost(cost))}: {' '.join(plan)}")
            return


@check("algorithm", "monotone", "costs and bounds of improvements only fall", otherwise="not an anytime search")
def non_monotone_improvements(trial: Trial) -> Integers:
    """Return the start if the cost of an anytime search does not fall with each solution, or if its bound rises."""
    if not trial.improvements:
        raise NotApplicable
    costs = [improvement.cost for improvement in trial.improvements]
    bounds = [improvement.bound for improvement in trial.improvements if improvement.bound is not None]
    falls = all(later < earlier for earlier, later in pairwise(costs))
    return at_start(
        trial.analysis, not falls or bounds != sorted(bounds, reverse=True) or trial.result.cost != costs[-1]
    )


@check(
    "algorithm", "same_answer", "a second start gives the same answer",
    applies=lambda algorithm: isinstance(algorithm, ExternalPlanner), otherwise="no program has ended by itself twice",
)  # fmt: skip
def different_answers(trial: Trial) -> Integers:
    """Return the start if a program of others gives another status, or another cost, the second time."""
    again = trial.again
    if again is None or not {trial.result.status, again.status}.isdisjoint(LIMITS):
        raise NotApplicable
    answer, second = ((each.status, each.cost, [plan.costs for plan in each.plans]) for each in (trial.result, again))
    is_same = answer == second
    return at_start(trial.analysis, not is_same)
