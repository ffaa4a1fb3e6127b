"""Compiled world whose moves are made and undone on one board: the pancakes of `runner.examples.pancake`.

python -m runner 'plugins=[runner.examples.pancake_compiled]' world=pancake_compiled heuristic=gap \
  algorithm=idastar algorithm.cycle_check=parent
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta
from runner.examples.pancake import Pancake

from runner import EXPAND, IS_GOAL, CompiledWorld, compiled_heuristic, helper, kernel, register
from runner.plugin import InPlaceProblem, Move


@helper
def pancake(state, place):
    """Return the pancake in a place. A state is one word: 4 bits for each place, the top in the lowest bits."""
    return (state >> np.uint64(4 * place)) & np.uint64(15)


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the state after the flip of the 2, 3, ... pancakes at the top."""
    for k in range(2, constants[0] + 1):
        flipped = states[at]
        for place in range(k):
            flipped ^= (pancake(states[at], place) ^ pancake(states[at], k - 1 - place)) << np.uint64(4 * place)
        out[out_at + k - 2], cost[slot + k - 2], action[slot + k - 2] = flipped, 1, k - 2
    return constants[0] - 1


@kernel(IS_GOAL)
def is_sorted(constants, states, at):
    """Return whether every pancake is in its place."""
    for place in range(constants[0]):
        if pancake(states[at], place) != np.uint64(place):
            return False
    return True


@helper
def flip(board, last, k):
    """Flip the k pancakes at the top of the board. This also undoes it."""
    for place in range(k >> 1):
        board[place], board[k - 1 - place] = board[k - 1 - place], board[place]


@register("world", "pancake_compiled")
@dataclass(frozen=True)
class CompiledPancake(Pancake, CompiledWorld):
    """The rules are those of `Pancake`."""

    domain = "pancake_compiled"

    size: Annotated[int, Meta(ge=3, le=16)] = 8

    expand_kernel = expand
    goal_kernel = is_sorted
    predecessors_kernel = expand

    def pack(self, state):
        return [sum(each << 4 * place for place, each in enumerate(state))]

    def unpack(self, words):
        return tuple(words[0] >> 4 * place & 15 for place in range(self.size))

    def constants(self):
        return [self.size]

    def action_names(self):
        return [f"flip {k}" for k in range(2, self.size + 1)]

    def in_place(self):
        """The board is the stack on its plate, the position the last flip. After each flip, all others may follow."""
        flips = range(2, self.size + 1)
        after = tuple(
            tuple(Move(k, k, code) for code, k in enumerate(flips) if k != last) for last in range(self.size + 1)
        )
        return InPlaceProblem(flip, flip, np.array([*self.initial(), self.size], np.uint8), 0, after, 0)


@helper
def is_gap(one, other):
    """Return 1 if two pancakes, or a pancake and the plate, differ by more than one, else 0."""
    return np.int64(abs(np.int64(one) - np.int64(other)) > 1)


@helper
def change_of_gap(table, board, last, k, entry, frames, parent, child, enough):
    """Return the change of `gap`: below the flipped pancakes is the top instead of the last of them."""
    return is_gap(board[0], board[k]) - is_gap(board[k - 1], board[k])


@compiled_heuristic("gap", domain="pancake_compiled", change=change_of_gap, admissible=True, consistent=True)
def gap(constants, state) -> int:
    """Count neighbours that differ by more than one (Helmert 2010)."""
    count = is_gap(pancake(state, constants[0] - 1), constants[0])
    for place in range(constants[0] - 1):
        count += is_gap(pancake(state, place), pancake(state, place + 1))
    return count
