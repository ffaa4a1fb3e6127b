"""Heuristic whose kernel cannot be compiled."""
# mypy: ignore-errors

from dataclasses import dataclass

from heuristics.interface.heuristic import HEURISTICS, TERM, Heuristic, Term
from worlds.compile.kernels import kernel


@kernel(TERM)
def uncompilable(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    return no_such_name  # noqa: F821


@HEURISTICS.register("uncompilable", domain="wumpus")
@dataclass(frozen=True)
class Uncompilable(Heuristic):
    def term(self, problem):
        return Term(uncompilable, problem.constants)
