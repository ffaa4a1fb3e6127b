"""The rules for the search engine: states packed in one word, and the two formulations as compiled kernels.

A state is one uint64: the facing (N, E, S, W) in bits 0 and 1, then the flags below, and the square from bit 8 up. A
square is packed as y << 16 | x, so that no kernel divides.
The formulations `cardinal` (successors N, S, E, W, SHOOT) and `primitive` (MOVE, RIGHT, LEFT, SHOOT, GRAB, CLIMB)
have the same optimal cost. Successors are generated in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, helper, kernel
from worlds.interface import ActionName, Problem, Words
from worlds.wumpus import rules
from worlds.wumpus.rules import CLIMB, COST, FACINGS, GRAB, LEFT, MOVE, RIGHT, SHOOT, Cave, Play

Region = tuple[int, int, int, int]

HAS_GOLD, WUMPUS_DEAD, ARROW_USED, CLIMBED_OUT, DIED = 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6
SQUARE_SHIFT, ROW_SHIFT = 8, 16
COLUMN_MASK = (1 << ROW_SHIFT) - 1

# Layout of `constants`: a header (squares packed, -1 for no wumpus), then one code per square from GRID on, by rows.
WIDTH, HEIGHT, GOLD, EXIT, WUMPUS, PRUNING, REGION_LEFT, REGION_BOTTOM, REGION_RIGHT, REGION_TOP, GRID = range(11)
FREE, PIT, BLOCK, OUTSIDE = 0, 1, 2, 4
"""Codes of squares. OUTSIDE is added to squares that a heuristic prunes: walls to the hunter, but not to the arrow."""

PRUNINGS = ("none", "effective", "best")

# The code of a cardinal action is (turn * 3 + step) * 4 + epilogue.
TURNS = ((), (RIGHT,), (LEFT, LEFT), (LEFT,))
STEPS = ((), (MOVE,), (SHOOT,))
EPILOGUES = ((), (GRAB,), (CLIMB,), (GRAB, CLIMB))
CARDINAL_ACTIONS = tuple(turn + step + epilogue for turn in TURNS for step in STEPS for epilogue in EPILOGUES)
ACTIONS: dict[str, tuple[ActionName, ...]] = {"cardinal": CARDINAL_ACTIONS, "primitive": rules.ACTIONS}
LENGTHS = {
    "cardinal": np.array([len(names) for names in CARDINAL_ACTIONS], np.int64),
    "primitive": np.ones(len(rules.ACTIONS), np.int64),
}

_STAY, _WALK, _SHOT = range(3)
_GRAB, _CLIMB = 1, 2
_SHOT_COST = COST[SHOOT]


def pack_square(square: tuple[int, int]) -> int:
    """Return a square packed as one integer."""
    return square[1] << ROW_SHIFT | square[0]


@helper
def square_of(state):
    """Return the hunter's square, packed."""
    return np.int64(state >> np.uint64(SQUARE_SHIFT))


@helper
def column_of(square):
    """Return the x of a packed square."""
    return square & COLUMN_MASK


@helper
def row_of(square):
    """Return the y of a packed square."""
    return square >> ROW_SHIFT


@helper
def index_of(constants, square):
    """Return the number of a square, counted by rows."""
    return row_of(square) * constants[WIDTH] + column_of(square)


@helper
def code_at(constants, square):
    """Return the code (FREE, PIT, ...) of a square inside the cave."""
    return constants[GRID + index_of(constants, square)]


@helper
def facing_of(state):
    """Return the facing: 0 to 3 for N, E, S, W."""
    return np.int64(state & np.uint64(3))


@helper
def has(state, flag):
    """Return whether a flag of a state is set."""
    return (np.int64(state) & flag) != 0


@helper
def neighbour(constants, square, direction):
    """Return the next square in a direction (0 to 3 for N, E, S, W), or -1 beyond the edge."""
    if direction == 0:
        return square + (1 << ROW_SHIFT) if row_of(square) < constants[HEIGHT] - 1 else -1
    if direction == 1:
        return square + 1 if column_of(square) < constants[WIDTH] - 1 else -1
    if direction == 2:
        return square - (1 << ROW_SHIFT) if row_of(square) > 0 else -1
    return square - 1 if column_of(square) > 0 else -1


@helper
def is_passable(constants, square):
    """Return whether a square is inside the cave and no pit, no block and not pruned."""
    return square >= 0 and code_at(constants, square) == FREE


