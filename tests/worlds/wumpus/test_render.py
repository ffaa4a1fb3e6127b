"""Caves and plans as text and pictures."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import runner
from tests.caves import instance
from worlds.wumpus.rules import Cave

CAVE = Cave((3, 2), (0, 0), "N", (2, 1), (0, 0), (2, 0), frozenset({(1, 1)}), frozenset())


def test_the_text_shows_the_cave() -> None:
    assert instance(CAVE).world.render().splitlines()[:3] == ["1  .  P  G", "0 ^E  .  W", "   0  1  2"]


def test_the_text_shows_a_plan_as_two_paths() -> None:
    where = instance(CAVE)
    text = where.world.render(runner.solve(where, "ucs").plan)
    assert "plan (14 actions, cost 23): RIGHT MOVE SHOOT MOVE" in text
    there, back = text.split("to the gold:\n")[1].split("\nand back:\n")
    assert there.splitlines() == ["1  .  P  G", "0 →E *→ ↑W", "   0  1  2"]
    assert back.splitlines() == ["1  .  P ↓G", "0  E  ← ←W", "   0  1  2"]


def test_the_fallback_plan_has_no_path() -> None:
    where = instance(Cave((2, 1), (0, 0), "N", (1, 0), (0, 0), None, frozenset({(1, 0)})))
    assert "plan (1 actions, cost 1): CLIMB" in where.world.render(("CLIMB",))


def test_a_picture_shows_the_path() -> None:
    where = instance(CAVE)
    axes = Figure().add_subplot()
    plan = runner.solve(where, "ucs").plan
    assert plan is not None
    where.world.picture(plan)(axes)
    there, back = map(points, axes.lines)
    assert (there[-1], back[0], back[-1]) == (CAVE.gold, CAVE.gold, CAVE.exit)
    assert not {*back[1:-1]} & {*there}, "the way back runs beside the way there"


def test_the_path_so_far_ends_at_the_hunter() -> None:
    cave = Cave((3, 1), (0, 0), "E", (2, 0), (0, 0))
    *_, last = instance(cave).world.frames(("MOVE", "MOVE", "GRAB", "RIGHT", "RIGHT", "MOVE"))
    axes = Figure().add_subplot()
    assert last.draw is not None
    last.draw(axes)
    assert [points(line)[-1] for line in axes.lines] == [cave.gold, (1, 0)]


def points(line: Line2D) -> list[tuple[float, ...]]:
    """Return the points of a line."""
    return [tuple(point) for point in np.asarray(line.get_xydata()).tolist()]
