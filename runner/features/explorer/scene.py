"""Scene of a search: the positions of states on the picture of the instance, or a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.drawing import drawn, height_with_legend, with_legend
from worlds.interface import Instance

RAMP = [(78, 60, 175), (45, 110, 185), (33, 160, 140), (110, 200, 90), (250, 220, 50)]
"""Colours of expanded states (red, green, blue; 0 to 255), from the first to the last."""
OPEN, PATH, PLAN = "#e07b00", "#0072b2", "#d4006a"
"""Colours of the page in light mode, also those of animations."""
OVER = 2
"""Artists of this zorder or a higher one are drawn above the cells of a search, so that these do not hide them."""
_INCHES = 5.0
_MARGIN = 0.5
_SHAPES = 0.25, 1.5
"""Smallest and largest height of a picture, as shares of its width."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Scene:
    """Picture of an instance with a system of coordinates.

    Attributes
    ----------
    svg : str
        Picture; empty if the world draws nothing. Elements whose id begins with "over" belong above the search.
    shape : float
        Height of the picture as a share of its width.
    scale, offset : (float, float)
        A state at the position (x, y) is at the share (scale * x + offset) of the width and the height of the picture,
        from its left upper corner.
    torus : (float, float) or None
        Width and height of a torus as shares of the width and the height of the picture.
    """

    svg: str
    shape: float
    scale: Point
    offset: Point
    torus: Point | None = None


def positions_of(instance: Instance, states: Iterable[Any]) -> NDArray[np.float64] | None:
    """Return the positions of states, as an array of shape (states, 2); None unless all have one.

    Raises
    ------
    ValueError
        If a position is no pair of numbers.
    """
    locate = None if instance.world.looks is None else instance.world.looks.locate
    if locate is None:
        return None
    found = []
    for state in states:
        position = locate(state)
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
    looks = instance.world.looks
    draw = None if looks is None else looks.picture(())
    if draw is None:
        low, high = positions.min(axis=0) - _MARGIN, positions.max(axis=0) + _MARGIN
        shape = _shape(*(high - low).tolist())
        scale = float(min(1 / (high - low)[0], shape / (high - low)[1]))
        x, y = ((low + high) / 2).tolist()
        return Scene("", shape, (scale, -scale / shape), (0.5 - scale * x, 0.5 + scale / shape * y))
    from matplotlib.figure import Figure

    axes: Any = Figure().add_subplot()
    draw(axes)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    shape = _shape(abs(right - left), abs(top - bottom)) if axes.get_aspect() == 1 else 1.0
    height = height_with_legend(_INCHES * shape)
    captured: list[Any] = []
    svg = drawn(partial(_draw, draw, captured), (_INCHES, height))
    axes, shape = captured[0], height / _INCHES
    to_share = axes.transData + axes.figure.transFigure.inverted()
    (left, bottom), (right, top) = to_share.transform([(0.0, 0.0), (1.0, 1.0)])
    torus = None if looks is None else looks.torus_size
    joined = None if torus is None else (abs(right - left) * torus[0], abs(bottom - top) * torus[1])
    return Scene(svg, shape, (right - left, bottom - top), (left, 1 - bottom), joined)


def _shape(width: float, height: float) -> float:
    return min(_SHAPES[1], max(_SHAPES[0], height / width))


def _draw(draw: Callable[[Any], None], captured: list[Any], axes: Any) -> None:
    picture = with_legend(draw, axes)
    for number, artist in enumerate(picture.get_children()):
        if artist.get_zorder() >= OVER:
            artist.set_gid(f"over{number}")
    captured.append(picture)


@dataclass(frozen=True)
class Tree:
    """Places of the nodes of a tree. Leaves stand side by side at distance 1, parents above their middle.

    Attributes
    ----------
    x : ndarray, shape (nodes,)
        Places from left to right, between 0 and `leaves`.
    level : ndarray of int, shape (nodes,)
        Number of nodes above each node.
    leaves, levels : int
        Number of leaves and of levels, at least 1.
    """

    x: NDArray[np.float64]
    level: NDArray[np.int64]
    leaves: int
    levels: int


def tree_of(first_parent: NDArray[np.int64]) -> Tree:
    """Return the layout of nodes with these parents; -1 for roots."""
    count = len(first_parent)
    children: list[list[int]] = [[] for _ in range(count + 1)]  # those of no parent are the last
    for node, parent in enumerate(first_parent.tolist()):
        children[parent].append(node)
    x, level, leaves = np.zeros(count), np.zeros(count, np.int64), 0
    order, waiting = list[int](), children[-1][::-1]
    while waiting:
        node = waiting.pop()
        order.append(node)
        below = children[node]
        if not below:
            x[node] = leaves + 0.5
            leaves += 1
        level[below] = level[node] + 1
        waiting += reversed(below)
    for node in reversed(order):
        if below := children[node]:
            x[node] = (x[below[0]] + x[below[-1]]) / 2
    return Tree(x, level, max(1, leaves), int(level.max(initial=0)) + 1)
