"""The pancake problem: flip the top of a stack until the pancakes lie in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import Kernel
from worlds.pancake.search import COSTS, EXPAND_KERNELS
from worlds.permutations import Permutation, PermutationWorld
from worlds.world import Document, Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Stack = tuple[int, ...]
"""Pancakes from top to bottom. Pancake 0 is the smallest."""
Costs = Literal["unit", "length", "heavy"]


@dataclass(frozen=True)
class Pancakes(PermutationWorld):
    """Stack of pancakes 0 to n - 1. A flip reverses the top k pancakes, for k from 2 to n.

    Goal: every pancake lies on a larger one. Sources: H. Dweighter, problem E2569, American Mathematical Monthly 82,
    1975; M. Helmert, "Landmark heuristics for the pancake problem", SoCS 2010.

    Attributes
    ----------
    stack : tuple of int
        The start.
    costs : {"unit", "length", "heavy"}
        Cost of a flip of k pancakes: 1, k, or 1 plus the larger number of the first and the last of them.
    """

    domain: ClassVar[str] = "pancake"

    stack: Stack
    costs: Costs = "unit"

    def identity(self) -> dict[str, Any]:
        """Return the stack, and the costs unless they are 1."""
        return {"stack": self.stack, **self.variant_of_search()}

    def variant_of_search(self) -> dict[str, Any]:
        """Return the costs unless they are 1."""
        return {} if self.unit_costs else {"costs": self.costs}

    @property
    def unit_costs(self) -> bool:
        """Whether every flip costs 1."""
        return self.costs == "unit"

    def with_unit_costs(self) -> Pancakes:
        """Return the stack with flips that cost 1."""
        return replace(self, costs="unit")

    def initial(self) -> Stack:
        """Return the start."""
        return self.stack

    def successors(self, state: Stack) -> Iterator[Step]:
        """Yield the flips in ascending order of their number of pancakes."""
        for k in range(2, len(state) + 1):
            cost = {"unit": 1, "length": k, "heavy": 1 + max(state[0], state[k - 1])}[self.costs]
            yield f"flip {k}", state[k - 1 :: -1] + state[k:], cost

    predecessors = successors

    # The packed side.

    @property
    def expand_kernel(self) -> Kernel:
        """Kernel that writes the successors."""
        return EXPAND_KERNELS[self.layout]

    predecessors_kernel = expand_kernel

    @property
    def moves(self) -> tuple[Permutation, ...]:
        """Place to which each flip moves what is in each place."""
        n = len(self.stack)
        return tuple((*reversed(range(k)), *range(k, n)) for k in range(2, n + 1))

    def constants(self) -> NDArray[np.int64]:
        """Return the constants of a permutation, and the number of the costs."""
        return np.append(super().constants(), COSTS.index(self.costs))

    def action_names(self) -> list[str]:
        """Return the names of the flips."""
        return [f"flip {k}" for k in range(2, len(self.stack) + 1)]

    # Audits and files.

    @property
    def dimensions(self) -> tuple[int, ...]:
        return (len(self.stack),)

    def smaller(self) -> Iterator[Pancakes]:
        """Yield stacks without one of the pancakes."""
        if len(self.stack) > 2:
            for left_out in self.stack:
                left = tuple(pancake - (pancake > left_out) for pancake in self.stack if pancake != left_out)
                yield replace(self, stack=left)

    def starting_at(self, state: Stack) -> Pancakes:
        """Return the problem with another start."""
        return replace(self, stack=state)

    def document(self, name: str) -> Document:
        """Return the stack as a file with one line."""
        return Document("pancake/file", ".txt", f"{name}: {self.show(self.stack)}\n", self.variant_of_search())

    # The looks.

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