@helper
def line_of_fire(constants, square):
    """Return the direction in which an arrow from a square hits the wumpus, or -1. Blocks stop the arrow."""
    wumpus = constants[WUMPUS]
    if wumpus < 0 or wumpus == square:
        return -1
    if column_of(wumpus) == column_of(square):
        direction = 0 if wumpus > square else 2
    elif row_of(wumpus) == row_of(square):
        direction = 1 if wumpus > square else 3
    else:
        return -1
    at = square
    while at != wumpus:
        at = neighbour(constants, at, direction)
        if code_at(constants, at) & BLOCK:
            return -1
    return direction


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether the hunter has climbed out alive with the gold."""
    return (np.int64(states[at]) & (CLIMBED_OUT | HAS_GOLD | DIED)) == (CLIMBED_OUT | HAS_GOLD)


@helper
def arrive(constants, square, flags):
    """Return the epilogue of a cardinal action that ends on a square, and the flags after it.

    The epilogue is GRAB where the gold lies, and CLIMB at the exit if the hunter has the gold.
    """
    epilogue = 0
    if square == constants[GOLD] and (flags & HAS_GOLD) == 0:
        epilogue += _GRAB
        flags |= HAS_GOLD
    if square == constants[EXIT] and (flags & HAS_GOLD) != 0:
        epilogue += _CLIMB
        flags |= CLIMBED_OUT
    return epilogue, flags


@helper
def write_cardinal(square, flags, facing, turn, step, epilogue, out, out_at, cost, action, slot):
    """Write one cardinal successor; `turn` is the number of quarter turns to the right, 0 to 3."""
    out[out_at] = np.uint64((square << SQUARE_SHIFT) | flags | facing)
    turns = 1 if turn == 3 else turn
    steps = 0 if step == _STAY else (1 if step == _WALK else _SHOT_COST)
    epilogues = 0 if epilogue == 0 else (2 if epilogue == _GRAB + _CLIMB else 1)
    cost[slot] = turns + steps + epilogues
    action[slot] = (turn * 3 + step) * 4 + epilogue


@kernel(EXPAND)
def expand_cardinal(constants, states, at, out, out_at, cost, action, slot):
    """Generate the steps N, S, E and W with the fewest turns before them, then SHOOT.

    GRAB and CLIMB follow a step automatically. Where one is due in the start state, it is the only successor: delaying
    it never helps.
    """
    state = states[at]
    flags = np.int64(state) & (HAS_GOLD | WUMPUS_DEAD | ARROW_USED)
    if has(state, CLIMBED_OUT | DIED):
        return 0
    square, facing = square_of(state), facing_of(state)
    epilogue, after = arrive(constants, square, flags)
    if epilogue > 0:
        write_cardinal(square, after, facing, 0, _STAY, epilogue, out, out_at, cost, action, slot)
        return 1
    n = 0
    for direction in (0, 2, 1, 3):
        to = neighbour(constants, square, direction)
        if is_passable(constants, to) and (to != constants[WUMPUS] or (flags & WUMPUS_DEAD) != 0):
            epilogue, after = arrive(constants, to, flags)
            turn = (direction - facing) & 3
            write_cardinal(to, after, direction, turn, _WALK, epilogue, out, out_at + n, cost, action, slot + n)
            n += 1
    if (flags & (WUMPUS_DEAD | ARROW_USED)) == 0:
        direction = line_of_fire(constants, square)
        if direction >= 0:
            after = flags | WUMPUS_DEAD | ARROW_USED
            turn = (direction - facing) & 3
            write_cardinal(square, after, direction, turn, _SHOT, 0, out, out_at + n, cost, action, slot + n)
            n += 1
    return n


@helper
def write_primitive(constants, state, code, square, facing, flags, out, out_at, cost, action, slot):
    """Write one primitive successor, unless pruning omits it as without effect; return the number written (0 or 1)."""
    successor = np.uint64((square << SQUARE_SHIFT) | flags | facing)
    if successor == state and constants[PRUNING] > 0:
        return 0
    out[out_at] = successor
    cost[slot] = _SHOT_COST if code == 3 and not has(state, ARROW_USED) else 1
    action[slot] = code
    return 1


@kernel(EXPAND)
def expand_primitive(constants, states, at, out, out_at, cost, action, slot):
    """Generate MOVE, RIGHT, LEFT, SHOOT, GRAB and CLIMB in this order, without those that `pruning` omits."""
    state = states[at]
    if has(state, CLIMBED_OUT | DIED):
        return 0
    best = constants[PRUNING] == 2
    flags = np.int64(state) & (HAS_GOLD | WUMPUS_DEAD | ARROW_USED)
    square, facing = square_of(state), facing_of(state)
    to = neighbour(constants, square, facing)
    wumpus_ahead = to >= 0 and to == constants[WUMPUS] and (flags & WUMPUS_DEAD) == 0
    n = 0

    code = code_at(constants, to) if to >= 0 else BLOCK
    after = flags
    if code & (BLOCK | OUTSIDE):
        to = square
    elif code == PIT or wumpus_ahead:
        after |= DIED
    if not (best and code == PIT):
        n += write_primitive(constants, state, 0, to, facing, after, out, out_at, cost, action, slot)

    left = is_passable(constants, neighbour(constants, square, (facing + 3) & 3))
    right = is_passable(constants, neighbour(constants, square, (facing + 1) & 3))
    behind = is_passable(constants, neighbour(constants, square, (facing + 2) & 3))
    if not best or right or (behind and not left):
        turned = (facing + 1) & 3
        n += write_primitive(constants, state, 1, square, turned, flags, out, out_at + n, cost, action, slot + n)
    if not best or left:
        turned = (facing + 3) & 3
        n += write_primitive(constants, state, 2, square, turned, flags, out, out_at + n, cost, action, slot + n)

    if not best or (wumpus_ahead and (flags & ARROW_USED) == 0):
        after = flags | ARROW_USED
        if (flags & ARROW_USED) == 0 and line_of_fire(constants, square) == facing:
            after |= WUMPUS_DEAD
        n += write_primitive(constants, state, 3, square, facing, after, out, out_at + n, cost, action, slot + n)

    after = flags | HAS_GOLD if square == constants[GOLD] else flags
    if not best or after != flags:
        n += write_primitive(constants, state, 4, square, facing, after, out, out_at + n, cost, action, slot + n)

    after = flags | CLIMBED_OUT if square == constants[EXIT] else flags
    if not best or (flags & HAS_GOLD) != 0:
        n += write_primitive(constants, state, 5, square, facing, after, out, out_at + n, cost, action, slot + n)
    return n


def pack(play: Play) -> Words:
    """Pack a state. Its cost does not count."""
    flags = (
        (HAS_GOLD * play.has_gold)
        | (WUMPUS_DEAD * (not play.wumpus_alive))
        | (ARROW_USED * (not play.has_arrow))
        | (CLIMBED_OUT * play.climbed_out)
        | (DIED * (not play.alive))
    )
    return np.array([FACINGS.index(play.facing) | flags | pack_square(play.square) << SQUARE_SHIFT], np.uint64)


def unpack(words: Sequence[int] | Words) -> Play:
    """Return the state of a packed state, at cost 0."""
    word = int(words[0])
    square = word >> SQUARE_SHIFT
    return Play(
        square=(column_of(square), row_of(square)),
        facing=FACINGS[word & 3],
        has_gold=bool(word & HAS_GOLD),
        has_arrow=not word & ARROW_USED,
        wumpus_alive=not word & WUMPUS_DEAD,
        alive=not word & DIED,
        climbed_out=bool(word & CLIMBED_OUT),
    )


def constants_of(cave: Cave, pruning: str) -> NDArray[np.int64]:
    """Return everything that does not change during a search, in the layout above."""
    width, height = cave.size
    wumpus = -1 if cave.wumpus is None else pack_square(cave.wumpus)
    squares = [FREE] * (width * height)
    for x, y in cave.pits:
        squares[y * width + x] = PIT
    for x, y in cave.blocks:
        squares[y * width + x] = BLOCK
    header = (
        *(width, height, pack_square(cave.gold), pack_square(cave.exit), wumpus),
        *(PRUNINGS.index(pruning), 0, 0, width - 1, height - 1),
    )
    return np.array([*header, *squares], np.int64)


def start_square(problem: Problem) -> int:
    """Return the packed square of the start state."""
    return int(problem.initial[0]) >> SQUARE_SHIFT


def restrict(problem: Problem, region: Region) -> Problem:
    """Return the problem with the hunter confined to the rectangle (left, bottom, right, top), borders included."""
    left, bottom, right, top = region
    constants = problem.constants.copy()
    constants[REGION_LEFT : REGION_TOP + 1] = region
    grid = constants[GRID:].reshape(constants[HEIGHT], constants[WIDTH])
    inside = np.zeros(grid.shape, bool)
    inside[bottom : top + 1, left : right + 1] = True
    grid[~inside] |= OUTSIDE
    return replace(problem, constants=constants)
