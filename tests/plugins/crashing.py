"""World whose source fails after two instances."""

import dataclasses
from collections.abc import Iterator

from runner.registry import register
from worlds.wumpus.instance import WumpusInstance
from worlds.wumpus.sources import StaticCaves


@register("world", "crashing")
@dataclasses.dataclass(frozen=True)
class Crashing(StaticCaves):
    def instances(self) -> Iterator[WumpusInstance]:
        yield from list(super().instances())[:2]
        raise RuntimeError("boom")
