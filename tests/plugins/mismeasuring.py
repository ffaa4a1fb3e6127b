"""Agent that climbs out at once and reports one metric. It declares only the metric `courage`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from algorithms.agents.interface import Agent, Player
from algorithms.interface.algorithm import ALGORITHMS
from runner.base.metric import Metric
from worlds.interface.instance import Instance
from worlds.wumpus.rules import CLIMB


class Measured(Player):
    """Player with one metric."""

    def __init__(self, metric: str, value: Any) -> None:
        self._measured = {metric: value}

    @property
    def measured(self) -> Mapping[str, float | None]:
        return self._measured

    def act(self, percepts: Any) -> str:
        return CLIMB


@ALGORITHMS.register("mismeasuring")
@dataclass(frozen=True)
class Mismeasuring(Agent):
    metrics = (Metric("courage", meaning="is declared"),)

    metric: str = "courage"
    value: float | str = 1

    def player(self, instance: Instance | None, seed: int) -> Measured:
        return Measured(self.metric, self.value)
