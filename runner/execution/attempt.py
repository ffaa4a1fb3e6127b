"""Attempt to search or play one instance: its clock, its end, and the result of every outcome."""

from __future__ import annotations

import errno
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from algorithms.engine import Counts, Limits
from algorithms.interface import PlanningAlgorithm
from algorithms.plan_sets import Claim, PlanSet
from runner.base import (
    CUTOFF,
    ERROR,
    INTERRUPTED,
    LIMITS,
    MEMORY_LIMIT,
    SOLVED,
    UNSOLVABLE,
    Result,
    Unsupported,
    UserError,
    directory_kept,
    error_text,
    one_line,
    plural,
    scalar_text,
)
from runner.execution.solver_base import SolverBase
from runner.execution.stop import Stopped
from runner.records import Improvement
from worlds.compile import compile_seconds
from worlds.interface import Instance

Watch = Callable[[Counts], bool | None]
"""Function that is called with the counts during a search. The attempt ends if it returns True."""
Improved = Callable[[Improvement], None]
"""Function that is called with every better solution of an anytime search."""
Announce = Callable[[Mapping[str, Any]], None]
"""Function that is called with the columns of a solution, and its plan."""
NOT_VALIDATED = "the plan was not validated"
"""Beginning of the `reason` of a solution whose validation was cut off."""
_MAX_MOVES = 1000

log = logging.getLogger(__name__)


