"""Sources of stacks of pancakes: random stacks, files, and all stacks of a size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import factorial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from worlds.interface import Instance
from worlds.pancake.world import Costs, Pancakes, Stack
from worlds.permutations import MAX_SIZE, named_permutations
from worlds.sources import WORLDS, Count, IndependentSource, Seed, SeededSource, Source, UserFiles, generator_of


@dataclass(frozen=True)
class PancakeSource(Source):
    """Base of all sources of stacks.

    Attributes
    ----------
    costs : {"unit", "length", "heavy"}
        Cost of a flip of k pancakes: 1, k, or 1 plus the larger number of the first and the last of them.
    """

    domain: ClassVar[str] = Pancakes.domain

    costs: Costs = field(default="unit", kw_only=True)

    def _instance(self, stack: Stack, name: str, seed: int | None = None) -> Instance:
        return Instance(Pancakes(stack, self.costs), name, seed, self.registered_name)


@WORLDS.register("pancake/random")
@dataclass(frozen=True)
class RandomStacks(PancakeSource, SeededSource):
    """Seeded random stacks. All stacks of a size are equally likely.

    Attributes
    ----------
    count : int
        Number of stacks.
    size : int
        Number of pancakes.
    seed : int
        Stack number i has seed `seed` + i, so ``seed=17 count=1`` makes the stack of that seed again.
    """

    small_space: ClassVar[Mapping[str, Any]] = {"size": 8, "count": 1}

    count: Count = 100
    size: Annotated[int, Meta(ge=2, le=MAX_SIZE)] = 10
    seed: Seed = 0

    def seeded(self, seed: int) -> Instance:
        """Make the stack of a seed."""
        stack = generator_of(seed).random(self.size).argsort(kind="stable")
        return self._instance(tuple(stack.tolist()), f"{self.size}-{seed}", seed)


@WORLDS.register("pancake/all")
@dataclass(frozen=True)
class AllStacks(PancakeSource, IndependentSource):
    """Every stack of a size, in lexicographic order from top to bottom.

    Attributes
    ----------
    size : int
        Number of pancakes.
    """

    size: Annotated[int, Meta(ge=2, le=10)] = 6

    @property
    def exhaustive(self) -> str:
        """Description of the set of stacks."""
        return f"stacks of {self.size} pancakes"

    def instance(self, number: int) -> Instance:
        """Return the stack with a number, from 0."""
        left, stack = list(range(self.size)), []
        for behind in reversed(range(self.size)):
            place, number = divmod(number, factorial(behind))
            stack.append(left.pop(place))
        return self._instance(tuple(stack), ".".join(map(str, stack)))

    def __len__(self) -> int:
        """Number of stacks: n!."""
        return factorial(self.size)


@WORLDS.register("pancake/file")
@dataclass(frozen=True)
class StackFiles(UserFiles[Instance], PancakeSource):
    """Stacks of your own: one per line, top first, as numbers from 0 or from 1, optionally after `id:`.

    Empty lines and lines that begin with # are skipped.
    """

    extensions = (".txt",)
    content = "stacks of pancakes"

    def load(self, path: Path) -> Iterator[Instance]:
        """Read the stacks of one file."""
        for name, stack in named_permutations(path, "pancake", "stack"):
            yield self._instance(stack, name)
