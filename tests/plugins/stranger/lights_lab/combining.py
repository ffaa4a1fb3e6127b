"""Heuristic `part` of rings, whose abstractions are some of the lamps, and combination `most` of such parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runner import kernel, register
from runner.plugin import TERM, Combination, Heuristic, Problem, Term


@register("heuristic", "part", domain="rings")
@dataclass(frozen=True)
class Part(Heuristic):
    """Lamps of a ring from one place to another.

    Parameters
    ----------
    first, last : int
        Places.
    """

    admissible = True
    consistent = True

    first: int = 0
    last: int = 2

    def abstractions(self, problem: Problem) -> list[int]:
        """Return the bits of the lamps."""
        return [sum(1 << place for place in range(self.first, self.last + 1))]


@register("combination", "most", domain="rings")
@dataclass(frozen=True)
class Most(Combination):
    """Presses that the part with the most lit lamps needs: each switches at most three."""

    admissible = True
    consistent = True

    def term(self, problem: Problem, abstractions: Sequence[int]) -> Term:
        """Return the term."""
        return Term(most_lit, np.array(abstractions, np.int64))


@kernel(TERM)
def most_lit(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):  # type: ignore[no-untyped-def]
    """Count the lit lamps of each part of each state."""
    for k in range(n):
        most = np.int64(0)
        for bits in params:
            lit = np.int64(0)
            rest = np.int64(out[out_at + k]) & bits
            while rest > 0:
                lit += rest & 1
                rest >>= 1
            most = max(most, (lit + 2) // 3)
        h[slot + k] += most
    return 0
