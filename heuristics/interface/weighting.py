"""Weightings: the weight w in f = g + w * h, constant or changing during the search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from runner.base import PartRegistry, assignments, parameters_of

Weight = Annotated[float, Meta(ge=0, le=1e6)]
Expansions = Annotated[int, Meta(ge=1, le=1 << 60)]


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


@WEIGHTINGS.register("geometric")
@dataclass(frozen=True)
class Geometric(Weighting):
    """The weight is multiplied by `factor` after every `every` expansions, but never exceeds `maximum`.

    Source: the published solver of the n-puzzle (CI 2024, lab 3), which does not reorder its open list.

    Attributes
    ----------
    initial : float
        Weight at the start.
    factor : float
        Factor of each change.
    maximum : float
        Upper limit of the weight.
    every : int
        Number of expansions between changes.
    """

    initial: Weight = 1.5
    factor: Annotated[float, Meta(gt=0, le=1e6)] = 1.05
    every: Expansions = 10_000
    maximum: Weight = 3.0
    reorder_open: bool = False

    def changes(self) -> Iterator[tuple[int, float]]:
        """Yield the weights: after k expansions, min(maximum, initial * factor ** (k // every))."""
        expanded, weight = 0, min(self.initial, self.maximum)
        yield expanded, weight
        while (following := min(weight * self.factor, self.maximum)) != weight:
            expanded, weight = expanded + self.every, following
            yield expanded, weight


@WEIGHTINGS.register("linear")
@dataclass(frozen=True)
class Linear(Weighting):
    """The weight goes from one value to another in equal steps over a number of expansions, then stays there.

    Attributes
    ----------
    from_ : float
        Weight at the start; `from` in YAML.
    to : float
        Weight at the end.
    over : int
        Number of expansions after which the weight is `to`.
    every : int
        Number of expansions between changes.
    """

    from_: Weight = 3.0
    to: Weight = 1.0
    over: Expansions = 100_000
    every: Expansions = 1_000
    reorder_open: bool = False

    def changes(self) -> Iterator[tuple[int, float]]:
        """Yield the weights: after k < over expansions, from + (to - from) * (k // every * every) / over."""
        for expanded in range(0, self.over, self.every):
            yield expanded, self.from_ + (self.to - self.from_) * (expanded / self.over)
        yield self.over, self.to


@WEIGHTINGS.register("dynamic")
@dataclass(frozen=True)
class Dynamic(Weighting):
    """Dynamic weighting: the weight of a node falls with its depth, from 1 + epsilon at the start to 1 at `horizon`.

    f = g + (1 + epsilon * max(0, 1 - d / horizon)) * h for a node at depth d. Source: Pohl, "The avoidance of
    (relative) catastrophe, heuristic competence, genuine dynamic weighting and computational issues in heuristic
    problem solving", IJCAI 1973.

    Attributes
    ----------
    epsilon : float
        Excess of the weight over 1 at the start.
    horizon : int
        Expected number of moves of a solution. The depth d of a node is the number of moves on its path from the start.
    """

    epsilon: Weight = 1.0
    horizon: Annotated[int, Meta(ge=1, le=32_767)] = 50

    def changes(self) -> Iterator[tuple[int, float]]:
        """Yield the weight beyond the horizon."""
        yield 0, 1.0

    @property
    def by_depth(self) -> tuple[float, int]:
        """Pair (epsilon, horizon)."""
        return self.epsilon, self.horizon
