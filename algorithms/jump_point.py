"""Jump point search on grid maps: best-first search whose kernel of successors scans for jump points.

The rules are those of jump point search without cutting corners (Harabor and Grastien, AAAI 2011). Of the paths with
equal costs, those with the diagonal moves first are followed. So after a straight move only the same move remains, and
beside an obstacle that has just been passed, the turns to its side. After a diagonal move, the same move and its two
straight parts remain.

A straight scan stops at a cell with such a turn, or at the last cell before an obstacle. One bit per cell and direction
tells where scans stop. The bits of a line of cells are consecutive, so that a scan looks at up to 64 cells at once
(Harabor and Grastien, ICAPS 2014). With preprocessing, there are such bits for the diagonal directions, too: a diagonal
scan stops where a straight scan in one of its parts finds a turn, or at the last cell before an obstacle.

Everything is derived from the possible moves from each cell, so that water and ground stay apart. Moves have the codes
of `worlds.gridmap.search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from algorithms.best_first.best_first import AStar, BestFirstSearch, Priority
from algorithms.engine import FIELD_WORDS, MOVE, PARENT
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS
from heuristics.interface import BoundStack, Weighting
from runner.base import Incompatible
from worlds.compile import EXPAND, as_index, helper, kernel, trailing_zeros
from worlds.gridmap.rules import STEP
from worlds.gridmap.search import MASKS, WIDTH, byte_of, goal_x_of, goal_y_of, unpack, x_of, y_of
from worlds.gridmap.world import GridWorld, SharedMap
from worlds.interface import Instance, Problem

# Layout of a map: its width (at 0, as in the packed map, so that cells have the same numbers); per move, dx and dy; per
# move, the number of the bit of the cell (0, 0), and what x and y add to it, so that a move adds 1 (the number is 0 for
# moves without bits); the costs of a straight and of a diagonal step; per move and set of possible moves, the natural
# moves, eight to a number; from MOVES on, the possible moves from each cell, likewise; then the bits.
DX, DY, FIRST_BIT, BIT_X, BIT_Y = range(WIDTH + 1, WIDTH + 41, 8)
STRAIGHT_COST, DIAGONAL_COST, NATURAL = 41, 42, 43
MOVES = NATURAL + 8 * 256 // 8

_STEPS = tuple(STEP.values())
_CODES = {step: code for code, step in enumerate(_STEPS)}
_KEPT_MAPS = 16
"""Number of maps that stay in memory."""


@ALGORITHMS.register("jps")
@dataclass(frozen=True)
class JumpPoint(AStar):
    """Jump point search: A* on a grid map that skips the cells between jump points (Harabor and Grastien 2011).

    Of the paths with equal costs, it follows those with the diagonal moves first. So it scans the map in straight and
    diagonal lines for jump points: the goal, cells where such a path may turn beside an obstacle, and cells on a
    diagonal from which a straight scan finds one of these. Only jump points are nodes, and `expanded` and `generated`
    count them, not cells. A straight scan looks at up to 64 cells at once (Harabor and Grastien 2014).
    Corners are not cut. Water and ground are not joined.

    Complete. Optimal if the heuristic is admissible, and either `reopen` is on or the heuristic is consistent. Proof: a
    scan reaches a cell v of an optimal path at its distance g(v) from the start, or a node of such a path is open with
    its distance. Otherwise let v be the first such cell that no scan reaches at g(v), and u the cell before it. A scan
    reaches u at g(u), and v is pruned there: a path around u is cheaper, which is impossible, or it costs the same, the
    move to u is straight and the one to v diagonal. Exchange these two moves. The path now enters v from another cell
    by a straight move, which is pruned there only if v can be reached more cheaply: a contradiction.

    It refuses other worlds, maps with four directions, maps with weights, and diagonal steps that cost as much as
    one or two straight ones.

    Attributes
    ----------
    preprocess : bool
        Compute once per map on which cells diagonal scans stop, so that they look at up to 64 cells at once, too (as in
        JPS+, Harabor and Grastien 2014, but with bits instead of distances). Paths and counts are the same.
    """

    uses_weighting = False

    preprocess: bool = False

    def check(self, instance: Instance) -> None:
        """Refuse all but grid maps with eight directions and without weights."""
        if not isinstance(instance.world, GridWorld):
            raise Incompatible(
                f"algorithm: jps searches grid maps only, not {instance.world.domain}; "
                "choose a world such as gridmap/random, or another algorithm such as astar"
            )
        if not instance.world.grid.diagonal:
            raise Incompatible("algorithm: jps needs diagonal moves; set world.directions=8, or choose algorithm=astar")
        if instance.world.grid.weights:
            raise Incompatible(
                "algorithm: jps needs the same costs in all cells; leave out world.weights, or choose algorithm=astar"
            )
        straight, diagonal = instance.world.grid.costs["."]
        if not straight < diagonal < 2 * straight:
            raise Incompatible(
                "algorithm: jps needs diagonal steps that cost more than one straight step and less than two; "
                "change world.diagonal, or choose algorithm=astar"
            )

    def start(self, stack: BoundStack, weighting: Weighting | None) -> JumpPointSearch:
        """Start with f = g + h."""
        return JumpPointSearch(stack, Priority(ties=self.ties, reopen=self.reopen, seed=self.seed), self.preprocess)


class JumpPointSearch(BestFirstSearch):
    """Jump point search in progress.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to a problem on a grid map with eight directions and without weights.
    priority : Priority
        Order of the open list.
    preprocess : bool
        Look at up to 64 cells at once in diagonal scans, too.
    """

    def __init__(self, stack: BoundStack, priority: Priority, preprocess: bool) -> None:
        problem = stack.problem
        assert isinstance(problem.world, GridWorld)
        jumps = Problem(
            instance=problem.instance,
            constants=jump_point_map(problem.world.shared, preprocess),
            initial=problem.initial,
            max_successors=problem.max_successors,
            action_lengths=problem.action_lengths,
            expand=expand_jump_points,
            is_goal=problem.is_goal,
            numbering=problem.numbering,
        )
        super().__init__(BoundStack(stack.stack, jumps, stack.bound_terms), priority)

    def path(self) -> list[int]:
        """Return the codes of the single moves from the start to the goal."""
        return self._moves(int(self._control[c.GOAL]))

    def _path_cost(self, node: int, backward: bool = False) -> int:
        straight, diagonal = self._problem.constants[STRAIGHT_COST : DIAGONAL_COST + 1]
        return sum(int(straight if move < 4 else diagonal) for move in self._moves(node))

    def _moves(self, node: int) -> list[int]:
        """Return the codes of the single moves from the start to a node: that of each jump, repeated."""
        nodes, moves = self._nodes, list[int]()
        x, y = unpack(nodes.state(node))
        while (parent := nodes.field(node, PARENT)) != node:
            from_x, from_y = unpack(nodes.state(parent))
            moves += [nodes.action(node)] * max(abs(x - from_x), abs(y - from_y))
            node, x, y = parent, from_x, from_y
        return moves[::-1]


def natural_moves(move: int, possible: int) -> int:
    """Return the moves to follow after a move, as bits, in a cell with these possible moves.

    After a straight move, one can turn to a side if one could not have moved there diagonally from the cell before.
    """
    dx, dy = _STEPS[move]
    if dx and dy:
        return possible & (1 << move | 1 << _CODES[dx, 0] | 1 << _CODES[0, dy])
    natural = 1 << move
    for side_x, side_y in ((dy, dx), (-dy, -dx)):
        side, back = _CODES[side_x, side_y], _CODES[side_x - dx, side_y - dy]
        if possible >> side & 1 and not possible >> back & 1:
            natural |= 1 << side | 1 << _CODES[side_x + dx, side_y + dy]
    return possible & natural


_NATURAL = np.array([[natural_moves(move, possible) for possible in range(256)] for move in range(8)], np.uint8)


@lru_cache(_KEPT_MAPS)
def jump_point_map(shared: SharedMap, preprocess: bool) -> NDArray[np.int64]:
    """Return a map in the layout above, with the bits of the straight moves, or of all moves with `preprocess`.

    For a map of w x h cells, it takes 1.5 w h bytes. Preprocessing adds w (w + h) / 2 bytes.
    """
    width, height = shared.grid.width, shared.grid.height
    moves = shared.packed[MASKS:]
    header = np.zeros(MOVES, np.int64)
    header[WIDTH] = width
    header[STRAIGHT_COST], header[DIAGONAL_COST] = shared.grid.costs["."]
    header[DX : DX + 8], header[DY : DY + 8] = zip(*_STEPS, strict=True)
    header[NATURAL:MOVES] = _NATURAL.reshape(-1).view("<i8")
    size = MOVES + moves.size
    for move in range(8 if preprocess else 4):
        first, per_x, per_y, bits = _lines(width, height, move)
        header[FIRST_BIT + move], header[BIT_X + move], header[BIT_Y + move] = 64 * size + first, per_x, per_y
        size += -(-bits // 64)
    if 64 * size >= 1 << 31:
        raise ValueError(f"a map of {width} x {height} cells is too large for jump point search")
    constants = np.concatenate([header, moves, np.zeros(size - MOVES - moves.size, np.int64)])
    mark_stops.compiled(constants, height)
    return constants


def _lines(width: int, height: int, move: int) -> tuple[int, int, int, int]:
    """Return the number of the bit of the cell (0, 0), what x and y add to it, and the number of bits."""
    dx, dy = _STEPS[move]
    if dx == 0:
        return (0 if dy > 0 else height - 1), height, dy, width * height
    first = 0 if dx > 0 else width - 1
    if dy == 0:
        return first, dx, width, width * height
    # A diagonal is a line of `width` bits. Its number is x + y, or x - y + height - 1.
    if dx == dy:
        return first + width * (height - 1), width + dx, -width, width * (width + height - 1)
    return first, width + dx, width, width * (width + height - 1)


@kernel("int64(int64[::1], int64)")
def mark_stops(constants, height):
    """Set the bits of all cells in which scans stop."""
    width = constants[WIDTH]
    for move in range(8):
        if constants[FIRST_BIT + move] == 0:
            continue
        for y in range(height):
            for x in range(width):
                stops = possible_moves(constants, x, y) >> move & 1 == 0
                if move < 4:
                    stops |= has_turn(constants, x, y, move)
                else:
                    stops |= finds_turn(constants, x, y, horizontal_part(constants, move))
                    stops |= finds_turn(constants, x, y, vertical_part(constants, move))
                bit = bit_of(constants, x, y, move)
                constants[bit >> 6] |= np.int64(stops) << (bit & 63)
    return 0


@helper
def possible_moves(constants, x, y):
    """Return the moves that are possible from a cell, as bits."""
    return byte_of(constants, MOVES, as_index(y * constants[WIDTH] + x))


@helper
def natural_moves_in(constants, x, y, move):
    """Return the moves to follow in a cell after a move, as bits (`natural_moves`)."""
    return byte_of(constants, NATURAL, move << 8 | possible_moves(constants, x, y))


@helper
def has_turn(constants, x, y, move):
    """Return whether one can turn in a cell after a straight move."""
    return natural_moves_in(constants, x, y, move) & ~(1 << move) != 0


@helper
def finds_turn(constants, x, y, move):
    """Return whether a straight scan from a cell finds a cell where one can turn."""
    if possible_moves(constants, x, y) >> move & 1 == 0:
        return False
    steps = steps_to_stop(constants, x, y, move)
    return has_turn(constants, x + steps * constants[DX + move], y + steps * constants[DY + move], move)


@helper
def horizontal_part(constants, move):
    """Return the horizontal part of a diagonal move: E or W."""
    return (1 - constants[DX + move]) >> 1


@helper
def vertical_part(constants, move):
    """Return the vertical part of a diagonal move: S or N."""
    return 2 + ((1 - constants[DY + move]) >> 1)


@helper
def bit_of(constants, x, y, move):
    """Return the number of the bit that tells whether a scan stops in a cell."""
    return as_index(constants[FIRST_BIT + move] + x * constants[BIT_X + move] + y * constants[BIT_Y + move])


@helper
def steps_to_stop(constants, x, y, move):
    """Return the number of moves, at least 1, after which a scan stops. The move must be possible."""
    here = bit_of(constants, x, y, move)
    at = (here + 1) >> 6
    stops = np.uint64(constants[at]) >> np.uint64((here + 1) & 63)
    if stops != 0:
        return 1 + trailing_zeros(stops)
    at += 1
    while constants[at] == 0:
        at += 1
    return (at << 6) + trailing_zeros(np.uint64(constants[at])) - here


@kernel(EXPAND)
def expand_jump_points(constants, states, at, out, out_at, cost, action, slot):
    """Write the next jump point, or the goal, in each direction to follow from a node.

    `states` is the memory of a node store: unlike other kernels of this signature, it reads the fields of the node.
    """
    state = states[at]
    x, y = x_of(state), y_of(state)
    move_to_node = np.int64(states[at - FIELD_WORDS + MOVE // 2] >> np.uint64(32))
    depth, last = move_to_node >> 16, move_to_node & 0xFFFF
    moves = np.uint64(possible_moves(constants, x, y) if depth == 0 else natural_moves_in(constants, x, y, last))
    n = 0
    while moves != 0:
        move = trailing_zeros(moves)
        moves &= moves - np.uint64(1)
        steps = scan(constants, state, x, y, move) if move < 4 else scan_diagonally(constants, state, x, y, move)
        if steps > 0:
            to_x, to_y = x + steps * constants[DX + move], y + steps * constants[DY + move]
            out[out_at + n] = (state & np.uint64(0xFFFFFFFF00000000)) | np.uint64(to_x | to_y << 16)
            cost[slot + n] = steps * constants[STRAIGHT_COST if move < 4 else DIAGONAL_COST]
            action[slot + n] = move
            n += 1
    return n


@helper
def scan(constants, state, x, y, move):
    """Return the number of straight moves to the goal or to a cell where one can turn, or 0 if there is none."""
    if possible_moves(constants, x, y) >> move & 1 == 0:
        return np.int64(0)
    steps = steps_to_stop(constants, x, y, move)
    dx, dy = constants[DX + move], constants[DY + move]
    to_goal = (goal_x_of(state) - x) * dx + (goal_y_of(state) - y) * dy
    if 0 < to_goal <= steps and is_goal_cell(state, x + to_goal * dx, y + to_goal * dy):
        return to_goal
    return steps if has_turn(constants, x + steps * dx, y + steps * dy, move) else np.int64(0)


@helper
def scan_diagonally(constants, state, x, y, move):
    """Return the number of diagonal moves to the goal or to a cell from which `scan` finds something, or 0."""
    dx, dy = constants[DX + move], constants[DY + move]
    total = np.int64(0)
    while possible_moves(constants, x, y) >> move & 1 != 0:
        steps = np.int64(1)
        if constants[FIRST_BIT + move] != 0:  # preprocessed
            steps = steps_to_stop(constants, x, y, move)
            # The bits do not know the goal: also stop at the first cell in its row or column.
            to_goal = min((goal_x_of(state) - x) * dx, (goal_y_of(state) - y) * dy)
            if to_goal > 0:
                steps = min(steps, to_goal)
        x += steps * dx
        y += steps * dy
        total += steps
        if is_goal_cell(state, x, y):
            return total
        if scan(constants, state, x, y, horizontal_part(constants, move)) or scan(
            constants, state, x, y, vertical_part(constants, move)
        ):
            return total
    return np.int64(0)


@helper
def is_goal_cell(state, x, y):
    """Return whether a cell is the goal."""
    return x == goal_x_of(state) and y == goal_y_of(state)
