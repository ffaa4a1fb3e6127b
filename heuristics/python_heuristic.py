"""Heuristics in plain Python: a function of a state, evaluated by the same engine through a callback."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import field, make_dataclass
from functools import partial
from typing import Any, get_type_hints

import numpy as np

from heuristics.interface import TERM, UNREACHABLE, Heuristic, Term
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import H_TOO_LARGE, NEGATIVE_H, call_python, keep, kernel
from worlds.python_problem import PythonProblem

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
        return _bind(self.value, True, problem)

    def backward_term(self, problem: Problem) -> Term | None:
        """Bind `backward_value` if there is one."""
        if type(self).backward_value is PythonHeuristic.backward_value:
            return None
        return _bind(self.backward_value, True, problem)


def python_heuristic(
    name: str, *, domain: str, admissible: bool | None = None, consistent: bool | None = None
) -> Callable[[Value], Value]:
    """Register a function of a state, or of a state and its world, as a heuristic.

    Further parameters of the function, which must have defaults, are parameters of the heuristic in YAML.

    Parameters
    ----------
    name, domain : str
        What a configuration writes, and the domain it belongs to.
    admissible, consistent : bool, optional
        Declare them only if you know: the `bound` column relies on it.
    """

    def decorate(function: Value) -> Value:
        given = list(inspect.signature(function).parameters.values())
        takes_world = len(given) > 1 and given[1].default is inspect.Parameter.empty
        hints = get_type_hints(function)
        options = [(p.name, hints.get(p.name, Any), p.default) for p in given[1 + takes_world :]]

        def bound(self: PythonHeuristic) -> Value:
            return partial(function, **{key: getattr(self, key) for key, _, _ in options}) if options else function

        def value(self: PythonHeuristic, state: Any, world: Any) -> float:
            return bound(self)(state, world) if takes_world else bound(self)(state)

        def term(self: PythonHeuristic, problem: Problem) -> Term:
            return _bind(bound(self), takes_world, problem)

        body = {"value": value, "term": term, "admissible": admissible, "consistent": consistent}
        names = {"__module__": function.__module__, "__qualname__": function.__qualname__, "__doc__": function.__doc__}
        fields = [(key, hint, field(default=default)) for key, hint, default in options]
        cls = make_dataclass(
            function.__name__, fields, bases=(PythonHeuristic,), namespace={**body, **names}, frozen=True
        )
        register("heuristic", name, domain=domain)(cls)
        return function

    return decorate


# Layout of params: address of the callback, words of a state, and from STATES on the states, or what they are worth.
ADDRESS, WORDS, STATES = range(3)


def _bind(value: Value, takes_world: bool, problem: Problem) -> Term:
    words = problem.initial.size
    params = np.zeros(STATES + words * max(1, problem.max_successors), np.int64)
    shared, packed = memoryview(params)[STATES:], params.view(np.uint64)[STATES:]  # type: ignore[arg-type]
    is_numbered = isinstance(problem, PythonProblem)
    numbered = problem.numbers.states if isinstance(problem, PythonProblem) else []
    world = problem.instance.rules if isinstance(problem, PythonProblem) else problem.instance  # type: ignore[attr-defined]

    def with_world(state: Any) -> float:
        return value(state, world)

    value_of = with_world if takes_world else value

    def write_numbered(count: int) -> int:
        """Replace the states of a world in plain Python by their values."""
        try:
            for index in range(count):
                h = value_of(numbered[shared[index]])
                shared[index] = h if type(h) is int else _checked(h)
            return 0
        except BaseException as exception:
            return keep(exception)

    def write_unpacked(count: int) -> int:
        """Replace states by their values."""
        try:
            states = [problem.unpack(packed[index * words : (index + 1) * words].copy()) for index in range(count)]
            for index, state in enumerate(states):
                shared[index] = _checked(value_of(state))
            return 0
        except BaseException as exception:
            return keep(exception)

    callback = write_numbered if is_numbered else write_unpacked
    params[ADDRESS] = id(callback)
    params[WORDS] = words
    return Term(python_term, params, calls_python=True, keeps=callback)


def _checked(h: Any) -> int:
    """A value that is not an int: an infinity is one in meaning, and so may be a float or an integer of numpy's."""
    if h == math.inf:
        return UNREACHABLE
    if h != int(h):
        raise ValueError(f"a heuristic value must be an integer or math.inf, not {h!r}")
    return int(h)


@kernel(TERM)
def python_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Hand all states over at once, and add what comes back."""
    if n == 0:
        return 0
    for k in range(n * params[WORDS]):
        params[STATES + k] = np.int64(out[out_at + k])
    status = call_python(params[ADDRESS], n)
    if status < 0:
        return status
    for k in range(n):
        estimate = params[STATES + k]
        if estimate < 0 or estimate > UNREACHABLE:
            return NEGATIVE_H if estimate < 0 else H_TOO_LARGE
        h[slot + k] += estimate
    return 0
