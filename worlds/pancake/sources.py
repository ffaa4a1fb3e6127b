"""Sources of stacks of pancakes: random stacks, files, and all stacks of a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import factorial
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from worlds.files import Fail, checked_id, content_lines, file_error, line_error, read_text
from worlds.interface import Instance
from worlds.pancake.search import MAX_SIZE
from worlds.pancake.world import Pancakes, Stack
from worlds.sources import WORLDS, Count, IndependentSource, Seed, SeededSource, Source, UserFiles, generator_of


@dataclass(frozen=True)
class PancakeSource(Source):
    """Base of all sources of stacks."""

    domain: ClassVar[str] = Pancakes.domain

    def _instance(self, stack: Stack, name: str, seed: int | None = None) -> Instance:
        return Instance(Pancakes(stack), name, seed, self.registered_name)


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
        found = 0
        for number, line in content_lines(read_text(path)):
            found += 1
            name, colon, pancakes = line.rpartition(":")
            fail = partial(line_error, path, number)
            if colon and not name.strip():
                raise fail("the id before the colon is missing")
            stack = _stack(pancakes, fail)
            yield self._instance(stack, checked_id(name.strip() or f"{path.stem}_{found}", fail))
        if not found:
            raise file_error(path, "holds no stacks; expected one per line, such as 2 0 3 1")


def _stack(text: str, fail: Fail) -> Stack:
    words = text.replace(",", " ").split()
    wrong = next((word for word in words if not (word.isascii() and word.isdecimal() and len(word) < 4)), None)
    if wrong is not None:
        raise fail(f"'{wrong[:40]}' is not a pancake; a stack is whole numbers separated by blanks, top first")
    if not 2 <= len(words) <= MAX_SIZE:
        raise fail(f"expected 2 to {MAX_SIZE} pancakes, got {len(words)}")
    stack = [int(word) for word in words]
    first = 0 if 0 in stack else 1
    last = first + len(stack) - 1
    if missing := sorted({*range(first, last + 1)} - {*stack}):
        raise fail(f"expected each of {first} to {last} once; {missing[0]} is missing")
    return tuple(pancake - first for pancake in stack)
