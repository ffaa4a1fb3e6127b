"""Caves and plans as text and pictures."""

from __future__ import annotations

from matplotlib.figure import Figure

import runner
from tests.caves import instance
from worlds.wumpus.rules import Cave

CAVE = Cave((3, 2), (0, 0), "N", (2, 1), (0, 0), (2, 0), frozenset({(1, 1)}), frozenset())


def test_a_cave() -> None:
    assert instance(CAVE).render().splitlines()[:3] == ["1  .  P  G", "0 ^E  .  W", "   0  1  2"]


def test_a_plan() -> None:
    where = instance(CAVE)
    text = where.render(runner.solve(where, "ucs").plan)
    assert "plan (14 actions, cost 23): RIGHT MOVE SHOOT MOVE" in text
    there, back = text.split("to the gold:\n")[1].split("\nand back:\n")
    assert there.splitlines() == ["1  .  P  G", "0 →E *→ ↑W", "   0  1  2"]
    assert back.splitlines() == ["1  .  P ↓G", "0  E  ← ←W", "   0  1  2"]


def test_the_fallback_plan_has_no_path() -> None:
    where = instance(Cave((2, 1), (0, 0), "N", (1, 0), (0, 0), None, frozenset({(1, 0)})))
    assert "plan (1 actions, cost 1): CLIMB" in where.render(("CLIMB",))


def test_a_picture_shows_the_path() -> None:
    where = instance(CAVE)
    axes = Figure().add_subplot()
    where.picture(runner.solve(where, "ucs").plan)(axes)
    there, back = axes.lines
    assert [(round(x), round(y)) for x, y in there.get_xydata()][-1] == CAVE.gold
    assert [(round(x), round(y)) for x, y in back.get_xydata()][-1] == CAVE.exit
