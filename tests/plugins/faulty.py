"""Algorithm that drops the last action of its plans, and a heuristic that fails on one cave."""

import dataclasses

from algorithms.best_first import UniformCost
from algorithms.engine.best_first_search import BestFirstSearch, Priority
from heuristics.interface import Heuristic
from runner.registry import register


class Short(BestFirstSearch):
    def path(self):
        return super().path()[:-1]


@register("algorithm", "liar")
@dataclasses.dataclass(frozen=True)
class Liar(UniformCost):
    def start(self, stack, weighting):
        return Short(stack, Priority())


@register("heuristic", "broken", domain="wumpus")
@dataclasses.dataclass(frozen=True)
class Broken(Heuristic):
    def term(self, problem):
        if problem.instance.id == "unibz_w3":
            raise RuntimeError("on purpose")
