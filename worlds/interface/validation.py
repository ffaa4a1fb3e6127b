"""Validation of a plan of a search: the rules must accept each action, its cost, and the end."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.interface.instance import Instance, Problem
from worlds.interface.replay import Replay


def plan_violation(
    instance: Instance, problem: Problem, codes: Sequence[int], cost: int, replay: Replay, *, needs_goal: bool = True
) -> str | None:
    """Return why the rules do not accept a plan; None if they accept it.

    Parameters
    ----------
    problem : Problem
        The packed instance.
    codes : sequence of int
        Action codes of the plan.
    cost : int
        Cost of the plan by the search, in the integers of the engine.
    replay : Replay
        Result of playing the plan by the rules.
    needs_goal : bool
        Whether it must reach a goal.
    """
    plan = problem.plan(codes)
    if replay.failure is not None and (needs_goal or len(instance.world.played(plan)[0]) <= len(plan)):
        return replay.failure  # a walk may also end in the death of a player, which the rules allow
    if needs_goal and not replay.reaches_goal:
        return _no_goal(instance, plan)
    if replay.cost == cost:
        return None
    by_rules, by_search = (instance.world.user_cost(each) for each in (replay.cost, cost))
    action = _wrong_cost(instance, problem, codes) if instance.world.costs_add_up else None
    return action or f"the plan costs {by_rules} by the rules, {by_search} by the search"


def answer_violation(
    instance: Instance, plan: Sequence[str], replay: Replay, claimed: float | None, precision: float
) -> str | None:
    """Return why the rules do not accept the plan, or the cost, that a program of others gives; None if they do.

    Parameters
    ----------
    replay : Replay
        Result of playing the plan by the rules.
    claimed : float or None
        Cost of the plan by the program, in the user's units.
    precision : float
        Largest difference of the costs that rounding explains.
    """
    world = instance.world
    if replay.failure is not None:
        return replay.failure
    if not replay.reaches_goal:
        return _no_goal(instance, plan)
    cost = world.user_cost(replay.cost)
    if claimed is not None and abs(claimed - cost) > precision:
        return f"the plan costs {cost} by the rules; the program says {claimed:.15g}"
    return None


def _no_goal(instance: Instance, plan: Sequence[str]) -> str:
    last = instance.world.text_of(instance.world.played(plan)[0][-1])
    return f"the rules allow every action, but the plan does not reach a goal; the last state is {last}"


def _wrong_cost(instance: Instance, problem: Problem, codes: Sequence[int]) -> str | None:
    """Return which action of a plan costs more or less by the rules than by the kernel; None if there is none.

    Costs must add up along the plan (`costs_add_up`), because the beginning of a plan is played to get those of a step.
    """
    plan, cost, before = tuple[str, ...](), 0, problem.initial
    for number, code in enumerate(codes, 1):
        found = next((step for step in problem.successors(before) if step[2] == code), None)
        if found is None:  # a code of a step backwards, as bidirectional searches have
            return None
        after, step_cost, _ = found
        longer = problem.plan(codes[:number])
        total = instance.world.replay(longer).cost
        if total - cost != step_cost:
            action = f"action {len(plan) + 1}, {' '.join(longer[len(plan) :])}"
            state = instance.world.text_of(problem.unpack(before))
            by_rules, by_kernel = instance.world.user_cost(total - cost), instance.world.user_cost(step_cost)
            return f"{action}: in the state {state} it costs {by_rules} by the rules, {by_kernel} by the kernel"
        plan, cost, before = longer, total, after
    return None
