"""Packing of states: each variable takes some bits of one word."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from worlds.interface import Words
from worlds.pddl.task import Fact, Task, Values

_WORD_BITS = 64


@dataclass(frozen=True)
class Packing:
    """Place of each variable in the words of a state.

    Attributes
    ----------
    words : int
        Number of words of a state.
    fields : tuple of (int, int, int)
        For each variable: its word, its lowest bit there, and as many set bits as it takes, from bit 0.
    """

    words: int
    fields: tuple[tuple[int, int, int], ...]

    def pack(self, values: Values) -> Words:
        """Pack a state."""
        packed = [0] * self.words
        for (word, shift, _), value in zip(self.fields, values, strict=True):
            packed[word] |= value << shift
        return np.array(packed, np.uint64)

    def combined(self, facts: Iterable[Fact]) -> list[tuple[int, int, int]]:
        """Return facts as (word, mask, bits), one for each word: they hold if the masked bits of the word are these.

        Where several facts have the same variable, the last one counts.
        """
        found: dict[int, tuple[int, int]] = {}
        for variable, value in facts:
            word, shift, ones = self.fields[variable]
            mask, bits = found.get(word, (0, 0))
            taken = ones << shift
            found[word] = mask | taken, (bits & ~taken) | (value << shift)
        return [(word, *found[word]) for word in sorted(found)]


def packing_of(task: Task) -> Packing:
    """Return a packing in few words: the largest variables first, each in the first word with room for it."""
    bits = [(len(facts) - 1).bit_length() for facts in task.facts]
    word, shift, free = [0] * len(bits), [0] * len(bits), [_WORD_BITS]
    for variable in sorted(range(len(bits)), key=lambda number: -bits[number]):
        chosen = next((number for number, room in enumerate(free) if room >= bits[variable]), len(free))
        if chosen == len(free):
            free.append(_WORD_BITS)
        word[variable], shift[variable] = chosen, _WORD_BITS - free[chosen]
        free[chosen] -= bits[variable]
    return Packing(len(free), tuple(zip(word, shift, [(1 << each) - 1 for each in bits], strict=True)))
