"""Beam search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from algorithms.engine.beam import BeamSearch
from algorithms.interface import SearchAlgorithm
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting
from runner.registry import register


@register("algorithm", "beam")
@dataclass(frozen=True)
class Beam(SearchAlgorithm):
    """Beam search: of every layer of states at the same number of moves, only the `width` best are expanded.

    A state that was expanded before is left out; one that was dropped may come again. A state is tested when it is
    generated, and the first goal is the solution. Neither complete nor optimal: without a solution it says `cutoff`,
    unless nothing was ever dropped.

    Attributes
    ----------
    width : int
        States of a layer that are expanded at most.
    order : {"f", "h"}
        The best are those of the smallest g + h, or of the smallest h; among equals those generated first.
    """

    heuristic = "needed"

    width: Annotated[int, Meta(ge=1, le=1 << 30)] = 100
    order: Literal["f", "h"] = "f"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BeamSearch:
        """Begin with the start state as the first layer."""
        return BeamSearch(stack, self.width, self.order == "f")
