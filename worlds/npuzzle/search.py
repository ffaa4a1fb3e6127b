"""Rules packed for the search engine: a board is a string of groups of bits.

- A board of at most 16 cells takes one word: 4 bits for the tile in each cell.
- A larger board takes groups of 5 to 7 bits, in as few words as possible, so a group may lie across two words. The
  first group is the cell of the blank. Then comes one group for each cell except the last, with the tile of that cell.
  The group of the blank's cell holds the tile of the last cell. So no cell has to be searched for.

Each kernel exists once for each of the two layouts. Successors come in the order U, L, R, D of the blank. The action
codes are 0 to 3 in this order, so that `3 - code` undoes a move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, Kernel, helper, kernel, trailing_zeros
from worlds.interface import Helper, Problem, Words, to_number, to_words
from worlds.npuzzle.rules import MOVES, STEP, Puzzle

# Layout of `constants`: a header, the table of `next_cells`, the packed goal.
CELLS, BITS, WORDS, NEXT = range(4)
MAX_ONE_WORD_BOARD = 16


@helper
def blank_in_word(states, at, constants):
    """Return the cell of the blank: the lowest 4-bit group that is zero."""
    word = states[at]
    occupied = word | (word >> np.uint64(1))
    occupied |= occupied >> np.uint64(2)
    return trailing_zeros(~occupied & np.uint64(0x1111111111111111)) >> 2


@helper
def tile_in_word(states, at, constants, cell):
    """Return the tile in a cell."""
    return np.int64((np.uint64(states[at]) >> np.uint64(4 * cell)) & np.uint64(15))


@helper
def copy_and_slide_in_word(states, at, out, out_at, constants, blank, cell, tile):
    """Write the state after a tile has moved from a cell to the blank."""
    moved = np.uint64(tile)
    out[out_at] = states[at] ^ (moved << np.uint64(4 * cell)) ^ (moved << np.uint64(4 * blank))


@helper
def read_group(states, at, bits, group):
    """Return the bits of a group, which may lie across two words."""
    first = group * bits
    word, shift = at + (first >> 6), first & 63
    value = np.uint64(states[word]) >> np.uint64(shift)
    if shift + bits > 64:
        value |= np.uint64(states[word + 1]) << np.uint64(64 - shift)
    return np.int64(value & np.uint64((1 << bits) - 1))


@helper
def flip_group(states, at, bits, group, flipped):
    """Flip some bits of a group."""
    first = group * bits
    word, shift = at + (first >> 6), first & 63
    states[word] ^= np.uint64(flipped) << np.uint64(shift)
    if shift + bits > 64:
        states[word + 1] ^= np.uint64(flipped) >> np.uint64(64 - shift)


@helper
def blank_in_words(states, at, constants):
    """Return the cell of the blank: the first group."""
    return np.int64(np.uint64(states[at]) & np.uint64((1 << constants[BITS]) - 1))


@helper
def tile_in_words(states, at, constants, cell):
    """Return the tile in a cell."""
    blank = blank_in_words(states, at, constants)
    if cell == blank:
        return np.int64(0)
    return read_group(states, at, constants[BITS], 1 + (blank if cell == constants[CELLS] - 1 else cell))


@helper
def copy_and_slide_in_words(states, at, out, out_at, constants, blank, cell, tile):
    """Write the state after a tile has moved from a cell to the blank."""
    bits, last = constants[BITS], constants[CELLS] - 1
    for i in range(constants[WORDS]):
        out[out_at + i] = states[at + i]
    flip_group(out, out_at, bits, 0, blank ^ cell)
    if blank != last and cell != last:
        exchanged = tile ^ read_group(states, at, bits, 1 + blank)
        flip_group(out, out_at, bits, 1 + blank, exchanged)
        flip_group(out, out_at, bits, 1 + cell, exchanged)


@helper
def tile_at(constants, states, at, cell):
    """Return the tile in a cell, for boards of any size."""
    if constants[CELLS] <= MAX_ONE_WORD_BOARD:
        return tile_in_word(states, at, constants, cell)
    return tile_in_words(states, at, constants, cell)


@helper
def blank_at(constants, states, at):
    """Return the cell of the blank, for boards of any size."""
    if constants[CELLS] <= MAX_ONE_WORD_BOARD:
        return blank_in_word(states, at, constants)
    return blank_in_words(states, at, constants)


@helper
def goal_tile(constants, cell):
    """Return the tile in a cell of the goal, for boards of any size."""
    return tile_at(constants, constants, NEXT + 4 * constants[CELLS], cell)


@dataclass(frozen=True)
class BoardLayout:
    """Layout of a packed board: the helpers through which kernels read and write it.

    Attributes
    ----------
    name : str
        Part of the names of kernels.
    blank : helper
        ``blank(states, at, world)`` returns the cell of the blank.
    tile : helper
        ``tile(states, at, world, cell)`` returns the tile in a cell.
    copy_and_slide : helper
        ``copy_and_slide(states, at, out, out_at, world, blank, cell, tile)`` writes a successor.
    """

    name: str
    blank: Helper
    tile: Helper
    copy_and_slide: Helper


ONE_WORD = BoardLayout("one_word", blank_in_word, tile_in_word, copy_and_slide_in_word)
SEVERAL_WORDS = BoardLayout("several_words", blank_in_words, tile_in_words, copy_and_slide_in_words)


def per_layout(make: Callable[[BoardLayout], Kernel]) -> dict[BoardLayout, Kernel]:
    """Return the kernels that a function makes for the two layouts."""
    return {layout: make(layout) for layout in (ONE_WORD, SEVERAL_WORDS)}


def layout_of(cells: int) -> BoardLayout:
    """Return the layout of a board with this number of cells."""
    return ONE_WORD if cells <= MAX_ONE_WORD_BOARD else SEVERAL_WORDS


def _expand(layout: BoardLayout, backward: bool) -> Kernel:
    blank_of, tile_of, copy_and_slide = layout.blank, layout.tile, layout.copy_and_slide

    def expand(constants, states, at, out, out_at, cost, action, slot):
        blank, words = blank_of(states, at, constants), constants[WORDS]
        n = 0
        for code in range(4):
            cell = constants[NEXT + 4 * blank + code]
            if cell >= 0:
                tile = tile_of(states, at, constants, cell)
                copy_and_slide(states, at, out, out_at + n * words, constants, blank, cell, tile)
                cost[slot + n] = 1
                action[slot + n] = 3 - code if backward else code
                n += 1
        return n

    expand.__qualname__ = f"{'predecessors' if backward else 'expand'}.{layout.name}"  # its own name in the disk cache
    return Kernel(expand, EXPAND)


EXPAND_KERNELS = per_layout(lambda layout: _expand(layout, backward=False))
PREDECESSORS = per_layout(lambda layout: _expand(layout, backward=True))


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether every word is that of the goal."""
    goal = NEXT + 4 * constants[CELLS]
    for i in range(constants[WORDS]):
        if np.int64(states[at + i]) != constants[goal + i]:
            return False
    return True


