"""Order in which a search takes its open nodes, as an algorithm declares it for those who watch the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from heuristics.interface import Weighting

OpenOrder = Literal["f", "newest", "oldest", "layers"]
_MAX_CHANGES = 1000


@dataclass(frozen=True)
class Formula:
    """Formula ``f = of_g * g + (w + excess * max(0, 1 - depth / horizon)) * h`` of a node.

    Attributes
    ----------
    of_g : int
        Factor of g: 0 in searches that order by h alone.
    weights : tuple of (int, float)
        Numbers of expansions, in rising order, and the weight w from then on. The weight 0 is f = g.
    excess, horizon : float, int
        Parameters of dynamic weighting.
    """

    of_g: int = 1
    weights: tuple[tuple[int, float], ...] = ((0, 1.0),)
    excess: float = 0.0
    horizon: int = 1

    @classmethod
    def of(cls, weighting: Weighting | float | None) -> Formula:
        """Return g + w * h with a weighting, a constant weight, or without weights."""
        if not isinstance(weighting, Weighting):
            return cls(weights=((0, 1.0 if weighting is None else float(weighting)),))
        return cls(1, tuple(islice(weighting.changes(), _MAX_CHANGES)), *weighting.by_depth)

    @property
    def weight(self) -> float | None:
        """Weight w if it never changes; else None."""
        return self.weights[0][1] if len(self.weights) == 1 and not self.excess else None

    def __str__(self) -> str:
        if self.weight == 0:
            return "f = g"
        h = "w·h, with changing w" if self.weight is None else "h" if self.weight == 1 else f"{self.weight:g}·h"
        return f"f = g + {h}" if self.of_g else f"f = {h}"

    def f(self, g: float, h: float) -> float | None:
        """Return f if the weight never changes; else None."""
        return None if self.weight is None else round(self.of_g * g + self.weight * h, 9)


@dataclass(frozen=True)
class ExpansionOrder:
    """Order of expansions. The default is the smallest f = g + h first.

    Attributes
    ----------
    text : str
        The order in words. ``{f}`` stands for the formula.
    first : {"f", "newest", "oldest", "layers"}
        Which of the open nodes a list of them begins with: those with the smallest f; those that were generated last,
        or first; or those of the current layer, by f.
    formula : Formula or None
        The f of nodes; None if they have none.
    """

    text: str = "{f}"
    first: OpenOrder = "f"
    formula: Formula | None = Formula()

    def __str__(self) -> str:
        return self.text.replace("{f}", str(self.formula))

    def without_heuristic(self) -> ExpansionOrder:
        """Return the order of a search whose h is 0."""
        if self.formula is None or self.formula.weight == 0:
            return self
        text = self.text.replace("{f}", "f = g, without a heuristic")
        return replace(self, text=text, formula=Formula.of(0))
