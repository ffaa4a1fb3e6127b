"""Compiled world: TopSpin. Reverse neighbouring tokens of a ring until the tokens are in order.

python -m runner 'plugins=[runner.examples.topspin]' world=ring algorithm=astar heuristic=gap
"""

import random
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from runner import EXPAND, IS_GOAL, CompiledWorld, UserError, helper, kernel, python_heuristic, register

# A state is a permutation of the tokens 0, 1, ... A word holds 12 of them, 5 bits each, the first in the lowest bits.
BITS, PER_WORD = 5, 12
# Layout of `constants`: number of tokens, places of the turnstile, words of a state.
TOKENS, TURNSTILE, WORDS = range(3)


@helper
def token(states, at, place):
    """Return the token in a place of the state at word offset `at`."""
    word = states[at + place // PER_WORD]
    return np.int64((word >> np.uint64(BITS * (place % PER_WORD))) & np.uint64(31))


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors: copy the words of the state, then exchange the tokens in the turnstile."""
    tokens, words = constants[TOKENS], constants[WORDS]
    for first in range(tokens):
        to = out_at + first * words
        for k in range(words):
            out[to + k] = states[at + k]
        for k in range(constants[TURNSTILE]):
            place = (first + k) % tokens
            before = token(states, at, place)
            after = token(states, at, (first + constants[TURNSTILE] - 1 - k) % tokens)
            out[to + place // PER_WORD] ^= np.uint64(before ^ after) << np.uint64(BITS * (place % PER_WORD))
        cost[slot + first] = 1
        action[slot + first] = first
    return tokens


@kernel(IS_GOAL)
def is_ordered(constants, states, at):
    """Return whether every token is in its place."""
    for place in range(constants[TOKENS]):
        if token(states, at, place) != place:
            return False
    return True


@register("world", "ring")
@dataclass(frozen=True)
class TopSpin(CompiledWorld):
    """Ring of `tokens` tokens. A move reverses `turnstile` neighbours. Instances are random walks from the goal."""

    tokens: Annotated[int, Meta(ge=3, le=24)] = 12
    turnstile: Annotated[int, Meta(ge=2, le=24)] = 4
    walk: Annotated[int, Meta(ge=0, le=10_000)] = 20
    count: int = 10
    seed: int = 0

    unit_costs = True
    expand_kernel = expand
    goal_kernel = is_ordered
    predecessors_kernel = expand  # every move undoes itself

    def __post_init__(self):
        if self.turnstile > self.tokens:
            raise UserError(f"world.turnstile: at most tokens = {self.tokens}, got {self.turnstile}")

    # The rules.

    def initial(self):
        state, source = tuple(range(self.tokens)), random.Random(self.seed)
        for _ in range(self.walk):
            state = self.turned(state, source.randrange(self.tokens))
        return state

    def turned(self, state, first):
        ring = state[first:] + state[:first]
        ring = ring[: self.turnstile][::-1] + ring[self.turnstile :]
        return ring[len(ring) - first :] + ring[: len(ring) - first]

    def successors(self, state):
        return [(f"turn {first}", self.turned(state, first), 1) for first in range(self.tokens)]

    def is_goal(self, state):
        return state == tuple(range(self.tokens))

    predecessors = successors

    def goals(self):
        return [tuple(range(self.tokens))]

    # The packed side.

    def pack(self, state):
        words = [0] * self.words
        for place, each in enumerate(state):
            words[place // PER_WORD] |= each << BITS * (place % PER_WORD)
        return words

    def unpack(self, words):
        return tuple(words[place // PER_WORD] >> BITS * (place % PER_WORD) & 31 for place in range(self.tokens))

    @property
    def words(self):
        return -(-self.tokens // PER_WORD)

    def constants(self):
        return [self.tokens, self.turnstile, self.words]

    def action_names(self):
        return [f"turn {first}" for first in range(self.tokens)]


@python_heuristic("gap", domain="ring", admissible=True, consistent=True)
def gap(state):
    """Half the number of neighbours that are not neighbours in the goal: a move separates two pairs only."""
    n = len(state)
    gaps = sum((a - b) % n not in (1, n - 1) for a, b in zip(state, (*state[1:], state[0])))
    return (gaps + 1) // 2
