"""Priorities: functions f(g, h, w) that order the open list instead of g + w * h, with the bound that they promise.

A priority is a weighting: ``weighting=xdp``. Let C be the cost of an optimal plan. The open list always holds a node of
an optimal path with its optimal g, so g + h <= C under an admissible heuristic. The next node has at most the f of this
one. So a plan costs at most B * C if f(g, h) <= f(B * (g + h), 0) everywhere, and f rises with g at h = 0.

Without reopening, such a node may be closed with a larger g. Let p(g, h) be the x for which f(g, h) = f(B * x, 0). The
bound holds under a consistent heuristic if p(g + c, h') <= p(g, h) + c + h' - h for a step of cost c from h to h': then
p <= C, step by step, for the first open node of an optimal path. `violation` looks for numbers that violate this.
"""

from __future__ import annotations

import math
import random
import struct
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin

import numpy as np
from msgspec import Meta

from heuristics.interface.weighting import WEIGHTINGS, Weighting
from runner.base import Signature, bound_of, check_bound, check_name, register_function, signature_of
from worlds.compile import CALLBACK_FAILED, Kernel, Part, call_python, error_code, float_of, helper, keep, kernel, named

PRIORITY = "float64(int64, int64, float64, int64)"
"""``f(g, h, w, callback)`` returns the priority of a node. `callback` is the `id` of a function for `call_python`."""

Function = TypeVar("Function", bound=Callable[..., Any])
_KINDS = {bool: "boolean", int: "int64", float: "float64"}
_BITS_OF_H = 31
_MAX_H = (1 << _BITS_OF_H) - 1
_SAMPLES = 2000
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class BoundPriority:
    """Priority of one search.

    Attributes
    ----------
    kernel : Kernel
        Kernel of signature `PRIORITY`.
    error : int
        Status of a search whose priority has no valid value.
    callback : callable or None
        Function that the kernel calls by its `id`.
    """

    kernel: Kernel
    error: int
    callback: Callable[[int], int] | None = None


class PriorityFunction(Weighting):
    """Base of the weightings that `priority` registers."""

    weight: float

    def changes(self) -> Iterator[tuple[int, float]]:
        """Yield the only weight."""
        yield 0, self.weight

    @abstractmethod
    def f(self, g: float, h: float) -> float:
        """Return the priority of a node."""

    @abstractmethod
    def bind(self) -> BoundPriority:
        """Return the priority as searches take it."""


def priority(
    name: str = "", *, bound: float | str | None = None, without_reopening: bool = False, compiled: bool = True
) -> Callable[[Function], Function]:
    """Register a function ``f(g, h, w)`` as a weighting: A* expands the open node with the smallest f first.

    The arguments are floats: `g` and `h` are costs of the engine, which are whole numbers of at least 0, and `w` is the
    parameter `weight`, at least 1. The function returns a finite number of at least 0, and always the same one for the
    same arguments. With ``+``, ``-``, ``*``, ``/`` and `math.sqrt` alone, f is the same on all machines. Its further
    parameters, which must have defaults, are parameters of the weighting in YAML.

    Parameters
    ----------
    name : str
        Name in configurations.
    bound : float or str, optional
        Factor within which plans are optimal under an admissible heuristic, or the name of the parameter that is this
        factor: ``"weight"``. Declare only what you know: the `bound` column relies on it, and an audit checks it.
    without_reopening : bool
        Whether the bound also holds with ``algorithm.reopen=false`` under a consistent heuristic, in every graph.
    compiled : bool
        Whether numba compiles the function. Otherwise it is called in plain Python.

    Raises
    ------
    TypeError
        If the decorator has no name, the function has another form, or a declaration is unknown.
    """
    check_name("runner.priority", name)

    def decorate(function: Function) -> Function:
        owner = f"priority '{name}'"
        own = signature_of("priority", name, function, {3: "(g, h, w)"})
        if "weight" in own.defaults:
            raise TypeError(f"{owner}: the parameter 'weight' is w, which every priority has; choose another name")
        weight: Any = Annotated[float, Meta(ge=1, le=1e6)]
        signature = Signature(own.required, {"weight": weight, **own.hints}, {"weight": 1.5, **own.defaults})
        check_bound(owner, bound, signature.defaults)
        if compiled:
            _check_types(owner, own)
            function.__annotations__.update({key: _type_of(hint) for key, hint in own.hints.items()})
            helper(function)

        def promised_bound(self: PriorityFunction) -> float | None:
            return None if bound is None else bound_of(self, bound, f"weighting.{bound}: {name}")

        def f(self: PriorityFunction, g: float, h: float) -> float:
            value: float = function(g, h, self.weight, **own.values(self))
            return value

        def bind(self: PriorityFunction) -> BoundPriority:
            if compiled:
                error = error_code(f"a value of the {owner} is negative, infinite or not a number")
                return BoundPriority(_kernel(function, tuple(own.values(self).values())), error)
            return BoundPriority(python_priority, CALLBACK_FAILED, _callback(owner, self.f))

        register_function(
            WEIGHTINGS, name, None, function, signature, (PriorityFunction,),
            promised_bound=property(promised_bound), without_reopening=without_reopening, f=f, bind=bind,
        )  # fmt: skip
        return function

    return decorate


