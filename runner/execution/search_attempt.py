"""Search of an instance by an algorithm."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.engine import Counts, Limiter, Search
from algorithms.interface import SearchAlgorithm
from algorithms.plan_sets import Claim
from heuristics.interface import BoundStack
from runner.base import CUTOFF, ENDED_BY, INTERRUPTED, LIMITS, MEMORY_LIMIT, SOLVED, UNSOLVABLE, one_line
from runner.execution.attempt import NOT_VALIDATED, Attempt, elapsed, moves, now
from runner.execution.solver_base import SolverBase
from runner.records import Improvement
from worlds.compile import MAX_COST
from worlds.interface import Instance, OutOfTime, Problem, Unsolvable, plan_violation

_WARMING_NODES = (1, 10, 100, *[1000] * 7)
"""Expansions of searches that are not counted: the first ones of a process load code and allocate memory.

Worlds in plain Python have only the first one, because they may do anything.
"""
_WARMING_SECONDS = 0.002
"""Time after which no further one begins, as after one expansion with a slow heuristic in plain Python."""


class SearchAttempt(Attempt):
    """Search for a plan, which is then validated."""

    def __init__(
        self, solver: SolverBase, algorithm: SearchAlgorithm, instance: Instance, columns: dict[str, Any]
    ) -> None:
        super().__init__(solver, _limited(instance, solver.limits.time), columns)
        self._algorithm, self._stack, self._weighting = algorithm, solver.stack, solver.weighting
        self._search: Search | None = None
        self._bound: BoundStack | None = None

    def _warm(self) -> None:
        self._algorithm.start(self._stack.prepare(self._problem()), self._weighting).warm()

    def _rehearse(self) -> None:
        problem = self._problem()
        is_compiled = self._instance.world.kernels is not None
        end = time.perf_counter() + _WARMING_SECONDS
        for nodes in _WARMING_NODES if is_compiled else _WARMING_NODES[:1]:
            search = self._algorithm.start(self._stack.prepare(problem), self._weighting)
            search.run(Limiter(replace(self._limits, nodes=nodes)))
            if time.perf_counter() >= end:
                break

    def _run(self) -> str:
        problem = None
        try:
            began = now()
            problem = self._problem()
            self._start_clock()
            self._bound = self._stack.prepare(problem)
            search = self._search = self._algorithm.start(self._bound, self._weighting)
            spent = elapsed(began) if self._limits.has_deadline else (0.0, 0.0)
            improve = partial(self._improve, problem, search)
            status = search.run(Limiter(self._limits, self._watch, improve, spent, problem.program_seconds))
        except Unsolvable as proof:
            status = UNSOLVABLE.name
            self.columns["reason"] = str(proof) or None
        except OutOfTime as progress:
            status = progress.status
            self.columns["reason"] = str(progress)
        else:
            if status == UNSOLVABLE.name and not self._stack.safe and search.may_have_pruned:
                status = CUTOFF.name
                self.columns["reason"] = (
                    f"heuristic {self._stack.name} is not declared safe, and may have pruned a solution"
                )
        self._conclude()
        if self._search is not None and problem is not None and self._search.found:
            return self._validate_solutions(problem, self._search, status)
        if self._search is not None and problem is not None and (status == SOLVED.name or self._search.has_solution):
            return self._validate(problem, self._search, status)
        if status in (UNSOLVABLE.name, CUTOFF.name):
            self._fall_back()
        return status

    def _problem(self) -> Problem:
        call, cpu, memory = self._limits.call, self._limits.cpu, self._limits.memory
        return replace(self._instance.problem(), call_seconds=call, cpu_seconds=cpu, memory_bytes=memory)

    def _count(self) -> None:
        self.columns.update(Counts().by_column() if self._search is None else self._search.columns)
        if self._search is not None:
            h = self._search.initial_h
            if h is not None and h < MAX_COST:  # where sums stop
                self.columns["initial_h"] = self._instance.world.user_cost(h)
            self.columns["expanded_before_last_layer"] = self._search.expanded_before_last_layer
        if self._bound is not None:
            measured, programs = self._bound.problem.heuristic_seconds[0], self._bound.problem.program_seconds[0]
            self.columns["cpu_seconds"] += programs
            if measured > 0:  # an estimate, if calls are short
                self.columns["heuristic_seconds"] = min(measured, self.columns["search_seconds"])

    def _measured(self, status: str) -> Mapping[str, float | str | None]:
        found = {**super()._measured(status)}
        if self._search is not None and self._bound is not None:
            found.update(self._search.measured)
            for heuristic in self._stack.heuristics:
                found.update(heuristic.measured(self._bound.problem))
        return found

    def _improve(self, problem: Problem, search: Search) -> None:
        if self._improved is not None:
            cost, seconds = self._instance.world.user_cost(search.cost), elapsed(self._began)[0]
            plan = problem.plan(search.path())
            self._improved(Improvement(cost, search.bound, seconds, search.counts.expanded, plan))

    def _validate(self, problem: Problem, search: Search, end: str) -> str:
        """Add the plan and its validation, and return the status. `end`: solved, or a limit or a signal."""
        cost = search.cost
        game = self._instance.world.playable
        if game is not None and not game.accepts_cost(cost):
            return self._reject(cost, search.bound, end)
        status = INTERRUPTED.name if end == INTERRUPTED.name else SOLVED.name
        self.columns["reason"] = f"{ENDED_BY}{end}" if end in LIMITS else None
        codes = search.path()
        plan = problem.plan(codes)
        user_cost = self._instance.world.user_cost(cost)
        self.columns.update(plan=plan, cost=user_cost, length=len(plan), moves=moves(plan), bound=search.bound)
        if status == SOLVED.name and self._limits.has_deadline and self._before_validation is not None:
            self._before_validation({**self.columns, "status": SOLVED.name})
        try:
            replay = self._instance.world.replay(plan)
            failure = plan_violation(self._instance, problem, codes, cost, replay)
        except MemoryError:
            self.columns["reason"] = f"{NOT_VALIDATED}: {MEMORY_LIMIT.name}"
            return status
        self.columns.update(reward=replay.reward, valid=failure is None)
        if failure is not None:
            self.columns["reason"] = one_line(failure)
        return status

    def _validate_solutions(self, problem: Problem, search: Search, end: str) -> str:
        """Add the solutions and their validation, and return the status."""
        world = self._instance.world
        claims = []
        for costs, path in search.solutions():
            told = costs if world.cost_vectors is not None else tuple(map(world.user_cost, costs))
            claims.append(Claim(told, problem.plan(path)))
        self.columns["bound"] = search.bound
        return self._validate_set(self._algorithm, claims, end, "proven")


def _limited(instance: Instance, seconds: float | None) -> Instance:
    """Return an instance with a limit of the time for packing it."""
    kernels = instance.world.kernels
    return instance if kernels is None else instance.with_world(kernels.limited(seconds), instance.seed)
