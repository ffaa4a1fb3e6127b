"""TopSpin: reverse neighbouring tokens of a ring until all tokens are in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import Kernel
from worlds.permutations import Permutation, PermutationWorld
from worlds.topspin.search import EXPAND_KERNELS
from worlds.world import Document, Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    unit_costs = True

    ring: Permutation
    turnstile: int

    def initial(self) -> Permutation:
        """Return the start."""
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
        """Kernel that writes the successors."""
        return EXPAND_KERNELS[self.layout]

    predecessors_kernel = expand_kernel

    def constants(self) -> NDArray[np.int64]:
        """Return the constants of a permutation, and the turnstile."""
        return np.append(super().constants(), self.turnstile)

    def action_names(self) -> list[str]:
        """Return the names of the turns."""
        return [f"turn {first}" for first in range(len(self.ring))]

    # Audits and files.

    @property
    def dimensions(self) -> tuple[int, ...]:
        return len(self.ring), self.turnstile

    def smaller(self) -> Iterator[TopSpin]:
        """Yield rings without one of the tokens."""
        if len(self.ring) > max(3, self.turnstile):
            for left_out in self.ring:
                yield replace(self, ring=tuple(token - (token > left_out) for token in self.ring if token != left_out))

    def starting_at(self, state: Permutation) -> TopSpin:
        """Return the problem with another start."""
        return replace(self, ring=state)

    def document(self, name: str) -> Document:
        """Return the ring as a file with one line."""
        return Document("topspin/file", ".txt", f"{name}: {self.show(self.ring)}\n", {"turnstile": self.turnstile})

    # The looks.

    def draw(self, state: Permutation, axes: Axes) -> None:
        """Draw the ring, place 0 on top, clockwise. A darker token is larger."""
        n = len(state)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        axes.set_axis_off()
        for place, token in enumerate(state):
            x, y, shade = sin(2 * pi * place / n), cos(2 * pi * place / n), 0.9 - 0.5 * token / n
            axes.plot(x, y, "o", markersize=160 / n, color=(shade, 0.95 * shade, 0.7), markeredgecolor="0.35")
            axes.text(x, y, str(token), ha="center", va="center", fontsize=min(14.0, 90 / n))
