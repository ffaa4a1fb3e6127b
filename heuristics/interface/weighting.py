"""Weightings: the weight w in f = g + w * h, constant or changing during the search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from runner.base import PartRegistry, assignments, parameters_of

Weight = Annotated[float, Meta(ge=0, le=1e6)]


class Weighting(ABC):
    """Base of all weightings. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    A node gets its priority when it enters the open list, with the weight at that moment. The priority does not change
    afterwards unless `reorder_open` is set.

    Attributes
    ----------
    reorder_open : bool
        Reorder the whole open list whenever the weight changes. Nodes whose priorities become equal keep their order.
    without_reopening : bool
        Whether `promised_bound` also holds if closed nodes are not reopened, under a consistent heuristic.
    """

    registered_name: ClassVar[str]
    without_reopening: ClassVar[bool] = False
    reorder_open: bool = False

    def __str__(self) -> str:
        """Return the name with all parameters, for the results: ``geometric(initial=1.5,...)``."""
        return f"{self.registered_name}({assignments(parameters_of(self), ',')})"

    @abstractmethod
    def changes(self) -> Iterator[tuple[int, float]]:
        """Yield pairs (number of expansions, weight from then on) in rising order. The first is for 0 expansions."""

    @property
    def promised_bound(self) -> float | None:
        """Factor within which plans are optimal under an admissible heuristic; None if it is not known beforehand."""
        return None

    @property
    def by_depth(self) -> tuple[float, int]:
        """Pair (e, N): for a node at depth d, e * max(0, 1 - d / N) is added to the weight."""
        return 0.0, 1


WEIGHTINGS: PartRegistry[Weighting] = PartRegistry("weighting", Weighting)


@WEIGHTINGS.register("constant")
@dataclass(frozen=True)
class Constant(Weighting):
    """The same weight throughout.

    Attributes
    ----------
    weight : float
        Weight w: 1 is A*, 0 uniform-cost search.
    """

    without_reopening = True

    weight: Weight = 1.5

    def __str__(self) -> str:
        return f"constant({self.weight:g})"

    @property
    def promised_bound(self) -> float:
        """Return the weight, at least 1."""
        return max(1.0, self.weight)

    def changes(self) -> Iterator[tuple[int, float]]:
        """Yield the only weight."""
        yield 0, self.weight
