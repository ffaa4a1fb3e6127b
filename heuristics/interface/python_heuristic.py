"""Heuristics in plain Python: functions of a state that the engine calls back."""

from __future__ import annotations

import contextlib
import math
import reprlib
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from heuristics.interface.decorators import HeuristicDeclaration, register
from heuristics.interface.heuristic import TERM, UNREACHABLE, Heuristic, Term, is_dead_end
from runner.base import PACKAGES, Metric, Signature, UserError, check_name, limited, merged, plural, signature_of
from worlds.compile import MAX_COST, call_python, keep, kernel
from worlds.interface import CostScale, Instance, Problem, Words, engine_h

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MAX_SCALE = 1_000_000
Scale = Annotated[int, Meta(ge=1, le=_MAX_SCALE)]
Value = Callable[..., float]
Values = Callable[[Sequence[Any]], Any]
"""Function of several states that returns their values: an iterable, or an array."""
F = TypeVar("F", bound=Callable[..., Any])
_TOLERANCE = 1e-6
"""Error of sums of floats that is not rounded up."""


class PythonHeuristic(Heuristic):
    """Base of heuristics in plain Python. A subclass is a frozen dataclass whose fields are its parameters in YAML."""

    @property
    def value_scale(self) -> int | None:
        """Number by which the values of a function are multiplied before they are rounded down; None: they are not."""
        return None

    @abstractmethod
    def value(self, state: Any, world: Any) -> float:
        """Estimate the cost from a state to a goal: at least 0, or ``math.inf`` for a dead end.

        In a world with `cost_scale` it may be any number, which is rounded down; else it is an integer.

        Parameters
        ----------
        state
            State of the world. Of a packed one, the result of `Problem.unpack`.
        world : World
            The world, with its parameters and data.
        """

    def backward_value(self, state: Any, world: Any) -> float:
        """Estimate the cost from the start to a state, for searches that go back from the goals. Optional."""
        raise NotImplementedError

    @property
    def has_backward(self) -> bool:
        """Whether the subclass defines `backward_value`."""
        return type(self).backward_value is not PythonHeuristic.backward_value

    def term(self, problem: Problem) -> Term:
        """Bind `value`."""
        return _bind(self, self.value, (_world_of(problem),), problem)

    def backward_term(self, problem: Problem) -> Term | None:
        """Bind `backward_value` if the subclass defines it."""
        if not self.has_backward:
            return None
        return _bind(self, self.backward_value, (_world_of(problem),), problem)


