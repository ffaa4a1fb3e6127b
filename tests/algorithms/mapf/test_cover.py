"""Edge-weighted vertex covers agree with all covers of small graphs."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from algorithms.mapf.cover import COVER_ROWS, cover
from tests.naive import mapf_dependencies as naive
from worlds.compile.kernels import kernel


@kernel("int64(int32[:, ::1], int32[:, ::1])")
def covered(weights, scratch):  # type: ignore[no-untyped-def]
    return cover(weights, weights.shape[0], scratch)


def cover_of(weights: NDArray[np.int32]) -> int:
    return int(covered.compiled(weights, np.empty((COVER_ROWS, len(weights)), np.int32)))


def test_covers_agree_with_all_covers() -> None:
    numbers = random.Random(0)
    for _ in range(300):
        size = numbers.randrange(1, 7)
        weights = np.zeros((size, size), np.int32)
        for i in range(size):
            for j in range(i):
                weights[i, j] = weights[j, i] = numbers.choice((0, 0, 1, 1, 2, 3))
        expected = naive.cover(weights.tolist())
        assert cover_of(weights) == expected


def test_a_tree_of_many_agents_is_exact() -> None:
    """Inner agents of a path with weights 1, 3, 1, 3, ... cover all of it: the edges of weight 3 are a matching."""
    weights = np.zeros((101, 101), np.int32)
    for i in range(100):
        weights[i, i + 1] = weights[i + 1, i] = 1 + 2 * (i % 2)
    assert cover_of(weights) == 150


def test_a_cover_of_many_agents_is_a_lower_bound() -> None:
    """Many small components are exact. A component of 40 agents has too many covers to try."""
    triangles = np.kron(np.eye(20, dtype=np.int32), 1 - np.eye(3, dtype=np.int32))
    assert cover_of(np.ascontiguousarray(triangles)) == 40
    complete = (1 - np.eye(40)).astype(np.int32)
    assert 20 <= cover_of(complete) <= 39