class Attempt(ABC):
    """One search or game.

    Attributes
    ----------
    columns : dict
        Columns of the result that are known so far.
    output : str
        Text for a file beside the rows.
    """

    output: str = ""

    def __init__(self, solver: SolverBase, instance: Instance, columns: dict[str, Any]) -> None:
        self.columns = columns
        self._solver, self._instance, self._limits = solver, instance, solver.limits
        self._warming = 0.0
        self._compiled_before = compile_seconds()[0]
        self._began: tuple[float, float] | None = None  # while the instance is packed; limits count that time
        self._meter = solver.meter
        self._watch: Watch | None = None
        self._improved: Improved | None = None
        self._before_validation: Announce | None = None
        self._of_set: Mapping[str, float | None] = {}

    @property
    def limits(self) -> Limits:
        """Limits of this attempt."""
        return self._limits

    @property
    def is_planner_at_work(self) -> bool:
        """Whether this process enforces the limits of a planner, so that signals at the limits must not end it."""
        return False

    def warm(self) -> bool:
        """Compile or load the kernels for instances like this one, before any time is measured.

        Returns
        -------
        bool
            False if the kernels were not needed, as for an instance that is proven unsolvable, or there was an error.
        """
        start = time.perf_counter()
        is_warm = _is_done(self._warm)
        if compile_seconds()[0] > self._compiled_before:
            self._warming = time.perf_counter() - start
        return is_warm

    def rehearse(self, watch: Watch) -> bool:
        """Search or play a little, or let a program answer once, without counting: the first time takes longer.

        Parameters
        ----------
        watch : callable
            Called while a program answers. If it returns True, the program is ended.

        Returns
        -------
        bool
            False if there was an error.
        """
        self._watch = watch
        return _is_done(self._rehearse)

    @directory_kept()
    def result(
        self, watch: Watch | None = None, improved: Improved | None = None, before_validation: Announce | None = None
    ) -> Result:
        """Search or play the instance, and return the result.

        An exception becomes a result with the status "error" and the counts so far.

        Parameters
        ----------
        watch : callable, optional
            Called with the counts during the search. If it returns True, the result has the status "interrupted".
        improved : callable, optional
            Called with every better solution of an anytime search.
        before_validation : callable, optional
            If there is a limit of time, called with a solution before it is validated, which may take long.
        """
        self._improved, self._before_validation = improved, before_validation
        error: str | None = None
        measured: Mapping[str, float | str | None] = self._instance.world.groups
        try:
            status = self.run(watch)
            measured = {**measured, **self._solver.declared.checked(self._measured(status))}
        except MemoryError:
            status = MEMORY_LIMIT.name
        except Stopped:
            status = INTERRUPTED.name
        except Unsupported as refusal:
            status = self._solver.unsupported.name
            self.columns = self._solver.columns(self._instance)  # nothing was searched: no counts
            if status == ERROR.name:
                error = str(refusal)
            else:
                self.columns["reason"] = str(refusal)
        except UserError as mistake:
            status, error = ERROR.name, str(mistake)
        except BaseException as exception:  # the code of users may raise anything
            if isinstance(exception, OSError) and exception.errno == errno.ENOMEM:
                status = MEMORY_LIMIT.name
            else:
                log.exception("instance %s failed", self._instance.id)
                status, error = ERROR.name, error_text(exception)
        if error is not None:
            self.columns["error"] = error
        return Result(status=status, measured=measured, output=self.output, **self.columns)

    def run(self, watch: Watch | None = None) -> str:
        """Search or play until the end or a limit, and return the status. See `result`, which raises no exception."""
        self._watch = watch
        self._compiled_before = compile_seconds()[0]
        self._meter.reset_peak()
        try:
            return self._run()
        finally:
            self._conclude()
            self._watch = self._improved = self._before_validation = None  # they may keep this attempt and its nodes

    def _start_clock(self) -> None:
        """Let the times of the search begin."""
        self._began = now()
        self._meter.begin()

    @abstractmethod
    def _warm(self) -> None: ...

    @abstractmethod
    def _rehearse(self) -> None: ...

    @abstractmethod
    def _run(self) -> str: ...

    @abstractmethod
    def _count(self) -> None:
        """Add the columns that are known when the search or the game is over, even if it raised."""

    def _measured(self, status: str) -> Mapping[str, float | str | None]:
        return {**self._instance.world.measured_at_end(self.columns.get("plan"), status), **self._of_set}

    def _is_stopped(self) -> bool:
        return self._watch is not None and bool(self._watch(Counts()))

    def _conclude(self) -> None:
        """Stop the clock, and add the counts. Only the first call has an effect."""
        if "search_seconds" not in self.columns:
            wall, cpu = elapsed(self._began)
            compiling = compile_seconds()[0] - self._compiled_before + self._warming
            self.columns.update(search_seconds=wall, cpu_seconds=cpu, compile_seconds=compiling)
            if self._began is not None:
                self.columns.update(vars(self._meter.usage()))
            self._count()

    def _fall_back(self) -> None:
        """Add the plan for an instance without solution, in domains that have one."""
        game = self._instance.world.playable
        plan = None if game is None else game.fallback_plan()
        if plan is not None:
            self.columns.update(plan=plan, reward=self._instance.world.replay(plan).reward)

    def _reject(self, cost: int, bound: float | None, end: str) -> str:
        """Take the fallback plan for one that costs more than its reward. Only an optimal one proves anything."""
        self._fall_back()
        if end != SOLVED.name:
            return end
        if bound == 1:
            return UNSOLVABLE.name
        cost_shown = scalar_text(self._instance.world.user_cost(cost))
        self.columns["reason"] = f"a plan of cost {cost_shown} does not count, and a cheaper one may exist"
        return CUTOFF.name

    def _validate_set(
        self, algorithm: PlanningAlgorithm, claims: Sequence[Claim], end: str, word: str, *, in_any_order: bool = False
    ) -> str:
        """Add the plans and their validation, and return the status: that of the end, as others may be missing."""
        if end in LIMITS:
            self.columns["reason"] = f"{plural(len(claims), 'solution')} {word}"
        self._add_first(claims[0].costs, claims[0].actions)
        if end == SOLVED.name and self._limits.has_deadline and self._before_validation is not None:
            self._before_validation({**self.columns, "status": end})
        try:
            plans = PlanSet.of(self._instance, algorithm.answer, claims, in_any_order=in_any_order)
            self._of_set = plans.measured(self._instance, (metric.name for metric in algorithm.metrics))
        except MemoryError:
            self.columns["reason"] = f"{NOT_VALIDATED}: {MEMORY_LIMIT.name}"
            return end
        costs, actions = plans.plans[0]
        self._add_first(costs, None if claims[0].actions is None else actions)
        self.columns.update(plans=plans.plans, valid=plans.failure is None)
        if plans.failure is not None:
            self.columns["reason"] = plans.failure
        return end

    def _add_first(self, costs: Sequence[float] | None, plan: tuple[str, ...] | None) -> None:
        self.columns.update(plan=plan, cost=None if costs is None else costs[0])
        if plan is not None:
            self.columns.update(length=len(plan), moves=moves(plan))


def _is_done(function: Callable[[], None]) -> bool:
    """Call a function, and return whether it raised nothing. The same error will be in the row of the instance."""
    try:
        function()
    except BaseException:  # the code of users may raise anything
        log.debug("warming failed", exc_info=True)
        return False
    return True


def now() -> tuple[float, float]:
    """Return wall time and processor time, without those for kernels."""
    wall, cpu = compile_seconds()
    return time.perf_counter() - wall, time.process_time() - cpu


def elapsed(began: tuple[float, float] | None) -> tuple[float, float]:
    """Return wall time and processor time since a call of `now`; none before it."""
    if began is None:
        return 0.0, 0.0
    wall, cpu = now()
    return max(0.0, wall - began[0]), max(0.0, cpu - began[1])


def joined(*texts: str) -> str:
    """Return texts that are not empty, in one line."""
    return one_line("; ".join(filter(None, texts)))


def moves(plan: tuple[str, ...]) -> str | None:
    """Return a plan as one word if every action is a single letter and there are at most 1000; else None."""
    letters = all(len(action) == 1 and action.isalpha() for action in plan)
    return "".join(plan) if letters and len(plan) <= _MAX_MOVES else None
