"""Sources of caves: suites of the package, files, and seeded random generators."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from runner.base import UserError
from worlds.interface import generator_of, sides_of, source, suite_paths
from worlds.wumpus import formats, online
from worlds.wumpus.rules import Cave, Square
from worlds.wumpus.world import CaveInstance, CaveWorld, Formulation, Pruning

SUITES = Path(__file__).parent / "suites"


@dataclass(frozen=True)
class SearchSpace:
    """Parameters of all sources.

    Attributes
    ----------
    formulation : {"cardinal", "primitive"}
        `cardinal`: a successor is a step N, E, S or W together with the turns before it, or a shot. `primitive`: a
        successor is a single action. The optimal cost is the same.
    pruning : {"best", "effective", "none"}
        For `primitive`: omit useless actions (`best`), only actions without effect (`effective`), or none.
    """

    formulation: Formulation = "cardinal"
    pruning: Pruning = "best"

    def world(self, cave: Cave) -> CaveWorld:
        """Return a cave with this formulation."""
        return CaveWorld(cave, self.formulation, self.pruning)


def one_per_kind(_: Any, caves: Iterator[CaveInstance]) -> list[CaveInstance]:
    """Return a cave that agents can play, if there is one, and a cave for every reason why they cannot."""
    kinds: dict[str | None, CaveInstance] = {}
    for instance in caves:
        kinds.setdefault(online.unplayable_reason(instance.world.cave), instance)
    return list(kinds.values())


@source("wumpus/static", sampled=True, samples=one_per_kind)
def caves_of_suite(search: SearchSpace, suite: str = "unibz") -> Iterator[tuple[str, CaveWorld]]:
    """Suite of caves that comes with the package.

    Parameters
    ----------
    suite : str
        Name of a suite: a folder in ``suites`` of the domain.
    """
    return (loaded_cave(file, search) for file in suite_paths(SUITES, suite, "*.json"))


@source("wumpus/file", files=(".json", ".yaml", ".yml", ".txt"), content="caves", samples=one_per_kind)
def loaded_cave(file: Path, search: SearchSpace) -> tuple[str, CaveWorld]:
    """Caves of your own in JSON, YAML or text files. The content tells the format."""
    name, cave = formats.load(file)
    return name, search.world(cave)


def _check_sizes(parameters: Any) -> None:
    sizes = parameters.size if isinstance(parameters.size, list) else [parameters.size]
    if not sizes:
        raise UserError("world.size: the list is empty; give sides such as 10, or 8x5, or a list of these")
    if len({sides(size) for size in sizes}) < len(sizes):
        raise UserError(f"world.size: a size is listed twice: {sizes} (sides of squares; a rectangle is 8x5)")


@source("wumpus/random", each="size", validate=_check_sizes, samples=one_per_kind)
def random_caves(
    seed: int,
    search: SearchSpace,
    size: int | str | list[int | str] = 10,
    pit_probability: Annotated[float, Meta(ge=0, le=1)] = 0.2,
    generator: Literal["classic", "unibz"] = "classic",
    facing: Literal["N", "E", "S", "W"] = "N",
) -> tuple[str, CaveWorld]:
    """Random caves from seeds; hunter and exit at (0, 0).

    Parameters
    ----------
    size : int, "WxH", or a list of these
        Side of the caves in squares, or width and height such as 8x5, or a list of these: `count` caves of each.
    pit_probability : float
        Probability of a pit on each square but the hunter's; the squares of wumpus and gold may have one too.
    generator : {"classic", "unibz"}
        `classic`: wumpus and gold are uniformly distributed over the squares but the hunter's. `unibz`: the caves that
        ``WumpusWorld.classic(size, seed, pitProb)`` of the `wumpus` library makes from the same seed.
    facing : {"N", "E", "S", "W"}
        Facing of the hunter at the start. Agents always start facing east.
    """
    assert not isinstance(size, list)  # `each` gives one of the list
    width, height = sides(size)
    cave = (classic if generator == "classic" else unibz)(width, height, pit_probability, seed)
    if cave.facing != facing:
        cave = replace(cave, facing=facing)
    turned = "" if facing == "N" else f"-{facing}"
    return f"{generator}-{width}x{height}-{seed}{turned}", search.world(cave)


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
