"""How much the heuristic counts: the weight w in f = g + w * h."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from runner.registry import register


class Weighting(ABC):
    """Base of all weightings. A subclass is a frozen dataclass whose fields are its parameters in YAML."""

    @property
    @abstractmethod
    def initial(self) -> float:
        """The weight a search starts with."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """No weight is larger: with an admissible heuristic, the proven suboptimality bound (but at least 1)."""


@register("weighting", "constant")
@dataclass(frozen=True)
class Constant(Weighting):
    """The same weight throughout.

    Attributes
    ----------
    weight : float
        1 is A*, 0 uniform-cost search.
    """

    weight: Annotated[float, Meta(ge=0, le=1e6)] = 1.5

    def __str__(self) -> str:
        return f"constant({self.weight:g})"

    @property
    def initial(self) -> float:
        """The weight."""
        return self.weight

    @property
    def largest(self) -> float:
        """The weight."""
        return self.weight
