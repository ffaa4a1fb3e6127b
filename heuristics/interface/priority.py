"""Priorities: functions f(g, h, w) that order the open list instead of g + w * h, with the bound that they promise.

A priority is a weighting: ``weighting=xdp``. Let C be the cost of an optimal plan. The open list always holds a node of
an optimal path with its optimal g, so g + h <= C under an admissible heuristic. The next node has at most the f of this
one. So a plan costs at most B * C if f(g, h) <= f(B * (g + h), 0) everywhere, and f rises with g at h = 0.

Without reopening, such a node may be closed with a larger g. Let p(g, h) be the x for which f(g, h) = f(B * x, 0). The
bound holds under a consistent heuristic if p(g + c, h') <= p(g, h) + c + h' - h for a step of cost c from h to h': then
p <= C, step by step, for the first open node of an optimal path. `runner.check_priority` looks for numbers that violate
this.
"""

from __future__ import annotations

import math
import struct
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar

import numpy as np
from msgspec import Meta

from heuristics.interface.decorators import NUMBA_TYPES, compiled_signature
from heuristics.interface.weighting import WEIGHTINGS, Weighting
from runner.base import Signature, bound_of, check_bound, check_name, register_function, signature_of
from worlds.compile import CALLBACK_FAILED, Kernel, Part, call_python, error_code, keep, kernel, named

PRIORITY_SIGNATURE = "float64(int64, int64, float64, int64)"
"""``f(g, h, w, callback)`` returns the priority of a node. `callback` is the `id` of a function for `call_python`."""

Function = TypeVar("Function", bound=Callable[..., Any])
_BITS_OF_H = 31
_MAX_H = (1 << _BITS_OF_H) - 1


@dataclass(frozen=True, eq=False)
class BoundPriority:
    """Priority of one search.

    Attributes
    ----------
    kernel : Kernel
        Kernel of signature `PRIORITY_SIGNATURE`.
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
            compiled_signature(owner, function, own)

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


@cache
def _kernel(function: Callable[..., Any], values: tuple[Any, ...]) -> Kernel:
    """Return the kernel of a function with these values of its parameters."""

    def f(g, h, w, callback):
        return function(np.float64(g), np.float64(h), w, *values)

    kinds = ", ".join(["float64, float64, float64", *(NUMBA_TYPES[type(value)] for value in values)])
    return Kernel(named(f, "priority", function, values), PRIORITY_SIGNATURE, parts=[Part(function, f"({kinds})")])


@kernel(PRIORITY_SIGNATURE)
def python_priority(g, h, w, callback):
    """Call a function in plain Python. Numbers of the engine are so small that g and h fit into one integer."""
    bits = call_python(callback, (g << _BITS_OF_H) | h)
    return np.int64(bits).view(np.float64) if bits >= 0 else math.nan


def _callback(owner: str, f: Callable[[float, float], float]) -> Callable[[int], int]:
    """Make the function that `python_priority` calls. It returns the bits of f."""

    def bits(numbers: int) -> int:
        g = float(numbers >> _BITS_OF_H)
        h = float(numbers & _MAX_H)
        try:
            value = f(g, h)
            if not is_priority(value):
                raise ValueError(f"{owner} gave {value!r} for g = {g:g} and h = {h:g}; expected a number of at least 0")
            found: int = struct.unpack("<q", struct.pack("<d", value + 0.0))[0]  # -0.0 becomes 0.0
            return found
        except BaseException as exception:
            return keep(exception)

    return bits


def is_priority(value: Any) -> bool:
    """Return whether a value is a number that a priority may have."""
    return isinstance(value, int | float) and 0 <= value < math.inf
