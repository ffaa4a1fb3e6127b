"""All caves up to a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Annotated, Literal

from msgspec import Meta

from runner.registry import UserError, register
from worlds.wumpus.instance import WumpusInstance
from worlds.wumpus.rules import Cave, Square
from worlds.wumpus.sources import CaveSource, sides

MAX_SIDE = 6
HOME: Square = (0, 0)


@register("world", "wumpus/all")
@dataclass(frozen=True)
class AllCaves(CaveSource):
    """Every cave up to a size: gold anywhere, a wumpus anywhere but on the hunter or none, and any set of pits.

    Hunter and exit are at (0, 0), facing north. The smallest come first, of one size those with the fewest pits.

    Attributes
    ----------
    size : int, "WxH" or [width, height]
        The largest width and height.
    pits : int or None
        At most so many; None: any number.
    mirrored : {"once", "all"}
        Of caves that are mirror images of each other (along the diagonal, which leaves the hunter where it is) one or
        both. The mirror turns north to east, so a heuristic that treats directions differently may differ.
    """

    size: int | str | list[int] = 3
    pits: Annotated[int, Meta(ge=0)] | None = None
    mirrored: Literal["once", "all"] = "once"

    def __post_init__(self) -> None:
        if max(self._largest()) > MAX_SIDE:
            raise UserError(
                f"world.size: expected sides up to {MAX_SIDE} (larger caves are too many), got {self.size!r}"
            )

    @property
    def exhaustive(self) -> str:
        """All caves up to the size."""
        width, height = self._largest()
        pits = "" if self.pits is None else f" with at most {self.pits} pits"
        once = ", mirror images once" if self.mirrored == "once" else ""
        return f"caves of up to {width}x{height} squares{pits}, hunter and exit in the corner{once}"

    def instances(self) -> Iterator[WumpusInstance]:
        """Caves by size, number of pits, gold, wumpus and pits."""
        for size in self._sizes():
            for cave in self._caves(*size):
                yield self._instance(cave, _name(cave))

    def _shapes(self) -> Iterator[WumpusInstance]:
        for size in self._sizes():
            cave = next(self._caves(*size))
            yield self._instance(cave, _name(cave))

    def __len__(self) -> int:
        """By Burnside's lemma: half of all caves of a square and those that are their own mirror image."""
        total = 0
        for width, height in self._sizes():
            squares = width * height
            count = squares * squares * sum(comb(squares - 1, pits) for pits in range(self._most(squares) + 1))
            if width == height and self.mirrored == "once":
                count = (count + self._own_mirrors(width)) // 2
            total += count
        return total

    def _own_mirrors(self, side: int) -> int:
        """Caves that the diagonal mirrors onto themselves: gold and wumpus on it, pits on it or in pairs."""
        diagonal, pairs = side - 1, side * (side - 1) // 2
        most = self._most(side * side)
        sets = sum(
            comb(diagonal, single) * comb(pairs, double)
            for single in range(diagonal + 1)
            for double in range(pairs + 1)
            if single + 2 * double <= most
        )
        return side * side * sets

    def _most(self, squares: int) -> int:
        return squares - 1 if self.pits is None else min(self.pits, squares - 1)

    def _largest(self) -> tuple[int, int]:
        if isinstance(self.size, list):
            if len(self.size) != 2:
                raise UserError(f"world.size: expected [width, height], got {self.size}")
            return sides(f"{self.size[0]}x{self.size[1]}")
        return sides(self.size)

    def _sizes(self) -> list[tuple[int, int]]:
        """From the smallest; of a size and its mirror image, if both are small enough, the wider one."""
        width, height = self._largest()
        found = [(w, h) for w in range(1, width + 1) for h in range(1, height + 1) if w * h > 1]
        if self.mirrored == "once":
            found = [(w, h) for w, h in found if w >= h or (h, w) not in found]
        return sorted(found, key=lambda size: (size[0] * size[1], size))

    def _caves(self, width: int, height: int) -> Iterator[Cave]:
        squares = [(x, y) for y in range(height) for x in range(width)]
        others = [square for square in squares if square != HOME]
        once = self.mirrored == "once" and width == height
        for count in range(self._most(len(squares)) + 1):
            for gold in squares:
                for wumpus in (None, *others):
                    for pits in combinations(others, count):
                        if not once or _is_first(gold, wumpus, pits):
                            yield Cave((width, height), HOME, "N", gold, HOME, wumpus, frozenset(pits))


def _is_first(gold: Square, wumpus: Square | None, pits: tuple[Square, ...]) -> bool:
    """Whether a cave is not after its mirror image, in the order of what is where."""

    def key(turned: bool) -> tuple[list[Square], list[Square], list[Square]]:
        parts = [gold], [] if wumpus is None else [wumpus], list(pits)
        gold_, wumpus_, pits_ = (sorted((y, x) if turned else (x, y) for x, y in part) for part in parts)
        return gold_, wumpus_, pits_

    return key(False) <= key(True)


def _name(cave: Cave) -> str:
    places = [f"g{cave.gold[0]}{cave.gold[1]}"]
    places += [] if cave.wumpus is None else [f"w{cave.wumpus[0]}{cave.wumpus[1]}"]
    places += ["p" + ".".join(f"{x}{y}" for x, y in sorted(cave.pits))] if cave.pits else []
    return f"{cave.size[0]}x{cave.size[1]}-{'-'.join(places)}"
