"""Rules of grid maps packed for the search engine.

A state takes one word: x, y, and x and y of the goal, in 16 bits each. With the goal in the state, all problems on a
map share one packed map, and a search allocates nothing of the size of the map.

Successors come in the order of `worlds.gridmap.rules.STEP`. Action codes are indices in it, so that code ^ 1 undoes a
straight move and 11 - code a diagonal one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worlds.compile import EXPAND, IS_GOAL, helper, kernel, trailing_zeros
from worlds.gridmap.rules import STEP, WATER, GridCell, GridMap
from worlds.interface import NUMBER, Words

MOVES = tuple(STEP)

# Layout of `constants`: a header; for each move, what it adds to a state, and its cost; for each terrain, the costs
# of a straight and of a diagonal step into it; from MASKS on, the possible moves from each cell, eight cells to a
# number; from TERRAINS on, if terrains have weights, the terrain of each cell, likewise.
WIDTH, HEIGHT, TERRAINS, LEAST_STRAIGHT, LEAST_DIAGONAL, ADDED = range(6)
COST = ADDED + 8
TERRAIN_COSTS = COST + 8
MASKS = TERRAIN_COSTS + 512

Bytes = NDArray[np.uint8]


@helper
def x_of(state):
    """Return x of the cell of a state."""
    return np.int64(state & np.uint64(0xFFFF))


@helper
def y_of(state):
    """Return y of the cell of a state."""
    return np.int64((state >> np.uint64(16)) & np.uint64(0xFFFF))


@helper
def goal_of(state):
    """Return the goal as a state whose own goal is (0, 0)."""
    return state >> np.uint64(32)


@helper
def goal_x_of(state):
    """Return x of the goal."""
    return np.int64((state >> np.uint64(32)) & np.uint64(0xFFFF))


@helper
def goal_y_of(state):
    """Return y of the goal."""
    return np.int64(state >> np.uint64(48))


@helper
def byte_of(constants, table, cell):
    """Return the byte of a cell in a table of the world."""
    return (constants[table + (cell >> 3)] >> ((cell & 7) << 3)) & 0xFF


@helper
def number_of(constants, state):
    """Return the number of the cell of a state, row by row."""
    return y_of(state) * constants[WIDTH] + x_of(state)


@helper
def moves_from(constants, cell):
    """Return the possible moves from a cell as bits: bit k is the move of code k."""
    return np.uint64(byte_of(constants, MASKS, cell))


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the possible moves."""
    state = states[at]
    moves = moves_from(constants, number_of(constants, state))
    n = 0
    while moves != 0:
        move = trailing_zeros(moves)
        moves &= moves - np.uint64(1)
        out[out_at + n] = state + np.uint64(constants[ADDED + move])
        cost[slot + n] = constants[COST + move]
        action[slot + n] = move
        n += 1
    return n


@kernel(EXPAND)
def expand_weighted(constants, states, at, out, out_at, cost, action, slot):
    """Write the possible moves; a step costs its length times the weight of the terrain that it enters."""
    state = states[at]
    moves = moves_from(constants, number_of(constants, state))
    n = 0
    while moves != 0:
        move = trailing_zeros(moves)
        moves &= moves - np.uint64(1)
        to = state + np.uint64(constants[ADDED + move])
        terrain = byte_of(constants, constants[TERRAINS], number_of(constants, to))
        out[out_at + n] = to
        cost[slot + n] = constants[TERRAIN_COSTS + 2 * terrain + (move >= 4)]
        action[slot + n] = move
        n += 1
    return n


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the cells from which a move leads here. Every move can be undone; its cost depends on this cell."""
    state = states[at]
    cell = number_of(constants, state)
    moves = moves_from(constants, cell)
    costs = np.int64(0)
    if constants[TERRAINS] != 0:
        costs = TERRAIN_COSTS + 2 * byte_of(constants, constants[TERRAINS], cell)
    n = 0
    while moves != 0:
        move = trailing_zeros(moves)
        moves &= moves - np.uint64(1)
        out[out_at + n] = state + np.uint64(constants[ADDED + move])
        cost[slot + n] = constants[costs + (move >= 4)] if costs != 0 else constants[COST + move]
        action[slot + n] = move ^ 1 if move < 4 else 11 - move
        n += 1
    return n


@kernel(NUMBER)
def cell_of(constants, states, at):
    """Return the number of the cell, row by row."""
    return number_of(constants, states[at])


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether the cell is the goal: the two halves of the word are equal."""
    return (states[at] & np.uint64(0xFFFFFFFF)) == (states[at] >> np.uint64(32))


