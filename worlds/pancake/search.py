"""Flips packed for the search engine, in the layouts of `worlds.permutations`: the first place is the top.

Successors come in ascending order of the number of pancakes that are flipped, from 2 on; flip k has the action code
k - 2. Every flip undoes itself.
"""

from __future__ import annotations

import numpy as np

from worlds.compile.kernel import EXPAND, kernel
from worlds.permutations import ONE_WORD, SEVERAL_WORDS, SIZE, WORDS, item_in_words


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


@kernel(EXPAND)
def flip_words(world, states, at, out, out_at, cost, action, slot):
    """Write the successors of a state of several words: copy the words, then exchange the pancakes."""
    last, words = world[SIZE] - 1, world[WORDS]
    for k in range(last):
        to = out_at + k * words
        for i in range(words):
            out[to + i] = states[at + i]
        for place in range(k + 2):
            changed = item_in_words(states, at, place) ^ item_in_words(states, at, k + 1 - place)
            out[to + place // 10] ^= np.uint64(changed) << np.uint64(6 * (place % 10))
        cost[slot + k] = 1
        action[slot + k] = k
    return last


EXPAND_KERNELS = {ONE_WORD: flip_word, SEVERAL_WORDS: flip_words}
