"""Parameters that sources of several domains share, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from runner.base import UserError, is_hidden, natural_order, range_hint, suggest
from worlds.interface.unsupported import Unreadable

Count = Annotated[int, Meta(ge=1, le=10**9)]
"""Type of a number of instances."""
Seed = Annotated[int, Meta(ge=0, lt=2**62)]
"""Type of the seed of random instances, and of samples."""


@dataclass(frozen=True)
class Seeded:
    """Parameters of random instances.

    Attributes
    ----------
    count : int
        Number of instances.
    seed : int
        Instance number i has seed `seed` + i, so ``seed=17 count=1`` makes the instance of that seed again.
    """

    count: Count = field(default=100, kw_only=True)
    seed: Seed = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Sampled:
    """Parameters of given instances, such as those of files.

    Attributes
    ----------
    sample : int, optional
        Number of instances, chosen at random. Unless given, or if there are fewer, all. Their order stays.
    seed : int
        Seed of the sample. With the same seed, a larger sample contains the smaller ones.
    """

    sample: Count | None = field(default=None, kw_only=True)
    seed: Seed = field(default=0, kw_only=True)


@dataclass(frozen=True)
class UserFiles(Sampled):
    """Parameters of instances in files of the user.

    Attributes
    ----------
    path : str
        File, folder or glob pattern, relative to the working directory.
    unsupported : {"row", "skip", "refuse"}, optional
        Files that cannot be read: a row `unsupported` for each (`row`), left out with a note (`skip`), or nothing runs
        (`refuse`). Unless given, `refuse` for one file, `row` for folders and patterns.
    """

    path: str = field(kw_only=True)
    unsupported: Unreadable | None = field(default=None, kw_only=True)


def suite_paths(suites: Path, suite: str, pattern: str) -> list[Path]:
    """Return the files of a suite, which is a folder in `suites`, in natural order.

    Raises
    ------
    UserError
        If there is no such suite.
    """
    names = sorted(folder.name for folder in suites.iterdir() if folder.is_dir())
    if suite not in names:
        raise UserError(f"world.suite: there is no suite '{suite}'{suggest(suite, names)}")
    return sorted((file for file in (suites / suite).glob(pattern) if not is_hidden(file.name)), key=natural_order)


def sides_of(size: int | str | list[int]) -> tuple[int, int] | None:
    """Return the two sides that a parameter such as 4, "3x5" or [3, 5] gives; None if it has another form.

    Raises
    ------
    UserError
        If it is a range of sizes, which only a sweep takes.
    """
    if hint := range_hint("world.size", size):
        raise UserError(f"world.size: expected one size, got {size!r}{hint}")
    text = "x".join(map(str, size)) if isinstance(size, list) else str(size)
    match = re.fullmatch(r"(\d{1,9})(?:x(\d{1,9}))?", text)
    return (int(match[1]), int(match[2] or match[1])) if match else None


def chosen_numbers(items: Iterable[int | str], first: int, last: int, where: str) -> list[int]:
    """Return the numbers that a list of numbers and of ranges such as "3-7" gives, each once, in their order.

    Parameters
    ----------
    first, last : int
        The numbers that are allowed.
    where : str
        Key of the list, for messages.
    """
    numbers: dict[int, None] = {}
    for item in items:
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", str(item))
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not first <= low <= high <= last:
            raise UserError(f"{where}: expected numbers of {first} to {last} or ranges such as 3-7, got {item!r}")
        numbers.update(dict.fromkeys(range(low, high + 1)))
    if not numbers:
        raise UserError(f"{where}: the list is empty; leave it out for all")
    return list(numbers)


def sizes_up_to(first: int, second: int) -> list[tuple[int, int]]:
    """Return all sizes of at least two cells with sides of at most `first` and `second`, the smallest first."""
    sizes = [(a, b) for a in range(1, first + 1) for b in range(1, second + 1) if a * b > 1]
    return sorted(sizes, key=lambda size: (size[0] * size[1], size))
