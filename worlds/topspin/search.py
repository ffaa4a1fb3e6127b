"""Turns packed for the search engine, in the layouts of `worlds.permutations`.

Successors come in ascending order of the first place that is turned, which is the action code. Every turn undoes
itself.
"""

from __future__ import annotations

import numpy as np

from worlds.compile.kernel import EXPAND, Kernel
from worlds.permutations import GOAL, SIZE, WORDS, Layout, per_layout

# Behind the layout of `worlds.permutations`, `Problem.constants` has the number of places of the turnstile.


def _expand(layout: Layout) -> Kernel:
    item, bits, per_word = layout.item, layout.bits, layout.per_word

    def expand(constants, states, at, out, out_at, cost, action, slot):
        tokens, words = constants[SIZE], constants[WORDS]
        turnstile = constants[GOAL + words]
        for first in range(tokens):
            to = out_at + first * words
            for i in range(words):
                out[to + i] = states[at + i]
            for k in range(turnstile):
                place, other = first + k, first + turnstile - 1 - k
                place -= tokens if place >= tokens else 0
                other -= tokens if other >= tokens else 0
                changed = item(states, at, place) ^ item(states, at, other)
                out[to + place // per_word] ^= np.uint64(changed) << np.uint64(bits * (place % per_word))
            cost[slot + first] = 1
            action[slot + first] = first
        return tokens

    expand.__qualname__ = f"turn.{layout.name}"  # see `Kernel`
    return Kernel(expand, EXPAND)


EXPAND_KERNELS = per_layout(_expand)