def _type_of(hint: Any) -> Any:
    """Return a type without its range."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _check_types(owner: str, signature: Signature) -> None:
    """Raise `TypeError` if a parameter has a type that compiled functions do not take."""
    for key, value in signature.defaults.items():
        if type(value) not in _KINDS or _type_of(signature.hints[key]) not in (type(value), Any):
            allowed = ", ".join(each.__name__ for each in _KINDS)
            raise TypeError(f"{owner}: parameter {key} has the default {value!r}; a compiled function takes {allowed}")


@cache
def _kernel(function: Callable[..., Any], values: tuple[Any, ...]) -> Kernel:
    """Return the kernel of a function with these values of its parameters."""

    def f(g, h, w, callback):
        return function(np.float64(g), np.float64(h), w, *values)

    kinds = ", ".join(["float64, float64, float64", *(_KINDS[type(value)] for value in values)])
    return Kernel(named(f, "priority", function, values), PRIORITY, parts=[Part(function, f"({kinds})")])


@kernel(PRIORITY)
def python_priority(g, h, w, callback):
    """Call a function in plain Python. Numbers of the engine are so small that g and h fit into one integer."""
    bits = call_python(callback, (g << _BITS_OF_H) | h)
    return float_of(bits) if bits >= 0 else math.nan


def _callback(owner: str, f: Callable[[float, float], float]) -> Callable[[int], int]:
    """Make the function that `python_priority` calls. It returns the bits of f."""

    def bits(numbers: int) -> int:
        g = float(numbers >> _BITS_OF_H)
        h = float(numbers & _MAX_H)
        try:
            value = f(g, h)
            if not _is_valid(value):
                raise ValueError(f"{owner} gave {value!r} for g = {g:g} and h = {h:g}; expected a number of at least 0")
            found: int = struct.unpack("<q", struct.pack("<d", value + 0.0))[0]  # -0.0 becomes 0.0
            return found
        except BaseException as exception:
            return keep(exception)

    return bits


def _is_valid(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value < math.inf


def check_priority(name: str, **parameters: Any) -> None:
    """Raise an error unless a priority meets the conditions of the bound that it declares, at many g and h.

    Parameters
    ----------
    name : str
        Name of a priority, such as ``"xdp"``.
    **parameters
        Parameters as in YAML, such as ``weight=2``.

    Raises
    ------
    ValueError
        If a condition is violated. The message has the numbers.
    runner.UserError
        If the name or a parameter is unknown.
    """
    chosen = WEIGHTINGS.build(name, parameters)
    if not isinstance(chosen, PriorityFunction):
        raise ValueError(f"weighting '{name}' is no priority")
    found = violation(chosen)
    if found is not None:
        raise ValueError(f"priority '{name}': {found}")


def violation(chosen: PriorityFunction) -> str | None:
    """Return a violated condition of the promised bound with its numbers; None if none is found."""
    source = random.Random(0)
    bound = chosen.promised_bound
    for _ in range(_SAMPLES):
        g = _drawn(source)
        h = _drawn(source)
        cost = _drawn(source)
        value = chosen.f(g, h)
        if not _is_valid(value):
            return f"f({g:g}, {h:g}) is {value!r}, and no number of at least 0"
        if bound is None:
            continue
        if cost > 0 and chosen.f(g + cost, 0.0) <= chosen.f(g, 0.0):
            return f"f({g + cost:g}, 0) is no more than f({g:g}, 0)"
        limit = chosen.f(bound * (g + h), 0.0)
        if _exceeds(value, limit):
            return f"f({g:g}, {h:g}) = {value} is more than f({bound:g} * {g + h:g}, 0) = {limit}"
        if chosen.without_reopening:
            after = max(0.0, h - cost) + _drawn(source)
            limit = chosen.f(bound * (_share(chosen, bound, g, h) + cost + after - h), 0.0)
            if _exceeds(chosen.f(g + cost, after), limit):
                step = f"a step of cost {cost:g} from g = {g:g} and h = {h:g} to h = {after:g}"
                return f"without_reopening does not hold: {step}"
    return None


def _drawn(source: random.Random) -> float:
    return float(source.choice([0, 1, source.randrange(20), source.randrange(5000)]))


def _exceeds(value: float, limit: float) -> bool:
    return value > limit * (1 + _TOLERANCE) + _TOLERANCE


def _share(chosen: PriorityFunction, bound: float, g: float, h: float) -> float:
    """Return the largest x of at most g + h for which f(bound * x, 0) <= f(g, h), by bisection."""
    value = chosen.f(g, h)
    low = 0.0
    high = g + h
    for _ in range(60):
        middle = (low + high) / 2
        if chosen.f(bound * middle, 0.0) <= value:
            low = middle
        else:
            high = middle
    return high


@priority("xdp", bound="weight")
def xdp(g, h, w):
    """Convex downward parabola (XDP): plans are nearly optimal at the start, and cost more near the goal.

    f = (g + (2w - 1) h + sqrt((g - h)^2 + 4wgh)) / 2w, which is h at g = 0 and g / w at h = 0. In undirected graphs the
    bound holds without reopening under a consistent heuristic, too. Source: Chen and Sturtevant, "Conditions for
    avoiding node re-expansions in bounded suboptimal search", IJCAI 2019.

    Parameters
    ----------
    weight : float
        Weight w, by which the cost is bounded.
    """
    return (g + (2 * w - 1) * h + math.sqrt((g - h) * (g - h) + 4 * w * g * h)) / (2 * w)


@priority("xup", bound="weight", without_reopening=True)
def xup(g, h, w):
    """Convex upward parabola (XUP): plans cost more near the start, and are nearly optimal near the goal.

    f = (g + h + sqrt((g + h)^2 + 4w(w - 1) h^2)) / 2w, which is h at g = 0 and g / w at h = 0. Source: Chen and
    Sturtevant, "Conditions for avoiding node re-expansions in bounded suboptimal search", IJCAI 2019.

    Parameters
    ----------
    weight : float
        Weight w, by which the cost is bounded.
    """
    return (g + h + math.sqrt((g + h) * (g + h) + 4 * w * (w - 1) * h * h)) / (2 * w)
