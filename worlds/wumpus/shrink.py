"""Caves that are one step simpler than a given cave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worlds.wumpus.rules import STEP, Cave, Square


def smaller(cave: Cave) -> Iterator[Cave]:
    """Yield simpler caves, the largest steps first.

    A step removes a row or column, the wumpus, a pit or a block; moves the hunter, the gold or the wumpus one square
    closer to the exit; or turns the hunter to the north.
    """
    for axis in (0, 1):
        for line in range(cave.size[axis]):
            if cave.size[axis] > 1 and all(square[axis] != line for square in (cave.hunter, cave.gold, cave.exit)):
                yield _without_line(cave, axis, line)
    if cave.wumpus is not None:
        yield replace(cave, wumpus=None)
    for pit in sorted(cave.pits):
        yield replace(cave, pits=cave.pits - {pit})
    for block in sorted(cave.blocks):
        yield replace(cave, blocks=cave.blocks - {block})
    for square in _nearer(cave, cave.hunter):
        if square != cave.wumpus:
            yield replace(cave, hunter=square)
    for square in _nearer(cave, cave.gold):
        yield replace(cave, gold=square)
    if cave.facing != "N":
        yield replace(cave, facing="N")
    if cave.wumpus is not None:
        for square in _nearer(cave, cave.wumpus):
            if square != cave.hunter:
                yield replace(cave, wumpus=square)


def _without_line(cave: Cave, axis: int, line: int) -> Cave:
    """Return the cave without a column (axis 0) or row (axis 1) and without the pits, blocks and wumpus in it."""

    def moved(square: Square) -> Square:
        x, y = (square[k] - (k == axis and square[k] > line) for k in (0, 1))
        return x, y

    def kept(squares: frozenset[Square]) -> frozenset[Square]:
        return frozenset(moved(square) for square in squares if square[axis] != line)

    gone = cave.wumpus is None or cave.wumpus[axis] == line
    return Cave(
        size=(cave.size[0] - (axis == 0), cave.size[1] - (axis == 1)),
        hunter=moved(cave.hunter),
        facing=cave.facing,
        gold=moved(cave.gold),
        exit=moved(cave.exit),
        wumpus=None if gone or cave.wumpus is None else moved(cave.wumpus),
        pits=kept(cave.pits),
        blocks=kept(cave.blocks),
    )


def _nearer(cave: Cave, square: Square) -> Iterator[Square]:
    """Yield the open squares without a pit beside a square that are closer to the exit."""
    x, y = square
    for dx, dy in STEP.values():
        beside = x + dx, y + dy
        is_closer = _distance(beside, cave.exit) < _distance(square, cave.exit)
        if is_closer and cave.is_open(beside) and beside not in cave.pits:
            yield beside


def _distance(one: Square, other: Square) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])
