"""Pictures of networks and paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worlds.road.shared import SharedNetwork

MAX_SEGMENTS = 60_000
"""Largest number of arcs in a picture."""
_ARCS, _PATH, _START, _GOAL = "#a3a8b1", "#d1495b", "#2f6b4c", "#e39a58"


def draw(shared: SharedNetwork, goal: int, path: Sequence[int], axes: Any) -> None:
    """Draw a network as grey lines, and a path in colour, on axes of matplotlib.

    Of a large network, every n-th arc is drawn, and of a two-way street one arc.
    """
    places = shared.positions
    assert places is not None
    ends = np.sort(np.stack([shared.network.tails, shared.network.heads], axis=1), axis=1)
    ends = ends[:: -(-max(1, len(ends)) // (4 * MAX_SEGMENTS))]
    ends = np.unique(ends, axis=0)
    ends = ends[:: -(-max(1, len(ends)) // MAX_SEGMENTS)]
    width = float(np.clip(60 / np.sqrt(shared.network.nodes), 0.4, 1.2))
    arcs = np.full((len(ends), 3, 2), np.nan)  # one line, which points of NaN interrupt, takes a fifth of many
    arcs[:, :2] = places[ends]
    axes.plot(*arcs.reshape(-1, 2).T, color=_ARCS, linewidth=width, solid_capstyle="butt", zorder=1)
    low, high = places.min(axis=0) - 1, places.max(axis=0) + 1
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()
    label = "path so far" if len(path) > 1 else None
    axes.plot(*places[list(path)].T, color=_PATH, linewidth=1.8, solid_capstyle="round", label=label)
    axes.plot(*places[path[0]], "o", color=_START, markersize=5, label="start")
    axes.plot(*places[goal], "o", color=_GOAL, markersize=5, label="goal")
