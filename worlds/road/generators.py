"""Seeded random networks: planar, strongly connected, with costs that go together or against each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.interface import generator_of
from worlds.road.formats import Points
from worlds.road.network import Network

_SIDE, _JITTER = 100, 24
"""Distance of two places of the lattice, and how far nodes are from them: less than a quarter keeps streets apart."""
_EXTRA, _DIAGONAL, _ONE_WAY = 0.6, 0.3, 0.2
"""Shares of the streets that are kept beside a tree, of blocks with a diagonal, and of one-way streets among these."""


def random_network(nodes: int, objectives: int, correlation: float, seed: int) -> tuple[Network, Points, int, int]:
    """Return a random network, its coordinates, and two different nodes.

    Nodes lie near the places of a square lattice, in which streets join neighbours, and some go across a block. A
    random tree of two-way streets joins all nodes. The length of an arc is at least the distance of its ends; each cost
    is the length times a factor from 1 to 3. Factors of the second and further costs are a mean of that of the first
    (or 4 minus it, if `correlation` is negative) and a random one, with the absolute correlation as the weight.
    """
    generator = generator_of(seed)
    width = int(np.ceil(np.sqrt(nodes)))
    number = np.arange(nodes)
    column, row = number % width, number // width
    jitter = (generator.random((nodes, 2)) * (2 * _JITTER + 1)).astype(np.int32) - _JITTER
    xy = (np.stack([column, row], axis=1) * _SIDE + jitter).astype(np.int32)
    draws = generator.random((6, nodes))

    # The tree: each node is joined to the one on its left or to the one above.
    to_left = (column > 0) & ((row == 0) | (draws[0] < 0.5))
    to_above = (row > 0) & ~to_left
    tree = np.concatenate([_pairs(to_left, number, 1), _pairs(to_above, number, width)])
    left = (column > 0) & ~to_left & (draws[1] < _EXTRA)
    above = (row > 0) & ~to_above & (draws[2] < _EXTRA)
    falling = (column > 0) & (row > 0) & (draws[3] < _DIAGONAL)
    rising = (column > 0) & (row > 0) & (draws[3] > 1 - _DIAGONAL)
    diagonal = np.concatenate(
        [_pairs(falling, number, width + 1), np.stack([number[rising] - 1, number[rising] - width], axis=1)]
    )
    extra = np.concatenate([_pairs(left, number, 1), _pairs(above, number, width), diagonal])
    one_way = generator.random(len(extra))
    there, back = one_way >= _ONE_WAY / 2, one_way < 1 - _ONE_WAY / 2
    arcs = np.concatenate([tree, tree[:, ::-1], extra[there], extra[back][:, ::-1]])

    between = (xy[arcs[:, 0]] - xy[arcs[:, 1]]).astype(np.int64)
    length = np.ceil(np.sqrt((between**2).sum(axis=1)))
    factors = generator.random((objectives, len(arcs)))
    mirrored = factors[0] if correlation >= 0 else 1 - factors[0]
    factors[1:] = abs(correlation) * mirrored + (1 - abs(correlation)) * factors[1:]
    costs = (length + np.floor(2 * length * factors)).astype(np.int32).T
    tails, heads = arcs.astype(np.int32).T
    start, other = generator.random(2)
    first = int(start * nodes)
    goal = (first + 1 + int(other * (nodes - 1))) % nodes
    return Network.of(tails, heads, costs, nodes), Points(xy, is_sphere=False), first, goal


def _pairs(chosen: NDArray[np.bool_], number: NDArray[np.int64], before: int) -> NDArray[np.int64]:
    """Return pairs of the chosen nodes and of the ones a number before them."""
    return np.stack([number[chosen], number[chosen] - before], axis=1)
