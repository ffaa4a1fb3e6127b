"""Flips packed for the search engine, in the layouts of `worlds.permutations`: the first place is the top.

Successors come in ascending order of the number of pancakes that are flipped, from 2 on; flip k has the action code
k - 2. Every flip undoes itself.

Behind the layout of `worlds.permutations`, `Problem.constants` has the number of the costs in `COSTS`.
"""

from __future__ import annotations

import numpy as np

from worlds.compile.kernel import EXPAND, helper, kernel
from worlds.permutations import GOAL, ONE_WORD, SEVERAL_WORDS, SIZE, WORDS, item_in_words

COSTS = ("unit", "length", "heavy")


@helper
def cost_of(costs, k, top, last):
    """Return the cost of a flip of k pancakes, `last` being the lowest of them."""
    return 1 if costs == 0 else k if costs == 1 else max(top, last) + 1


@kernel(EXPAND)
def flip_word(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors of a state of one word. The flipped top of one gives that of the next."""
    state, moved, flipped = states[at], np.uint64(15), states[at] & np.uint64(15)
    last, costs = constants[SIZE] - 1, constants[GOAL + 1]
    for k in range(last):
        moved = (moved << np.uint64(4)) | np.uint64(15)
        flipped = (flipped << np.uint64(4)) | ((state >> np.uint64(4 * (k + 1))) & np.uint64(15))
        out[out_at + k] = (state & ~moved) | flipped
        cost[slot + k] = cost_of(costs, k + 2, np.int64(state & np.uint64(15)), np.int64(flipped & np.uint64(15)))
        action[slot + k] = k
    return last


@kernel(EXPAND)
def flip_words(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors of a state of several words: copy the words, then exchange the pancakes."""
    last, words, costs = constants[SIZE] - 1, constants[WORDS], constants[GOAL + constants[WORDS]]
    for k in range(last):
        to = out_at + k * words
        for i in range(words):
            out[to + i] = states[at + i]
        for place in range(k + 2):
            changed = item_in_words(states, at, place) ^ item_in_words(states, at, k + 1 - place)
            out[to + place // 10] ^= np.uint64(changed) << np.uint64(6 * (place % 10))
        top, lowest = item_in_words(states, at, 0), item_in_words(states, at, k + 1)
        cost[slot + k] = cost_of(costs, k + 2, top, lowest)
        action[slot + k] = k
    return last


EXPAND_KERNELS = {ONE_WORD: flip_word, SEVERAL_WORDS: flip_words}
