"""Accuracy of a stack: statistics of h and h_star over all states."""

from __future__ import annotations

import math
from dataclasses import dataclass

from algorithms.engine.distances import INFINITY
from runner.audits.analysis import Analysis
from runner.audits.finding import Statistic


@dataclass
class HeuristicAccuracy:
    """Sums for statistics of h* - h, h / h* and dead ends.

    Attributes
    ----------
    instances : int
    states : int
        Number of states where h* and h are finite.
    exact_states : int
        Number of these states where h = h*.
    dead_ends : int
        Number of states from which no goal can be reached.
    recognised : int
        Number of dead ends where h is infinite.
    """

    instances: int = 0
    states: int = 0
    exact_states: int = 0
    dead_ends: int = 0
    recognised: int = 0
    _sum: float = 0
    _largest: float = -math.inf
    _smallest: float = math.inf
    _ratios: float = 0.0
    _with_ratio: int = 0
    _largest_ratio: float = 0.0

    def add(self, analysis: Analysis) -> None:
        """Count the states of an instance, unless an earlier instance has the same state space."""
        self.instances += 1
        if analysis.is_shared:
            return
        h, h_star = analysis.h, analysis.h_star
        is_dead_end = h_star == INFINITY
        self.dead_ends += int(is_dead_end.sum())
        self.recognised += int((h[is_dead_end] == INFINITY).sum())
        is_finite = ~is_dead_end & (h != INFINITY)
        h, h_star = h[is_finite], h_star[is_finite]
        if not len(h):
            return
        difference, scale = h_star - h, analysis.instance.cost_scale
        self.states += len(h)
        self.exact_states += int((difference == 0).sum())
        self._sum += int(difference.sum()) / scale
        self._largest = max(self._largest, int(difference.max()) / scale)
        self._smallest = min(self._smallest, int(difference.min()) / scale)
        ratio = h[h_star > 0] / h_star[h_star > 0]
        self._with_ratio += len(ratio)
        self._ratios += float(ratio.sum())
        self._largest_ratio = max(self._largest_ratio, float(ratio.max(initial=0.0)))

    def statistics(self) -> list[Statistic]:
        """Return the statistics that are defined for the counted states."""
        found: list[tuple[str, float, int]] = []
        if self.states:
            found += [
                ("mean h* - h", self._sum / self.states, self.states),
                ("largest h* - h", self._largest, self.states),
                ("smallest h* - h", self._smallest, self.states),
                ("share of exact states", self.exact_states / self.states, self.states),
            ]
        if self._with_ratio:
            found += [
                ("mean h / h*", self._ratios / self._with_ratio, self._with_ratio),
                ("largest h / h*", self._largest_ratio, self._with_ratio),
            ]
        if self.dead_ends:
            found += [("share of dead ends recognised", self.recognised / self.dead_ends, self.dead_ends)]
        return [Statistic(*each, self.instances) for each in found]
