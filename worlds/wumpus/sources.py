"""Sources of caves: suites of the package, files, and seeded random generators."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from runner.base.errors import UserError
from worlds.interface import Instance
from worlds.sources import (
    WORLDS,
    Count,
    FileSource,
    IndependentSource,
    Seed,
    Source,
    UserFiles,
    generator_of,
    sides_of,
    suite_paths,
)
from worlds.wumpus import formats, online
from worlds.wumpus.rules import Cave, Square
from worlds.wumpus.world import CaveInstance, CaveWorld, Formulation, Pruning

SUITES = Path(__file__).parent / "suites"


@dataclass(frozen=True)
class CaveSource(Source):
    """Base of all sources of caves, with their common parameters.

    Attributes
    ----------
    formulation : {"cardinal", "primitive"}
        `cardinal`: a successor is a step N, E, S or W together with the turns before it, or a shot. `primitive`: a
        successor is a single action. The optimal cost is the same.
    pruning : {"best", "effective", "none"}
        For `primitive`: omit useless actions (`best`), only actions without effect (`effective`), or none.
    """

    domain: ClassVar[str] = CaveWorld.domain

    formulation: Formulation = "cardinal"
    pruning: Pruning = "best"

    def _instance(self, cave: Cave, identifier: str, seed: int | None = None) -> CaveInstance:
        rules = CaveWorld(cave, self.formulation, self.pruning)
        return Instance(rules, identifier, seed, self.registered_name)

    def samples(self) -> Iterator[CaveInstance]:
        """Yield a cave that agents can play, if there is one, and a cave for every reason why they cannot."""
        kinds: dict[str | None, CaveInstance] = {}
        for instance in self._shapes():
            kinds.setdefault(online.unplayable_reason(instance.world.cave), instance)
        yield from kinds.values()

    @abstractmethod
    def _shapes(self) -> Iterator[CaveInstance]:
        """Return caves of all shapes that the source has."""


@dataclass(frozen=True)
class _Files(FileSource[CaveInstance], CaveSource):
    def load(self, path: Path) -> Iterator[CaveInstance]:
        identifier, cave = formats.load(path)
        yield self._instance(cave, identifier)

    def _shapes(self) -> Iterator[CaveInstance]:
        return iter(self.loaded)


@WORLDS.register("wumpus/static")
@dataclass(frozen=True)
class StaticCaves(_Files):
    """Suite of caves that comes with the package.

    Attributes
    ----------
    suite : str
        Name of a folder under ``worlds/wumpus/suites``.
    """

    suite: str = "unibz"

    def paths(self) -> list[Path]:
        """Return the files of the suite."""
        return suite_paths(SUITES, self.suite, "*.json")


@WORLDS.register("wumpus/file")
@dataclass(frozen=True)
class CaveFiles(UserFiles[CaveInstance], _Files):
    """Caves of your own in JSON, YAML or text files. The content tells the format."""

    extensions = (".json", ".yaml", ".yml", ".txt")
    content = "caves"


@WORLDS.register("wumpus/random")
@dataclass(frozen=True)
class RandomCaves(CaveSource, IndependentSource):
    """Random caves from seeds; hunter and exit at (0, 0).

    Attributes
    ----------
    count : int
        Number of caves of each size.
    size : int, "WxH", or a list of these
        Side of the caves in squares, or width and height such as 8x5, or a list of these.
    pit_probability : float
        Probability of a pit on each square but the hunter's; the squares of wumpus and gold may have one too.
    seed : int
        Seed of the first cave. Cave number i has seed `seed` + i, so ``seed=17 count=1`` makes the cave of seed 17.
    generator : {"classic", "unibz"}
        `classic`: wumpus and gold are uniformly distributed over the squares but the hunter's. `unibz`: the caves that
        ``WumpusWorld.classic(size, seed, pitProb)`` of the `wumpus` library makes from the same seed.
    facing : {"N", "E", "S", "W"}
        Facing of the hunter at the start. Agents always start facing east.
    """

    count: Count = 100
    size: int | str | list[int | str] = 10
    pit_probability: Annotated[float, Meta(ge=0, le=1)] = 0.2
    seed: Seed = 0
    generator: Literal["classic", "unibz"] = "classic"
    facing: Literal["N", "E", "S", "W"] = "N"

    def __post_init__(self) -> None:
        _ = self._sizes  # raises UserError for a wrong size

    def instance(self, number: int) -> CaveInstance:
        """Return cave `number`, counting by size, then by seed."""
        size, seed = divmod(number, self.count)
        return self._cave(self._sizes[size], self.seed + seed)

    def _shapes(self) -> Iterator[CaveInstance]:
        return (self._cave(size, self.seed) for size in self._sizes)

    def _cave(self, size: tuple[int, int], seed: int) -> CaveInstance:
        generate = classic if self.generator == "classic" else unibz
        cave = generate(*size, self.pit_probability, seed)
        if cave.facing != self.facing:
            cave = replace(cave, facing=self.facing)
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
    """Return a random cave. The generator draws the wumpus, the gold, and then a number for each square."""
    squares = width * height
    draws = generator_of(seed).random(2 + squares)
    wumpus, gold = (1 + int(draw * (squares - 1)) for draw in draws[:2].tolist())
    pits = (draws[2:] < pit_probability).nonzero()[0].tolist()
    pit_squares = [(pit % width, pit // width) for pit in pits]
    return _random_cave(width, height, (wumpus % width, wumpus // width), (gold % width, gold // width), pit_squares)


def unibz(width: int, height: int, pit_probability: float, seed: int) -> Cave:
    """Return the cave that ``WumpusWorld.classic`` of the `wumpus` library makes, with the same draws."""
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
    """Return width and height, given a side or "WxH".

    Raises
    ------
    UserError
        If it is not the size of a cave.
    """
    width, height = sides_of(size) or (0, 0)
    if not (1 <= width <= formats.MAX_SIDE and 1 <= height <= formats.MAX_SIDE):
        raise UserError(f"world.size: expected a side of 1 to {formats.MAX_SIDE} such as 10, or 8x5, got {size!r}")
    if width * height < 2:
        raise UserError("world.size: a random cave needs at least 2 squares: the hunter's and the gold's")
    return width, height
