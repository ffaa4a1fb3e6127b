"""Pacman's search problems: kernels, and the world, which is a board, what he must enter, and what steps cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError
from worlds.compile import EXPAND, IS_GOAL, MAX_COST, helper, kernel
from worlds.interface import Document, Family, InputFile, Kernels, Looks, StateVariable, Step, to_number, to_words
from worlds.pacman import render
from worlds.pacman.rules import EMPTY, FOOD, PACMAN, STEP, WALL, Costs, Goals, PacmanMap, PacmanState, Square

# The kernels. The number of Pacman's square is in the 16 lowest bits of a state; from there on, a bit for each target
# is 1 until he enters it: 48 fit into a word. Squares and targets are numbered in ascending order. Action codes are
# indices in `STEP`. `constants` is a header, with the least cost of a step; a row for each square: the squares to which
# moves lead (-1: a wall), the target on it (-1: none), the cost of entering it, x and y; then the squares of targets.
WORDS, TARGETS, SQUARES, LEAST, ROWS = range(5)
TARGET, COST, X, Y, ROW, SQUARE_BITS = 4, 5, 6, 7, 8, 16


@helper
def square_of(states, at):
    """Return the number of Pacman's square."""
    return np.int64(states[at]) & 0xFFFF


@helper
def is_left(states, at, target):
    """Return whether Pacman has not entered a target."""
    bit = SQUARE_BITS + target
    return (states[at + (bit >> 6)] >> np.uint64(bit & 63)) & np.uint64(1) != 0


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the possible moves in the order North, South, East, West."""
    words = constants[WORDS]
    square = square_of(states, at)
    n = 0
    for code in range(4):
        to = constants[ROWS + ROW * square + code]
        if to >= 0:
            new = out_at + n * words
            for i in range(words):
                out[new + i] = states[at + i]
            out[new] ^= np.uint64(square ^ to)
            target = constants[ROWS + ROW * to + TARGET]
            if target >= 0:
                bit = SQUARE_BITS + target
                out[new + (bit >> 6)] &= ~(np.uint64(1) << np.uint64(bit & 63))
            cost[slot + n] = constants[ROWS + ROW * to + COST]
            action[slot + n] = code
            n += 1
    return n


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether Pacman has entered all targets."""
    left = states[at] >> np.uint64(SQUARE_BITS)
    for i in range(1, constants[WORDS]):
        left |= states[at + i]
    return left == 0


