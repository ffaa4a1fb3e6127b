"""Additive pattern databases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.npuzzle import pattern_store
from heuristics.npuzzle.manhattan import Manhattan
from heuristics.npuzzle.partitions import partition, reflection, symmetries
from heuristics.npuzzle.pattern_store import TilePattern
from heuristics.npuzzle.pattern_table import NO_EXCESS, geometry
from heuristics.npuzzle.tile_sum import puzzle_of
from heuristics.tables import Report
from worlds.compile import Kernel, byte_at, count_ones, helper, int32_at, kernel
from worlds.interface import InPlaceTerm, Instance, Problem
from worlds.npuzzle.rules import Board, Puzzle
from worlds.npuzzle.search import CELLS, NEXT, WORDS, BoardLayout, layout_of, per_layout
from worlds.npuzzle.world import PuzzleWorld


@HEURISTICS.register("pattern_database", domain="npuzzle")
@dataclass(frozen=True)
class PatternDatabase(Heuristic):
    """Sum over groups of tiles: the fewest moves of its own tiles that each group needs.

    Each group has a table. It holds the exact number of moves of the group's tiles, if moves of all other tiles are
    free, for every placement of the group and every region of free cells that may contain the blank. Values are cut off
    at 28 beyond the Manhattan distance, which changes none of the properties; the group of 8 tiles in 7-8 reaches 20.

    Admissible: a move moves a tile of one group only, so the sum over disjoint groups never overestimates. Consistent:
    a move changes the distance of the moved tile's group by at most 1, and for every other group the blank stays in its
    region. Source: Felner, Korf and Hanan, "Additive pattern database heuristics", JAIR 22, 2004. With `regions=false`:
    Korf and Felner, "Disjoint pattern database heuristics", AI 134, 2002.

    Tables are built on first use and stored in the user's cache directory. A pattern shares its table with its
    reflections and rotations.

    Attributes
    ----------
    partition : str, int or list of lists of int
        ``auto``; or the sizes of the groups joined by ``-`` (5-5-5, 6-6-3, 7-8 of the 15-puzzle and 6-6-6-6 of the
        24-puzzle as published); or the tiles of each group.
    reflect : bool
        Also add up the groups reflected in the main diagonal, and take the maximum of both sums. No effect on
        rectangles, or if the blank's goal is not on that diagonal.
    regions : bool
        Whether values depend on the region of the blank. Otherwise they are the minimum over the regions, as in most
        published tables: admissible, but neither consistent nor as large.
    """

    partition: str | int | list[list[int]] = "auto"
    reflect: bool = True
    regions: bool = True

    admissible = True

    @property
    def consistent(self) -> bool:
        """Whether it distinguishes the regions of the blank."""
        return self.regions

    def check(self, instance: Instance) -> None:
        """Raise `UserError` for a partition that does not fit the board."""
        assert isinstance(instance.world, PuzzleWorld)
        partition(instance.world.puzzle, self.partition)

    def build(self, instance: Instance, report: Report) -> None:
        """Build the tables that do not exist yet."""
        assert isinstance(instance.world, PuzzleWorld)
        for groups in self._sums(instance.world.puzzle):
            for group in groups:
                pattern_store.ensure(group.pattern, report)

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        puzzle = puzzle_of(problem)
        params, lookups, keepalive = self._params(problem, puzzle)
        in_place = partial(_in_place, lookups, puzzle.board)
        return Term(_KERNELS[layout_of(len(puzzle.goal))], params, in_place=in_place, keepalive=keepalive)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the packed world, with the start board as the goal. Its blank may need tables of its own."""
        puzzle = puzzle_of(problem)
        params, _, keepalive = self._params(problem, replace(puzzle, goal=puzzle.board))
        return Term(_KERNELS[layout_of(len(puzzle.goal))], params, keepalive=keepalive)

    def _params(self, problem: Problem, puzzle: Puzzle) -> tuple[NDArray[np.int64], NDArray[np.int64], Any]:
        """Return the parameters of the kernel, the lookups among them, and the arrays whose addresses they contain."""
        lookups, keepalive = self._lookups(puzzle)
        scratch = np.zeros(len(puzzle.goal), np.int64)
        return np.concatenate([problem.constants, lookups, scratch]), lookups, keepalive

    def _sums(self, puzzle: Puzzle) -> list[list[_TileGroup]]:
        """Return the groups of each sum. The heuristic value is the maximum of the sums."""
        groups = [[puzzle.goal.index(tile) for tile in group] for group in partition(puzzle, self.partition)]
        sums = [groups]
        mirror = reflection(puzzle) if self.reflect else None
        if mirror is not None:
            reflected = [[int(mirror[cell]) for cell in group] for group in groups]
            if {frozenset(group) for group in reflected} != {frozenset(group) for group in groups}:
                sums.append(reflected)
        return [[_TileGroup.of(puzzle, cells, self.regions) for cells in groups] for groups in sums]

    def _lookups(self, puzzle: Puzzle) -> tuple[NDArray[np.int64], Any]:
        """Return the parameters of the kernels, in the layout below, and the arrays whose addresses they contain."""
        cells, sums = len(puzzle.goal), self._sums(puzzle)
        groups = [(number, group) for number, groups in enumerate(sums) for group in groups]
        distances = Manhattan().table(puzzle.rows, puzzle.columns, puzzle.goal).ravel()
        end = HEADER + len(groups) + len(sums) * cells + distances.size
        group_of, listed, records, keepalive = np.zeros((len(sums), cells), np.int64), [], [], []
        for index, (number, group) in enumerate(groups):
            k = len(group.tiles)
            shape, table = geometry(puzzle.rows, puzzle.columns, k), pattern_store.table(group.pattern)
            binomials = end + RECORD + k
            addresses = [table.ctypes.data, shape.block_of.ctypes.data]
            head = [k, factorial(k), *addresses, binomials, binomials + shape.binomials.size, number, index]
            records.append(np.concatenate([head, group.tiles, shape.binomials.ravel(), group.cell_map]))
            keepalive += [table, shape.block_of]
            listed.append(end)
            group_of[number, group.tiles] = end
            end += records[-1].size
        header = [cells, len(sums), len(groups), end - sum(r.size for r in records) - distances.size, end]
        return np.concatenate([header, listed, group_of.ravel(), distances, *records]), keepalive


