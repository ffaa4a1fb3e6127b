"""Several agents on a map as text, as pictures, and in words: where they are, how they came there, who moves."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from runner.base import plural
from worlds.gridmap.render import MapText, draw_map
from worlds.gridmap.rules import GridCell, GridMap
from worlds.mapf.plans import written

_MARKS = "123456789abcdefghijklmnopqrstuvwxyz"
"""Marks of the agents in texts. Further agents have them again."""
_GOAL = "+"
_MAX_NAMED = 8
"""Largest number of agents that texts of one line name."""
_MAX_CLEAR = 30
"""Largest number of agents whose paths are drawn in full colour."""
_VERBS = {"u": "up", "d": "down", "l": "left", "r": "right"}
_GOLDEN = 0.618034
"""Steps of this part of the colour wheel keep the colours of few agents apart, and do not repeat those of many."""


def texts(grid: GridMap, goals: Sequence[GridCell], team: Sequence[Sequence[GridCell]]) -> Iterator[str]:
    """Yield the map as text with the cells of all agents at each time, and free goals as +.

    Parameters
    ----------
    grid : GridMap
    goals : sequence of (int, int)
    team : sequence of sequences of (int, int)
        Cells of the agents at each time. Of a large map, all texts show the same part.
    """
    part = [*goals, *(cell for cells in team for cell in cells)]
    for cells in team:
        shown = MapText(grid, part)
        for goal in goals:
            shown.put(goal, _GOAL)
        for agent, cell in enumerate(cells):
            shown.put(cell, _MARKS[agent % len(_MARKS)])
        yield str(shown)


def cells_text(cells: Sequence[GridCell]) -> str:
    """Return the cells of the agents as one line."""
    named = ", ".join(f"{agent} in {cell}" for agent, cell in enumerate(cells[:_MAX_NAMED], 1))
    others = len(cells) - _MAX_NAMED
    return f"agents {named}" + (f", and {others} more" if others > 0 else "")


def caption(action: str, cells: Sequence[GridCell], goals: Sequence[GridCell]) -> str:
    """Return what the agents do in a step that leads to cells: each one, or, of many, how many move and wait."""
    said = [
        _VERBS.get(letter) or ("at goal" if cell == goal else "waits")
        for letter, cell, goal in zip(action, cells, goals, strict=True)
    ]
    if len(said) <= _MAX_NAMED:
        return ", ".join(f"{agent} {what}" for agent, what in enumerate(said, 1))
    waiting = said.count("waits")
    resting = said.count("at goal")
    return f"{len(said) - waiting - resting} move, {waiting} wait, {resting} at their goals"


def plan_text(plan: Sequence[str]) -> str:
    """Return the paths of a plan, a line for each agent: `2r1d` stands for `rrd`."""
    words = (f"{agent}: {word}" for agent, word in enumerate(written(plan), 1))
    return "\n".join([f"paths ({plural(len(plan), 'step')}):", *words])


def colours(agents: int) -> list[tuple[float, float, float]]:
    """Return a colour for each agent."""
    return [
        colorsys.hsv_to_rgb(agent * _GOLDEN % 1, (0.85, 0.6, 1.0)[agent % 3], (0.8, 0.65, 0.5)[agent // 3 % 3])
        for agent in range(agents)
    ]


def draw(grid: GridMap, goals: Sequence[GridCell], team: Sequence[Sequence[GridCell]], axes: Any) -> None:
    """Draw a map, and each agent in a colour of its own: its path as a line, and its goal as a ring.

    Parameters
    ----------
    grid : GridMap
    goals : sequence of (int, int)
    team : sequence of sequences of (int, int)
        Cells of the agents at each time. They stand in the last ones.
    axes : Axes
    """
    from matplotlib.collections import LineCollection

    points = draw_map(grid, axes)
    agents = colours(len(goals))
    paths = np.array(team).transpose(1, 0, 2)
    is_crowd = len(goals) > _MAX_CLEAR
    width = max(0.7, min(0.16 * points, 3.0))
    style: dict[str, Any] = (
        {"linewidths": 0.6 * width, "alpha": 0.4} if is_crowd else {"linewidths": width, "alpha": 0.7}
    )
    if len(team) > 1:
        axes.add_collection(LineCollection(list(paths), colors=agents, capstyle="round", **style))
    side = max(2.6, (0.75 if is_crowd else 0.62) * points)
    axes.scatter(*np.array(goals).T, s=(1.15 * side) ** 2, facecolors="none", edgecolors=agents, linewidths=width)
    axes.scatter(*paths[:, -1].T, s=side**2, c=agents, linewidths=0, zorder=3)
    if side >= 8 and len(goals) <= len(_MARKS):
        for agent, (x, y) in enumerate(paths[:, -1].tolist(), 1):
            axes.text(x, y, agent, color="white", fontsize=0.6 * side, ha="center", va="center_baseline", zorder=4)
