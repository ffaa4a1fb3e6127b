"""Caves and plans as text and pictures."""

from __future__ import annotations

from pathlib import Path

import runner
from tests.caves import instance
from worlds.wumpus.render import picture
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


def test_resignation_needs_no_way() -> None:
    where = instance(Cave((2, 1), (0, 0), "N", (1, 0), (0, 0), None, frozenset({(1, 0)})))
    assert "plan (1 actions, cost 1): CLIMB" in where.render(("CLIMB",))


def test_a_picture_is_an_image(tmp_path: Path) -> None:
    where = instance(CAVE)
    picture(CAVE, runner.solve(where, "ucs").plan, tmp_path / "cave.png")
    assert (tmp_path / "cave.png").read_bytes().startswith(b"\x89PNG")
    picture(CAVE, None, tmp_path / "cave.svg")
    assert "<svg" in (tmp_path / "cave.svg").read_text(encoding="utf-8")
