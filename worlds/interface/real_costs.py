"""Real costs: the engine counts in integers, and `cost_scale` of them are a cost of 1.

Costs are rounded up, and heuristic values down. So rounding keeps a heuristic admissible, and consistent. The engine's
cost of a plan exceeds the real one by less than 1 / `cost_scale` for each step. The error of a float is not
rounded up.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, Literal

from worlds.compile import MAX_COST

CostScale = int | Literal["auto"]

_TOLERANCE = 1e-12
"""Relative error of a floating-point number that stands for a shorter decimal number."""
_LARGEST_ERROR = 1e-5
"""Largest relative error of a step's cost with the automatic scale."""
_SCALES = tuple(10**k for k in range(10))


def engine_cost(cost: Any, scale: int) -> int:
    """Return a cost in the integers of the engine, rounded up and at most `MAX_COST` + 1.

    Raises
    ------
    ValueError
        If it is negative or not a finite number.
    """
    exact: float = cost * scale
    if not 0 <= exact < math.inf:  # a NaN, too
        raise ValueError(f"a cost must be a finite number of at least 0, not {cost!r}")
    return min(math.ceil(exact - _TOLERANCE * max(1.0, exact)), MAX_COST + 1)


def engine_h(h: Any, scale: int) -> int:
    """Return a heuristic value in the integers of the engine, rounded down."""
    exact: float = h * scale
    return math.floor(exact + _TOLERANCE * max(1.0, abs(exact)))


def user_cost(cost: int, scale: int) -> float:
    """Return a cost of the engine as users see it: an int if the scale is 1, else rounded to 9 decimals."""
    return cost if scale == 1 else round(cost / scale, 9)


def step_costs(declared: CostScale, scale: int) -> Callable[[str, Any], int]:
    """Return a function that converts the cost of a step. Its arguments are the name of the action and the cost.

    It raises a ValueError that names the action if the cost is wrong: negative, a float without a scale, or one that
    the automatic scale cannot round to five digits.
    """

    def integer(name: str, cost: Any) -> int:
        if type(cost) is int:
            if cost < 0:
                raise ValueError(f"action {name!r} costs {cost}; costs are at least 0")
            return min(cost, MAX_COST + 1)
        try:
            return integer(name, operator.index(cost))
        except TypeError:
            raise ValueError(
                f"action {name!r} costs {cost!r}, which is not an int: declare cost_scale in the world, for example "
                f"cost_scale = 1000 for costs of three decimals, or cost_scale = 'auto' (see docs/plugins/worlds.md)"
            ) from None

    def rounded(name: str, cost: Any) -> int:
        try:
            converted = engine_cost(cost, scale)
        except (TypeError, ValueError) as error:
            raise ValueError(f"action {name!r}: {error}") from None
        if declared == "auto" and not _is_precise(cost, scale):
            raise ValueError(
                f"action {name!r} costs {cost!r}, which cost_scale = 'auto' (here {scale:,}, from the first states) "
                f"cannot round to five digits: declare a number, for example cost_scale = {_least_scale([cost]):,}"
            )
        return converted

    return integer if declared == 1 else rounded


def automatic_scale(costs: Iterable[float]) -> int:
    """Return the least power of ten in which all costs are integers or, failing that, precise to five digits."""
    return _least_scale([cost for cost in costs if 0 < cost < math.inf])


def _least_scale(costs: list[float]) -> int:
    exact = (scale for scale in _SCALES[:7] if all(_is_exact(cost, scale) for cost in costs))
    precise = (scale for scale in _SCALES if all(_is_precise(cost, scale) for cost in costs))
    return next(exact, 0) or next(precise, _SCALES[-1])


def _is_exact(cost: float, scale: int) -> bool:
    exact = float(cost * scale)
    return abs(exact - round(exact)) <= _TOLERANCE * max(1.0, exact)


def _is_precise(cost: float, scale: int) -> bool:
    return cost == 0 or _is_exact(cost, scale) or cost * scale * _LARGEST_ERROR >= 1
