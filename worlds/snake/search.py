"""Rules packed for the search engine: a snake is a string of bits, in one to three words.

From the lowest bit: column and row of the head; one bit for each unit of candy, 1 if the unit is left; then, from an
even bit on, two bits for each cell of the body, with the move (its index in `MOVES`) that leads there from the cell
before. All other bits are 0. The length of the body is the number of units eaten, so it is not stored.

- The number of a cell is ``row << COLUMN_BITS | column``.
- The units of a candy are adjacent bits. The lowest is eaten first, so the highest tells whether some of it is left.
- Where a side is 2, both directions lead to the same cell. The body then has the code of L (or D) for both, so that
  equal snakes have equal bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, count_ones, helper, kernel
from worlds.interface import Words, to_number, to_words
from worlds.snake.rules import MOVES, STEP, Board, Snake, destination

# Layout of `constants`: a header; the cell to which each of the four moves leads from each cell (-1: none); the bits
# of the candy on each cell. At BACK + code is the code of the opposite move.
COLUMN_BITS, HEAD_BITS, UNITS, UNITS_MASK, BODY, WORDS, CANDY, END, BACK = range(9)
NEXT = BACK + len(MOVES)


@helper
def head_of(constants, states, at):
    """Return the cell of the head."""
    return np.int64(states[at]) & ((1 << constants[HEAD_BITS]) - 1)


@helper
def units_of(constants, states, at):
    """Return the bits of the units that are left, at their place in the first word."""
    return np.int64(states[at]) & constants[UNITS_MASK]


@helper
def length_of(constants, states, at):
    """Return the number of cells of the body."""
    return constants[UNITS] - count_ones(np.uint64(units_of(constants, states, at)))


@helper
def step_at(constants, states, at, index):
    """Return the code of the move that leads to cell number `index` of the body from the cell before it."""
    place = constants[BODY] + 2 * index
    return np.int64((states[at + (place >> 6)] >> np.uint64(place & 63)) & np.uint64(3))


@helper
def moves_until_eaten_again(constants, states, at, cell):
    """Return a lower bound of the moves until the snake eats from a cell on which it lies; 0 if it does not lie there.

    The move that eats is included. The whole body must have left the cell before, tail included, because the tail stays
    in the move that eats.
    """
    length = length_of(constants, states, at)
    current = head_of(constants, states, at)
    for index in range(length):
        if current == cell:
            return length + 2 - index
        current = constants[NEXT + 4 * current + step_at(constants, states, at, index)]
    return 2 if current == cell else 0


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors in the order L, R, D, U."""
    first = states[at]
    head, length = head_of(constants, states, at), length_of(constants, states, at)
    neighbours = NEXT + 4 * head
    left, right, down, up = (
        constants[neighbours],
        constants[neighbours + 1],
        constants[neighbours + 2],
        constants[neighbours + 3],
    )
    occupied, tail = 0, 0  # moves that lead to the body, and those that lead to the tail, as bits
    cell = head
    for index in range(length):
        cell = constants[NEXT + 4 * cell + step_at(constants, states, at, index)]
        tail = (cell == left) | (cell == right) << 1 | (cell == down) << 2 | (cell == up) << 3
        occupied |= tail
    if length > 1:
        occupied &= ~tail
    words, body = constants[WORDS], constants[BODY]
    n = 0
    for code in range(4):
        to = constants[neighbours + code]
        if to < 0 or (occupied >> code) & 1:
            continue
        candy = np.int64(first) & constants[constants[CANDY] + to]
        if candy != 0 and (tail >> code) & 1:
            continue
        new = out_at + n * words
        steps = (first >> np.uint64(body) << np.uint64(2)) | np.uint64(constants[BACK + code])
        units = (np.int64(first) & constants[UNITS_MASK]) ^ (candy & -candy)
        out[new] = np.uint64(units | to) | (steps << np.uint64(body))
        for i in range(1, words):
            out[new + i] = (states[at + i] << np.uint64(2)) | (states[at + i - 1] >> np.uint64(62))
        end = body + 2 * length
        if candy == 0 and end < 64 * words:
            out[new + (end >> 6)] &= ~(np.uint64(3) << np.uint64(end & 63))
        cost[slot + n] = 1
        action[slot + n] = code
        n += 1
    return n


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether nothing is left."""
    return units_of(constants, states, at) == 0


def bits_of_cell(board: Board) -> tuple[int, int]:
    """Return the number of bits of a column and that of a cell."""
    column_bits = (board.columns - 1).bit_length()
    return column_bits, column_bits + (board.rows - 1).bit_length()


def number_of(board: Board, cell: tuple[int, int]) -> int:
    """Return the number of a cell."""
    return cell[0] << bits_of_cell(board)[0] | cell[1]


def candy_bits(board: Board) -> list[int]:
    """Return the bits of the units of each candy."""
    masks, bit = [], bits_of_cell(board)[1]
    for candy in board.candies:
        masks.append(((1 << candy.capacity) - 1) << bit)
        bit += candy.capacity
    return masks


def first_body_bit(board: Board) -> int:
    """Return the bit at which the body begins."""
    bits = bits_of_cell(board)[1] + board.units
    return bits + bits % 2


def words_of(board: Board) -> int:
    """Return the number of words of a state."""
    return -(-(first_body_bit(board) + 2 * board.units) // 64) or 1


def body_codes(board: Board) -> list[list[int]]:
    """Return for each move the code of its direction in a body, and that of the opposite direction."""
    codes = [0, 0 if board.columns == 2 else 1, 2, 2 if board.rows == 2 else 3]
    return [[codes[code], codes[code ^ 1]] for code in range(len(MOVES))]


def constants_of(board: Board) -> NDArray[np.int64]:
    """Return everything that does not change during a search, in the layout above."""
    column_bits, head_bits = bits_of_cell(board)
    cells = np.arange(board.rows)[:, np.newaxis] << column_bits | np.arange(board.columns)
    neighbours = np.full((board.rows << column_bits, len(MOVES)), -1, np.int64)
    for code, move in enumerate(MOVES):
        down, right = STEP[move]
        beside = np.roll(cells, (-down, -right), axis=(0, 1))
        neighbours[cells, code] = np.where(beside == cells, -1, beside)
    candies = np.zeros(len(neighbours), np.int64)
    for candy, bits in zip(board.candies, candy_bits(board), strict=True):
        candies[number_of(board, candy.cell)] = bits
    candies_at = NEXT + neighbours.size
    header = [
        column_bits,
        head_bits,
        board.units,
        sum(candy_bits(board)),
        first_body_bit(board),
        words_of(board),
        candies_at,
        candies_at + candies.size,
    ]
    return np.concatenate([header, [back for _, back in body_codes(board)], neighbours.ravel(), candies])


def pack(board: Board, snake: Snake) -> Words:
    """Pack a snake.

    Raises
    ------
    ValueError
        If its body is not a chain of neighbouring cells.
    """
    number = number_of(board, snake.head)
    for bits, units in zip(candy_bits(board), snake.left, strict=True):
        number |= bits & ~(bits >> units)
    bit, before = first_body_bit(board), snake.head
    codes = dict(zip(MOVES, body_codes(board), strict=True))
    for cell in snake.body:
        found = [codes[move][0] for move in MOVES if destination(board, before, move) == cell]
        if not found:
            raise ValueError(f"{cell} is no neighbour of {before}")
        number |= found[0] << bit
        bit, before = bit + 2, cell
    return to_words(number, words_of(board))


def unpack(board: Board, state: Sequence[int] | Words) -> Snake:
    """Return the snake of a packed state: the inverse of `pack`."""
    number = to_number(state)
    column_bits, head_bits = bits_of_cell(board)
    cell = number & ((1 << head_bits) - 1)
    head = (cell >> column_bits, cell & ((1 << column_bits) - 1))
    left = tuple((number & bits).bit_count() for bits in candy_bits(board))
    steps, body, at = number >> first_body_bit(board), [], head
    for _ in range(board.units - sum(left)):
        to = destination(board, at, MOVES[steps & 3])
        assert to is not None
        body.append(to)
        at, steps = to, steps >> 2
    return Snake(head, tuple(body), left)