@dataclass(frozen=True)
class PacmanWorld(Kernels, Looks, Family):
    """A board on which Pacman must enter all food, the four corners, or the only food (`position`).

    The cost of entering the square (x, y) is 1, 0.5^x (`east`) or 2^x (`west`).
    """

    domain: ClassVar[str] = "pacman"
    expand_kernel = expand
    goal_kernel = is_goal

    board: PacmanMap
    problem: Goals = "food"
    cost: Costs = "unit"

    def __post_init__(self) -> None:
        if self.problem == "position" and len(self.targets) != 1:
            raise UserError(f"world.problem: position needs one food, and the board has {len(self.targets)}")
        if not self.unit_costs and sum(self._costs) * (1 + len(self.targets)) > MAX_COST:
            raise UserError(f"world.cost: paths by {self.cost} may cost more than 2^30 units, the limit; choose unit")

    def identity(self) -> dict[str, Any]:
        return {"rows": self.board.rows, **self.variant()}

    def variant(self) -> dict[str, Any]:
        """Return the problem and the cost that differ from the defaults."""
        given = {"problem": self.problem, "cost": self.cost}
        return {key: value for key, value in given.items() if value not in ("food", "unit")}

    @cached_property
    def targets(self) -> tuple[Square, ...]:
        """The squares that Pacman must enter, in ascending order."""
        return self.board.targets(self.problem)

    @property
    def unit_costs(self) -> bool:
        return self.cost == "unit"

    def with_unit_costs(self) -> PacmanWorld:
        return replace(self, cost="unit")

    @property
    def cost_scale(self) -> int:
        """Units of the engine in a cost of 1: by `east`, a step to the last column costs one unit."""
        return 1 << self.board.size[0] - 2 if self.cost == "east" else 1

    @cached_property
    def _costs(self) -> list[int]:
        """Cost of entering each square, in the engine's units."""
        last = self.board.size[0] - 2
        return [{"unit": 1, "east": 1 << last - x, "west": 1 << x}[self.cost] for x, _ in self.board.squares]

    @cached_property
    def _number(self) -> dict[Square, int]:
        return {square: number for number, square in enumerate(self.board.squares)}

    def initial(self) -> PacmanState:
        """Return the state before the first move. A corner on which Pacman begins is entered."""
        pacman = self.board.pacman
        return PacmanState(pacman, tuple(target for target in self.targets if target != pacman))

    def successors(self, state: PacmanState) -> Iterator[Step]:
        for move, to in self.board.moves(state.square).items():
            units, left = self._costs[self._number[to]], tuple(target for target in state.left if target != to)
            yield move, PacmanState(to, left), units / self.cost_scale if self.cost == "east" else units

    def is_goal(self, state: PacmanState) -> bool:
        return not state.left

    def proof_of_unsolvability(self) -> str | None:
        missing = [target for target in self.targets if target not in self.board.reachable]
        return f"no path leads to {missing[0]}" if missing else None

    def pack(self, state: PacmanState) -> NDArray[np.uint64]:
        bits = sum(1 << number for number, target in enumerate(self.targets) if target in state.left)
        words = -(-(SQUARE_BITS + len(self.targets)) // 64)
        return to_words(self._number.get(state.square, 0) | bits << SQUARE_BITS, words)

    def unpack(self, words: Sequence[int]) -> PacmanState:
        bits = to_number(words)
        left = (target for number, target in enumerate(self.targets) if bits >> SQUARE_BITS + number & 1)
        return PacmanState([*self._number][bits & 0xFFFF], tuple(left))

    def constants(self) -> NDArray[np.int64]:
        """Return the board in the layout of the kernels."""
        target_on = {target: number for number, target in enumerate(self.targets)}
        numbers = [self.pack(self.initial()).size, len(self.targets), len(self._number), min(self._costs)]
        for (x, y), cost in zip(self._number, self._costs, strict=True):
            numbers += [self._number.get((x + east, y + north), -1) for east, north in STEP.values()]
            numbers += [target_on.get((x, y), -1), cost, x, y]
        return np.array([*numbers, *(self._number.get(target, -1) for target in self.targets)], np.int64)

    def action_names(self) -> tuple[str, ...]:
        return tuple(STEP)

    def state_variables(self) -> list[StateVariable]:
        """Return the square, and whether each target is left."""
        bits = (divmod(SQUARE_BITS + number, 64) for number in range(len(self.targets)))
        return [StateVariable(0, 0, 0xFFFF, len(self._number)), *(StateVariable(*bit, 1, 2) for bit in bits)]

    def smaller(self) -> Iterator[PacmanWorld]:
        """Yield boards without a row or a column, without a food, or without a wall inside."""
        rows, down, across = self.board.rows, range(1, self.board.size[1] - 1), range(1, self.board.size[0] - 1)
        boards = [(*rows[:y], *rows[y + 1 :]) for y in down]
        boards += [tuple(row[:x] + row[x + 1 :] for row in rows) for x in across]
        marked = [(x, y) for mark in (FOOD, WALL) for y in down for x in across if rows[y][x] == mark]
        boards += [(*rows[:y], rows[y][:x] + EMPTY + rows[y][x + 1 :], *rows[y + 1 :]) for x, y in marked]
        for board in (PacmanMap(each) for each in boards if PACMAN in "".join(each)):
            with suppress(UserError):  # no food for `position`, or costs that do not fit
                yield replace(self, board=board)

    def starting_at(self, state: PacmanState) -> PacmanWorld | None:
        """Return the board with Pacman where a state has him; None once he has eaten, or left a corner."""
        if self.problem != "corners" and state.left != self.targets:
            return None
        world = replace(self, board=self._board_at(state.square, self.board.targets("food")))
        return world if world.initial() == state else None

    def _board_at(self, square: Square, food: Sequence[Square]) -> PacmanMap:
        return PacmanMap.of(self.board.size, self.board.squares, square, food)

    def document(self, name: str) -> Document:
        return Document("pacman/layout", ".lay", self._text(), self.variant())

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the layout as a file, the problem, and the kind of the costs."""
        return {"layout": InputFile(".lay", self._text), "problem": self.problem, "costs": self.cost}

    def _text(self) -> str:
        return "\n".join([*self.board.rows, ""])

    def show(self, state: PacmanState) -> str:
        return "\n".join(self._board_at(*state).rows)

    def text_of(self, state: PacmanState) -> str:
        """Return the square of Pacman, and those that are left."""
        return f"Pacman on {state.square}, left: {' '.join(map(str, state.left)) or 'nothing'}"

    def locate(self, state: PacmanState) -> Square:
        return state.square

    def draw_path(self, states: Sequence[PacmanState], axes: Any) -> None:
        render.draw(self.board, self.targets, states, axes)

    def caption(self, action: str, before: PacmanState, after: PacmanState) -> str:
        return f"{action}{', eats' * (before.left != after.left)} ({len(after.left)} left)"

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the board as text; with a plan, also its moves and the board after them."""
        text = self.show(self.initial())
        if plan is None:
            return text
        return f"{text}\nplan ({len(plan)} moves): {' '.join(plan)}\n{self.show(self.played(plan)[0][-1])}"
