"""Flips packed for the search engine.

A stack of at most 16 pancakes takes one word, with 4 bits for each pancake. In a larger stack each pancake takes 6
bits, and a word holds 10 of them. The top pancake has the lowest bits of the first word. Successors come in ascending
order of the number of pancakes that are flipped, from 2 on; flip k has the action code k - 2. Every flip undoes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worlds.compile.kernel import EXPAND, IS_GOAL, Kernel, helper, kernel

Helper = Callable[..., Any]

MAX_SIZE = 40
# Layout of `Problem.world`: number of pancakes, number of words of a state, and the packed goal.
SIZE, WORDS, GOAL = range(3)


@dataclass(frozen=True)
class Layout:
    """Layout of a packed stack.

    Attributes
    ----------
    bits : int
        Bits of a pancake.
    per_word : int
        Pancakes in a word.
    expand : Kernel
        Kernel that writes the successors, which are the predecessors, too.
    pancake : helper
        ``pancake(states, at, place)`` returns the pancake in a place, counted from the top.
    """

    bits: int
    per_word: int
    expand: Kernel
    pancake: Helper

    def pack(self, stack: Sequence[int]) -> list[int]:
        """Return the words of a stack."""
        parts = [stack[first : first + self.per_word] for first in range(0, len(stack), self.per_word)]
        return [sum(pancake << self.bits * place for place, pancake in enumerate(part)) for part in parts]

    def unpack(self, words: Sequence[int], size: int) -> tuple[int, ...]:
        """Return the stack of packed words: the inverse of `pack`."""
        mask = (1 << self.bits) - 1
        places = (divmod(place, self.per_word) for place in range(size))
        return tuple(words[word] >> self.bits * place & mask for word, place in places)


@helper
def pancake_in_word(states, at, place):
    """Return the pancake in a place of a state of one word."""
    return np.int64((states[at] >> np.uint64(4 * place)) & np.uint64(15))


@kernel(EXPAND)
def flip_word(world, states, at, out, out_at, cost, action, slot):
    """Write the successors of a state of one word. The flipped top of one gives that of the next."""
    state, moved, flipped = states[at], np.uint64(15), states[at] & np.uint64(15)
    last = world[SIZE] - 1
    for k in range(last):
        moved = (moved << np.uint64(4)) | np.uint64(15)
        flipped = (flipped << np.uint64(4)) | ((state >> np.uint64(4 * (k + 1))) & np.uint64(15))
        out[out_at + k] = (state & ~moved) | flipped
        cost[slot + k] = 1
        action[slot + k] = k
    return last


@helper
def pancake_in_words(states, at, place):
    """Return the pancake in a place of a state of several words."""
    return np.int64((states[at + place // 10] >> np.uint64(6 * (place % 10))) & np.uint64(63))


@kernel(EXPAND)
def flip_words(world, states, at, out, out_at, cost, action, slot):
    """Write the successors of a state of several words: copy the words, then exchange the pancakes."""
    last, words = world[SIZE] - 1, world[WORDS]
    for k in range(last):
        to = out_at + k * words
        for i in range(words):
            out[to + i] = states[at + i]
        for place in range(k + 2):
            changed = pancake_in_words(states, at, place) ^ pancake_in_words(states, at, k + 1 - place)
            out[to + place // 10] ^= np.uint64(changed) << np.uint64(6 * (place % 10))
        cost[slot + k] = 1
        action[slot + k] = k
    return last


@helper
def pancake_at(world, states, at, place):
    """Return the pancake in a place of a state."""
    return pancake_in_word(states, at, place) if world[WORDS] == 1 else pancake_in_words(states, at, place)


@kernel(IS_GOAL)
def is_sorted(world, states, at):
    """Return whether every word is that of the goal."""
    for i in range(world[WORDS]):
        if np.int64(states[at + i]) != world[GOAL + i]:
            return False
    return True


ONE_WORD = Layout(4, 16, flip_word, pancake_in_word)
SEVERAL_WORDS = Layout(6, 10, flip_words, pancake_in_words)


def layout_of(size: int) -> Layout:
    """Return the layout of a stack with this number of pancakes."""
    return ONE_WORD if size <= ONE_WORD.per_word else SEVERAL_WORDS
