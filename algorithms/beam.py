"""Registered beam search: its parameters and guarantees. The search is `algorithms.engine.beam_search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from algorithms.engine.beam_search import BeamSearch
from algorithms.interface import ALGORITHMS, SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting


@ALGORITHMS.register("beam")
@dataclass(frozen=True)
class Beam(SearchAlgorithm):
    """Beam search: breadth-first search that expands only the `width` best states of each layer.

    A layer is the states at the same number of moves. A state that was expanded before is left out; one that was pruned
    may be generated again. A state is tested when it is generated, and the first goal is the solution. Neither complete
    nor optimal: without a solution its status is `cutoff`, unless nothing was ever pruned.

    Attributes
    ----------
    width : int
        Maximum number of states of a layer that are expanded.
    order : {"f", "h"}
        Order of the states of a layer: smallest g + h first, or smallest h; among equals, those generated first.
    """

    heuristic = "needed"

    width: Annotated[int, Meta(ge=1, le=1 << 30)] = 100
    order: Literal["f", "h"] = "f"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BeamSearch:
        """Start with the start state as the first layer."""
        return BeamSearch(stack, self.width, self.order == "f")
