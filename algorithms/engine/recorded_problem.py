"""Problems as recorded algorithms in plain Python see them: their expansions are told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.engine.search import Expansion, Search
from algorithms.engine.search_problem import SearchProblem, Step
from heuristics.stack import BoundStack
from worlds.interface import Words


class RecordedProblem(SearchProblem):
    """Problem that tells its expansions.

    The algorithm keeps its paths to itself, so the path to a state is the cheapest one that the expansions so far make.
    They start again from nothing when the start is expanded again.

    Parameters
    ----------
    stack, search
        As for `SearchProblem`.
    record : callable
        Called after each expansion.
    """

    def __init__(self, stack: BoundStack, search: Search, record: Callable[[Expansion], None]) -> None:
        super().__init__(stack, search)
        self._record = record
        self._paths: dict[int, tuple[int, int | None]] = {}  # g of each state, and the state before it

    def expand(self, state: int) -> list[Step]:
        """Return the steps from a state, after telling them."""
        steps = super().expand(state)
        if state == self.start:
            self._paths.clear()
        g, parent = self._paths.setdefault(state, (0, None))
        for _, successor, cost in steps:
            if successor not in self._paths or g + cost < self._paths[successor][0]:
                self._paths[successor] = g + cost, state
        told = [(self._words_of(successor), cost, action) for action, successor, cost in steps]
        self._record(Expansion(self._words_of(state), None if parent is None else self._words_of(parent), g, told))
        return steps

    def _words_of(self, state: int) -> Words:
        return np.frombuffer(state.to_bytes(8 * self._words, "little"), np.uint64)