def pack(cell: GridCell, goal: GridCell) -> Words:
    """Pack a state."""
    return np.array([cell[0] | cell[1] << 16 | goal[0] << 32 | goal[1] << 48], np.uint64)


def unpack(state: Sequence[int] | Words) -> GridCell:
    """Return the cell of a packed state."""
    word = int(state[0])
    return word & 0xFFFF, (word >> 16) & 0xFFFF


def constants_of(grid: GridMap) -> NDArray[np.int64]:
    """Return the packed map, in the layout above."""
    terrain = terrain_of(grid.rows)
    masks = _bytes_as_numbers(moves_of(grid, terrain))
    header = np.zeros(MASKS, np.int64)
    header[WIDTH], header[HEIGHT] = grid.width, grid.height
    header[ADDED:COST] = [dx + (dy << 16) for dx, dy in STEP.values()]
    costs = np.zeros((256, 2), np.int64)
    costs[[ord(terrain) for terrain in grid.costs]] = list(grid.costs.values())
    header[COST:TERRAIN_COSTS] = [costs[ord("."), int(dx != 0 and dy != 0)] for dx, dy in STEP.values()]
    header[LEAST_STRAIGHT : LEAST_DIAGONAL + 1] = costs[ord(".")]
    parts: list[NDArray[np.int64]] = [header, masks]
    if grid.weights:
        header[TERRAINS] = MASKS + masks.size
        header[TERRAIN_COSTS:MASKS] = costs.ravel()
        least = costs[np.unique(terrain[passable_cells(grid)])].min(axis=0, initial=costs.max())
        header[LEAST_STRAIGHT : LEAST_DIAGONAL + 1] = least
        parts.append(_bytes_as_numbers(terrain))
    return np.concatenate(parts)


def terrain_of(rows: Sequence[str]) -> Bytes:
    """Return the character codes of all cells of a map, shape (height, width)."""
    return np.frombuffer("".join(rows).encode("latin-1"), np.uint8).reshape(len(rows), -1)


def passable_cells(grid: GridMap) -> NDArray[np.bool_]:
    """Return for each cell whether one can stand on it, shape (height, width)."""
    return np.isin(terrain_of(grid.rows), np.frombuffer("".join(grid.passable).encode(), np.uint8))


def moves_of(grid: GridMap, terrain: Bytes) -> Bytes:
    """Return the possible moves from each cell as bits: bit k is the move of code k."""
    free = np.zeros((grid.height + 2, grid.width + 2), bool)
    free[1:-1, 1:-1] = passable_cells(grid)
    water = np.zeros_like(free)
    water[1:-1, 1:-1] = terrain == ord(WATER)

    def joined(dx: int, dy: int) -> NDArray[np.bool_]:
        """Return for each cell whether one can pass between it and the cell beside it."""
        ys, xs = slice(1 + dy, 1 + dy + grid.height), slice(1 + dx, 1 + dx + grid.width)
        here = slice(1, -1), slice(1, -1)
        both: NDArray[np.bool_] = free[here] & free[ys, xs] & (water[here] == water[ys, xs])
        return both

    masks = np.zeros(terrain.shape, np.uint8)
    for code, (dx, dy) in enumerate(STEP.values()):
        if dx and dy:
            if grid.diagonal is None:
                continue
            possible = joined(dx, dy) & joined(dx, 0) & joined(0, dy)
        else:
            possible = joined(dx, dy)
        masks |= possible.astype(np.uint8) << code
    return masks


def _bytes_as_numbers(table: Bytes) -> NDArray[np.int64]:
    """Return an array of bytes as int64, eight to a number, the first in the lowest bits."""
    flat = np.zeros(-(-table.size // 8) * 8, np.uint8)
    flat[: table.size] = table.ravel()
    return flat.view("<i8").astype(np.int64)
