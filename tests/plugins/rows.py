"""World of a function: a row of numbers to sort. It derives from `runner.World` alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import runner

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Row(runner.World):
    """Numbers. A step exchanges two neighbours; the goal is the ascending order."""

    domain = "row"

    numbers: Numbers

    def initial(self) -> Numbers:
        return self.numbers

    def successors(self, state: Numbers) -> Iterator[tuple[str, Numbers, int]]:
        for k in range(len(state) - 1):
            yield f"swap {k}", (*state[:k], state[k + 1], state[k], *state[k + 2 :]), 1

    def is_goal(self, state: Numbers) -> bool:
        return list(state) == sorted(state)


@runner.source("row/random", id="{size}-{seed}")
def random_rows(seed: int, size: int = 4, broken: int | None = None) -> Row:
    """Random rows.

    Parameters
    ----------
    size : int
        How many numbers.
    broken : int, optional
        Seed for which the function raises an exception.
    """
    if seed == broken:
        raise ZeroDivisionError("of a user")
    return Row(tuple(random.Random(seed).sample(range(size), size)))


@runner.source("row/file", files=".txt", content="rows")
def loaded_rows(file: Path) -> Iterator[tuple[None, Row]]:
    """Rows of files: one per line."""
    for number, line in enumerate(runner.read_text(file).splitlines(), 1):
        if not line.replace(" ", "").isdigit():
            raise runner.file_error(file, f"expected numbers, got '{line}'", line=number)
        yield None, Row(tuple(map(int, line.split())))
