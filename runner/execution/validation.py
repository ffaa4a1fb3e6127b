"""Validation of plans: explain why the rules do not accept the plan of a search."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.interface import Instance, Problem, Replay
from worlds.refusal import inline


def violation(instance: Instance, problem: Problem, codes: Sequence[int], cost: int, replay: Replay) -> str | None:
    """Return why the rules do not accept a plan; None if they accept it.

    Parameters
    ----------
    problem : Problem
        The packed instance.
    codes : sequence of int
        Action codes of the plan.
    cost : int
        Cost of the plan by the search.
    replay : Replay
        Result of playing the plan by the rules.
    """
    if replay.reaches_goal and replay.cost == cost:
        return None
    if replay.failure is not None:
        return replay.failure
    if not replay.reaches_goal:
        end = _shown(instance, instance.plan(codes, problem))
        return f"the rules accept every action, but the last state is no goal: {end}"
    return wrong_cost(instance, problem, codes) or f"the plan costs {replay.cost} by the rules, {cost} by the search"


def wrong_cost(instance: Instance, problem: Problem, codes: Sequence[int]) -> str | None:
    """Return which action of a plan costs more or less by the rules than by the kernel; None if there is none."""
    state, plan, cost = problem.initial, tuple[str, ...](), 0
    for number, code in enumerate(codes, 1):
        step = next((step for step in problem.successors(state) if step[2] == code), None)
        if step is None:  # a step backwards
            return None
        state, step_cost, _ = step
        longer = instance.plan(codes[:number], problem)
        total = instance.replay(longer).cost
        if total - cost != step_cost:
            where = f"action {len(plan) + 1}, {' '.join(longer[len(plan) :])}, in {_shown(instance, plan)}"
            return f"{where}: costs {total - cost} by the rules, {step_cost} by the kernel"
        plan, cost = longer, total
    return None


def _shown(instance: Instance, plan: Sequence[str]) -> str:
    """Return the state after a plan as text."""
    *_, end = instance.frames(plan)
    return inline(end.text)
