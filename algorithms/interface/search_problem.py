"""Problems as algorithms in plain Python see them. They keep the counts and the limits."""

from __future__ import annotations

import contextlib
import math
import reprlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from algorithms.engine import STEP_SECONDS, Counts, Expansion, Limiter, Limits, Search
from heuristics.interface import INFINITE_H, BoundStack, stored_h
from runner.base import INTERRUPTED, MEMORY_LIMIT, plural
from worlds.compile import MAX_COST, NEGATIVE_H, cost_error, raise_on_error, room_for, successor_count
from worlds.interface import Instance, Words, to_number, to_words

_MAX_LISTED = 20

Step = tuple[int, int, int]
"""An action, the state it leads to, and its cost."""
Plan = Sequence[int]
"""Actions from the start."""


class _Ended(BaseException):
    """End of a search at a limit. No `except Exception` of the user catches it."""


class SearchProblem:
    """Problem as an algorithm in plain Python sees it. It keeps the counts and the limits.

    States are ints that identify packed states; equal states are equal ints. Actions are ints, too. Costs and heuristic
    values are those of the engine: integers.

    Attributes
    ----------
    start : int
        Start state.
    counts : Counts
        Counts so far. `expanded`, `generated`, `evaluated` and `simulated_actions` are kept here; an algorithm may set
        `reopened`, `iterations`, `peak_nodes` and `memory_bytes`: the bytes that it uses now; the most count.
    measured : dict
        Values of the algorithm's own metrics, which it sets.
    """

    def __init__(self, stack: BoundStack, search: Search) -> None:
        problem = stack.problem
        self._stack, self._problem, self._search = stack, problem, search
        self._constants, self._words, most = problem.constants, problem.initial.size, problem.max_successors
        self._is_goal = problem.is_goal.compiled
        self._terms = [(term.kernel.compiled, term.params) for term in stack.bound_terms]
        self._adds = not stack.maximum or len(self._terms) == 1
        self._evaluates_all = self._adds and not stack.calls_python
        self._state = problem.initial.copy()
        self._most, room = most, room_for(most)
        self._out, self._cost = np.empty(self._words * room, np.uint64), np.empty(room, np.int32)
        self._action, self._h = np.empty(room, np.int16), np.zeros(max(1, most), np.int64)
        self._arguments = problem.expand.compiled, problem.constants, self._state, self._out, self._cost, self._action
        self._calls_python = problem.calls_python
        self._lengths = None if (problem.action_lengths == 1).all() else problem.action_lengths
        self._successors: list[int] = []  # of the last expansion
        self._values: dict[int, float] | None = None  # of these, once one is asked for
        self._limiter, self._next_check, self._ended = Limiter(Limits()), 0.0, ""
        self._node_limit = self._memory_limit = math.inf
        self._peak_bytes = 0
        self.start = to_number(problem.initial)
        self.counts = Counts()
        self.measured: dict[str, float | None] = {}
        self.expanded_with_f = self.before_largest_f = 0
        self.largest_f = -math.inf
        self.best: tuple[int, list[int]] | None = None

    @property
    def instance(self) -> Instance:
        """Instance that is searched, with its `id` and `world`. What is asked of it is not counted."""
        return self._problem.instance

    def expand(self, state: int, f: float | None = None) -> list[Step]:
        """Return the steps from a state as (action, successor, cost), in the order of the world.

        This counts as an expansion. If a limit is reached, or the user stops the run, the search ends here.

        Parameters
        ----------
        state : int
        f : float, optional
            The f of the state, by which the search orders. With it, `expanded_before_last_layer` is counted.
        """
        counts = self.counts
        if counts.memory_bytes > self._peak_bytes:
            self._note_bytes()
        if counts.expanded >= self._node_limit or time.perf_counter() >= self._next_check:
            self._check()
        kernel, world, packed, out, cost, action = self._arguments
        if self._words == 1:
            packed[0] = state
        else:
            self._packed(state)
        n = kernel(world, packed, 0, out, 0, cost, action, 0)
        if n < 0 or n > self._most or self._calls_python:
            raise_on_error(successor_count(n, self._most))
        costs = cost[:n].tolist()
        if n and min(costs) < 0:
            raise_on_error(cost_error(min(costs), 0))
        counts.expanded += 1
        counts.generated += n
        if f is not None:
            if f > self.largest_f:
                self.largest_f, self.before_largest_f = f, self.expanded_with_f
            self.expanded_with_f += 1
        if self._lengths is not None:
            counts.simulated_actions += int(self._lengths[action[:n]].sum())
        successors = self._successors = out[:n].tolist() if self._words == 1 else self._as_ints(n)
        self._values = None
        return list(zip(action[:n].tolist(), successors, costs))  # noqa: B905

    def h(self, state: int) -> float:
        """Return the heuristic value of a state: an int of at least 0, or ``math.inf`` for a dead end.

        Without a heuristic it is 0. Each call counts as an evaluation.
        """
        if not self._terms:
            return 0
        self.counts.evaluated += 1
        values = self._values
        if values is None and self._evaluates_all:
            values = self._values = dict(
                zip(self._successors, self._values_of(self._out, len(self._successors)), strict=True)
            )
        if values is not None and state in values:
            return values[state]
        if not self._adds:
            return self._stack.evaluate(self._packed(state))
        return self._values_of(self._packed(state), 1)[0]

    def is_goal(self, state: int) -> bool:
        """Return whether a state is a goal."""
        is_goal: bool = self._is_goal(self._constants, self._packed(state), 0)
        if self._calls_python:
            raise_on_error(0)
        return is_goal

    def describe(self, state: int) -> object:
        """Return a state as heuristics in plain Python see it."""
        return self._problem.unpack(self._packed(state).copy())

    def improve(self, plan: Plan) -> None:
        """Report a solution of a search that continues. The best one counts.

        Raises
        ------
        TypeError
            If the plan is no list.
        ValueError
            If an action is not possible, or the plan does not reach a goal.
        """
        cost, reaches_goal = self._played(plan)
        if not reaches_goal:
            raise ValueError(f"improve: the plan of {plural(len(plan), 'action')} does not reach a goal")
        if self.best is None or cost < self.best[0]:
            self.best = cost, list(plan)
            self._limiter.improved()

    def conclude(self, plan: Plan) -> None:
        """Keep the plan that the algorithm returned, unless a reported solution is better."""
        cost, reaches_goal = self._played(plan)
        if self.best is None or cost < self.best[0] or not reaches_goal:  # validation must see a wrong plan
            self.best = cost, list(plan)

    def complete_counts(self) -> Counts:
        """Return the counts, after those that follow from others.

        Raises
        ------
        TypeError
            If the algorithm has set a count to anything else than an integer.
        """
        counts = self.counts
        if self._lengths is None:  # every step is one primitive action
            counts.simulated_actions = 1 + counts.generated
        for name, value in counts.by_column().items():
            is_count = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not is_count and not (value is None and name == "iterations"):
                raise TypeError(f"problem.counts.{name}: expected an int, got {value!r}")
        return replace(counts, memory_bytes=self._peak_bytes)

    def run(self, function: Callable[[SearchProblem], Plan | None], limiter: Limiter) -> tuple[str, Plan | None]:
        """Call an algorithm. Return the status of the limit at which it ended, or an empty text, and its plan."""
        self._limiter = limiter
        limits = limiter.limits
        self._node_limit = math.inf if limits.nodes is None else limits.nodes
        self._memory_limit = math.inf if limits.memory is None else limits.memory
        try:
            plan = function(self)
            self.complete_counts()
            self._note_bytes()
        except _Ended:
            plan = None
        return self._ended, plan

    def _note_bytes(self) -> None:
        """Note the bytes that the algorithm uses now. End the search if the limit refuses them; they do not count."""
        if self.counts.memory_bytes > self._memory_limit:
            self._ended = MEMORY_LIMIT.name
            raise _Ended
        self._peak_bytes = max(self._peak_bytes, self.counts.memory_bytes)

    def _check(self) -> None:
        """End the search if a limit is reached or the user stops it."""
        self._ended = self._limiter.reached(self._search) or self._ended
        if not self._ended and self._limiter.is_stopped(self._search):
            self._ended = INTERRUPTED.name
        if self._ended:
            raise _Ended
        self._next_check = time.perf_counter() + STEP_SECONDS

    def _as_ints(self, n: int) -> list[int]:
        """Return the n successors of the last expansion as ints, if they take several words."""
        size, data = 8 * self._words, self._out[: n * self._words].tobytes()
        return [int.from_bytes(data[at : at + size], "little") for at in range(0, n * size, size)]

    def _values_of(self, states: Words, n: int) -> Sequence[float]:
        """Return the values of packed states."""
        self._h[:n] = 0
        for kernel, params in self._terms:
            status = kernel(params, self._state, 0, -1, states, 0, self._action, self._h, 0, n)
            if status < 0:
                raise_on_error(status)
        values: Sequence[int] = self._h[:n].tolist()
        if min(values, default=0) < 0:
            raise_on_error(NEGATIVE_H)
        if max(values, default=0) <= MAX_COST:
            return values
        return [value if value < INFINITE_H else math.inf for value in map(stored_h, values)]

    def _packed(self, state: int) -> Words:
        """Return the words of a state, in an array that the next call overwrites."""
        if self._words == 1:
            self._state[0] = state
        else:
            self._state[:] = np.frombuffer(state.to_bytes(8 * self._words, "little"), np.uint64)
        return self._state

    def _played(self, plan: object) -> tuple[int, bool]:
        """Return the cost of a plan, and whether it reaches a goal.

        Raises
        ------
        TypeError
            If it is no list of ints, the actions that `expand` gives.
        ValueError
            If an action is not possible where the plan has it.
        worlds.compile.errors.KernelError
            If the plan costs more than the engine allows.
        """
        if isinstance(plan, str) or not isinstance(plan, Sequence):
            raise TypeError(f"a plan is a list of actions, not {reprlib.repr(plan)}; return None without a plan")
        state, total = self.start, 0
        for number, action in enumerate(plan, 1):
            if not isinstance(action, (int, np.integer)):
                raise TypeError(
                    f"action {number} of the plan is {action!r}; a plan has the actions that expand gives, which are "
                    "ints, not names"
                )
            steps = self._problem.successors(self._packed(state))
            found = next(((after, cost) for after, cost, code in steps if code == action), None)
            if found is None:
                given = ", ".join(self._named(state, code) for *_, code in steps[:_MAX_LISTED]) or "no action"
                more = ", ..." if len(steps) > _MAX_LISTED else ""
                where = f"in the state {self._problem.world.text_of(self.describe(state))}"
                name = self._named(state, int(action))
                raise ValueError(
                    f"action {number} of the plan, {name}, is not possible {where}, where expand gives {given}{more}"
                )
            state, total = to_number(found[0]), total + found[1]
            raise_on_error(cost_error(found[1], total))
        return total, self.is_goal(state)

    def _named(self, state: int, action: int) -> str:
        """Return an action with its name in a state, if it has one."""
        name = ""
        with contextlib.suppress(LookupError, ValueError):
            name = self._problem.name_of(self.describe(state), action)
        return f"{action} ({name})" if name else str(action)


class RecordedProblem(SearchProblem):
    """Problem that tells its expansions.

    The algorithm keeps its paths to itself, so the path to a state is the cheapest one that the expansions so far make.
    They start again from nothing when the start is expanded again.

    Parameters
    ----------
    stack, search
        As for `SearchProblem`.
    record : callable
        Called after each expansion.
    """

    def __init__(self, stack: BoundStack, search: Search, record: Callable[[Expansion], None]) -> None:
        super().__init__(stack, search)
        self._record = record
        self._paths: dict[int, tuple[int, int | None]] = {}  # g of each state, and the state before it

    def expand(self, state: int, f: float | None = None) -> list[Step]:
        """Return the steps from a state, after telling them."""
        steps = super().expand(state, f)
        if state == self.start:
            self._paths.clear()
        g, parent = self._paths.setdefault(state, (0, None))
        for _, successor, cost in steps:
            if successor not in self._paths or g + cost < self._paths[successor][0]:
                self._paths[successor] = g + cost, state
        words = self._words
        told = [(to_words(successor, words), cost, action) for action, successor, cost in steps]
        self._record(Expansion(to_words(state, words), None if parent is None else to_words(parent, words), g, told))
        return steps
