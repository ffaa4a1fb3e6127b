"""Partitions of the tiles into disjoint groups, one for each pattern database of a sum."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import perm

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError, suggest
from worlds.npuzzle.rules import Puzzle

Pattern = tuple[int, ...]

MAX_BOARD = 64
MAX_PATTERN = 600_000_000
"""Largest number of placements of a group's tiles on the board; 8 tiles of the 15-puzzle have 518,918,400."""
MAX_GROUP = 9
"""Largest number of tiles in a group. Building a table tabulates their permutations: 120 MB for 9 tiles."""
AUTOMATIC_PATTERN = 8_000_000
"""Largest number of placements of a group that ``auto`` makes."""

# Groups as letters by goal cells, for a goal with the blank at the top left. 5-5-5, 7-8 and 6-6-6-6: Korf and Felner,
# "Disjoint pattern database heuristics", AI 134, 2002.
DRAWN = {
    (4, 4, "5-5-5"): ".aaa bbaa bbcc bccc",
    (4, 4, "6-6-3"): ".ccc aabb aabb aabb",
    (4, 4, "7-8"): ".aaa aaaa bbbb bbbb",
    (5, 5, "6-6-6-6"): ".aabb aaabb ccabb ccddd ccddd",
}


def partition(puzzle: Puzzle, chosen: str | int | Sequence[Sequence[int]]) -> list[Pattern]:
    """Return the groups of tiles that a parameter denotes.

    Parameters
    ----------
    puzzle : Puzzle
        Puzzle whose size and goal count.
    chosen : str, int or list of lists of int
        ``"auto"``, the sizes of the groups joined by ``-`` (an int for a single group), or the tiles of each group.

    Raises
    ------
    UserError
        If `chosen` is not a partition of the tiles, or a group is too large.
    """
    cells = len(puzzle.goal)
    if cells > MAX_BOARD:
        raise UserError(f"pattern_database: for boards of at most {MAX_BOARD} cells, this one has {cells}")
    groups = _named(puzzle, str(chosen)) if isinstance(chosen, (str, int)) else _listed(chosen, cells)
    for group in groups:
        if len(group) > MAX_GROUP:
            raise UserError(f"heuristic.partition: a group has at most {MAX_GROUP} tiles, this one {len(group)}")
        if perm(cells, len(group)) > MAX_PATTERN:
            raise UserError(
                f"heuristic.partition: a group of {len(group)} tiles has {perm(cells, len(group)):,} placements on "
                f"{cells} cells; at most {MAX_PATTERN:,} are supported"
            )
    return groups


def _named(puzzle: Puzzle, name: str) -> list[Pattern]:
    rows, columns, cells = puzzle.rows, puzzle.columns, len(puzzle.goal)
    sizes = _automatic_sizes(cells) if name == "auto" else _sizes(name, puzzle)
    drawn = DRAWN.get((rows, columns, name))
    corner = _to_the_top_left(puzzle)
    if drawn is not None and corner is not None:
        letters = drawn.replace(" ", "")
        wanted = sorted({*letters} - {"."})
        tiles = [[puzzle.goal[cell] for cell in range(cells) if letters[corner[cell]] == letter] for letter in wanted]
        return [tuple(group) for group in tiles]
    path = [*_neighbours_first(rows, columns)]
    if corner is not None:
        path = np.argsort(corner)[path].tolist()
    ordered = [puzzle.goal[cell] for cell in path if puzzle.goal[cell] != 0]
    ends = np.cumsum(sizes).tolist()
    return [tuple(sorted(ordered[end - size : end])) for size, end in zip(sizes, ends, strict=True)]


def _sizes(name: str, puzzle: Puzzle) -> list[int]:
    """Return the sizes of groups that a name denotes, checked."""
    tiles = len(puzzle.goal) - 1
    known = ["auto", *(drawn for *size, drawn in DRAWN if tuple(size) == (puzzle.rows, puzzle.columns))]
    if not re.fullmatch(r"[1-9]\d?(-[1-9]\d?)*", name):
        raise UserError(
            f"heuristic.partition: '{name}' is not a partition{suggest(name, known)}, or any sizes of groups such as "
            f"{'-'.join(map(str, _automatic_sizes(tiles + 1)))}, or lists of tiles"
        )
    sizes = [int(size) for size in name.split("-")]
    if sum(sizes) != tiles:
        raise UserError(
            f"heuristic.partition: '{name}' does not cover the board: {sum(sizes)} tiles of {tiles} "
            f"({puzzle.rows}x{puzzle.columns}); for example: {', '.join(known[1:]) or 'auto'}"
        )
    return sizes


def _listed(groups: Sequence[Sequence[int]], cells: int) -> list[Pattern]:
    seen: set[int] = set()
    for group in groups:
        for tile in group:
            if not 1 <= tile < cells:
                raise UserError(f"heuristic.partition: there is no tile {tile}; the tiles are 1 to {cells - 1}")
            if tile in seen:
                raise UserError(f"heuristic.partition: tile {tile} is listed twice; groups must be disjoint")
            seen.add(tile)
    missing = [tile for tile in range(1, cells) if tile not in seen]
    if missing or not all(groups):
        what = f"tile {missing[0]} is in no group" if missing else "a group is empty"
        raise UserError(f"heuristic.partition: does not cover the board: {what}")
    return [tuple(sorted(group)) for group in groups]


def _automatic_sizes(cells: int) -> list[int]:
    """Return sizes of at least two groups, all of the largest allowed size except the last."""
    tiles = cells - 1
    size = max(k for k in range(1, tiles + 1) if k == 1 or perm(cells, k) <= AUTOMATIC_PATTERN)
    size = min(size, -(-tiles // 2))
    return [size] * (tiles // size) + ([tiles % size] if tiles % size else [])


def _neighbours_first(rows: int, columns: int) -> Iterator[int]:
    """Yield all cells in pairs of rows, back and forth, so that consecutive cells are close to each other."""
    for number, top in enumerate(range(0, rows, 2)):
        for step in range(columns):
            column = step if number % 2 == 0 else columns - 1 - step
            yield from (row * columns + column for row in range(top, min(top + 2, rows)))


def _to_the_top_left(puzzle: Puzzle) -> NDArray[np.int64] | None:
    """Return a symmetry of the board that maps the blank's goal to the top left; None if it is in no corner."""
    blank = puzzle.goal.index(0)
    return next((s for s in symmetries(puzzle.rows, puzzle.columns) if s[blank] == 0), None)


def symmetries(rows: int, columns: int) -> list[NDArray[np.int64]]:
    """Return the maps of cells by the reflections and rotations of a board: 8 of a square, 4 of a rectangle."""
    grid = np.arange(rows * columns).reshape(rows, columns)
    kinds = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == columns:
        kinds += [kind.T for kind in kinds]
    return [np.argsort(kind.ravel()) for kind in kinds]


def reflection(puzzle: Puzzle) -> NDArray[np.int64] | None:
    """Return the reflection in the main diagonal; None if it changes the board's shape or the blank's goal."""
    if puzzle.rows != puzzle.columns:
        return None
    cells = np.arange(len(puzzle.goal)).reshape(puzzle.rows, puzzle.columns).T.ravel()
    blank = puzzle.goal.index(0)
    return cells if cells[blank] == blank else None
