"""Solver: search or play instances, and validate the plans. Every outcome is a `Result`."""

from __future__ import annotations

import errno
import hashlib
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from algorithms.agents.interface import Agent, Player, play
from algorithms.engine import Counts, Limiter, Limits, Search
from algorithms.interface import Algorithm, PlanningAlgorithm, SearchAlgorithm
from algorithms.plan_sets import Claim, PlanSet
from algorithms.programs.interface import ExternalPlanner, KeptRun, PlannerAnswer, PlannerSession
from heuristics.interface import BoundStack, Stack, Weighting
from runner.base import (
    CUTOFF,
    ENDED_BY,
    ERROR,
    INTERRUPTED,
    LIMITS,
    MEMORY_LIMIT,
    PACKAGES,
    SOLVED,
    TIME_LIMIT,
    UNSOLVABLE,
    UNSUPPORTED,
    Declared,
    Result,
    Status,
    Unsupported,
    UserError,
    assignments,
    directory_kept,
    error_text,
    one_line,
    plural,
    read_bytes,
    scalar_text,
)
from runner.config import Cell, search_key
from runner.execution.stop import Stopped
from runner.machine import ProcessMeter
from runner.records import Improvement, RecordFile, code_of, key_of
from worlds.compile import MAX_COST, compile_seconds
from worlds.interface import (
    Game,
    Instance,
    OutOfTime,
    Problem,
    Replay,
    Unsolvable,
    answer_violation,
    as_played,
    plan_violation,
)

Watch = Callable[[Counts], bool | None]
"""Function that is called with the counts during a search. The attempt ends if it returns True."""
Improved = Callable[[Improvement], None]
"""Function that is called with every better solution of an anytime search."""
Announce = Callable[[Mapping[str, Any]], None]
"""Function that is called with the columns of a solution, and its plan."""
NOT_VALIDATED = "the plan was not validated"
"""Beginning of the `reason` of a solution whose validation was cut off."""
_MAX_MOVES = 1000
_WARMING_NODES = (1, 10, 100, *[1000] * 7)
"""Expansions of searches that are not counted: the first ones of a process load code and allocate memory.

Worlds in plain Python have only the first one, because they may do anything.
"""
_WARMING_SECONDS = 0.002
"""Time after which no further one begins, as after one expansion with a slow heuristic in plain Python."""
_WARMING_GAME_SECONDS = 0.1
_ID_DIGITS = 16
"""Number of digits of a `run_id`, and of `content`."""
_SEED_DIGITS = 12
"""Number of digits of the `run_id` that seed the random choices of an agent."""

log = logging.getLogger(__name__)


