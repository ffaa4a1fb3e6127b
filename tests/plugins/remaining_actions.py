"""Compiled heuristic for caves, and heuristic for a domain that does not exist."""
# mypy: allow-untyped-defs

from dataclasses import dataclass

from heuristics.interface.heuristic import HEURISTICS, TERM, Heuristic, Term
from worlds.compile.kernels import kernel
from worlds.interface.instance import Problem
from worlds.wumpus.search import HAS_GOLD, has


@kernel(TERM)
def count_actions(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    for k in range(n):
        h[slot + k] += 1 if has(out[out_at + k], HAS_GOLD) else 2
    return 0


@HEURISTICS.register("remaining_actions", domain="wumpus")
@dataclass(frozen=True)
class RemainingActions(Heuristic):
    factor: int = 1

    def term(self, problem: Problem) -> Term:
        return Term(count_actions, problem.constants)


@HEURISTICS.register("tiles", domain="puzzle")
@dataclass(frozen=True)
class Tiles(Heuristic):
    pass
