"""World whose source yields each instance twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worlds.sources import WORLDS
from worlds.wumpus.sources import StaticCaves
from worlds.wumpus.world import CaveInstance


@WORLDS.register("twice")
@dataclass(frozen=True)
class Twice(StaticCaves):
    def instances(self) -> Iterator[CaveInstance]:
        yield from super().instances()
        yield from super().instances()

    def __len__(self) -> int:
        return 14
