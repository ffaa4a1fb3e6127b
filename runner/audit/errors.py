"""How far a stack is from the truth, over all states."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.engine.distances import FAR
from runner.audit.examination import Examination


@dataclass
class Errors:
    """Statistics of h* - h and h / h* over the states from which a goal can be reached.

    Attributes
    ----------
    states : int
        With finite h* and h.
    exact : int
        Of these, how many where h = h*.
    dead_ends, recognised : int
        States from which no goal can be reached, and those of them where h is infinite.
    """

    states: int = 0
    exact: int = 0
    dead_ends: int = 0
    recognised: int = 0
    _sum: int = 0
    _largest: int = 0
    _smallest: int = 0
    _ratios: float = 0.0
    _with_ratio: int = 0
    _largest_ratio: float = 0.0

    def add(self, examination: Examination) -> None:
        """Count the states of one more instance."""
        if examination.is_shared:
            return
        h, exact = examination.h, examination.exact
        dead = exact == FAR
        self.dead_ends += int(dead.sum())
        self.recognised += int((h[dead] == FAR).sum())
        finite = ~dead & (h != FAR)
        h, exact = h[finite], exact[finite]
        if not len(h):
            return
        error = exact - h
        self.states += len(h)
        self.exact += int((error == 0).sum())
        self._sum += int(error.sum())
        self._largest, self._smallest = max(self._largest, int(error.max())), min(self._smallest, int(error.min()))
        ratio = h[exact > 0] / exact[exact > 0]
        self._with_ratio += len(ratio)
        self._ratios += float(ratio.sum())
        self._largest_ratio = max(self._largest_ratio, float(ratio.max(initial=0.0)))

    def rows(self) -> dict[str, float]:
        """What there is to say, by name."""
        if not self.states:
            return {}
        found = {
            "mean h* - h": self._sum / self.states,
            "largest h* - h": float(self._largest),
            "smallest h* - h": float(self._smallest),
            "share of exact states": self.exact / self.states,
        }
        if self._with_ratio:
            found |= {"mean h / h*": self._ratios / self._with_ratio, "largest h / h*": self._largest_ratio}
        if self.dead_ends:
            found["share of dead ends recognised"] = self.recognised / self.dead_ends
        return found
