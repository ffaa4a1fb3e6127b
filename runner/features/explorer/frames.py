"""Animation of a recorded search: the states that are expanded and open at each moment, on a map or in the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError
from runner.features.explorer.animation import Animation
from runner.features.explorer.history import History, history_of
from runner.features.explorer.recorder import NO_NODE, Recording
from runner.features.explorer.scene import OPEN, PATH, PLAN, RAMP, Tree, tree_of
from worlds.drawing import CHARACTER, LINE, line_through, text_size, with_legend
from worlds.interface import Frame

_MAX_FRAMES = 60
_SECONDS, _DELAYS = 12.0, (0.1, 0.5)
"""Time of a whole animation, and the least and the largest time between two frames."""
_MAX_TREE = 1_000, 2_000
"""Largest numbers of expansions and of nodes of a tree. Of a longer search the beginning is drawn."""
_MAP_INCHES, _TREE_INCHES = (4.0, 5.0), (8.0, 5.4)
_LEGEND_ROWS = 3
"""Rows of the legend of a map. That of a tree is one row."""
_FONT = 4.5, 10.0
"""Smallest and largest font of the states in a tree, in points. States that need a smaller one are dots."""
_MAX_VECTOR = 400
"""Number of cells or nodes beyond which SVG files contain an image of them."""
_CURRENT, _EDGE = "#1a1a1a", "#9a9a9a"
_WIDTHS = 1.2, 2.2
"""Widths of the path to the current state and of the plan, in points."""
_CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])

Integers = NDArray[np.int64]


def animation_of(
    recording: Recording, watch: Callable[[int], None] | None = None, step: int | None = None
) -> Animation:
    """Return the animation of a search with at most 60 frames, which have the same distance in expansions.

    Parameters
    ----------
    step : int, optional
        Number of expansions of the only frame.
    watch : callable, optional
        Called before each frame is drawn, with its number. May raise an exception to end it.
    """
    record, history = recording.recorder, history_of(recording)
    positions = recording.positions(len(record.states))
    is_map = positions is not None and len(positions) > 0
    shown = history if is_map else history.beginning(*_MAX_TREE)
    on_plan = [node for node in recording.plan_nodes() if node >= 0] if shown is history else []
    moments = _Moments(shown)
    drawing: _Map | _TreeView
    if positions is not None and is_map:
        drawing = _Map(recording, moments, on_plan, positions)
    else:
        texts = list(recording.texts(len(shown.first_parent)))
        drawing = _TreeView(moments, on_plan, tree_of(shown.first_parent), texts)

    def draw(frame: int, step: int, axes: Any) -> None:
        if watch is not None:
            watch(frame)
        drawing.draw(step, axes)

    if step is not None and not 0 <= step <= moments.count:
        raise UserError(f"step: expected 0 to {moments.count:,} expansions, got {step:,}")
    steps = np.unique(np.linspace(0, moments.count, _MAX_FRAMES).round().astype(int)).tolist()
    if step is not None:
        steps = [step]
    frames = [
        Frame(_caption(recording, moments, step), "", partial(draw, frame, step)) for frame, step in enumerate(steps)
    ]
    delay = min(_DELAYS[1], max(_DELAYS[0], _SECONDS / len(frames)))
    return Animation(frames, delay, _MAP_INCHES if is_map else _TREE_INCHES)


def _caption(recording: Recording, moments: _Moments, step: int) -> str:
    history, found, expansions = moments.history, recording.found, len(recording.recorder.expanded)
    if not recording.watches_search:
        return f"{recording.name}: step {step:,} of {expansions:,}"
    counts = f"{step:,} expanded"
    if step == moments.count < expansions:
        counts = f"the first {step:,} of {expansions:,} expanded"
    elif step == expansions:
        counts += f", {recording.status}"
        counts += f" ({found['reason']})" if found.get("reason") else ""
        counts += f", cost {round(found['cost'], 3):,}" if found.get("cost") is not None else ""
        counts += f", {len(found['plans']):,} plans" if found.get("plans") else ""
    is_open = int(history.is_open[step - 1]) if step else len(history.first_parent[:1])
    return f"{recording.name}: {counts}, {is_open:,} open"


@dataclass(frozen=True)
class _Moment:
    """Nodes after some expansions.

    Attributes
    ----------
    last : ndarray, shape (nodes,)
        Number of the last expansion of each node; -1 without one.
    is_open, is_seen : ndarray of bool, shape (nodes,)
        Whether each node is open, and whether it was generated in any iteration.
    path : list of int
        Nodes from the start to the one that was expanded last.
    """

    last: Integers
    is_open: NDArray[np.bool_]
    is_seen: NDArray[np.bool_]
    path: list[int]


class _Moments:
    """Moments of a history."""

    def __init__(self, history: History) -> None:
        self.history, self.count = history, len(history.expanded)
        self.first = np.full(len(history.first_parent), self.count)  # expansion of each node
        np.minimum.at(self.first, history.expanded, np.arange(self.count))
        self._step = np.repeat(np.arange(self.count), np.diff(history.first))
        self._is_generated = history.node != history.expanded[self._step]

    def at(self, step: int) -> _Moment:
        """Return the moment after some expansions."""
        history, count = self.history, len(self.history.first_parent)
        changes = int(history.first[step])
        change, last = np.full(count, -1), np.full(count, -1)
        np.maximum.at(change, history.node[:changes], np.arange(changes))
        np.maximum.at(last, history.expanded[:step], np.arange(step))
        begin = int(max(history.starts[history.starts < step], default=0))
        generated = np.arange(history.first[begin], changes)[self._is_generated[history.first[begin] : changes]]
        reached = np.full(count, -1)
        np.maximum.at(reached, history.node[generated], self._step[generated])
        is_open, is_seen = reached > np.where(last >= begin, last, -1), change >= 0
        is_seen[:1] = True
        if step == 0:
            is_open[:1] = True
        parent = np.where(change >= 0, history.parent[change], NO_NODE) if changes else change
        node, path = int(history.expanded[step - 1]) if step else NO_NODE, list[int]()
        while node != NO_NODE and len(path) <= count:
            path.append(node)
            node = int(parent[node])
        return _Moment(last, is_open, is_seen, path[::-1])

    def colours(self, first: Integers) -> NDArray[np.float64]:
        """Return the colours of nodes by their first expansions, as shape (nodes, 3)."""
        at = first / max(1, self.count - 1) * (len(RAMP) - 1)
        levels = np.arange(len(RAMP))
        return np.stack([np.interp(at, levels, part) for part in np.array(RAMP).T], axis=-1) / 255


class _Map:
    """Search on the picture of the instance. A cell has the colour of its state that was expanded first."""

    def __init__(
        self, recording: Recording, moments: _Moments, plan: list[int], positions: NDArray[np.float64]
    ) -> None:
        self._moments, self._plan, self._positions = moments, plan, positions
        self._places, place = np.unique(positions, axis=0, return_inverse=True)
        self._place = place.reshape(-1)
        looks = recording.instance.world.looks
        self._picture = (None if looks is None else looks.picture(())) or self._empty
        self._torus = None if looks is None else looks.torus_size

    def draw(self, step: int, axes: Any) -> None:
        """Draw the moment after some expansions."""
        axes = with_legend(self._picture, axes, _marks(bool(self._plan)), _LEGEND_ROWS)
        moment = self._moments.at(step)
        first, is_open = np.full(len(self._places), step), np.zeros(len(self._places), bool)
        np.minimum.at(first, self._place, self._moments.first)
        is_open[self._place[moment.is_open]] = True
        style: dict[str, Any] = {"alpha": 0.75, "linewidths": 0}
        _squares(axes, self._places[first < step], 0.92, facecolors=self._moments.colours(first[first < step]), **style)
        width = min(1.5, 8 / np.ptp(self._places, axis=0).max(initial=1))
        _squares(axes, self._places[is_open], 0.76, facecolors="none", edgecolors=OPEN, linewidths=width)
        _path(axes, self._positions, moment.path, self._plan if step == self._moments.count else [], self._torus)
        if moment.path:
            current = self._positions[moment.path[-1:]]
            _squares(axes, current, 1, facecolors="none", edgecolors=_CURRENT, linewidths=1.5, zorder=6)

    def _empty(self, axes: Any) -> None:
        low, high = self._places.min(axis=0) - 0.5, self._places.max(axis=0) + 0.5
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.set_axis_off()


class _TreeView:
    """Search tree. Its nodes are the texts of the states if these are legible, else dots."""

    def __init__(self, moments: _Moments, plan: list[int], tree: Tree, texts: list[str]) -> None:
        self._moments, self._plan, self._tree, self._texts = moments, plan, tree, texts
        self._positions = np.stack([tree.x, -0.5 - tree.level], axis=-1)
        columns, lines = text_size(texts)
        across, down = (72 * inches for inches in _TREE_INCHES)
        font = (
            (0.9 * across / tree.leaves - 8) / (CHARACTER * columns),
            (0.8 * down / tree.levels - 10) / (LINE * lines),
        )
        self._font = min(*font, _FONT[1])

    def draw(self, step: int, axes: Any) -> None:
        """Draw the moment after some expansions."""
        with_legend(partial(self._draw, step), axes, _marks(bool(self._plan)))

    def _draw(self, step: int, axes: Any) -> None:
        from matplotlib.collections import LineCollection

        moment, parent = self._moments.at(step), self._moments.history.first_parent
        axes.set(xlim=(0, self._tree.leaves), ylim=(-self._tree.levels, 0))
        axes.set_axis_off()
        seen = np.flatnonzero(moment.is_seen)
        below = seen[parent[seen] >= 0]
        lines = np.stack([self._positions[parent[below]], self._positions[below]], axis=1)
        many = len(seen) > _MAX_VECTOR
        axes.add_collection(LineCollection(list(lines), colors=_EDGE, linewidths=0.5, zorder=1, rasterized=many))
        _path(axes, self._positions, moment.path, self._plan if step == self._moments.count else [])
        faces = np.where((moment.last >= 0)[:, None], self._moments.colours(self._moments.first), 1.0)
        edges = [OPEN if moment.is_open[node] else _EDGE if moment.last[node] < 0 else faces[node] for node in seen]
        current = moment.path[-1] if moment.path else NO_NODE
        if self._font < _FONT[0]:
            size = max(2.0, min(40.0, 2e4 / self._tree.leaves / self._tree.levels))
            axes.scatter(*self._positions[seen].T, size, faces[seen], edgecolors=edges, linewidths=0.6, zorder=7,
                         rasterized=many, clip_on=False)  # fmt: skip
            if moment.path:
                axes.scatter(*self._positions[current], 3 * size, "none", "s", edgecolors=_CURRENT, zorder=8)
            return
        for node, edge in zip(seen.tolist(), edges, strict=True):
            light = 0.4 * faces[node] + 0.6
            frame = {
                "facecolor": light,
                "edgecolor": _CURRENT if node == current else edge,
                "boxstyle": "square,pad=0.3",
            }
            axes.text(*self._positions[node], self._texts[node], fontsize=self._font, family="monospace", ha="center",
                      va="center", parse_math=False, bbox=frame, zorder=7)  # fmt: skip


def _marks(has_plan: bool) -> dict[str, Any]:
    """Return the entries of the legend for what the search draws."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    marks: dict[str, Any] = {
        "expanded, first to last": tuple(
            Patch(color=(red / 255, green / 255, blue / 255)) for red, green, blue in RAMP
        ),
        "open": Patch(facecolor="none", edgecolor=OPEN),
        "current state": Patch(facecolor="none", edgecolor=_CURRENT, linewidth=1.5),
        "path to it": Line2D([], [], color=PATH, linewidth=_WIDTHS[0]),
    }
    return {**marks, "plan": Line2D([], [], color=PLAN, linewidth=_WIDTHS[1])} if has_plan else marks


def _squares(axes: Any, centres: NDArray[np.float64], side: float, zorder: float = 1.5, **style: Any) -> None:
    """Draw squares, by default above the floor of a picture and below what stands on it. Many have no gaps."""
    from matplotlib.collections import PolyCollection

    if many := len(centres) > _MAX_VECTOR:
        side = 1.0
    corners = list(centres[:, None] + side * _CORNERS)
    axes.add_collection(PolyCollection(corners, zorder=zorder, rasterized=many, antialiased=not many, **style))


def _path(
    axes: Any,
    positions: NDArray[np.float64],
    path: list[int],
    plan: list[int],
    torus: tuple[float, float] | None = None,
) -> None:
    """Draw the plan, or else the path to a node, as a line."""
    line, (colour, width) = (
        line_through(positions[plan or path], torus),
        (PLAN, _WIDTHS[1]) if plan else (PATH, _WIDTHS[0]),
    )
    axes.plot(*np.array(line).reshape(-1, 2).T, color=colour, linewidth=width, solid_joinstyle="round", zorder=5)
