"""Additive pattern databases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.in_place import InPlace, Moves
from heuristics.interface import TERM, UNREACHABLE, Heuristic, Term
from heuristics.npuzzle import pattern_store
from heuristics.npuzzle.manhattan import Manhattan
from heuristics.npuzzle.partitions import partition, reflection, symmetries
from heuristics.npuzzle.pattern_store import Pattern, Report
from heuristics.npuzzle.pattern_table import NEVER, geometry
from heuristics.npuzzle.tile_sum import board_of, code_between, destinations, puzzle_of
from runner.registry import register
from worlds.interface import Instance, Problem, Words
from worlds.kernel import Kernel, byte_at, count_ones, helper, int32_at
from worlds.npuzzle.instance import PuzzleInstance
from worlds.npuzzle.rules import Puzzle
from worlds.npuzzle.search import CELLS, NEXT, WORDS, Layout, layout_of, per_layout


@register("heuristic", "pattern_database", domain="npuzzle")
@dataclass(frozen=True)
class PatternDatabase(Heuristic):
    """The moves that groups of tiles need at least, added up over the groups.

    For each group a table holds the exact number of moves of its own tiles, for every placement of them and every
    region of cells where the blank may be, moves of all other tiles being free. (Cut off at 28 beyond the Manhattan
    distance, which changes none of the properties; the group of 8 of 7-8 reaches 20.) A move moves a tile of one group
    only, so the sum over disjoint groups never overestimates: admissible. It is consistent, because the table knows the
    blank's region: a move changes the distance of the moved tile's group by at most 1, and leaves the blank in the same
    region for the others. Source: Korf and Felner, "Disjoint pattern database heuristics", AI 134, 2002, who take the
    minimum over the regions; Felner, Korf and Hanan, "Additive pattern database heuristics", JAIR 22, 2004.

    Tables are built when they are first needed and kept in the user's cache directory. Those of a pattern, its
    reflections and rotations are the same.

    Attributes
    ----------
    partition : str, int or list of lists of int
        ``auto``, or the sizes of the groups joined by ``-`` (5-5-5, 6-6-3, 7-8 of the 15-puzzle and 6-6-6-6 of the
        24-puzzle as published), or the tiles of each group.
    reflect : bool
        Also add up the groups reflected in the main diagonal, and take the maximum. Means nothing on rectangles, and
        where the goal has the blank off that diagonal.
    """

    partition: str | int | list[list[int]] = "auto"
    reflect: bool = True

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Refuse a partition that does not fit the board."""
        assert isinstance(instance, PuzzleInstance)
        partition(instance.puzzle, self.partition)

    def build(self, instance: Instance, report: Report) -> None:
        """Build the tables that are not there yet."""
        assert isinstance(instance, PuzzleInstance)
        for groups in self._sums(instance.puzzle):
            for group in groups:
                pattern_store.ensure(group.pattern, report)

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        puzzle = puzzle_of(problem)
        lookups, keeps = self._lookups(puzzle)
        scratch = np.zeros(len(puzzle.goal), np.int64)
        params = np.concatenate([problem.world, lookups, scratch])
        return Term(
            _KERNELS[layout_of(len(puzzle.goal))], params, in_place=partial(_in_place, problem, lookups), keeps=keeps
        )

    def _sums(self, puzzle: Puzzle) -> list[list[_Group]]:
        """The groups of each sum of which the maximum is taken."""
        groups = [[puzzle.goal.index(tile) for tile in group] for group in partition(puzzle, self.partition)]
        sums = [groups]
        mirror = reflection(puzzle) if self.reflect else None
        if mirror is not None:
            reflected = [[int(mirror[cell]) for cell in group] for group in groups]
            if {frozenset(group) for group in reflected} != {frozenset(group) for group in groups}:
                sums.append(reflected)
        return [[_Group.of(puzzle, cells) for cells in groups] for groups in sums]

    def _lookups(self, puzzle: Puzzle) -> tuple[NDArray[np.int64], Any]:
        """What the kernels need to know of the tables, in the layout below, and what must be kept alive for it."""
        cells, sums = len(puzzle.goal), self._sums(puzzle)
        groups = [(number, group) for number, groups in enumerate(sums) for group in groups]
        distances = Manhattan().table(puzzle.rows, puzzle.columns, puzzle.goal).ravel()
        end = HEADER + len(groups) + len(sums) * cells + distances.size
        group_of, listed, records, keeps = np.zeros((len(sums), cells), np.int64), [], [], []
        for index, (number, group) in enumerate(groups):
            k = len(group.tiles)
            shape, table = geometry(puzzle.rows, puzzle.columns, k), pattern_store.table(group.pattern)
            binomials = end + RECORD + k
            addresses = [table.ctypes.data, shape.block_of.ctypes.data]
            head = [k, factorial(k), *addresses, binomials, binomials + shape.binomials.size, number, index]
            records.append(np.concatenate([head, group.tiles, shape.binomials.ravel(), group.cell_map]))
            keeps += [table, shape.block_of]
            listed.append(end)
            group_of[number, group.tiles] = end
            end += records[-1].size
        header = [cells, len(sums), len(groups), end - sum(r.size for r in records) - distances.size, end]
        return np.concatenate([header, listed, group_of.ravel(), distances, *records]), keeps


