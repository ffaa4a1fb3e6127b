"""How far a stack is from the truth, over all states."""

from __future__ import annotations

import math
from dataclasses import dataclass

from algorithms.engine.distances import INFINITY
from runner.audit.analysis import Analysis


@dataclass(frozen=True)
class Statistic:
    """A number, and the states and instances that it is about."""

    name: str
    value: float
    states: int
    instances: int


@dataclass
class HeuristicAccuracy:
    """Sums for statistics of h* - h and h / h*, and of the dead ends.

    Attributes
    ----------
    instances : int
    states : int
        With finite h* and h.
    exact : int
        Of these, how many where h = h*.
    dead_ends, recognised : int
        States from which no goal can be reached, and those of them where h is infinite.
    """

    instances: int = 0
    states: int = 0
    exact: int = 0
    dead_ends: int = 0
    recognised: int = 0
    _sum: int = 0
    _largest: float = -math.inf
    _smallest: float = math.inf
    _ratios: float = 0.0
    _with_ratio: int = 0
    _largest_ratio: float = 0.0

    def add(self, analysis: Analysis) -> None:
        """Count the states of one more instance, unless they are those of another one."""
        self.instances += 1
        if analysis.is_shared:
            return
        h, exact = analysis.h, analysis.exact
        dead = exact == INFINITY
        self.dead_ends += int(dead.sum())
        self.recognised += int((h[dead] == INFINITY).sum())
        finite = ~dead & (h != INFINITY)
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

    def statistics(self) -> list[Statistic]:
        """What there is to say."""
        found: list[tuple[str, float, int]] = []
        if self.states:
            found += [
                ("mean h* - h", self._sum / self.states, self.states),
                ("largest h* - h", self._largest, self.states),
                ("smallest h* - h", self._smallest, self.states),
                ("share of exact states", self.exact / self.states, self.states),
            ]
        if self._with_ratio:
            found += [
                ("mean h / h*", self._ratios / self._with_ratio, self._with_ratio),
                ("largest h / h*", self._largest_ratio, self._with_ratio),
            ]
        if self.dead_ends:
            found += [("share of dead ends recognised", self.recognised / self.dead_ends, self.dead_ends)]
        return [Statistic(*each, self.instances) for each in found]
