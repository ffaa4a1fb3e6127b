"""World whose source fails after two instances."""

import dataclasses
from collections.abc import Iterator

from worlds.sources import WORLDS
from worlds.wumpus.instance import WumpusInstance
from worlds.wumpus.sources import StaticCaves


@WORLDS.register("crashing")
@dataclasses.dataclass(frozen=True)
class Crashing(StaticCaves):
    def instances(self) -> Iterator[WumpusInstance]:
        yield from list(super().instances())[:2]
        raise RuntimeError("boom")
