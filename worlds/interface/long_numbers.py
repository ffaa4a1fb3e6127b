"""Packed states as one long number, for packing and unpacking in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worlds.interface.world import Words


def to_words(number: int, count: int) -> Words:
    """Return a number as `count` words, the lowest bits first."""
    return np.frombuffer(number.to_bytes(8 * count, "little"), "<u8").astype(np.uint64)


def to_number(words: Sequence[int] | Words) -> int:
    """Return the number that words hold: the inverse of `to_words`."""
    return int.from_bytes(np.asarray(words, "<u8").tobytes(), "little")
