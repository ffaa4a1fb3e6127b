"""Operations of kernels that numba does not offer, against those of Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from worlds.compile.kernel import kernel
from worlds.compile.operations import is_before, select

LIMITS = -(1 << 63), -1, 0, 1, (1 << 63) - 1


@kernel("int64(int64, int64, int64, int64)")
def compare(high: int, low: int, other_high: int, other_low: int) -> Any:
    """Return 1 if the first pair is smaller, else 0."""
    return select(is_before(high, low, other_high, other_low), np.int64(1), np.int64(0))


def test_pairs_are_compared_as_in_python() -> None:
    source = random.Random(1)

    def pair() -> tuple[int, int]:
        return source.choice((*LIMITS, source.randint(*LIMITS[::4]))), abs(source.choice(LIMITS[1:]))

    for _ in range(2_000):
        one, other = pair(), pair()
        assert compare.compiled(*one, *other) == (one < other)
        assert is_before(*one, *other) == (one < other)
    assert select(True, 1, 2) == 1
    assert select(False, 1, 2) == 2
