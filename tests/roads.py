"""Random networks with parallel arcs, arcs that cost nothing, loops and ties, and their distances in plain Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

import runner
from worlds.road.formats import Points
from worlds.road.network import Network
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

Arcs = Sequence[tuple[int, int, tuple[int, ...]]]


def any_arcs(source: random.Random, nodes: int, objectives: int = 2) -> Arcs:
    largest = source.choice([0, 1, 3, 50])
    count = source.randint(0, 4 * nodes)
    numbers = range(nodes)
    return [
        (source.choice(numbers), source.choice(numbers), tuple(source.randint(0, largest) for _ in range(objectives)))
        for _ in range(count)
    ]


def network_of(arcs: Arcs, nodes: int, objectives: int = 2) -> Network:
    table = np.array([(tail, head, *costs) for tail, head, costs in arcs], np.int32).reshape(-1, 2 + objectives)
    return Network.of(table[:, 0], table[:, 1], table[:, 2:], nodes)


def any_road(source: random.Random, largest: int, *, has_points: bool = True) -> Road:
    nodes = source.randint(1, 3 * largest)
    network = network_of(any_arcs(source, nodes), nodes)
    is_sphere = source.random() < 0.5
    size = source.choice([1, 50, 80_000_000 if is_sphere else 200_000_000])
    xy = np.array([(source.randint(-size, size), source.randint(-size, size)) for _ in range(nodes)], np.int32)
    shared = SharedNetwork("any", network, Points(xy, is_sphere) if has_points else None)
    return Road(shared, source.randrange(nodes), source.randrange(nodes))


def loaded(path: Sequence[str] | str, source: str = "road/file", **parameters: Any) -> list[Road]:
    """Return the queries of a source of files."""
    return roads(source, path=path, **parameters)


def roads(source: str, **parameters: Any) -> list[Road]:
    """Return the queries of a source."""
    worlds = [each.world for each in runner.load(source, **parameters)]
    assert all(isinstance(world, Road) for world in worlds)
    return cast("list[Road]", worlds)


def distances(arcs: Arcs, nodes: int, start: int, order: tuple[int, ...]) -> list[tuple[int, ...] | None]:
    """Return the lexicographically least costs of a path to each node, by relaxing all arcs until nothing changes."""
    found: list[tuple[int, ...] | None] = [None] * nodes
    found[start] = (0,) * len(order)
    has_changed = True
    while has_changed:
        has_changed = False
        for tail, head, costs in arcs:
            before, known = found[tail], found[head]
            if before is not None:
                total = tuple(so_far + costs[k] for so_far, k in zip(before, order, strict=True))
                if known is None or total < known:
                    found[head] = total
                    has_changed = True
    return found