class Solver:
    """Effective algorithm, stack, weighting and limits, to be applied to instances.

    Parameters
    ----------
    declared : Declared
        Metrics and statuses that the domain, the algorithm and the heuristics declare.
    code, label : str, optional
        Values of the columns of these names.
    unsupported : Status
        Status of an instance that cannot be searched because its file cannot be read.
    keeps_outputs : bool
        Whether the outputs of programs are kept in files, which the column `error` then names.
    kept : mapping of int to KeptRun, optional
        Runs of a program whose kept outputs are read again, by the keys of their rows.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        stack: Stack,
        weighting: Weighting | None,
        limits: Limits,
        declared: Declared,
        code: str | None = None,
        label: str | None = None,
        unsupported: Status = UNSUPPORTED,
        *,
        keeps_outputs: bool = False,
        kept: Mapping[int, KeptRun] | None = None,
    ) -> None:
        self.kept = kept
        self.algorithm, self.stack, self.weighting, self.limits = algorithm, stack, weighting, limits
        self.unsupported = unsupported
        self.keeps_outputs = keeps_outputs
        self.declared = declared
        self._session: PlannerSession | None = None
        self._rules: dict[type, str] = {}
        self._columns: dict[str, Any] = {
            "algorithm": algorithm.title,
            "heuristic": stack.name,
            "weighting": None if weighting is None else str(weighting),
            "ties": getattr(algorithm, "ties", None),
            "limits": str(limits) or None,
            "stack": str(stack),
            "label": label,
            "code": code,
        }
        said = self._columns.keys() & {"ties", *algorithm.without_effect}  # others have the name of a column by chance
        self._parameters = {name: value for name, value in algorithm.variant().items() if name not in said}

    @classmethod
    def of(cls, cell: Cell) -> Solver:
        """Return the solver of a cell."""
        parts = (cell.algorithm, cell.stack, cell.weighting, cell.limits)
        unsupported = cell.source.series.unsupported_status
        return cls(*parts, cell.declared, cell.code, cell.label, unsupported, keeps_outputs=True, kept=cell.kept)

    @cached_property
    def meter(self) -> ProcessMeter:
        """Meter of the process that searches."""
        return ProcessMeter()

    @property
    def session(self) -> PlannerSession:
        """Session of the planner, which all attempts share until `close`."""
        assert isinstance(self.algorithm, ExternalPlanner)
        if self._session is None:
            self._session = self.algorithm.session()
        return self._session

    def close(self) -> None:
        """End the session of a planner, and what heuristics have started."""
        if self._session is not None:
            self._session.close()
            self._session = None
        for heuristic in self.stack.heuristics:
            heuristic.close()

    @cached_property
    def _search_digest(self) -> hashlib._Hash:
        return hashlib.sha256(_canonical(search_key(self.algorithm, self.stack, self.weighting)))

    def run_id(self, instance: Instance) -> str:
        """Return the identity of a row: 16 hex digits of a digest of the search and the content of the instance."""
        digest = self._search_digest.copy()
        digest.update(_canonical({"world": instance.source, **instance.key()}))
        return digest.hexdigest()[:_ID_DIGITS]

    def lost_output(self, instance: Instance) -> Path | None:
        """Return the kept output that is to be read again, if its file has vanished since the plan was made."""
        if self.kept is None:
            return None
        file = self.kept[key_of(self.run_id(instance))].file
        return None if file.exists() else file

    def _content(self, instance: Instance) -> str:
        """Return the identity of the problem: the domain, the rules if they are a plug-in's, and the parameters.

        A world without parameters is known by the name of its instance alone.
        """
        world = instance.world
        if type(world) not in self._rules:
            is_ours = type(world).__module__.partition(".")[0] in PACKAGES
            self._rules[type(world)] = "" if is_ours else code_of([world]).partition("+")[2]
        content = world.identity() or {"world": instance.source, "id": instance.id}
        parts = [world.domain, self._rules[type(world)], content]
        return hashlib.sha256(_canonical(parts)).hexdigest()[:_ID_DIGITS]

    def columns(self, instance: Instance) -> dict[str, Any]:
        """Return the columns of a row that are known before the search."""
        both = (instance.world.variant(), self._parameters)  # grid maps and `ara` both have `weights`
        return {
            "run_id": self.run_id(instance),
            "world": instance.source,
            "instance": instance.id,
            "seed": instance.seed,
            "content": self._content(instance),
            "parameters": " ".join(assignments(each, " ") for each in both if each) or None,
            **self._columns,
        }

    def attempt(self, instance: Instance, algorithm: SearchAlgorithm | None = None) -> Attempt:
        """Return an attempt to search or play one instance.

        Parameters
        ----------
        algorithm : SearchAlgorithm, optional
            Searches instead of the algorithm of the solver, to record what it does. The result then has no identity.
        """
        if algorithm is not None:
            return SearchAttempt(self, algorithm, instance, {})
        if isinstance(self.algorithm, Agent):
            return GameAttempt(self, self.algorithm, instance, self.columns(instance))
        if isinstance(self.algorithm, ExternalPlanner):
            return PlannerAttempt(self, instance, self.columns(instance))
        assert isinstance(self.algorithm, SearchAlgorithm)
        return SearchAttempt(self, self.algorithm, instance, self.columns(instance))


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=_plain, order="sorted")


def _plain(value: Any) -> Any:
    """Return a value of the identity of a world or of a search that has no JSON form: its representation.

    Raises
    ------
    UserError
        If it has none, so that a row could not be found again.
    """
    if isinstance(value, np.ndarray) and value.size > np.get_printoptions()["threshold"]:
        return value.tolist()
    with_address: Any = object.__repr__
    if type(value).__repr__ is with_address:
        kind = type(value).__name__
        raise UserError(
            f"a value of {kind} cannot be part of the identity of a row; make it a dataclass, a tuple or a text"
        )
    return repr(value)


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

    def __init__(self, solver: Solver, instance: Instance, columns: dict[str, Any]) -> None:
        self.columns = columns
        self._solver, self._instance, self._limits = solver, instance, solver.limits
        self._warming = 0.0
        self._compiled_before = compile_seconds()[0]
        self._began: tuple[float, float] | None = None  # while the instance is packed, no time counts
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
        self._began = _now()
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

    @abstractmethod
    def _measured(self, status: str) -> Mapping[str, float | str | None]: ...

    def _conclude(self) -> None:
        """Stop the clock, and add the counts. Only the first call has an effect."""
        if "search_seconds" not in self.columns:
            wall, cpu = _elapsed(self._began)
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
            self.columns.update(length=len(plan), moves=_moves(plan))


class SearchAttempt(Attempt):
    """Search for a plan, which is then validated."""

    def __init__(self, solver: Solver, algorithm: SearchAlgorithm, instance: Instance, columns: dict[str, Any]) -> None:
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
            began = _now()
            problem = self._problem()
            self._start_clock()
            self._bound = self._stack.prepare(problem)
            search = self._search = self._algorithm.start(self._bound, self._weighting)
            spent = _elapsed(began) if self._limits.has_deadline else (0.0, 0.0)
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
        found: dict[str, float | str | None] = {
            **self._instance.world.measured_at_end(self.columns.get("plan"), status), **self._of_set,
        }  # fmt: skip
        if self._search is not None and self._bound is not None:
            found.update(self._search.measured)
            for heuristic in self._stack.heuristics:
                found.update(heuristic.measured(self._bound.problem))
        return found

    def _improve(self, problem: Problem, search: Search) -> None:
        if self._improved is not None:
            seconds, expanded = _elapsed(self._began)[0], search.counts.expanded
            plan = problem.plan(search.path())
            self._improved(
                Improvement(self._instance.world.user_cost(search.cost), search.bound, seconds, expanded, plan)
            )

    def _validate(self, problem: Problem, search: Search, end: str) -> str:
        """Add the plan and its validation, and return the status.

        Parameters
        ----------
        end : str
            How the search ended: solved, or with a plan at a limit or a signal.
        """
        cost = search.cost
        game = self._instance.world.playable
        if game is not None and not game.accepts_cost(cost):
            return self._reject(cost, search.bound, end)
        status = INTERRUPTED.name if end == INTERRUPTED.name else SOLVED.name
        self.columns["reason"] = f"{ENDED_BY}{end}" if end in LIMITS else None
        codes = search.path()
        plan = problem.plan(codes)
        user_cost = self._instance.world.user_cost(cost)
        self.columns.update(plan=plan, cost=user_cost, length=len(plan), moves=_moves(plan), bound=search.bound)
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


class PlannerAttempt(Attempt):
    """Answer of a planner. A replay of its plan decides the status."""

    def __init__(self, solver: Solver, instance: Instance, columns: dict[str, Any]) -> None:
        super().__init__(solver, instance, columns)
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
            self.columns.update(valid=False, reason=_joined(answer.refusal, answer.origin))
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

    def _is_stopped(self) -> bool:
        return self._watch is not None and bool(self._watch(Counts()))

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
        found = {"plan": plan, "length": len(plan), "moves": _moves(plan)}
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
        if failure is not None:
            self.columns["reason"] = _joined(failure, answer.origin)
        return status

    def _validate_solutions(self, answer: PlannerAnswer) -> str:
        """Add the solutions and their costs by the rules, and return the status."""
        status = self._validate_set(self._planner, answer.solutions, answer.status, "found", in_any_order=True)
        if self.columns.get("valid") is False:
            self.columns.update(cost=None, reason=_joined(self.columns["reason"], answer.origin))
        elif status == SOLVED.name and (self._planner.answer == "plans" or self._planner.complete):
            self.columns["bound"] = self._promised_bound()
        return status

    @property
    def _planner(self) -> ExternalPlanner:
        planner = self._solver.algorithm
        assert isinstance(planner, ExternalPlanner)
        return planner

    def _promised_bound(self) -> float | None:
        """Return the bound that the planner promises, as for algorithms in plain Python."""
        planner = self._planner
        unit_costs = self._instance.world.unit_costs if planner.optimal == "unit_costs" else False
        return planner.promised_bound(None, admissible=True, consistent=True, unit_costs=unit_costs)

    def _count(self) -> None:
        if self._answer is not None:
            self.columns.update(self._answer.columns)

    def _measured(self, status: str) -> Mapping[str, float | str | None]:
        found = {**self._instance.world.measured_at_end(self.columns.get("plan"), status), **self._of_set}
        return found if self._answer is None else {**found, **self._answer.measured}


class GameAttempt(Attempt):
    """Game of an agent. A replay of its actions validates the score."""

    def __init__(self, solver: Solver, agent: Agent, instance: Instance, columns: dict[str, Any]) -> None:
        super().__init__(solver, instance, columns)
        self._agent = agent
        self._game: Game | None = None
        self._player: Player | None = None

    def _warm(self) -> None:
        self._agent.warm()

    def _rehearse(self) -> None:
        instance = as_played(self._instance)
        world = instance.world.playable
        assert world is not None  # `as_played` has refused worlds that are no games
        player = self._agent.player(instance if self._agent.omniscient else None, seed=0)
        play(world.new_game(), player, Limits(time=_WARMING_GAME_SECONDS), self._is_stopped)

    def _run(self) -> str:
        self._instance = as_played(self._instance)
        world = self._instance.world.playable
        assert world is not None  # `as_played` has refused worlds that are no games
        game = self._game = world.new_game()
        self._start_clock()
        seed = int(self.columns["run_id"][:_SEED_DIGITS], 16)
        self._player = self._agent.player(self._instance if self._agent.omniscient else None, seed)
        status = play(game, self._player, self._limits, self._is_stopped)
        if game.status is not None and game.status not in {each.name for each in world.statuses}:
            raise ValueError(f"status '{game.status}' is not declared: add a Status to the statuses of the world")
        return status

    def _is_stopped(self) -> bool:
        return self._watch is not None and bool(self._watch(Counts()))

    def _count(self) -> None:
        game = self._game
        if game is None or self._player is None:
            return
        plan = tuple(game.actions)
        if game.status is not None:
            replay = self._instance.world.replay(plan)
            self.columns.update(
                plan=plan,
                cost=game.cost,
                length=len(plan),
                reward=game.score,
                valid=(replay.cost, replay.reward) == (game.cost, game.score),
            )
        self.columns["actions"] = len(plan)

    def _measured(self, status: str) -> Mapping[str, float | str | None]:  # noqa: ARG002
        game = {} if self._game is None else self._game.measured
        return {**game, **({} if self._player is None else self._player.measured)}


def _is_done(function: Callable[[], None]) -> bool:
    """Call a function, and return whether it raised nothing. The same error will be in the row of the instance."""
    try:
        function()
    except BaseException:  # the code of users may raise anything
        log.debug("warming failed", exc_info=True)
        return False
    return True


def _now() -> tuple[float, float]:
    """Return wall time and processor time, without those for kernels."""
    wall, cpu = compile_seconds()
    return time.perf_counter() - wall, time.process_time() - cpu


def _elapsed(began: tuple[float, float] | None) -> tuple[float, float]:
    if began is None:
        return 0.0, 0.0
    wall, cpu = _now()
    return max(0.0, wall - began[0]), max(0.0, cpu - began[1])


def _joined(*texts: str) -> str:
    """Return texts that are not empty, in one line."""
    return one_line("; ".join(filter(None, texts)))


def _moves(plan: tuple[str, ...]) -> str | None:
    """Return a plan as one word if every action is a single letter and there are at most 1000; else None."""
    letters = all(len(action) == 1 and action.isalpha() for action in plan)
    return "".join(plan) if letters and len(plan) <= _MAX_MOVES else None
