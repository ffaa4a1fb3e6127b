"""Plans of finished runs as parts of a table: the states along each plan, and the actions that it takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np

from runner.base.errors import UserError
from runner.core import RecordedPlan, SweepLogs
from runner.features.dataset.spaces import action_text, packed_problem
from runner.features.dataset.table import TablePart
from worlds.interface import Instance, Problem, Words


class LeftOut(Exception):
    """A plan cannot be a part of the table. The message says why."""


@dataclass(frozen=True)
class PlanOfRow:
    """Recorded plan, with what its row says of it.

    Attributes
    ----------
    plan : RecordedPlan
    cost : float
    bound : float
        Proven factor: the plan costs at most this factor times the optimum. NaN if nothing is proven.
    is_valid : bool
        Whether the validation has not refuted it.
    """

    plan: RecordedPlan
    cost: float
    bound: float
    is_valid: bool

    @classmethod
    def below(cls, folder: Path) -> list[PlanOfRow]:
        """Return the plans of the rows that count below a folder, each once.

        Raises
        ------
        UserError
            If there are none.
        """
        plans = {plan.run_id: plan for plan in RecordedPlan.below(folder)}
        found = {}
        for log in SweepLogs(folder).logs.values():
            for _, row in log.rows(log.counted()):
                run_id = row["run_id"]
                if run_id in plans and row.get("cost"):
                    bound = float(row.get("bound") or math.nan)
                    found[run_id] = cls(plans[run_id], float(row["cost"]), bound, row.get("valid") != "False")
        if not found:
            raise UserError(f"{folder}: no instance has a plan")
        return [*found.values()]


def with_instances(plans: Sequence[PlanOfRow]) -> Iterator[tuple[PlanOfRow, Instance | None]]:
    """Yield plans with their instances, those of one run together; None for an instance that is gone."""
    for job, given in groupby(plans, key=attrgetter("plan.job")):
        own = list(given)
        instances = RecordedPlan.recorded_instances(job, [each.plan.instance for each in own])
        yield from ((each, instances.get(each.plan.instance)) for each in own)


def part_of_plan(given: PlanOfRow, instance: Instance) -> TablePart:
    """Play a plan by the kernels of its world.

    Raises
    ------
    LeftOut
        If the plan is not valid, no steps have the names of its actions, or they cost something else.
    runner.base.errors.Incompatible
        If the states of the world are not packed.
    """
    if not given.is_valid:
        raise LeftOut("the validation has refuted its plan")
    problem = packed_problem(instance)
    states, costs, names = _played(problem, given.plan.actions())
    total = sum(costs)
    if instance.world.user_cost(total) != given.cost:
        raise LeftOut(f"the steps of its plan cost {instance.world.user_cost(total):g}, and the plan {given.cost:g}")
    steps = len(names)
    actions, action = np.unique(np.array(names, str), return_inverse=True)
    return TablePart(
        instance=instance,
        run_id=given.plan.run_id,
        is_exact=given.bound == 1,
        words=np.array(states),
        h_star=total - np.cumsum([0, *costs], dtype=np.int64),
        is_goal=np.arange(steps + 1) == steps,
        first=np.minimum(np.arange(steps + 2), steps),
        successor=np.arange(1, steps + 1),
        cost=np.array(costs, np.int64),
        action=action,
        actions=actions.tolist(),
    )


def _played(problem: Problem, plan: Sequence[str]) -> tuple[list[Words], list[int], list[str]]:
    """Return the states along a plan, and the cost and the name of each step."""
    states, costs, names = [problem.initial], list[int](), list[str]()
    done = 0
    while done < len(plan):
        step = _step(problem, states[-1], plan, done)
        if step is None:
            raise LeftOut(f"no step has the name of action {done + 1} of its plan, {plan[done]}")
        state, cost, taken = step
        states.append(state)
        costs.append(cost)
        names.append(action_text(taken))
        done += len(taken)
    if not problem.recognises(states[-1]):
        raise LeftOut("its plan does not reach a goal")
    return states, costs, names


def _step(problem: Problem, state: Words, plan: Sequence[str], done: int) -> tuple[Words, int, tuple[str, ...]] | None:
    """Return the successor, the cost and the primitive actions of the step that takes the most next actions."""
    kernels = problem.world.kernels
    assert kernels is not None
    found: tuple[Words, int, tuple[str, ...]] | None = None
    unpacked = problem.unpack(state)
    for after, cost, code in problem.successors(state):
        name = kernels.name_of(unpacked, code)
        taken = name if isinstance(name, tuple) else (str(name),)
        is_next = tuple(plan[done : done + len(taken)]) == taken
        if is_next and (found is None or len(taken) > len(found[2])):
            found = after.copy(), cost, taken
    return found
