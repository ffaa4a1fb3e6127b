"""Heuristics in plain Python: a function of a state, evaluated by the same engine through a callback."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from heuristics.interface import DEAD_END, TERM, Heuristic, Term
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import CALLBACK_FAILED, call_address, has_failed, keep, kernel
from worlds.python_world import CALLBACK, PythonProblem, address_of

Value = Callable[..., float]


class PythonHeuristic(Heuristic):
    """Base of heuristics in plain Python. A subclass is a frozen dataclass whose fields are its parameters in YAML."""

    @abstractmethod
    def value(self, state: Any, world: Any) -> float:
        """Estimate of the cost from a state to a goal: an integer of at least 0, or ``math.inf`` for a dead end.

        Parameters
        ----------
        state
            A state of a world in plain Python; else what `Instance.describe` says of it.
        world
            The world in plain Python; else the instance.
        """

    def backward_value(self, state: Any, world: Any) -> float:
        """Estimate of the cost from the start to a state, for bidirectional search. Optional."""
        raise NotImplementedError

    def term(self, problem: Problem) -> Term:
        """Bind `value`."""
        return _bind(self.value, problem)

    def backward_term(self, problem: Problem) -> Term | None:
        """Bind `backward_value` if there is one."""
        if type(self).backward_value is PythonHeuristic.backward_value:
            return None
        return _bind(self.backward_value, problem)


def python_heuristic(
    name: str, *, domain: str, admissible: bool | None = None, consistent: bool | None = None
) -> Callable[[Value], Value]:
    """Register a function of a state, or of a state and its world, as a heuristic.

    Parameters
    ----------
    name, domain : str
        What a configuration writes, and the domain it belongs to.
    admissible, consistent : bool, optional
        Declare them only if you know: the `bound` column relies on it.
    """

    def decorate(function: Value) -> Value:
        alone = len(inspect.signature(function).parameters) == 1

        def value(self: PythonHeuristic, state: Any, world: Any) -> float:
            return function(state) if alone else function(state, world)

        body = {"value": value, "admissible": admissible, "consistent": consistent, "__doc__": function.__doc__}
        names = {"__module__": function.__module__, "__qualname__": function.__qualname__}
        register("heuristic", name, domain=domain)(
            dataclass(frozen=True)(type(function.__name__, (PythonHeuristic,), {**body, **names}))
        )
        return function

    return decorate


@dataclass(frozen=True, eq=False)
class _CallbackTerm(Term):
    """A term that keeps its callback alive."""

    callback: Any = None


# Layout of params: address of the callback, words of a state, and from STATES on the states, or what they are worth.
ADDRESS, WORDS, STATES = range(3)


def _bind(value: Value, problem: Problem) -> Term:
    words = problem.initial.size
    params = np.zeros(STATES + words * max(1, problem.max_successors), np.int64)
    shared = memoryview(params)[STATES:]  # type: ignore[arg-type]
    packed = params.view(np.uint64)[STATES:]
    numbered = problem.numbers.states if isinstance(problem, PythonProblem) else None
    world = problem.instance.rules if isinstance(problem, PythonProblem) else problem.instance  # type: ignore[attr-defined]

    def evaluate(index: int) -> float:
        if numbered is not None:
            return value(numbered[shared[index]], world)
        return value(problem.unpack(packed[index * words : (index + 1) * words].copy()), world)

    def write(count: int) -> int:
        """Replace the states by their values."""
        if has_failed():
            return CALLBACK_FAILED
        try:
            for index, h in enumerate([evaluate(index) for index in range(count)]):
                shared[index] = _checked(h)
            return 0
        except BaseException as exception:
            return keep(exception)

    callback = CALLBACK(write)
    params[ADDRESS] = address_of(callback)
    params[WORDS] = words
    return _CallbackTerm(python_term, params, callback)


def _checked(h: Any) -> int:
    if h == math.inf:
        return DEAD_END
    if h != int(h) or not 0 <= h < DEAD_END:
        raise ValueError(f"a heuristic value must be an integer from 0 to {DEAD_END - 1:,}, or math.inf, not {h!r}")
    return int(h)


@kernel(TERM)
def python_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Hand all states over at once, and add what comes back."""
    if n == 0:
        return 0
    for k in range(n * params[WORDS]):
        params[STATES + k] = np.int64(out[out_at + k])
    status = call_address(params[ADDRESS], n)
    if status < 0:
        return status
    for k in range(n):
        h[slot + k] += params[STATES + k]
    return 0