def python_heuristic(
    name: str = "",
    *,
    domain: str | None = None,
    metrics: tuple[Metric, ...] | None = None,
    batch: bool = False,
    scale: int | None = None,
    backward: Value | None = None,
    **declared: Unpack[HeuristicDeclaration],
) -> Callable[[F], F]:
    """Register a function of a state, or of a state and its world, as a heuristic.

    An object that can be called, such as a network, and a `functools.partial` are functions, too. Further parameters
    of the function, which must have defaults, are parameters of the heuristic in YAML. Of what a partial binds, only
    numbers, texts and tuples of such are.

    Parameters
    ----------
    name : str
        Name in configurations.
    domain : str
        Domain of the worlds that it estimates.
    metrics : tuple of Metric, optional
        Metrics whose values the function sets. It then takes ``(state, world, measured)``; `measured` is an empty
        dictionary at the beginning of each search.
    batch : bool
        Whether the function takes several states, the successors of an expansion, and returns as many values: a list
        or an array. The states are a list, or what `Kernels.describe_all` of the world returns, such as
        `worlds.pddl.states.PlanningStates`, which are also arrays. With `algorithm.batch`, these are the successors of
        several expansions, at most `MAX_BATCH` in one call. `limits.call` limits the call for all of them.
    scale : int, optional
        Values are multiplied by it, then rounded down. With 1000, searches that order states by their values alone
        keep three decimals; in A* and others that add costs to them, only 1 makes sense. Default of the parameter
        `scale` in YAML, unless the function has a parameter of this name. None: values must be integers where costs
        are.
    backward : callable, optional
        Function of a state (with `batch`, of a list of states), or of a state and its world, that estimates the cost
        from the start to the state, for searches that go back from the goals. The declared properties hold for both
        functions. Further parameters, with defaults, are parameters in YAML, too; those that both functions have, have
        the same values.
    **declared
        Properties, stack and checks, see `heuristics.interface.decorators.HeuristicDeclaration`.

    Raises
    ------
    TypeError
        If the decorator has no name, the function has another form, or a declaration is unknown.
    """
    check_name("runner.python_heuristic", name, domain=domain)
    assert domain is not None
    if scale is not None and (type(scale) is not int or not 1 <= scale <= _MAX_SCALE):
        raise TypeError(f"heuristic '{name}': scale is an integer from 1 to {_MAX_SCALE:,}, not {scale!r}")

    def decorate(function: F) -> F:
        forms = {3: "(state, world, measured)"} if metrics else {1: "(state)", 2: "(state, world)"}
        signature = signature_of("heuristic", name, function, forms)
        values: WeakKeyDictionary[Problem, dict[str, float | None]] = WeakKeyDictionary()  # of searches in progress

        def measured(self: PythonHeuristic, problem: Problem) -> Mapping[str, float | None]:
            return values.get(problem, {})

        def check(self: PythonHeuristic, instance: Instance) -> None:
            declared.get("check", Heuristic.check)(self, instance)
            if (self.value_scale or 1) > 1 and (self.admissible or self.consistent):
                kind = "admissible" if self.admissible else "consistent"
                raise UserError(f"heuristic.scale: {name} is declared {kind}, which is true of scale=1 only")

        def term_of(function: Value, signature: Signature) -> Callable[[PythonHeuristic, Problem], Term]:
            def term(self: PythonHeuristic, problem: Problem) -> Term:
                if signature.required > 2:
                    values[problem] = {}
                others = (_world_of(problem), values.get(problem))[: signature.required - 1]
                return _bind(self, signature.bound(function, self), others, problem, batch=batch)

            return term

        term = term_of(function, signature)
        methods: dict[str, Any] = {"term": term, "measured": measured, "metrics": metrics, "check": check}
        parameters = signature
        if backward is not None:
            forms = {1: "(state)", 2: "(state, world)"}
            of_backward = signature_of("heuristic", name, backward, forms, "the function of `backward`")
            parameters = merged(of_backward, signature)
            methods |= {"backward_term": term_of(backward, of_backward), "has_backward": True}
        if "scale" not in parameters.defaults:
            hints, defaults = {**parameters.hints, "scale": Scale | None}, {**parameters.defaults, "scale": scale}
            parameters = Signature(parameters.required, hints, defaults)
            methods["value_scale"] = property(attrgetter("scale"))
        elif scale is not None:
            raise TypeError(f"heuristic '{name}': scale is a parameter of the function; leave it out in the decorator")
        register(name, domain, function, parameters, PythonHeuristic, declared, **methods)
        return function

    return decorate


# Layout of params: address of the callback; words of a state, and from STATES on the states, or their values.
ADDRESS, WORDS, STATES = range(3)
MAX_BATCH = 100_000
"""Most states in one call of a function of several states, or all successors of a state if there are more."""
_MAX_CALL = 4096
"""Most states that are passed at once to a function of one state."""


def _world_of(problem: Problem) -> Any:
    """Return the world of a user itself; for built-in worlds the instance, which has their attributes and a name."""
    is_own = type(problem.world).__module__.partition(".")[0] in PACKAGES
    return problem.instance if is_own else problem.world


