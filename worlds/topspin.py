"""TopSpin: reverse neighbouring tokens of a ring until all tokens are in order.

The whole domain: the rules as a world, the same rules as kernels, and the sources of instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import cos, pi, sin
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from runner.base import UserError
from worlds.compile import EXPAND, Kernel
from worlds.interface import Document, InputFile, Step, generator_of, source
from worlds.permutations import (
    GOAL,
    MAX_SIZE,
    SIZE,
    WORDS,
    Layout,
    Permutation,
    PermutationWorld,
    are_even,
    named_permutations,
    per_layout,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Turnstile = Annotated[int, Meta(ge=2, le=MAX_SIZE)]

# The kernels. A packed ring has the layout of `worlds.permutations`. Behind that layout, `constants` has the
# number of places of the turnstile. Successors come in ascending order of the first place that is turned, which is the
# action code. Every turn undoes itself.


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

    expand.__qualname__ = f"turn.{layout.name}"  # its own name in the disk cache
    return Kernel(expand, EXPAND)


EXPAND_KERNELS = per_layout(_expand)


# The world.


@dataclass(frozen=True)
class TopSpin(PermutationWorld):
    """Ring of tokens 0 to n - 1. A turn reverses the tokens in k neighbouring places, the turnstile, and costs 1.

    Every place can be the first one of the turnstile. Rotated rings are different states, and a rotation is no move.
    Source: T. Chen and S. Skiena, "Sorting with fixed-length reversals", Discrete Applied Mathematics 71, 1996.

    Attributes
    ----------
    ring : tuple of int
        The start.
    turnstile : int
        Number k of places.
    """

    domain: ClassVar[str] = "topspin"
    plan_formats = ("names", "moves", "json")
    numbered_action = "turn {}"
    unit_costs = True

    ring: Permutation
    turnstile: int

    def initial(self) -> Permutation:
        return self.ring

    def successors(self, state: Permutation) -> Iterator[Step]:
        """Yield the turns in ascending order of their first place."""
        for first, move in enumerate(self.moves):
            yield f"turn {first}", tuple(state[place] for place in move), 1

    predecessors = successors

    @property
    def moves(self) -> tuple[Permutation, ...]:
        """Place to which each turn takes what is in each place."""
        n = len(self.ring)
        turns = [
            {(first + k) % n: (first + self.turnstile - 1 - k) % n for k in range(self.turnstile)} for first in range(n)
        ]
        return tuple(tuple(turn.get(place, place) for place in range(n)) for turn in turns)

    @property
    def expand_kernel(self) -> Kernel:
        return EXPAND_KERNELS[self.layout]

    predecessors_kernel = expand_kernel

    def constants(self) -> NDArray[np.int64]:
        """Return the constants of a permutation, and the turnstile."""
        return np.append(super().constants(), self.turnstile)

    def action_names(self) -> list[str]:
        return [f"turn {first}" for first in range(len(self.ring))]

    # Audits and files.

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Numbers of tokens and of places of the turnstile."""
        return len(self.ring), self.turnstile

    def smaller(self) -> Iterator[TopSpin]:
        """Yield rings without one of the tokens."""
        if len(self.ring) > max(3, self.turnstile):
            for left_out in self.ring:
                yield replace(self, ring=tuple(token - (token > left_out) for token in self.ring if token != left_out))

    def starting_at(self, state: Permutation) -> TopSpin:
        return replace(self, ring=state)

    def document(self, name: str) -> Document:
        """Return the ring as a file with one line."""
        return Document("topspin/file", ".txt", f"{name}: {self.show(self.ring)}\n", {"turnstile": self.turnstile})

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the ring from place 0 on, and the numbers of tokens and of places of the turnstile."""
        return {"ring": self.show(self.ring), "tokens": str(len(self.ring)), "turnstile": str(self.turnstile)}

    # The looks.

    def draw(self, state: Permutation, axes: Axes) -> None:
        """Draw the ring, place 0 on top, clockwise. A darker token is larger."""
        n = len(state)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        axes.set_axis_off()
        turns, shades = [2 * pi * place / n for place in range(n)], [0.9 - 0.5 * token / n for token in state]
        xs, ys, colours = [*map(sin, turns)], [*map(cos, turns)], [(shade, 0.95 * shade, 0.7) for shade in shades]
        axes.scatter(xs, ys, s=(160 / n) ** 2, c=colours, edgecolors="0.35")
        for x, y, token in zip(xs, ys, state, strict=True):
            axes.text(x, y, str(token), ha="center", va="center", fontsize=min(14.0, 90 / n), in_layout=False)


# The sources.


def _check_turnstile(tokens: int, turnstile: int) -> None:
    if turnstile > tokens:
        raise UserError(f"world.turnstile: expected at most the number of tokens, {tokens}, got {turnstile}")


def _check_reach(parameters: Any) -> None:
    n, k = parameters.tokens, parameters.turnstile
    if parameters.shuffle == "uniform" and (k > n - 2 or (k % 2 == 1 and n % 2 == 0)):
        raise UserError(
            f"world.shuffle: uniform: turns of {k} tokens do not reach all rings of {n}; choose walk, or a turnstile "
            "of at most tokens - 2 that is not odd if the number of tokens is even"
        )


@source(
    "topspin/random", id="{shuffle}-{tokens}-{turnstile}-{seed}", validate=_check_reach,
    small_space={"tokens": 8, "count": 1},
)  # fmt: skip
def random_rings(
    seed: int,
    tokens: Annotated[int, Meta(ge=3, le=MAX_SIZE)] = 12,
    turnstile: Turnstile = 4,
    shuffle: Literal["uniform", "walk"] = "uniform",
    steps: Annotated[int, Meta(ge=0, le=100_000)] = 100,
) -> TopSpin:
    """Seeded random rings.

    Parameters
    ----------
    tokens : int
        Number of tokens.
    turnstile : int
        Number of neighbouring tokens that a move reverses.
    shuffle : {"uniform", "walk"}
        `uniform`: all rings are equally likely or, if turns keep the parity, all even ones; it needs a turnstile for
        which they can be reached. `walk`: random turns from the goal.
    steps : int
        Number of turns of a walk.
    """
    _check_turnstile(tokens, turnstile)
    generator = generator_of(seed)
    solved = tuple(range(tokens))
    moves = TopSpin(solved, turnstile).moves
    if shuffle == "uniform":
        ring = tuple(generator.random(tokens).argsort(kind="stable").tolist())
        if are_even(moves) and not are_even([ring]):
            ring = (ring[1], ring[0], *ring[2:])
    else:
        ring = solved
        for draw in generator.random(steps).tolist():
            ring = tuple(ring[place] for place in moves[int(draw * tokens)])
    return TopSpin(ring, turnstile)


@source("topspin/file", files=".txt", content="rings of TopSpin")
def loaded_rings(file: Path, turnstile: Turnstile = 4) -> Iterator[tuple[str, TopSpin]]:
    """Rings of your own: one per line, as numbers from 0 or from 1, optionally after `id:`.

    Empty lines and lines that begin with # are skipped.

    Parameters
    ----------
    turnstile : int
        Number of neighbouring tokens that a move reverses.
    """
    for name, ring in named_permutations(file, "token", "ring"):
        _check_turnstile(len(ring), turnstile)
        yield name, TopSpin(ring, turnstile)
