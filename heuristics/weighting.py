"""How much the heuristic counts: the weight w in f = g + w * h, constant or on a schedule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from runner import registry
from runner.registry import register

Weight = Annotated[float, Meta(ge=0, le=1e6)]
Expansions = Annotated[int, Meta(ge=1, le=1 << 60)]


class Weighting(ABC):
    """Base of all weightings. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    A node gets its priority when it is put into the open list, with the weight of that moment, and keeps it.

    Attributes
    ----------
    reorder_open : bool
        Reorder the whole open list whenever the weight changes; nodes that become equal keep their order.
    """

    registered_name: ClassVar[str]
    reorder_open: bool = False

    def __str__(self) -> str:
        """The name with all parameters, for the results: ``geometric(initial=1.5,...)``."""
        return f"{self.registered_name}({registry.assignments(registry.parameters(self), ',')})"

    @abstractmethod
    def changes(self) -> Iterator[tuple[int, float]]:
        """Pairs (number of expansions, the weight from then on), in rising order; the first is for 0 expansions."""

    @property
    def by_depth(self) -> tuple[float, int]:
        """(e, N): a node at depth d gets e * max(0, 1 - d / N) on top of the weight."""
        return 0.0, 1


@register("weighting", "constant")
@dataclass(frozen=True)
class Constant(Weighting):
    """The same weight throughout.

    Attributes
    ----------
    weight : float
        1 is A*, 0 uniform-cost search.
    """

    weight: Weight = 1.5

    def __str__(self) -> str:
        return f"constant({self.weight:g})"

    def changes(self) -> Iterator[tuple[int, float]]:
        """None after the beginning."""
        yield 0, self.weight


@register("weighting", "geometric")
@dataclass(frozen=True)
class Geometric(Weighting):
    """The weight is multiplied by `factor` after every `every` expansions, but never exceeds `maximum`.

    The same as the published solver of the n-puzzle (CI 2024, lab 3), which does not reorder_open.

    Attributes
    ----------
    initial : float
        The weight at the start.
    factor : float
        By which the weight is multiplied.
    maximum : float
        Which the weight never exceeds.
    every : int
        Expansions between changes.
    """

    initial: Weight = 1.5
    factor: Annotated[float, Meta(gt=0, le=1e6)] = 1.05
    every: Expansions = 10_000
    maximum: Weight = 3.0
    reorder_open: bool = False

    def changes(self) -> Iterator[tuple[int, float]]:
        """After k expansions the weight is min(maximum, initial * factor * factor ...), k // every factors."""
        expanded, weight = 0, min(self.initial, self.maximum)
        yield expanded, weight
        while (following := min(weight * self.factor, self.maximum)) != weight:
            expanded, weight = expanded + self.every, following
            yield expanded, weight


@register("weighting", "linear")
@dataclass(frozen=True)
class Linear(Weighting):
    """The weight goes from one value to another over a number of expansions, in equal steps, and stays there.

    Attributes
    ----------
    from_ : float
        The weight at the start; `from` in YAML.
    to : float
        The weight at the end.
    over : int
        Expansions after which `to` is reached.
    every : int
        Expansions between changes.
    """

    from_: Weight = 3.0
    to: Weight = 1.0
    over: Expansions = 100_000
    every: Expansions = 1_000
    reorder_open: bool = False

    def changes(self) -> Iterator[tuple[int, float]]:
        """After k < over expansions, from + (to - from) * (k // every * every) / over."""
        for expanded in range(0, self.over, self.every):
            yield expanded, self.from_ + (self.to - self.from_) * (expanded / self.over)
        yield self.over, self.to


@register("weighting", "dynamic")
@dataclass(frozen=True)
class Dynamic(Weighting):
    """Dynamic weighting: the weight of a node falls with its depth, from 1 + epsilon at the start to 1 at `horizon`.

    f = g + (1 + epsilon * max(0, 1 - d / horizon)) * h for a node at depth d. Source: Pohl, "The avoidance of
    (relative) catastrophe, heuristic competence, genuine dynamic weighting and computational issues in heuristic
    problem solving", IJCAI 1973.

    Attributes
    ----------
    epsilon : float
        By how much the weight exceeds 1 at the start.
    horizon : int
        The expected number of moves of a solution. The depth of a node is the number of moves of the path by which it
        was reached.
    """

    epsilon: Weight = 1.0
    horizon: Annotated[int, Meta(ge=1, le=32_767)] = 50

    def changes(self) -> Iterator[tuple[int, float]]:
        """None: the weight beyond the horizon."""
        yield 0, 1.0

    @property
    def by_depth(self) -> tuple[float, int]:
        """What comes on top before the horizon."""
        return self.epsilon, self.horizon
