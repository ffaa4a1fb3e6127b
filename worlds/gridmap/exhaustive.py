"""Exhaustive source: all problems on all maps up to a size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from runner.base.errors import UserError
from worlds.gridmap import rules
from worlds.gridmap.sources import GridSource
from worlds.gridmap.world import GridInstance, GridWorld
from worlds.interface import Instance
from worlds.sources import WORLDS, sizes_up_to

MAX_PROBLEMS = 10**7


@WORLDS.register("gridmap/all")
@dataclass(frozen=True)
class AllMaps(GridSource):
    """Every start and goal on every map up to a size.

    Attributes
    ----------
    width, height : int
        Sides of the largest maps. The smallest have two cells.
    terrains : str
        Terrains of the cells, such as `.@` or `.@SW`.
    """

    small_space: ClassVar[Mapping[str, Any]] = {}

    width: Annotated[int, Meta(ge=1, le=16)] = 3
    height: Annotated[int, Meta(ge=1, le=16)] = 3
    terrains: str = ".@"

    def __post_init__(self) -> None:
        super().__post_init__()
        unknown = self.terrains.strip(self.known_terrains)
        if unknown or len(set(self.terrains)) < len(self.terrains) or not self._passable:
            raise UserError(
                f"world.terrains: expected different characters of {self.known_terrains}, at least one of them "
                f"passable, got {self.terrains[:50]!r}"
            )
        if not 0 < self._count <= MAX_PROBLEMS:
            raise UserError(
                f"world.width: expected maps with 1 to {MAX_PROBLEMS:,} problems, but {self.width} x {self.height} "
                f"cells of {len(self.terrains)} terrains have {float(self._count):,.3g}"
            )

    @property
    def _passable(self) -> list[str]:
        return [
            terrain for terrain in self.terrains if terrain not in rules.OBSTACLES or terrain in (self.weights or ())
        ]

    @property
    def exhaustive(self) -> str:
        """Description of the set of problems."""
        return f"problems on maps of up to {self.width}x{self.height} cells of the terrains {self.terrains}"

    def instances(self) -> Iterator[GridInstance]:
        """Yield the problems by size and map."""
        for width, height in sizes_up_to(self.width, self.height):
            for terrains in product(self.terrains, repeat=width * height):
                yield from self._problems(width, "".join(terrains))

    def samples(self) -> Iterator[GridInstance]:
        """Yield the last problem on a largest map in which the terrains alternate."""
        cells = self.width * self.height
        *_, last = self._problems(self.width, (self.terrains * cells)[:cells])
        yield last

    def __len__(self) -> int:
        return self._count

    @property
    def _count(self) -> int:
        """Number of problems: the sum over all maps of the squared number of passable cells."""
        passable, terrains = len(self._passable), len(self.terrains)
        sizes = (width * height for width, height in sizes_up_to(self.width, self.height))
        return sum(n * passable * terrains ** (n - 2) * ((n - 1) * passable + terrains) for n in sizes)

    def _problems(self, width: int, terrains: str) -> Iterator[GridInstance]:
        """Yield all problems on the map with these cells, row by row."""
        rows = tuple(terrains[first : first + width] for first in range(0, len(terrains), width))
        name = f"{width}x{len(rows)}-{terrains}"
        shared = self.shared_map(name, rows)
        cells = [(x, y) for y in range(len(rows)) for x in range(width) if rules.is_passable(shared.grid, (x, y))]
        for number, (start, goal) in enumerate(product(cells, repeat=2), 1):
            yield Instance(GridWorld(shared, start, goal), f"{name}#{number}", None, self.registered_name)
