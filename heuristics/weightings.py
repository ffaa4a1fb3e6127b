"""Weightings: weights that change during the search or along a path, and priorities f(g, h, w)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from heuristics.interface import WEIGHTINGS, Weight, Weighting, priority

Expansions = Annotated[int, Meta(ge=1, le=1 << 60)]


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


@priority("xdp", bound="weight")
def xdp(g, h, w):
    """Convex downward parabola (XDP): plans are nearly optimal at the start, and cost more near the goal.

    f = (g + (2w - 1) h + sqrt((g - h)^2 + 4wgh)) / 2w, which is h at g = 0 and g / w at h = 0. In undirected graphs the
    bound holds without reopening under a consistent heuristic, too. Source: Chen and Sturtevant, "Conditions for
    avoiding node re-expansions in bounded suboptimal search", IJCAI 2019.

    Parameters
    ----------
    weight : float
        Weight w, by which the cost is bounded.
    """
    return (g + (2 * w - 1) * h + math.sqrt((g - h) * (g - h) + 4 * w * g * h)) / (2 * w)


@priority("xup", bound="weight", without_reopening=True)
def xup(g, h, w):
    """Convex upward parabola (XUP): plans cost more near the start, and are nearly optimal near the goal.

    f = (g + h + sqrt((g + h)^2 + 4w(w - 1) h^2)) / 2w, which is h at g = 0 and g / w at h = 0. Source: Chen and
    Sturtevant, "Conditions for avoiding node re-expansions in bounded suboptimal search", IJCAI 2019.

    Parameters
    ----------
    weight : float
        Weight w, by which the cost is bounded.
    """
    return (g + h + math.sqrt((g + h) * (g + h) + 4 * w * (w - 1) * h * h)) / (2 * w)
