"""Check of the bound that a priority promises (`heuristics.interface.priority` has the proof)."""

from __future__ import annotations

import random
from typing import Any

from heuristics.interface import WEIGHTINGS, PriorityFunction, is_priority

_SAMPLES = 2000
_TOLERANCE = 1e-9


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
        if not is_priority(value):
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
