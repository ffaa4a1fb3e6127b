"""Scene of a search: the picture of the instance, and the positions of states on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runner.drawing import drawn
from worlds.interface import Instance

_INCHES = 5.0
_MARGIN = 0.5
Point = tuple[float, float]


@dataclass(frozen=True)
class Scene:
    """Picture of an instance with a system of coordinates.

    Attributes
    ----------
    svg : str
        Picture; empty if the world draws nothing.
    scale, offset : (float, float)
        A state at the position (x, y) is at the share (scale * x + offset) of the width and the height of the picture,
        from its left upper corner.
    """

    svg: str
    scale: Point
    offset: Point


def positions_of(instance: Instance, states: Iterable[Any]) -> NDArray[np.float64] | None:
    """Return the positions of states, as an array of shape (states, 2); None unless all have one.

    Raises
    ------
    ValueError
        If a position is no pair of numbers.
    """
    found = []
    for state in states:
        position = instance.locate(state)
        if position is None:
            return None
        try:
            x, y = map(float, position)
        except (TypeError, ValueError):
            raise ValueError(f"locate: expected a position (x, y), got {position!r} for {state!r}") from None
        found.append((x, y))
    return np.array(found).reshape(-1, 2)


def scene_of(instance: Instance, positions: NDArray[np.float64]) -> Scene:
    """Return the picture of an instance; without one, a rectangle around the positions, whose y points up."""
    draw = instance.picture(())
    if draw is not None:
        captured: list[Any] = []
        svg = drawn(partial(_draw, draw, captured), (_INCHES, _INCHES))
        axes = captured[0]
        to_share = axes.transData + axes.figure.transFigure.inverted()
        (left, bottom), (right, top) = to_share.transform([(0.0, 0.0), (1.0, 1.0)])
        return Scene(svg, (right - left, bottom - top), (left, 1 - bottom))
    low, high = positions.min(axis=0) - _MARGIN, positions.max(axis=0) + _MARGIN
    side = float(max(high - low))
    (x, y), (x_end, y_end) = low.tolist(), high.tolist()
    return Scene("", (1 / side, -1 / side), (0.5 - (x + x_end) / 2 / side, 0.5 + (y + y_end) / 2 / side))


def _draw(draw: Callable[[Any], None], captured: list[Any], axes: Any) -> None:
    captured.append(axes)
    draw(axes)