@dataclass(frozen=True)
class _TileGroup:
    """Group of tiles.

    Attributes
    ----------
    tiles : list of int
        Tiles in the order of the pattern's cells.
    pattern : Pattern
        Pattern of the table.
    cell_map : ndarray of int64
        Cell of the pattern's board for each cell of the board.
    """

    tiles: list[int]
    pattern: TilePattern
    cell_map: NDArray[np.int64]

    @classmethod
    def of(cls, puzzle: Puzzle, cells: list[int], regions: bool) -> _TileGroup:
        """Return the group whose goals are the given cells, with the first of all symmetric patterns."""
        blank = puzzle.goal.index(0)
        maps = symmetries(puzzle.rows, puzzle.columns)
        symmetry = min(maps, key=lambda to: (int(to[blank]), sorted(to[cells].tolist())))
        to_blank, to_cells = int(symmetry[blank]), sorted(symmetry[cells].tolist())
        tiles = [puzzle.goal[cell] for cell in sorted(cells, key=lambda cell: int(symmetry[cell]))]
        return cls(tiles, TilePattern(puzzle.rows, puzzle.columns, tuple(to_cells), to_blank, regions), symmetry)


# Layout of the lookups: a header; the place of each group's record; for each sum and tile, the place of its group's
# record; the Manhattan distance by tile and cell; the records. Places count from the beginning of the lookups.
BOARD_CELLS, SUMS, GROUPS, DISTANCES, END, HEADER = range(6)
# A record: sizes, two addresses, the places of its parts, its sum and index; then the tiles, binomials and cell map.
K, ORDERS, TABLE, BLOCKS, BINOMIALS, CELL_MAP, SUM, INDEX, RECORD = range(9)