def _bind(
    heuristic: PythonHeuristic,
    value: Value,
    others: tuple[Any, ...],
    problem: Problem,
    *,
    batch: bool = False,
) -> Term:
    """Bind a function of a state, or of a list of states, and other arguments."""

    def with_others(state: Any) -> Any:
        return value(state, *others)

    value_of = limited(with_others if others else value, problem.call_seconds)
    values: Values = _of_batch(heuristic.registered_name, value_of) if batch else partial(map, value_of)
    return values_term(heuristic, problem, values, heuristic.value_scale, batch=batch)


def values_term(
    heuristic: Heuristic, problem: Problem, values: Values, scale: int | None, *, batch: bool = True
) -> Term:
    """Bind a function that returns a list or an array with the value of each state.

    Parameters
    ----------
    values : callable
        Function of several states: a list, or with `batch` what `Kernels.describe_all` returns.
    scale : int or None
        Number by which values are multiplied before they are rounded down. None: only real costs are.
    """
    declared: CostScale = problem.world.cost_scale
    unit, advice = problem.world.engine_scale * (scale or 1), _advice_on_fractions(heuristic)
    is_rounded = declared != 1 or scale is not None
    checked = Checked(heuristic.registered_name, unit, is_rounded, problem.rounds_up, advice)
    most = MAX_BATCH if batch else _MAX_CALL
    return callback_term(
        problem, lambda shared: _callback(values, _states_in(shared, problem, batch), shared, checked), most
    )


def _advice_on_fractions(heuristic: Heuristic) -> str:
    """Return what to do about values with fractions; a property holds for the scale 1 only."""
    if getattr(type(heuristic), "value_scale", None) is PythonHeuristic.value_scale:
        return "round it"
    keeps = "" if heuristic.admissible or heuristic.consistent else ", scale=1000 keeps three decimals"
    return f"heuristic.scale=1 rounds values down{keeps}"


def callback_term(problem: Problem, make: Callable[[memoryview], Callable[[int], int]], most: int = _MAX_CALL) -> Term:
    """Bind a function of Python. The wall time of its calls is added to `Problem.heuristic_seconds`.

    Parameters
    ----------
    problem : Problem
    make : callable
        Takes memory, a view of int64. Returns a function of a number of states, which are in this memory: it writes
        their values there, and returns 0 or what `keep` returns for an exception.
    most : int
        Most states in one call, or all successors of a state if there are more.
    """
    words = problem.initial.size
    params = np.zeros(STATES + words * max(most, problem.max_successors), np.int64)  # pages in use take memory only
    callback = make(params.data[STATES:])
    total, clock = problem.heuristic_seconds, time.perf_counter

    def measured(count: int) -> int:
        began = clock()
        status = callback(count)
        total[0] += clock() - began
        return status

    params[ADDRESS], params[WORDS] = id(measured), words
    return Term(python_term, params, calls_python=True, keepalive=measured)


def _of_batch(name: str, value: Values) -> Values:
    """Return a function of several states that makes sure that there is a value for each."""

    def values(states: Sequence[Any]) -> Any:
        found = value(states)
        shape = getattr(found, "shape", (0,))
        if isinstance(found, (str, bytes, Mapping, Set)) or not hasattr(found, "__len__") or len(shape) != 1:
            is_number = isinstance(found, int | float | np.number)
            given = repr(found) if is_number or found is None else f"an object of type {type(found).__name__}"
            if len(shape) > 1:
                given = f"an array of shape {tuple(shape)}"
            raise ValueError(
                f"heuristic '{name}' gave {given} for {plural(len(states), 'state')}; expected a list or an array with "
                f"a value for each state, in their order{'; is a return missing?' if found is None else ''}"
            )
        if len(found) != len(states):
            raise ValueError(f"heuristic '{name}' gave {len(found)} values for {len(states)} states")
        return found

    return values


