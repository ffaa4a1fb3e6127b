"""Integer factors of g and h in the f of weighted searches that bound f."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

_MAX_DENOMINATOR = 1_000


@dataclass(frozen=True)
class Factors:
    """Factors in ``f = of_g * g + of_h * h``, which orders nodes as ``g + weight * h`` does.

    Attributes
    ----------
    of_g, of_h : int
        Denominator and numerator of the weight.
    """

    of_g: int = 1
    of_h: int = 1

    @classmethod
    def of(cls, weight: float) -> Factors:
        """Return the factors of a weight, the nearest fraction to its decimal with a denominator up to 1,000."""
        fraction = Fraction(str(weight)).limit_denominator(_MAX_DENOMINATOR)
        return cls(fraction.denominator, fraction.numerator)

    @property
    def suboptimality_bound(self) -> float:
        """Proven bound of a solution under an admissible heuristic: the weight, at least 1."""
        return max(1.0, self.of_h / self.of_g)


UNWEIGHTED = Factors()
"""The weight 1: f = g + h."""
