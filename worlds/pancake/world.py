"""The pancake problem: flip the top of a stack until the pancakes lie in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from math import factorial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base.errors import UserError
from worlds.compile.kernel import Kernel
from worlds.pancake.search import Layout, is_sorted, layout_of
from worlds.perfect_index import MAX_STATES, PerfectIndex, Rearrangement, index_of_permutations
from worlds.world import Document, Step, World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Stack = tuple[int, ...]
"""Pancakes from top to bottom. Pancake 0 is the smallest."""


@cache
def _index(n: int) -> PerfectIndex:
    flips = [Rearrangement([*reversed(range(k)), *range(k, n)]) for k in range(2, n + 1)]
    return index_of_permutations(n, flips, lambda stack: np.argsort(stack).tolist())


@dataclass(frozen=True)
class Pancakes(World):
    """Stack of pancakes 0 to n - 1. A flip reverses the top k pancakes, for k from 2 to n, and costs 1.

    Goal: every pancake lies on a larger one. Sources: H. Dweighter, problem E2569, American Mathematical Monthly 82,
    1975; M. Helmert, "Landmark heuristics for the pancake problem", SoCS 2010.

    Attributes
    ----------
    stack : tuple of int
        The start.
    """

    domain: ClassVar[str] = "pancake"
    unit_costs = True
    goal_kernel = is_sorted

    stack: Stack

    def initial(self) -> Stack:
        """Return the start."""
        return self.stack

    def successors(self, state: Stack) -> Iterator[Step]:
        """Yield the flips in ascending order of their number of pancakes."""
        for k in range(2, len(state) + 1):
            yield f"flip {k}", state[k - 1 :: -1] + state[k:], 1

    predecessors = successors

    def is_goal(self, state: Stack) -> bool:
        """Return whether the pancakes lie in order."""
        return state == self.goal

    def goals(self) -> list[Stack]:
        """Return the only goal."""
        return [self.goal]

    @property
    def goal(self) -> Stack:
        """Stack in which every pancake lies on a larger one."""
        return tuple(range(len(self.stack)))

    # The packed side.

    @cached_property
    def layout(self) -> Layout:
        """Layout of packed stacks."""
        return layout_of(len(self.stack))

    @property
    def expand_kernel(self) -> Kernel:
        """Kernel that writes the successors."""
        return self.layout.expand

    predecessors_kernel = expand_kernel

    def pack(self, state: Stack) -> list[int]:
        """Return the words of a stack."""
        return self.layout.pack(state)

    def unpack(self, words: Sequence[int]) -> Stack:
        """Return the stack of packed words."""
        return self.layout.unpack(words, len(self.stack))

    def constants(self) -> NDArray[np.int64]:
        """Return the number of pancakes, the number of words and the packed goal."""
        goal = np.array(self.pack(self.goal), np.uint64)
        return np.concatenate([np.array([len(self.stack), goal.size], np.int64), goal.view(np.int64)])

    @property
    def perfect_index(self) -> Callable[[], PerfectIndex] | None:
        """Index of all stacks of this size, if they are not too many."""
        n = len(self.stack)
        return partial(_index, n) if factorial(n) <= MAX_STATES else None

    def action_names(self) -> list[str]:
        """Return the names of the flips."""
        return [f"flip {k}" for k in range(2, len(self.stack) + 1)]

    # Audits and files.

    def state_of(self, value: Sequence[int]) -> Stack:
        """Return a stack of this size.

        Raises
        ------
        UserError
            If the numbers are no permutation of 0 to n - 1.
        """
        stack = tuple(int(pancake) for pancake in value)
        if sorted(stack) != list(self.goal):
            raise UserError(f"state: expected each of 0 to {len(self.stack) - 1} once, got {value}")
        return stack

    def smaller(self) -> Iterator[Pancakes]:
        """Yield stacks without one of the pancakes."""
        if len(self.stack) > 2:
            for left_out in self.stack:
                yield Pancakes(tuple(pancake - (pancake > left_out) for pancake in self.stack if pancake != left_out))

    def starting_at(self, state: Stack) -> Pancakes:
        """Return the problem with another start."""
        return Pancakes(state)

    def document(self, name: str) -> Document:
        """Return the stack as a file with one line."""
        return Document("pancake/file", ".txt", f"{name}: {self.show(self.stack)}\n")

    # The looks.

    def show(self, state: Stack) -> str:
        """Return the pancakes from top to bottom."""
        return " ".join(map(str, state))

    def draw(self, state: Stack, axes: Axes) -> None:
        """Draw the stack. A darker pancake is larger."""
        from matplotlib.patches import FancyBboxPatch

        n = len(state)
        axes.set(xlim=(-n / 2 - 1, n / 2 + 1), ylim=(n, 0), aspect="equal")
        axes.set_axis_off()
        for place, pancake in enumerate(state):
            width, shade = pancake + 1, 0.85 - 0.45 * pancake / n
            axes.add_patch(
                FancyBboxPatch(
                    (-width / 2, place + 0.15), width, 0.7, boxstyle="round,pad=0,rounding_size=0.3",
                    facecolor=(0.95, shade, 0.45 * shade), edgecolor="0.35", linewidth=0.8,
                )
            )  # fmt: skip
            axes.text(0, place + 0.5, str(pancake), ha="center", va="center", fontsize=min(14.0, 90 / n))
