"""Algorithm that drops the last action of its plans, and heuristic that raises an exception for one cave."""

import dataclasses

from algorithms.best_first.best_first import BestFirstSearch, Priority, UniformCost
from algorithms.interface.algorithm import ALGORITHMS
from heuristics.interface.heuristic import HEURISTICS, Heuristic
from heuristics.interface.stack import BoundStack
from heuristics.interface.weighting import Weighting
from worlds.interface.instance import Problem


class Short(BestFirstSearch):
    def path(self) -> list[int]:
        return super().path()[:-1]


@ALGORITHMS.register("liar")
@dataclasses.dataclass(frozen=True)
class Liar(UniformCost):
    def start(self, stack: BoundStack, weighting: Weighting | None) -> Short:
        return Short(stack, Priority())


@HEURISTICS.register("broken", domain="wumpus")
@dataclasses.dataclass(frozen=True)
class Broken(Heuristic):
    def term(self, problem: Problem) -> None:
        if problem.instance.id == "unibz_w3":
            raise RuntimeError("on purpose")
