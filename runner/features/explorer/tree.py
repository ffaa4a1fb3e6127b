"""Layout of a search tree, in which every node is below the node that generated it first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Tree:
    """Places of the nodes of a tree. Leaves stand side by side at distance 1, parents above their middle.

    Attributes
    ----------
    x : ndarray, shape (nodes,)
        Places from left to right, between 0 and `leaves`.
    level : ndarray of int, shape (nodes,)
        Number of nodes above each node.
    leaves, levels : int
        Number of leaves and of levels, at least 1.
    """

    x: NDArray[np.float64]
    level: NDArray[np.int64]
    leaves: int
    levels: int


def tree_of(first_parent: NDArray[np.int64]) -> Tree:
    """Return the layout of nodes with these parents; -1 for roots."""
    count = len(first_parent)
    children: list[list[int]] = [[] for _ in range(count + 1)]  # those of no parent are the last
    for node, parent in enumerate(first_parent.tolist()):
        children[parent].append(node)
    x, level, leaves = np.zeros(count), np.zeros(count, np.int64), 0
    order, waiting = list[int](), children[-1][::-1]
    while waiting:
        node = waiting.pop()
        order.append(node)
        below = children[node]
        if not below:
            x[node] = leaves + 0.5
            leaves += 1
        level[below] = level[node] + 1
        waiting += reversed(below)
    for node in reversed(order):
        if below := children[node]:
            x[node] = (x[below[0]] + x[below[-1]]) / 2
    return Tree(x, level, max(1, leaves), int(level.max(initial=0)) + 1)
