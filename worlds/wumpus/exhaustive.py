"""Source of all caves up to a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Annotated, Any, Literal

from msgspec import Meta

from runner.base import UserError
from worlds.interface import Instance, sizes_up_to, source
from worlds.wumpus.rules import Cave, Square
from worlds.wumpus.sources import SearchSpace, one_per_kind, sides
from worlds.wumpus.world import CaveInstance, CaveWorld

MAX_SIDE = 6
HOME: Square = (0, 0)


@dataclass(frozen=True)
class CaveSet:
    """Set of caves.

    Attributes
    ----------
    size : int, "WxH" or [width, height]
        Largest width and height.
    pits : int or None
        Largest number of pits; None: any number.
    mirrored : {"once", "all"}
        `once`: one of two caves that are mirror images along the diagonal; `all`: both. The mirror turns north to
        east, so a heuristic that treats directions differently may have different values in the two.
    """

    size: int | str | list[int] = 3
    pits: Annotated[int, Meta(ge=0)] | None = None
    mirrored: Literal["once", "all"] = "once"

    def __post_init__(self) -> None:
        if max(self._largest()) > MAX_SIDE:
            raise UserError(
                f"world.size: expected sides up to {MAX_SIDE} (there are too many larger caves), got {self.size!r}"
            )

    def described(self) -> str:
        """Return a description of the set."""
        width, height = self._largest()
        pits = "" if self.pits is None else f" with at most {self.pits} pits"
        once = ", mirror images once" if self.mirrored == "once" else ""
        return f"caves of up to {width}x{height} squares{pits}, hunter and exit in the corner{once}"

    def number(self) -> int:
        """Count the caves. Without mirror images, a square has (all + symmetric) / 2 of them, by Burnside's lemma."""
        total = 0
        for width, height in self.sizes():
            squares = width * height
            count = squares * squares * sum(comb(squares - 1, pits) for pits in range(self._max_pits(squares) + 1))
            if width == height and self.mirrored == "once":
                count = (count + self._symmetric_count(width)) // 2
            total += count
        return total

    def _symmetric_count(self, side: int) -> int:
        """Count the caves that equal their mirror image: gold and wumpus on the diagonal, pits on it or in pairs."""
        diagonal, pairs = side - 1, side * (side - 1) // 2
        max_pits = self._max_pits(side * side)
        sets = sum(
            comb(diagonal, single) * comb(pairs, double)
            for single in range(diagonal + 1)
            for double in range(pairs + 1)
            if single + 2 * double <= max_pits
        )
        return side * side * sets

    def _max_pits(self, squares: int) -> int:
        return squares - 1 if self.pits is None else min(self.pits, squares - 1)

    def _largest(self) -> tuple[int, int]:
        if isinstance(self.size, list):
            if len(self.size) != 2:
                raise UserError(f"world.size: expected [width, height], got {self.size}")
            return sides(f"{self.size[0]}x{self.size[1]}")
        return sides(self.size)

    def sizes(self) -> list[tuple[int, int]]:
        """Return all sizes by number of squares. With `mirrored="once"`, 3x2 stands for 2x3 too, if both fit."""
        width, height = self._largest()
        found = sizes_up_to(width, height)
        if self.mirrored == "once":
            found = [(w, h) for w, h in found if w >= h or (h, w) not in found]
        return found

    def caves(self, width: int, height: int) -> Iterator[Cave]:
        """Yield the caves of a size, ordered by number of pits, gold, wumpus and pits."""
        squares = [(x, y) for y in range(height) for x in range(width)]
        others = [square for square in squares if square != HOME]
        once = self.mirrored == "once" and width == height
        for count in range(self._max_pits(len(squares)) + 1):
            for gold in squares:
                for wumpus in (None, *others):
                    for pits in combinations(others, count):
                        if not once or _is_first(gold, wumpus, pits):
                            yield Cave((width, height), HOME, "N", gold, HOME, wumpus, frozenset(pits))


def _of_each_size(parameters: Any, _: Iterator[CaveInstance]) -> list[CaveInstance]:
    """Return a cave of every kind, of the first caves of all sizes."""
    firsts = (next(parameters.caves(*size)) for size in parameters.sizes())
    return one_per_kind(parameters, (Instance(parameters.world(cave), _name(cave)) for cave in firsts))


@source(
    "wumpus/all", count=lambda family: family.number(), exhaustive=lambda family: family.described(),
    samples=_of_each_size, small_space={},
)  # fmt: skip
def all_caves(search: SearchSpace, family: CaveSet) -> Iterator[tuple[str, CaveWorld]]:
    """Every cave up to a size: gold anywhere, at most one wumpus, and any set of pits.

    Hunter and exit are at (0, 0); the hunter faces north. No wumpus and no pit is there. Smaller caves come first, and
    of one size those with fewer pits.
    """
    for size in family.sizes():
        for cave in family.caves(*size):
            yield _name(cave), search.world(cave)


def _is_first(gold: Square, wumpus: Square | None, pits: tuple[Square, ...]) -> bool:
    """Return whether a cave does not come after its mirror image, comparing gold, wumpus and pits."""

    def key(is_mirrored: bool) -> tuple[list[Square], list[Square], list[Square]]:
        parts = [gold], [] if wumpus is None else [wumpus], list(pits)
        gold_, wumpus_, pits_ = (sorted((y, x) if is_mirrored else (x, y) for x, y in part) for part in parts)
        return gold_, wumpus_, pits_

    return key(False) <= key(True)


def _name(cave: Cave) -> str:
    places = [f"g{cave.gold[0]}{cave.gold[1]}"]
    places += [] if cave.wumpus is None else [f"w{cave.wumpus[0]}{cave.wumpus[1]}"]
    places += ["p" + ".".join(f"{x}{y}" for x, y in sorted(cave.pits))] if cave.pits else []
    return f"{cave.size[0]}x{cave.size[1]}-{'-'.join(places)}"
