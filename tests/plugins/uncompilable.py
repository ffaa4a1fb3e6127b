"""Heuristic whose kernel cannot be compiled."""
# mypy: ignore-errors

from dataclasses import dataclass

from heuristics.interface import TERM, Heuristic, Term
from runner.registry import register
from worlds.kernel import kernel


@kernel(TERM)
def uncompilable(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    return no_such_name  # noqa: F821


@register("heuristic", "uncompilable", domain="wumpus")
@dataclass(frozen=True)
class Uncompilable(Heuristic):
    def term(self, problem):
        return Term(uncompilable, problem.world)
