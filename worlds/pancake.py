"""The pancake problem: flip the top of a stack until the pancakes lie in order.

An example of a domain: the rules as a world, the same rules as kernels, and the sources of instances. What all puzzles
that sort a permutation share is in `worlds.permutations`. The heuristics are in `heuristics.pancake`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import factorial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from worlds.compile import EXPAND, Kernel, helper, kernel
from worlds.interface import Document, InputFile, Step, generator_of, source
from worlds.permutations import (
    GOAL,
    MAX_SIZE,
    ONE_WORD,
    SEVERAL_WORDS,
    SIZE,
    WORDS,
    Permutation,
    PermutationWorld,
    item_in_words,
    named_permutations,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PancakeStack = tuple[int, ...]
"""Pancakes from top to bottom. Pancake 0 is the smallest."""
Costs = Literal["unit", "length", "heavy"]
COSTS = get_args(Costs)
UNIT, LENGTH, HEAVY = range(len(COSTS))
Size = Annotated[int, Meta(ge=2, le=MAX_SIZE)]


# The rules, and what follows from them for plans, audits and pictures.


@dataclass(frozen=True)
class Pancakes(PermutationWorld):
    """Stack of pancakes 0 to n - 1. A flip reverses the top k pancakes, for k from 2 to n.

    `PermutationWorld` has `pack`, `unpack`, `is_goal`, `goals`, `goal_kernel`, `perfect_index` and most `constants`.

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
    plan_formats = ("names", "moves", "json")
    numbered_action = "flip {}"

    stack: PancakeStack
    costs: Costs = "unit"

    def identity(self) -> dict[str, Any]:
        """Return the stack, and the costs unless they are 1."""
        return {"stack": self.stack, **self.variant()}

    def variant(self) -> dict[str, Any]:
        """Return the costs unless they are 1."""
        return {} if self.unit_costs else {"costs": self.costs}

    @property
    def unit_costs(self) -> bool:
        return self.costs == "unit"

    def with_unit_costs(self) -> Pancakes:
        return replace(self, costs="unit")

    def initial(self) -> PancakeStack:
        return self.stack

    def successors(self, state: PancakeStack) -> Iterator[Step]:
        """Yield the flips in ascending order of their number of pancakes."""
        for k in range(2, len(state) + 1):
            cost = {"unit": 1, "length": k, "heavy": 1 + max(state[0], state[k - 1])}[self.costs]
            yield f"flip {k}", state[k - 1 :: -1] + state[k:], cost

    predecessors = successors

    # The packed side.

    @property
    def expand_kernel(self) -> Kernel:
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
        return [f"flip {k}" for k in range(2, len(self.stack) + 1)]

    # Audits and files.

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Number of pancakes."""
        return (len(self.stack),)

    def smaller(self) -> Iterator[Pancakes]:
        """Yield stacks without one of the pancakes."""
        if len(self.stack) > 2:
            for left_out in self.stack:
                left = tuple(pancake - (pancake > left_out) for pancake in self.stack if pancake != left_out)
                yield replace(self, stack=left)

    def starting_at(self, state: PancakeStack) -> Pancakes:
        return replace(self, stack=state)

    def document(self, name: str) -> Document:
        """Return the stack as a file with one line."""
        return Document("pancake/file", ".txt", f"{name}: {self.show(self.stack)}\n", self.variant())

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the stack from top to bottom, its size, and the kind of the costs."""
        return {"stack": self.show(self.stack), "size": str(len(self.stack)), "costs": self.costs}

    # The looks.

    def draw(self, state: PancakeStack, axes: Axes) -> None:
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


# The kernels. A packed stack has the layout of `worlds.permutations`, with the top in the first place. Behind
# that layout, `constants` has the number of the costs in `COSTS`. Successors come in ascending order of the number of
# pancakes that are flipped, from 2 on: flip k has the action code k - 2. Every flip undoes itself.


@helper
def cost_of(costs, k, top, last):
    """Return the cost of a flip of k pancakes, `last` being the lowest of them."""
    return 1 if costs == UNIT else k if costs == LENGTH else max(top, last) + 1


@kernel(EXPAND)
def flip_word(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors of a state of one word. The flipped top of one gives that of the next."""
    state = states[at]
    last = constants[SIZE] - 1
    costs = constants[GOAL + 1]
    moved = np.uint64(15)  # bits of the places that a flip reverses; each place has 4
    flipped = state & np.uint64(15)
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
    words = constants[WORDS]
    last = constants[SIZE] - 1
    costs = constants[GOAL + words]
    for k in range(last):
        to = out_at + k * words
        for i in range(words):
            out[to + i] = states[at + i]
        for place in range(k + 2):
            changed = item_in_words(states, at, place) ^ item_in_words(states, at, k + 1 - place)
            out[to + place // 10] ^= np.uint64(changed) << np.uint64(6 * (place % 10))  # 10 places of 6 bits in a word
        top = item_in_words(states, at, 0)
        lowest = item_in_words(states, at, k + 1)
        cost[slot + k] = cost_of(costs, k + 2, top, lowest)
        action[slot + k] = k
    return last


EXPAND_KERNELS = {ONE_WORD: flip_word, SEVERAL_WORDS: flip_words}


# The sources.


@dataclass(frozen=True)
class Parameters:
    """Parameters of all sources.

    Attributes
    ----------
    costs : {"unit", "length", "heavy"}
        Cost of a flip of k pancakes: 1, k, or 1 plus the larger number of the first and the last of them.
    """

    costs: Costs = field(default="unit", kw_only=True)


@source("pancake/random", id="{size}-{seed}", small_space={"size": 8, "count": 1})
def random_stacks(seed: int, parameters: Parameters, size: Size = 10) -> Pancakes:
    """Seeded random stacks. All stacks of a size are equally likely.

    Parameters
    ----------
    size : int
        Number of pancakes.
    """
    stack = generator_of(seed).random(size).argsort(kind="stable")
    return Pancakes(tuple(stack.tolist()), parameters.costs)


@source(
    "pancake/all",
    count=lambda parameters: factorial(parameters.size),
    exhaustive=lambda parameters: f"stacks of {parameters.size} pancakes",
)
def all_stacks(
    number: int, parameters: Parameters, size: Annotated[int, Meta(ge=2, le=10)] = 6
) -> tuple[str, Pancakes]:
    """Every stack of a size, in lexicographic order from top to bottom.

    Parameters
    ----------
    size : int
        Number of pancakes.
    """
    left, stack = list(range(size)), []
    for behind in reversed(range(size)):
        place, number = divmod(number, factorial(behind))
        stack.append(left.pop(place))
    return ".".join(map(str, stack)), Pancakes(tuple(stack), parameters.costs)


@source("pancake/file", files=".txt", content="stacks of pancakes")
def loaded_stacks(file: Path, parameters: Parameters) -> Iterator[tuple[str, Pancakes]]:
    """Stacks of your own: one per line, top first, as numbers from 0 or from 1, optionally after `id:`.

    Empty lines and lines that begin with # are skipped.
    """
    for name, stack in named_permutations(file, "pancake", "stack"):
        yield name, Pancakes(stack, parameters.costs)
