"""Where caves come from: suites in the package, seeded random generators, and files."""

from __future__ import annotations

import random
import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from runner.registry import UserError, register
from worlds.file_sources import FileSource, suite_paths
from worlds.files import find_files
from worlds.interface import IndependentSource, Source
from worlds.wumpus import formats, online
from worlds.wumpus.instance import Formulation, Pruning, WumpusInstance
from worlds.wumpus.rules import Cave, Square

SUITES = Path(__file__).parent / "suites"
EXTENSIONS = (".json", ".yaml", ".yml", ".txt")


@dataclass(frozen=True)
class CaveSource(Source):
    """Parameters that all sources of caves share.

    Attributes
    ----------
    formulation : {"cardinal", "primitive"}
        Successors are whole steps in a direction of the compass, or single actions. The optimal cost is the same.
    pruning : {"best", "effective", "none"}
        For `primitive`: leave out useless actions, only those without effect, or none.
    """

    domain: ClassVar[str] = WumpusInstance.domain

    formulation: Formulation = "cardinal"
    pruning: Pruning = "best"

    def _instance(self, cave: Cave, identifier: str, seed: int | None = None) -> WumpusInstance:
        return WumpusInstance(cave, identifier, seed, self.formulation, self.pruning, self.registered_name)

    def samples(self) -> Iterator[WumpusInstance]:
        """One cave for every reason why agents cannot play in it, and one in which they can."""
        kinds: dict[str | None, WumpusInstance] = {}
        for instance in self._shapes():
            kinds.setdefault(online.obstacle(instance.cave), instance)
        yield from kinds.values()

    @abstractmethod
    def _shapes(self) -> Iterator[WumpusInstance]:
        """Caves of all shapes that there are."""


@dataclass(frozen=True)
class _Files(CaveSource, FileSource):
    def _load(self, path: Path) -> WumpusInstance:
        identifier, cave = formats.load(path)
        return self._instance(cave, identifier)

    def _shapes(self) -> Iterator[WumpusInstance]:
        return iter(self._instances)  # type: ignore[arg-type]


@register("world", "wumpus/static")
@dataclass(frozen=True)
class StaticCaves(_Files):
    """A suite of caves that comes with the package.

    Attributes
    ----------
    suite : str
        Name of a folder under ``worlds/wumpus/suites``.
    """

    suite: str = "unibz"

    def _paths(self) -> list[Path]:
        return suite_paths(SUITES, self.suite, "*.json")


@register("world", "wumpus/file")
@dataclass(frozen=True)
class CaveFiles(_Files):
    """Caves of your own, as JSON, YAML or text files (told apart by content).

    Attributes
    ----------
    path : str
        A file, a folder, or a glob pattern; relative to the working directory.
    """

    path: str = field(kw_only=True)

    def _paths(self) -> list[Path]:
        return find_files(self.path, EXTENSIONS, "caves")


@register("world", "wumpus/random")
@dataclass(frozen=True)
class RandomCaves(CaveSource, IndependentSource):
    """Seeded random caves; hunter and exit at (0, 0).

    Attributes
    ----------
    count : int
        Number of caves of each size.
    size : int, "WxH", or a list of these
        Sides of the caves, in squares.
    pit_probability : float
        Of a pit on any square other than the hunter's (and, in `classic`, wumpus's and gold's squares included).
    seed : int
        Cave number i has seed `seed` + i, so ``seed=17 count=1`` makes the cave of that seed again.
    generator : {"classic", "unibz"}
        `classic`: wumpus and gold uniform over the squares other than the hunter's. `unibz`: the caves that
        ``WumpusWorld.classic(size, seed, pitProb)`` of the `wumpus` library makes from the same seed.
    facing : {"N", "E", "S", "W"}
        Of the hunter at the start. Agents always start facing east.
    """

    count: Annotated[int, Meta(ge=1, le=10**9)] = 100
    size: int | str | list[int | str] = 10
    pit_probability: Annotated[float, Meta(ge=0, le=1)] = 0.2
    seed: Annotated[int, Meta(ge=0, lt=2**62)] = 0
    generator: Literal["classic", "unibz"] = "classic"
    facing: Literal["N", "E", "S", "W"] = "N"

    def __post_init__(self) -> None:
        _ = self._sizes  # raises what is wrong

    def instance(self, number: int) -> WumpusInstance:
        """Caves are numbered by size, then by seed."""
        size, seed = divmod(number, self.count)
        return self._cave(self._sizes[size], self.seed + seed)

    def _shapes(self) -> Iterator[WumpusInstance]:
        return (self._cave(size, self.seed) for size in self._sizes)

    def _cave(self, size: tuple[int, int], seed: int) -> WumpusInstance:
        generate = classic if self.generator == "classic" else unibz
        cave = replace(generate(*size, self.pit_probability, seed), facing=self.facing)
        turned = "" if self.facing == "N" else f"-{self.facing}"
        return self._instance(cave, f"{self.generator}-{size[0]}x{size[1]}-{seed}{turned}", seed)

    def __len__(self) -> int:
        return self.count * len(self._sizes)

    @cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        sizes = self.size if isinstance(self.size, list) else [self.size]
        if not sizes:
            raise UserError("world.size: the list is empty; give sides such as 10, or 8x5, or a list of these")
        found = [sides(size) for size in sizes]
        if len(set(found)) < len(found):
            raise UserError(f"world.size: a size is listed twice: {sizes} (sides of squares; a rectangle is 8x5)")
        return found


def classic(width: int, height: int, pit_probability: float, seed: int) -> Cave:
    """A random cave from numpy's PCG64.

    Only uniform doubles are drawn, whose stream numpy keeps stable, in the order wumpus, gold, then one per square.
    """
    squares = width * height
    draws = np.random.Generator(np.random.PCG64(seed)).random(2 + squares)
    wumpus, gold = (1 + int(draw * (squares - 1)) for draw in draws[:2].tolist())
    pits = (draws[2:] < pit_probability).nonzero()[0].tolist()
    pit_squares = [(pit % width, pit // width) for pit in pits]
    return _random_cave(width, height, (wumpus % width, wumpus // width), (gold % width, gold // width), pit_squares)


def unibz(width: int, height: int, pit_probability: float, seed: int) -> Cave:
    """The cave of ``WumpusWorld.classic`` in the `wumpus` library, draw by draw."""
    source = random.Random(seed)

    def place() -> Square:
        while True:
            square = source.randint(0, width - 1), source.randint(0, height - 1)
            if square != (0, 0):
                return square

    wumpus, gold = place(), place()
    squares = [(x, y) for y in range(height) for x in range(width)]
    return _random_cave(
        width, height, wumpus, gold, [square for square in squares if source.random() < pit_probability]
    )


def _random_cave(width: int, height: int, wumpus: Square, gold: Square, pits: list[Square]) -> Cave:
    return Cave((width, height), (0, 0), "N", gold, (0, 0), wumpus, frozenset(pits) - {(0, 0)})


def sides(size: int | str) -> tuple[int, int]:
    """Width and height from a side or "WxH".

    Raises
    ------
    UserError
        If that is no size of a cave.
    """
    match = re.fullmatch(r"(\d{1,9})(?:x(\d{1,9}))?", str(size))
    width, height = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not (match and 1 <= width <= formats.MAX_SIDE and 1 <= height <= formats.MAX_SIDE):
        raise UserError(f"world.size: expected a side of 1 to {formats.MAX_SIDE} such as 10, or 8x5, got {size!r}")
    if width * height < 2:
        raise UserError("world.size: a random cave needs at least 2 squares: the hunter's and the gold's")
    return width, height