@helper
def excess(params, base, record, places, at, blank):
    """Look up the excess of a group, with its tiles at `places`: half its moves beyond the Manhattan distance."""
    k, cells = params[record + K], params[base + BOARD_CELLS]
    binomials, cell_map = base + params[record + BINOMIALS], base + params[record + CELL_MAP]
    occupied = np.uint64(0)
    for i in range(k):
        cell = params[cell_map + places[at + params[record + RECORD + i]]]
        occupied |= np.uint64(1) << np.uint64(cell)
    later = occupied
    rank = order = np.int64(0)
    for i in range(k):
        cell = params[cell_map + places[at + params[record + RECORD + i]]]
        bit = np.uint64(1) << np.uint64(cell)
        rank += params[binomials + cell * (k + 1) + count_ones(occupied & (bit - np.uint64(1))) + 1]
        later ^= bit
        order = order * (k - i) + count_ones(later & (bit - np.uint64(1)))
    block = int32_at(params[record + BLOCKS], rank * cells + params[cell_map + blank])
    index = block * params[record + ORDERS] + order
    return (byte_at(params[record + TABLE], index >> 1) >> (4 * (index & 1))) & 15


def _term(layout: BoardLayout) -> Kernel:
    tile_of = layout.tile

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        cells, words = params[CELLS], params[WORDS]
        base = NEXT + 4 * cells + words
        places, distances = base + params[base + END], base + params[base + DISTANCES]
        for k in range(n):
            manhattan = np.int64(0)
            for cell in range(cells):
                tile = tile_of(out, out_at + k * words, params, cell)
                params[places + tile] = cell
                manhattan += params[distances + tile * cells + cell]
            best = total = number = np.int64(0)
            for group in range(params[base + GROUPS]):
                record = base + params[base + HEADER + group]
                if params[record + SUM] != number:
                    number = params[record + SUM]
                    best, total = max(best, total), np.int64(0)
                value = excess(params, base, record, params, places, params[places])
                total += UNREACHABLE if value == NO_EXCESS else value
            best = max(best, total)
            h[slot + k] += manhattan + 2 * best
        return 0

    term.__qualname__ = f"pattern_database.{layout.name}"  # its own name in the disk cache
    return Kernel(term, TERM)


_KERNELS = per_layout(_term)


# In place: a frame holds the Manhattan distance, the sums of excesses, and the excess of each group.
@kernel("int64(int64[::1], int64[::1], int32[::1])")
def fill_frame(table, places, frame):
    """Look up the Manhattan distance and the excesses of a board, given as the cell of each tile."""
    cells, sums = table[BOARD_CELLS], table[SUMS]
    for tile in range(cells):
        frame[0] += table[table[DISTANCES] + tile * cells + places[tile]]
    for group in range(table[GROUPS]):
        record = table[HEADER + group]
        value = excess(table, 0, record, places, 0, places[0])
        frame[1 + table[record + SUM]] += value
        frame[1 + sums + group] = value
    return 0


@helper
def change_by_groups(table, board, blank, cell, entry, frames, parent, child, enough):
    """Look up the groups of the moving tile, one for each sum, and return the change of the value."""
    cells, sums, tile = table[BOARD_CELLS], table[SUMS], np.int64(board[cell])
    for i in range(1 + sums + table[GROUPS]):
        frames[child + i] = frames[parent + i]
    distances = table[DISTANCES] + tile * cells
    frames[child] += table[distances + blank] - table[distances + cell]
    board[cells + tile] = blank
    best = best_before = np.int64(0)
    for number in range(sums):
        record = table[HEADER + table[GROUPS] + number * cells + tile]
        value = excess(table, 0, record, board, cells, cell)
        at = child + 1 + sums + table[record + INDEX]
        frames[child + 1 + number] += value - frames[at]
        frames[at] = value
        best = max(best, np.int64(frames[child + 1 + number]))
        best_before = max(best_before, np.int64(frames[parent + 1 + number]))
    board[cells + tile] = cell
    return np.int64(frames[child]) - frames[parent] + 2 * (best - best_before)


def _in_place(lookups: NDArray[np.int64], board: Board) -> InPlaceTerm:
    frame = np.zeros(1 + int(lookups[SUMS] + lookups[GROUPS]), np.int32)
    fill_frame.compiled(lookups, np.argsort(board), frame)
    return InPlaceTerm(change_by_groups, lookups, frame)
