"""Caves and plans as text and as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

from worlds.drawing import aside
from worlds.interface import Frame
from worlds.wumpus import rules
from worlds.wumpus.rules import FACINGS, MOVE, SHOOT, Cave, Play, Square

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HUNTERS = dict(zip(FACINGS, "^>v<", strict=True))
ARROWS = dict(zip(FACINGS, "↑→↓←", strict=True))
_ASIDE = 0.12
"""Distance between two paths along the same squares."""
LEGEND = "^>v< hunter, G gold, W wumpus, P pit, # block, E exit"


def text(cave: Cave, plan: Sequence[str] | None = None) -> str:
    """Draw a cave as text, north up; with a plan, also the path to the gold and the path back.

    An arrow shows in which direction the hunter left a square; ``*`` marks where it shot.
    """
    parts = [_grid(cave, {}), LEGEND]
    if plan is not None:
        there, back = _legs(cave, plan)
        play = rules.simulate(cave, plan)
        parts.append(f"plan ({len(plan)} actions, cost {play.cost}): {' '.join(plan)}")
        if there:
            parts += ["to the gold:", _grid(cave, _marks(there))]
        if back:
            parts += ["and back:", _grid(cave, _marks(back))]
    return "\n".join(parts)


def described(cave: Cave, play: Play) -> str:
    """Return a state in one line, such as ``(2, 1) N, with gold, wumpus dead``."""
    changes = {
        "with gold": play.has_gold,
        "arrow used": not play.has_arrow,
        "wumpus dead": cave.wumpus is not None and not play.wumpus_alive,
        "dead": not play.alive,
        "climbed out": play.climbed_out,
    }
    return ", ".join([f"{play.square} {play.facing}", *(name for name, is_true in changes.items() if is_true)])


def death(cave: Cave, plan: Sequence[str]) -> str | None:
    """Return a line about the action of a plan that kills the hunter; None if he survives."""
    play = rules.start(cave)
    for number, action in enumerate(plan, 1):
        before = copy(play)
        rules.act(cave, play, action)
        if not play.alive:
            killer = "the wumpus" if play.square == cave.wumpus and play.wumpus_alive else "a pit"
            return (
                f"action {number}, {action}: in the state {described(cave, before)} the hunter dies by it, of {killer}"
            )
    return None


def frames(cave: Cave, plan: Sequence[str]) -> Iterator[Frame]:
    """Yield the cave at the start and after each action, with the path so far."""
    for number in range(len(plan) + 1):
        done = plan[:number]
        play = rules.simulate(cave, done)
        caption = f"{number}/{len(plan)}: {done[-1]} (cost {play.cost})" if number else "start"
        now = _grid(cave, {play.square: HUNTERS[play.facing]}, play)
        yield Frame(caption, now, partial(draw, cave, done, play))


def draw(cave: Cave, plan: Sequence[str], play: Play, axes: Axes) -> None:
    """Draw the cave, the path of a plan and the hunter as in `play`, without taken gold and dead wumpus."""
    from matplotlib.collections import PolyCollection

    width, height = cave.size
    axes.set(aspect="equal", xlim=(-1, width - 0.5), ylim=(-1, height - 0.5))
    axes.set_axis_off()
    side = min(1.0, 10 / max(width, height))
    label: Any = {"fontsize": 9 * side, "ha": "center", "va": "center", "in_layout": False, "zorder": 1}
    for x, y in [*((x, -0.8) for x in range(width)), *((-0.8, y) for y in range(height))]:  # ticks take longer
        axes.text(x, y, str(max(x, y)), **label)
    lines: Any = {"colors": "0.8", "linewidths": 0.8, "zorder": 0.5}
    axes.vlines([x - 0.5 for x in range(width + 1)], -0.5, height - 0.5, **lines)
    axes.hlines([y - 0.5 for y in range(height + 1)], -0.5, width - 0.5, **lines)
    for name, squares, color in (("pit", cave.pits, "0.25"), ("block", cave.blocks, "#8c6d46")):
        if squares:
            corners = [[(x + a / 2, y + b / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))] for x, y in squares]
            axes.add_collection(PolyCollection(corners, color=color, label=name))
    symbols = [("exit", cave.exit, "s", "#e8f0e0", 420)]
    if not play.has_gold:
        symbols.append(("gold", cave.gold, "o", "#e6b800", 190))
    if cave.wumpus is not None and play.wumpus_alive:
        symbols.append(("wumpus", cave.wumpus, "X", "#b03060", 130))
    for name, (x, y), marker, color, size in symbols:
        style: Any = {"marker": marker, "color": color, "edgecolors": "0.3", "label": name}
        axes.scatter(x, y, s=side**2 * size, linewidths=0.6, zorder=2, **style)
    there, back = ([at.square for at, _ in leg] for leg in _legs(cave, plan))
    end = rules.simulate(cave, plan).square
    to_gold, from_gold = [*there, *(back or [end])[:1]], [*back, end]
    for name, path, others, color in (
        ("path so far", to_gold, [], "#0072b2"),
        ("path so far, with gold", from_gold, [to_gold], "#d55e00"),
    ):
        if len(path) > 1:
            xs, ys = zip(*aside(path, others, _ASIDE), strict=True)
            axes.plot(xs, ys, color=color, linewidth=2, solid_joinstyle="round", zorder=3, label=name)
    axes.scatter(*play.square, s=side**2 * 110, marker=HUNTERS[play.facing], color="0.1", label="hunter", zorder=4)


def _legs(cave: Cave, plan: Sequence[str]) -> tuple[list[tuple[Play, str]], list[tuple[Play, str]]]:
    """Return the steps of a plan (play before the action, action) until the gold is taken, and from then on."""
    there: list[tuple[Play, str]] = []
    back: list[tuple[Play, str]] = []
    play = rules.start(cave)
    for action in plan:
        (back if play.has_gold else there).append((copy(play), action))
        rules.act(cave, play, action)
    return there, back


def _marks(path: Sequence[tuple[Play, str]]) -> dict[Square, str]:
    marks: dict[Square, str] = {}
    for play, action in path:
        if action == MOVE:
            shot = "*" if marks.get(play.square, "").startswith("*") else ""
            marks[play.square] = shot + ARROWS[play.facing]
        elif action == SHOOT:
            marks[play.square] = "*"
    return marks


def _grid(cave: Cave, marks: dict[Square, str], play: Play | None = None) -> str:
    width, height = cave.size
    cells = {(x, y): _symbols(cave, (x, y), marks, play) for x in range(width) for y in range(height)}
    column = max(len(str(width - 1)), *map(len, cells.values()))
    margin = len(str(height - 1))
    rows = [
        f"{y:>{margin}} " + " ".join(f"{cells[x, y]:>{column}}" for x in range(width)) for y in reversed(range(height))
    ]
    rows.append(" " * (margin + 1) + " ".join(f"{x:>{column}}" for x in range(width)))
    return "\n".join(rows)


def _symbols(cave: Cave, square: Square, marks: dict[Square, str], play: Play | None) -> str:
    """Return the symbols of a square; with a play, without taken gold and dead wumpus."""
    has_wumpus = square == cave.wumpus and (play is None or play.wumpus_alive)
    has_gold = square == cave.gold and (play is None or not play.has_gold)
    found = marks.get(square, HUNTERS[cave.facing] if square == cave.hunter and not marks else "")
    found += "#" * (square in cave.blocks) + "P" * (square in cave.pits) + "W" * has_wumpus
    found += "G" * has_gold + "E" * (square == cave.exit)
    return found or "."
