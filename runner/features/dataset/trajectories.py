"""Plans of finished runs as parts of a table: the states along each plan, and the actions that it takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np

from runner.base import UserError
from runner.features.dataset.spaces import action_text, packed_problem
from runner.features.dataset.table import TablePart
from runner.features.explorer import RecordedPlan
from runner.records import SweepLogs
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
    line = _played(problem, given.plan.actions(), given.cost)
    totals = np.array([step.total for step in line], np.int64)
    names = [action_text(step.taken) for step in line[1:]]
    steps = len(names)
    actions, action = np.unique(np.array(names, str), return_inverse=True)
    return TablePart(
        instance=instance,
        run_id=given.plan.run_id,
        is_exact=given.bound == 1,
        words=np.array([step.state for step in line]),
        h_star=totals[-1] - totals,
        is_goal=np.arange(steps + 1) == steps,
        first=np.minimum(np.arange(steps + 2), steps),
        successor=np.arange(1, steps + 1),
        cost=np.diff(totals),
        action=action,
        actions=actions.tolist(),
    )


@dataclass(frozen=True)
class _PlayedStep:
    """Step along a plan: the state and the cost after it, its primitive actions, and the step before."""

    state: Words
    total: int
    done: int
    taken: tuple[str, ...] = ()
    before: _PlayedStep | None = None


def _played(problem: Problem, plan: Sequence[str], cost: float) -> list[_PlayedStep]:
    """Return the start and the steps of a plan that reach a goal at the cost of the plan.

    Plans may give one name to several steps: with several agents, one at its goal may stay there for good or not.
    """
    reason = ""
    waiting = [_PlayedStep(problem.initial, 0, 0)]
    seen = set[tuple[int, int, bytes]]()
    while waiting:
        step = waiting.pop()
        key = step.done, step.total, step.state.tobytes()
        if key in seen:
            continue
        seen.add(key)
        if step.done < len(plan):
            following = _following(problem, step, plan)
            waiting += following
            if not following:
                reason = f"no step has the name of action {step.done + 1} of its plan, {plan[step.done]}"
        elif not problem.recognises(step.state):
            reason = "its plan does not reach a goal"
        else:
            total = problem.world.user_cost(step.total)
            if total == cost:
                line = [step]
                while line[-1].before is not None:
                    line.append(line[-1].before)
                return line[::-1]
            reason = f"the steps of its plan cost {total:g}, and the plan {cost:g}"
    raise LeftOut(reason)


def _following(problem: Problem, step: _PlayedStep, plan: Sequence[str]) -> list[_PlayedStep]:
    """Return the steps that take the next actions of a plan; at last those that take the most."""
    kernels = problem.world.kernels
    assert kernels is not None
    unpacked = problem.unpack(step.state)
    found = []
    for after, cost, code in problem.successors(step.state):
        name = kernels.plan_name(kernels.name_of(unpacked, code))
        taken = name if isinstance(name, tuple) else (str(name),)
        done = step.done + len(taken)
        if tuple(plan[step.done : done]) == taken:
            found.append(_PlayedStep(after.copy(), step.total + cost, done, taken, step))
    return sorted(found, key=attrgetter("done"))
