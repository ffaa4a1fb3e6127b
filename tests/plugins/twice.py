"""World whose source yields each instance twice."""

from __future__ import annotations

from collections.abc import Iterator

import runner
from worlds.interface.instance import Instance


@runner.source("twice", domain="wumpus", count=lambda _: 14)
def twice() -> Iterator[Instance]:
    """The caves of a suite, and once more."""
    for _ in range(2):
        yield from runner.load("wumpus/static")
