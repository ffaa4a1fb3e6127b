"""Attempts: one search of an instance, whose plan is validated, or one game of an agent, as columns of a result."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from algorithms.agents.interface import Agent, Player, play
from algorithms.engine.search import (
    CUTOFF,
    INTERRUPTED,
    MEMORY_LIMIT,
    SOLVED,
    TIME_LIMIT,
    UNSOLVABLE,
    Counts,
    Limits,
    Search,
    run,
)
from algorithms.interface import SearchAlgorithm
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Weighting
from runner.base.errors import one_line
from runner.records.result import Improvement
from worlds.compile.clock import compile_seconds
from worlds.compile.errors import MAX_COST
from worlds.game import Game
from worlds.interface import Instance, OutOfTime, Problem, Replay, Unsolvable, Words

_MAX_MOVES = 1000

Watch = Callable[[Counts], bool | None]
"""Function that is called with the counts during a search. The attempt ends if it returns True."""
Improved = Callable[[Improvement], None]
"""Function that is called with every better solution of an anytime search."""
NOT_VALIDATED = "the plan was not validated"
"""Beginning of the `reason` of a solution whose validation was cut off."""


class Attempt(ABC):
    """One search or game.

    Attributes
    ----------
    found : dict
        Columns of the result that are known so far.
    """

    def __init__(self, instance: Instance, limits: Limits) -> None:
        self._instance, self._limits = instance, limits
        self.found: dict[str, Any] = {}
        self._loaded = compile_seconds()
        self._began: tuple[float, float] | None = None

    @abstractmethod
    def warm(self) -> None:
        """Compile or load the kernels that `run` needs."""

    @abstractmethod
    def run(self) -> str:
        """Search or play until the end or a limit, and return the status."""

    @abstractmethod
    def conclude(self) -> None:
        """Add the columns that are known after `run`, even if it raised."""

    @abstractmethod
    def measured(self, status: str) -> dict[str, float | None]:
        """Return the values of the metrics that the domain, the algorithm and the heuristics declare."""

    def stop_clock(self) -> None:
        """Add the seconds so far to `found`, without those for kernels. Only the first call has an effect."""
        if "search_seconds" not in self.found:
            wall, cpu = self._elapsed()
            compiling = compile_seconds()[0] - self._loaded[0]
            self.found.update(search_seconds=wall, cpu_seconds=cpu, compile_seconds=compiling)

    def _elapsed(self) -> tuple[float, float]:
        """Return the seconds of wall time and of processor time so far, without those for kernels."""
        return (0.0, 0.0) if self._began is None else self._since(self._began)  # None: the instance was not packed

    def _since(self, began: tuple[float, float]) -> tuple[float, float]:
        (wall, cpu), (wall_before, cpu_before) = compile_seconds(), self._loaded
        return (
            max(0.0, time.perf_counter() - began[0] - (wall - wall_before)),
            max(0.0, time.process_time() - began[1] - (cpu - cpu_before)),
        )

    def _start_clock(self) -> None:
        self._began = _now()


class SearchAttempt(Attempt):
    """Search for a plan, which is then validated.

    Parameters
    ----------
    solved : callable
        Called between the search and the validation, when all other columns of a solution are known.
    """

    def __init__(
        self,
        instance: Instance,
        algorithm: SearchAlgorithm,
        stack: Stack,
        weighting: Weighting | None,
        limits: Limits,
        watch: Watch | None,
        improved: Improved | None,
        solved: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(instance.within(limits.time), limits)
        self._watch, self._improved, self._solved = watch, improved, solved
        self._algorithm, self._stack, self._weighting = algorithm, stack, weighting
        self._search: Search | None = None
        self._bound: BoundStack | None = None

    def warm(self) -> None:
        """Compile or load the kernels."""
        self._start(self._instance.problem()).warm()

    def run(self) -> str:
        """Search and return the status. An instance without a solution may have a fallback plan."""
        problem = None
        try:
            began = _now()
            problem = self._instance.problem()
            self._start_clock()
            search = self._search = self._start(problem)
            has_deadline = self._limits.time is not None or self._limits.cpu is not None
            spent = self._since(began) if has_deadline else (0.0, 0.0)
            status = run(search, self._limits, self._watch, lambda: self._improve(problem, search), spent)
        except Unsolvable as proof:
            status = UNSOLVABLE
            self.found["reason"] = str(proof) or None
        except OutOfTime as progress:
            status = TIME_LIMIT
            self.found["reason"] = str(progress)
        else:
            if status == UNSOLVABLE and not self._stack.safe and search.may_have_pruned:
                status = CUTOFF
                self.found["reason"] = (
                    f"heuristic {self._stack.name} is not declared safe, and may have pruned a solution"
                )
        self.stop_clock()
        if self._search is not None and problem is not None and (status == SOLVED or self._search.has_solution):
            return self._validate(problem, self._search, INTERRUPTED if status == INTERRUPTED else SOLVED)
        if status in (UNSOLVABLE, CUTOFF):
            self._fall_back()
        return status

    def conclude(self) -> None:
        """Add the counts."""
        self.found.update(Counts().by_column() if self._search is None else self._search.columns)
        if self._search is not None:
            h = self._search.initial_h
            if h is not None and h < MAX_COST:  # where sums stop
                self.found["initial_h"] = self._instance.user_cost(h)
            self.found["expanded_before_last_layer"] = self._search.expanded_before_last_layer

    def measured(self, status: str) -> dict[str, float | None]:
        """Return the metrics of the instance, the search and the heuristics."""
        found = dict(self._instance.measured(self.found.get("plan"), status))
        if self._search is not None and self._bound is not None:
            found.update(self._search.measured)
            for heuristic in self._stack.heuristics:
                found.update(heuristic.measured(self._bound.problem))
        return found

    def _start(self, problem: Problem) -> Search:
        self._bound = self._stack.prepare(problem)
        return self._algorithm.start(self._bound, self._weighting)

    def _improve(self, problem: Problem, search: Search) -> None:
        if self._improved is not None:
            seconds, expanded = self._elapsed()[0], search.counts.expanded
            plan = self._instance.plan(search.path(), problem)
            self._improved(Improvement(self._instance.user_cost(search.cost), search.bound, seconds, expanded, plan))

    def _validate(self, problem: Problem, search: Search, status: str) -> str:
        """Add the plan and its validation, and return the status. A plan whose cost exceeds its reward is no plan."""
        cost = search.cost
        if not self._instance.accepts_cost(cost):
            self._fall_back()
            return status if status == INTERRUPTED else UNSOLVABLE
        codes = search.path()
        plan = self._instance.plan(codes, problem)
        user_cost = self._instance.user_cost(cost)
        self.found.update(plan=plan, cost=user_cost, length=len(plan), moves=_moves(plan), bound=search.bound)
        if status == SOLVED:
            self._solved()
        try:
            replay = self._instance.replay(plan)
            failure = violation(self._instance, problem, codes, cost, replay)
        except MemoryError:
            self.found["reason"] = f"{NOT_VALIDATED}: {MEMORY_LIMIT}"
            return status
        reason = None if failure is None else one_line(failure)
        self.found.update(reward=replay.reward, valid=failure is None, reason=reason)
        return status

    def _fall_back(self) -> None:
        """Add the fallback plan of the domain, if it has one."""
        plan = self._instance.fallback_plan()
        if plan is not None:
            self.found.update(plan=plan, reward=self._instance.replay(plan).reward)


class GameAttempt(Attempt):
    """Game of an agent. A replay of its actions validates the score."""

    def __init__(self, instance: Instance, agent: Agent, seed: int, limits: Limits, watch: Watch | None) -> None:
        super().__init__(instance, limits)
        self._agent, self._seed, self._watch = agent, seed, watch
        self._game: Game | None = None
        self._player: Player | None = None

    def warm(self) -> None:
        """Load the libraries and kernels of the agent."""
        self._agent.warm()

    def run(self) -> str:
        """Play until the end of the game or a limit, and return the status."""
        self._instance = self._instance.online()
        game = self._game = self._instance.game()
        self._start_clock()
        self._player = self._agent.player(self._instance if self._agent.omniscient else None, self._seed)
        status = play(game, self._player, self._limits, self._is_stopped)
        self.stop_clock()
        if game.status is not None and game.status not in {each.name for each in self._instance.statuses}:
            raise ValueError(f"status '{game.status}' is not declared: add a Status to the statuses of the instance")
        return status

    def _is_stopped(self) -> bool:
        return self._watch is not None and bool(self._watch(Counts()))

    def conclude(self) -> None:
        """Add the columns of the game."""
        game = self._game
        if game is None or self._player is None:
            return
        plan = tuple(game.actions)
        if game.status is not None:
            replay = self._instance.replay(plan)
            self.found.update(
                plan=plan,
                cost=game.cost,
                length=len(plan),
                reward=game.score,
                valid=(replay.cost, replay.reward) == (game.cost, game.score),
            )
        self.found["actions"] = len(plan)

    def measured(self, status: str) -> dict[str, float | None]:  # noqa: ARG002
        """Return the metrics of the game and the player."""
        game = {} if self._game is None else self._game.measured
        return {**game, **({} if self._player is None else self._player.measured)}


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _moves(plan: tuple[str, ...]) -> str | None:
    """Return a plan as one word if every action is a single letter and there are at most 1000; else None."""
    letters = all(len(action) == 1 and action.isalpha() for action in plan)
    return "".join(plan) if letters and len(plan) <= _MAX_MOVES else None


def violation(instance: Instance, problem: Problem, codes: Sequence[int], cost: int, replay: Replay) -> str | None:
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
    """
    if replay.reaches_goal and replay.cost == cost:
        return None
    if replay.failure is not None:
        return replay.failure
    if not replay.reaches_goal:
        states = [problem.initial, *(after for _, after, _ in _steps(problem, codes))]
        last = f"; the last state is {problem.unpack(states[-1])!r}" if len(states) > len(codes) else ""
        return f"the rules allow every action, but the plan does not reach a goal{last}"
    by_rules, by_search = (instance.user_cost(each) for each in (replay.cost, cost))
    return wrong_cost(instance, problem, codes) or f"the plan costs {by_rules} by the rules, {by_search} by the search"


def wrong_cost(instance: Instance, problem: Problem, codes: Sequence[int]) -> str | None:
    """Return which action of a plan costs more or less by the rules than by the kernel; None if there is none."""
    plan, cost = tuple[str, ...](), 0
    for number, (before, _, step_cost) in enumerate(_steps(problem, codes), 1):
        longer = instance.plan(codes[:number], problem)
        total = instance.replay(longer).cost
        if total - cost != step_cost:
            action = f"action {len(plan) + 1}, {' '.join(longer[len(plan) :])}"
            state = repr(problem.unpack(before))
            by_rules, by_kernel = instance.user_cost(total - cost), instance.user_cost(step_cost)
            return f"{action}: in the state {state} it costs {by_rules} by the rules, {by_kernel} by the kernel"
        plan, cost = longer, total
    return None


def _steps(problem: Problem, codes: Sequence[int]) -> Iterator[tuple[Words, Words, int]]:
    """Yield the steps of a path by the kernel as (state, successor, cost), up to a code that no successor has."""
    state = problem.initial
    for code in codes:
        found = next((step for step in problem.successors(state) if step[2] == code), None)
        if found is None:  # a code of a step backwards, as bidirectional searches have
            return
        yield state, found[0], found[1]
        state = found[0]
