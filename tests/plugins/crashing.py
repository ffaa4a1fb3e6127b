"""World whose source fails after two instances."""

from collections.abc import Iterator

import runner
from worlds.interface.instance import Instance


@runner.source("crashing", domain="wumpus", count=lambda _: 7)
def crashing() -> Iterator[Instance]:
    """The first two caves of a suite."""
    yield from runner.load("wumpus/static")[:2]
    raise RuntimeError("boom")
