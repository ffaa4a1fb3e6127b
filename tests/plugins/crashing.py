"""World whose source fails after two instances."""

import dataclasses
from collections.abc import Iterator

from worlds.sources import WORLDS
from worlds.wumpus.sources import StaticCaves
from worlds.wumpus.world import CaveInstance


@WORLDS.register("crashing")
@dataclasses.dataclass(frozen=True)
class Crashing(StaticCaves):
    def instances(self) -> Iterator[CaveInstance]:
        yield from list(super().instances())[:2]
        raise RuntimeError("boom")
