"""Rules of Pacman's search problems in plain Python, and boards as text.

Pacman moves North, South, East or West to a square without a wall. There are no ghosts. The goal is to have entered all
targets: the food, or the four corners. Source of rules, problems and layouts: J. DeNero and D. Klein, "Teaching
introductory artificial intelligence with Pac-Man", EAAI 2010; http://ai.berkeley.edu.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from runner.base import line_error, read_text

Square = tuple[int, int]
"""x and y: (1, 1) is the lower left square inside of the walls, and y points North."""
Goals = Literal["food", "corners", "position"]
Costs = Literal["unit", "east", "west"]
STEP = {"North": (0, 1), "South": (0, -1), "East": (1, 0), "West": (-1, 0)}
"""Moves in the order of the successors."""
WALL, FOOD, PACMAN, EMPTY = "%.P "
IGNORED, MAX_SIDE = "oG0123456789", 256
"""Capsules and ghosts, which play no role; largest width and height."""


class PacmanState(NamedTuple):
    """A state: the square of Pacman, and the targets that he has not entered, in ascending order."""

    square: Square
    left: tuple[Square, ...]


@dataclass(frozen=True)
class PacmanMap:
    """A board with a wall around it, and Pacman on it: its rows from North to South, of ``% . P`` and blanks."""

    rows: tuple[str, ...]

    @classmethod
    def of(cls, size: tuple[int, int], free: Iterable[Square], pacman: Square, food: Iterable[Square]) -> PacmanMap:
        """Return the board of a width and a height with these squares, and walls elsewhere."""
        marks = {**dict.fromkeys(free, EMPTY), **dict.fromkeys(food, FOOD), pacman: PACMAN}
        across, down = range(size[0]), range(size[1] - 1, -1, -1)
        return cls(tuple("".join(marks.get((x, y), WALL) for x in across) for y in down))

    @property
    def size(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.rows)

    @cached_property
    def squares(self) -> dict[Square, str]:
        """The squares without a wall, and what is on each, in ascending order."""
        marks = ((x, y, mark) for y, row in enumerate(reversed(self.rows)) for x, mark in enumerate(row))
        return {(x, y): mark for x, y, mark in sorted(marks) if mark != WALL}

    @cached_property
    def pacman(self) -> Square:
        return next(square for square, mark in self.squares.items() if mark == PACMAN)

    def targets(self, problem: Goals) -> tuple[Square, ...]:
        """Return the squares that Pacman must enter, in ascending order."""
        if problem == "corners":
            right, top = self.size[0] - 2, self.size[1] - 2
            return tuple(sorted({(1, 1), (1, top), (right, 1), (right, top)}))
        return tuple(square for square, mark in self.squares.items() if mark == FOOD)

    def moves(self, square: Square) -> dict[str, Square]:
        """Return the moves from a square, with the squares to which they lead."""
        after = {move: (square[0] + east, square[1] + north) for move, (east, north) in STEP.items()}
        return {move: to for move, to in after.items() if to in self.squares}

    @cached_property
    def reachable(self) -> set[Square]:
        """The squares that Pacman can reach."""
        found, waiting = {self.pacman}, [self.pacman]
        for square in waiting:
            new = {*self.moves(square).values()} - found
            found |= new
            waiting += new
        return found


def load(path: Path) -> PacmanMap:
    """Read a layout. Blanks at the ends of lines, and empty lines at the end, do not count. May raise `UserError`."""
    lines = [line.rstrip() for line in read_text(path).rstrip().splitlines()] or [""]
    width, height, pacmans = len(lines[0]), len(lines), 0
    if not (3 <= width <= MAX_SIDE and 3 <= height <= MAX_SIDE):
        raise line_error(path, height, f"expected 3 to {MAX_SIDE} rows and columns, got {height} and {width}")
    for number, line in enumerate(lines, 1):
        edge, place = (line, "in all of") if number in (1, height) else (line[:1] + line[-1:], "at both ends of")
        pacmans += line.count(PACMAN)
        if unknown := line.strip(WALL + FOOD + PACMAN + EMPTY + IGNORED):
            raise line_error(path, number, f"unknown {unknown[0]!r}; choose from % . P blank, o (capsule), G (ghost)")
        if len(line) != width or edge.strip(WALL):
            expected = f"expected a wall (%) {place} {width} columns"
            raise line_error(path, number, f"{expected}, got {len(line)}: {line[:50]!r}")
        if pacmans != 1 if number == height else pacmans > 1:
            raise line_error(path, number, f"expected one Pacman (P), got {pacmans} so far")
    return PacmanMap(tuple(line.translate(dict.fromkeys(map(ord, IGNORED), EMPTY)) for line in lines))