@dataclass(frozen=True)
class _Group:
    """The tiles of a group in the order of the table's cells, the table, and where in it each cell of the board is."""

    tiles: list[int]
    pattern: Pattern
    cell_map: NDArray[np.int64]

    @classmethod
    def of(cls, puzzle: Puzzle, cells: list[int]) -> _Group:
        """The group whose goals are the given cells; of all symmetric tables, the first."""
        blank = puzzle.goal.index(0)
        keys = [
            (int(symmetry[blank]), sorted(symmetry[cells].tolist()), number)
            for number, symmetry in enumerate(symmetries(puzzle.rows, puzzle.columns))
        ]
        to_blank, to_cells, number = min(keys)
        symmetry = symmetries(puzzle.rows, puzzle.columns)[number]
        tiles = [puzzle.goal[cell] for cell in sorted(cells, key=lambda cell: int(symmetry[cell]))]
        return cls(tiles, Pattern(puzzle.rows, puzzle.columns, tuple(to_cells), to_blank), symmetry)


# Layout of the lookups: a header; where the record of each group begins; for each sum and tile, where that of its group
# does; the Manhattan distance by tile and cell; the records. All places count from the beginning of the lookups.
BOARD_CELLS, SUMS, GROUPS, DISTANCES, END, HEADER = range(6)
# A record: sizes, two addresses, where its parts begin, and its place in a frame; the tiles, binomials and cell map.
K, ORDERS, TABLE, BLOCKS, BINOMIALS, CELL_MAP, SUM, INDEX, RECORD = range(9)


@helper
def excess(params, base, record, places, at, blank):
    """What the table of a group says of the tiles at `places` and the blank: half the moves beyond Manhattan's."""
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


def _term(layout: Layout) -> Kernel:
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
                total += UNREACHABLE if value == NEVER else value
            best = max(best, total)
            h[slot + k] += UNREACHABLE if best >= UNREACHABLE else manhattan + 2 * best
        return 0

    term.__qualname__ = f"pattern_database.{layout.name}"  # see `Kernel`
    return Kernel(term, TERM)


_KERNELS = per_layout(_term)


# In place: a frame holds the Manhattan distance, then each sum of excesses, then the excess of each group. Behind the
# tiles of the board is where each of them is; behind the lookups, where the blank can go.
@helper
def load(params, board, frames):
    """Look everything up."""
    cells, sums = params[BOARD_CELLS], params[SUMS]
    for cell in range(cells):
        frames[0] += params[params[DISTANCES] + board[cell] * cells + cell]
    for group in range(params[GROUPS]):
        record = params[HEADER + group]
        value = excess(params, 0, record, board, cells, np.int64(board[cells]))
        frames[1 + params[record + SUM]] += value
        frames[1 + sums + group] = value
    return 0


@helper
def destination(params, blank, move):
    """The cell where the blank goes by its move number `move`."""
    return params[params[END] + 5 * blank + move]


@helper
def exchange(params, board, blank, cell):
    """Move the tile in a cell to the blank."""
    tile = np.int64(board[cell])
    board[blank] = tile
    board[cell] = 0
    board[params[BOARD_CELLS] + tile] = blank
    board[params[BOARD_CELLS]] = cell


@helper
def estimate(params, board, frames, frame, h, blank, cell):
    """Look up the groups of the tile that moves, one for each sum."""
    cells, sums = params[BOARD_CELLS], params[SUMS]
    size = 1 + sums + params[GROUPS]
    following = frame + size
    for i in range(size):
        frames[following + i] = frames[frame + i]
    tile = np.int64(board[cell])
    distances = params[DISTANCES] + tile * cells
    frames[following] += params[distances + blank] - params[distances + cell]
    board[cells + tile] = blank
    best = np.int64(0)
    for number in range(sums):
        record = params[HEADER + params[GROUPS] + number * cells + tile]
        value = excess(params, 0, record, board, cells, cell)
        at = following + 1 + sums + params[record + INDEX]
        frames[following + 1 + number] += value - frames[at]
        frames[at] = value
        best = max(best, np.int64(frames[following + 1 + number]))
    board[cells + tile] = cell
    return frames[following] + 2 * best


MOVES = Moves("pattern_database", load, destination, estimate, exchange)


def _in_place(problem: Problem, lookups: NDArray[np.int64]) -> InPlace:
    params = np.concatenate([lookups, destinations(problem).ravel()])
    return InPlace(MOVES, params, _board_and_places, code_between, 1 + int(lookups[SUMS] + lookups[GROUPS]))


def _board_and_places(problem: Problem, state: Words) -> tuple[NDArray[np.int32], int]:
    """The tiles by cells, and behind them the cells by tiles."""
    board, blank = board_of(problem, state)
    return np.concatenate([board, np.argsort(board).astype(np.int32)]), blank
