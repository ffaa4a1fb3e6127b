"""Answer of a planner for an instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.programs.interface import ExternalPlanner, PlannerAnswer
from runner.base import CUTOFF, ENDED_BY, INTERRUPTED, LIMITS, MEMORY_LIMIT, SOLVED, TIME_LIMIT, UNSOLVABLE, read_bytes
from runner.execution.attempt import NOT_VALIDATED, Attempt, joined, moves
from runner.execution.solver_base import SolverBase
from runner.records import Improvement, RecordFile, key_of
from worlds.interface import Instance, OutOfTime, Replay, Unsolvable, answer_violation


class PlannerAttempt(Attempt):
    """Answer of a planner. A replay of its plan decides the status."""

    def __init__(
        self, solver: SolverBase, planner: ExternalPlanner, instance: Instance, columns: dict[str, Any]
    ) -> None:
        super().__init__(solver, instance, columns)
        self._planner = planner
        self._answer: PlannerAnswer | None = None
        self._best_cost: int | None = None
        self._last: tuple[tuple[str, ...], Replay] | None = None

    @property
    def is_planner_at_work(self) -> bool:
        """Whether the planner has not answered yet."""
        return self._answer is None

    def _warm(self) -> None:
        pass

    def _rehearse(self) -> None:
        if self._solver.kept is None:
            self._solver.session.warm(self._instance, self._limits, self._is_stopped)

    def _run(self) -> str:
        answer = self._answer = self._answered()
        self._conclude()
        self.columns.update(reason=answer.reason, error=answer.error)
        status = self._status_of(answer)
        is_failure = self._solver.declared.status(status).is_failure
        if answer.output and (answer.keeps_output or is_failure or self.columns.get("valid") is False):
            self.output = answer.output
            if is_failure and self._solver.keeps_outputs:
                self.columns["error"] = f"{answer.error} ({RecordFile.PRINTED}/{self.columns['run_id']}.txt)"
        return status

    def _status_of(self, answer: PlannerAnswer) -> str:
        if answer.refusal is not None:
            self.columns.update(valid=False, reason=joined(answer.refusal, answer.origin))
            return INTERRUPTED.name if answer.status == INTERRUPTED.name else SOLVED.name
        if answer.plan is not None:
            return self._validate(answer, answer.plan)
        if answer.solutions:
            return self._validate_solutions(answer)
        if answer.status in (UNSOLVABLE.name, CUTOFF.name):
            self._fall_back()
        return answer.status

    def _answered(self) -> PlannerAnswer:
        """Return the planner's answer, or that of the world if it cannot make the files for it."""
        if self._solver.kept is not None:
            kept = self._solver.kept[key_of(self.columns["run_id"])]
            for plan, seconds in kept.improvements:
                self._improve(plan, seconds)
            output = read_bytes(kept.file).decode(errors="replace")
            return self._solver.session.again(self._instance, output, kept.columns)
        try:
            return self._solver.session.answer(self._instance, self._limits, self._is_stopped, self._improve)
        except Unsolvable as proof:
            return PlannerAnswer(UNSOLVABLE.name, reason=str(proof) or None)
        except OutOfTime as progress:
            return PlannerAnswer(TIME_LIMIT.name, reason=str(progress))
        except RuntimeError:  # what the session has started may have ended
            self._solver.close()
            raise

    def _improve(self, plan: tuple[str, ...], seconds: float) -> None:
        """Report a plan that is right, and cheaper than those before."""
        replay = self._replay(plan)
        is_better = self._best_cost is None or replay.cost < self._best_cost
        if self._improved is not None and replay.reaches_goal and is_better:
            self._best_cost = replay.cost
            cost = self._instance.world.user_cost(replay.cost)
            self._improved(Improvement(cost, None, seconds, None, plan))

    def _replay(self, plan: tuple[str, ...]) -> Replay:
        """Return the replay of a plan. The last one is kept, because the last improvement is the plan."""
        if self._last is None or self._last[0] is not plan:
            self._last = plan, self._instance.world.replay(plan)
        return self._last[1]

    def _validate(self, answer: PlannerAnswer, plan: tuple[str, ...]) -> str:
        """Add the plan and its cost by the rules, and return the status."""
        status = INTERRUPTED.name if answer.status == INTERRUPTED.name else SOLVED.name
        found = {"plan": plan, "length": len(plan), "moves": moves(plan)}
        if answer.status in LIMITS:
            found["reason"] = f"{ENDED_BY}{answer.status}"
        if self._limits.has_deadline and self._before_validation is not None:
            self._before_validation({**self.columns, **found, "status": status})
        world = self._instance.world
        try:
            replay = self._replay(plan)
        except MemoryError:
            self.columns.update(found, reason=f"{NOT_VALIDATED}: {MEMORY_LIMIT.name}")
            return status
        bound = self._promised_bound() if answer.status == SOLVED.name else None
        if replay.reaches_goal and world.playable is not None and not world.playable.accepts_cost(replay.cost):
            return self._reject(replay.cost, bound, answer.status)
        failure = answer_violation(self._instance, plan, replay, answer.cost, answer.precision)
        self.columns.update(found, reward=replay.reward, valid=failure is None)
        if replay.reaches_goal:
            self.columns["cost"] = world.user_cost(replay.cost)
        if failure is None:
            self.columns["bound"] = bound
        else:
            self.columns["reason"] = joined(failure, answer.origin)
        return status

    def _validate_solutions(self, answer: PlannerAnswer) -> str:
        """Add the solutions and their costs by the rules, and return the status."""
        status = self._validate_set(self._planner, answer.solutions, answer.status, "found", in_any_order=True)
        if self.columns.get("valid") is False:
            self.columns.update(cost=None, reason=joined(self.columns["reason"], answer.origin))
        elif status == SOLVED.name and (self._planner.answer == "plans" or self._planner.complete):
            self.columns["bound"] = self._promised_bound()
        return status

    def _promised_bound(self) -> float | None:
        """Return the bound that the planner promises, as for algorithms in plain Python."""
        planner = self._planner
        unit_costs = self._instance.world.unit_costs if planner.optimal == "unit_costs" else False
        return planner.promised_bound(None, admissible=True, consistent=True, unit_costs=unit_costs)

    def _count(self) -> None:
        if self._answer is not None:
            self.columns.update(self._answer.columns)

    def _measured(self, status: str) -> Mapping[str, float | str | None]:
        return {**super()._measured(status), **({} if self._answer is None else self._answer.measured)}