def bits_per_cell(cells: int) -> int:
    """Return 4 if the board takes one word, else the number of bits of the largest tile."""
    return 4 if cells <= MAX_ONE_WORD_BOARD else (cells - 1).bit_length()


def pack(board: Sequence[int]) -> Words:
    """Pack a board."""
    bits = bits_per_cell(len(board))
    number = sum(value << (bits * group) for group, value in enumerate(_groups(board)))
    return to_words(number, -(-bits * len(board) // 64))


def unpack(state: Sequence[int] | Words, cells: int) -> tuple[int, ...]:
    """Return the board of a packed state: the inverse of `pack`."""
    bits = bits_per_cell(cells)
    number = to_number(state)
    groups = [(number >> (bits * group)) & ((1 << bits) - 1) for group in range(cells)]
    if layout_of(cells) is ONE_WORD:
        return tuple(groups)
    blank, board = groups[0], [*groups[1:], 0]
    if blank < cells - 1:
        board[blank], board[-1] = 0, board[blank]
    return tuple(board)


def tiles_of(states: NDArray[np.uint64], cells: int) -> NDArray[np.int64]:
    """Return the tile in each cell of packed states, of shape (states, cells): `unpack` of many at once."""
    width = bits_per_cell(cells)
    bits = np.unpackbits(states.astype("<u8").view(np.uint8), axis=1, count=cells * width, bitorder="little")
    groups = bits.reshape(len(states), cells, width).astype(np.float32) @ np.exp2(np.arange(width, dtype=np.float32))
    tiles: NDArray[np.int64] = groups.astype(np.int64)
    if layout_of(cells) is SEVERAL_WORDS:
        each, blank = np.arange(len(states)), tiles[:, 0].copy()
        tiles = np.roll(tiles, -1, axis=1)
        tiles[:, -1] = 0
        tiles[each, -1] = tiles[each, blank]
        tiles[each, blank] = 0
    return tiles


def _groups(board: Sequence[int]) -> list[int]:
    """Return the values of the groups of bits."""
    if layout_of(len(board)) is ONE_WORD:
        return list(board)
    blank, groups = board.index(0), list(board[:-1])
    if blank < len(groups):
        groups[blank] = board[-1]
    return [blank, *groups]


def next_cells(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the cell to which each of the four moves takes the blank from each cell; -1 beyond the edge.

    Returns
    -------
    ndarray of int64, shape (cells, 4)
    """
    table = np.full((rows * columns, len(MOVES)), -1, np.int64)
    for cell in range(rows * columns):
        for code, move in enumerate(MOVES):
            row, column = cell // columns + STEP[move][0], cell % columns + STEP[move][1]
            if 0 <= row < rows and 0 <= column < columns:
                table[cell, code] = row * columns + column
    return table


def constants_of(puzzle: Puzzle) -> NDArray[np.int64]:
    """Return everything that does not change during a search, in the layout above."""
    cells = puzzle.rows * puzzle.columns
    goal = pack(puzzle.goal)
    header = [cells, bits_per_cell(cells), goal.size]
    return np.concatenate([header, next_cells(puzzle.rows, puzzle.columns).ravel(), goal.view(np.int64)])


def cells_of(problem: Problem) -> int:
    """Return the number of cells of a problem's board."""
    return int(problem.constants[CELLS])