def _states_in(shared: memoryview, problem: Problem, batch: bool) -> Callable[[int], Sequence[Any]]:
    """Return a function that copies some states from `shared`: they are numbers there, or packed."""
    if problem.callbacks is not None:
        numbered = problem.callbacks.states
        return lambda count: [numbered[number] for number in shared[:count].tolist()]
    kernels = problem.world.kernels
    assert kernels is not None  # else there are callbacks
    packed: Words = np.frombuffer(shared, np.uint64)
    words, unpack, describe_all = problem.initial.size, problem.unpack, kernels.describe_all

    def copies(count: int) -> NDArray[np.uint64]:
        return packed[: count * words].reshape(count, words).copy()

    if batch:
        return lambda count: describe_all(copies(count))
    return lambda count: [unpack(copy) for copy in copies(count)]


def _callback(
    values: Values,
    states_in: Callable[[int], Sequence[Any]],
    shared: memoryview,
    checked: Checked,
) -> Callable[[int], int]:
    """Make a function that replaces states in `shared` by their values."""
    is_exact = not checked.is_rounded
    numbers: NDArray[np.int64] = np.frombuffer(shared, np.int64)

    def write(count: int) -> int:
        try:
            states = states_in(count)
            found = values(states)
            if isinstance(found, np.ndarray):
                if is_exact and _are_integers(found):
                    numbers[:count] = found
                    return 0
                found = found.tolist()
            for index, h in enumerate(found):
                is_fit = is_exact and type(h) is int and 0 <= h <= MAX_COST
                shared[index] = h if is_fit else checked(h, states[index])
            return 0
        except BaseException as exception:
            return keep(exception)

    return write


def _are_integers(values: NDArray[Any]) -> bool:
    """Return whether an array holds integers that the engine can store as they are."""
    if values.ndim != 1 or values.dtype.kind not in "iu":
        return False
    return values.size == 0 or (int(values.min()) >= 0 and int(values.max()) <= MAX_COST)


@dataclass(frozen=True)
class Checked:
    """Conversion of values to the integers of the engine, for one heuristic and the cost scale of its problem.

    Values are rounded down if the world declares a scale, even if the automatic one is 1. Otherwise a float or numpy
    integer without fraction is allowed, too. Finite values stop at `MAX_COST`; `UNREACHABLE` stands for infinity.

    With `rounds_up`, a fraction where costs are whole becomes the next integer: a path costs at least this much if it
    costs at least the fraction, so that an admissible heuristic stays so, and a consistent one, too.

    `advice` says what to do about a fraction, for the message of an error.
    """

    name: str
    scale: int
    is_rounded: bool
    rounds_up: bool = False
    advice: str = "round it"

    def __call__(self, h: Any, state: Any) -> int:
        """Return a value as the engine stores it. `state` is for the message of an error."""
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            if is_dead_end(h):
                return UNREACHABLE
            if self.is_rounded and h >= 0:
                return MAX_COST if h >= MAX_COST else min(engine_h(h, self.scale), MAX_COST)
            if h >= 0 and int(h) == h:
                return min(int(h), MAX_COST)
            if h >= 0 and self.rounds_up:
                return min(math.ceil(float(h) - _TOLERANCE), MAX_COST)
        kind = "a number" if self.is_rounded or self.rounds_up else "an integer"
        advice = "; is a return missing?" if h is None else ""
        with contextlib.suppress(TypeError, ValueError):
            if h < 0:
                advice = "; clip it: max(0, value)"
            elif h > 0:
                advice = f"; {self.advice}"
        raise ValueError(
            f"heuristic '{self.name}' gave {h!r} for the state {reprlib.repr(state)}; expected {kind} of at least 0, "
            f"or math.inf for a dead end{advice}"
        )


@kernel(TERM)
def python_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Pass all states to the callback at once, and add the values that it writes."""
    if n == 0:
        return 0
    words = params[WORDS]
    room = (params.size - STATES) // words
    for first in range(0, n, room):
        count = min(room, n - first)
        for k in range(count * words):
            params[STATES + k] = np.int64(out[out_at + first * words + k])
        status = call_python(params[ADDRESS], count)
        if status < 0:
            return status
        for k in range(count):
            h[slot + first + k] += params[STATES + k]
    return 0
