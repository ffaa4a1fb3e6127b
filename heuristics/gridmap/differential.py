"""Differential heuristic: differences of the distances from pivots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from heuristics.gridmap.pivot_store import table_of
from heuristics.gridmap.pivot_table import UNREACHED, Distances
from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.tables import Report
from runner.base import Incompatible, UserError
from worlds.compile import Kernel, helper, int32_at, kernel
from worlds.gridmap import rules
from worlds.gridmap.search import WIDTH, goal_of, x_of, y_of
from worlds.gridmap.world import GridWorld, SharedMap
from worlds.interface import Instance, Problem

MAX_PIVOTS = 64

# Layout of the parameters of the terms: columns of the map, number of pivots, address of the table, and the start.
PIVOTS, TABLE, START = 1, 2, 3


@HEURISTICS.register("differential", domain="gridmap")
@dataclass(frozen=True)
class Differential(Heuristic):
    """Largest difference of the distances from a pivot to the cell and to the goal.

    Also known as ALT (Goldberg and Harrelson, SODA 2005) and DH (Sturtevant et al., IJCAI 2009). Admissible and
    consistent by the triangle inequality. A cell from which a pivot can be reached, while it cannot from the goal, is a
    dead end. Maps with weights are refused: a step and its inverse have different costs there.

    The distances are computed once for each map. Tables of 1 MB or more are stored in the user's cache directory.

    Attributes
    ----------
    pivots : int or list of [x, y]
        Number of pivots, 1 to 64, chosen far from each other; or the cells of the pivots.
    """

    admissible = True
    consistent = True

    pivots: Annotated[int, Meta(ge=1, le=MAX_PIVOTS)] | list[list[int]] = 8

    def __post_init__(self) -> None:
        if isinstance(self.pivots, list) and not 1 <= len(self.pivots) <= MAX_PIVOTS:
            raise UserError(f"heuristic.pivots: expected 1 to {MAX_PIVOTS} cells, got {len(self.pivots)}")
        if isinstance(self.pivots, list) and any(len(cell) != 2 for cell in self.pivots):
            raise UserError(f"heuristic.pivots: expected cells [x, y], got {self.pivots}")

    def check(self, instance: Instance) -> None:
        """Refuse maps with weights, and pivots that are no passable cells."""
        assert isinstance(instance.world, GridWorld)
        if instance.world.grid.weights:
            raise Incompatible(
                "heuristic: differential needs steps that cost the same in both directions; leave out world.weights"
            )
        for x, y in self.pivots if isinstance(self.pivots, list) else []:
            if not rules.is_passable(instance.world.grid, (x, y)):
                raise UserError(f"heuristic.pivots: ({x}, {y}) is not a passable cell of {instance.world.grid.name}")

    def build(self, instance: Instance, report: Report) -> None:
        """Compute the distances on the map of an instance."""
        assert isinstance(instance.world, GridWorld)
        self._table(instance.problem(), instance.world.shared, report)

    def term(self, problem: Problem) -> Term:
        """Bind to the table of the map."""
        return self._bound(differential, problem)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the table of the map, and to the start."""
        return self._bound(differential_from_start, problem)

    def _bound(self, kernel: Kernel, problem: Problem) -> Term:
        assert isinstance(problem.world, GridWorld)
        table = self._table(problem, problem.world.shared, lambda *_: None)
        start = problem.initial.view(np.int64)[0]
        params = np.array([problem.constants[WIDTH], table.shape[1], table.ctypes.data, start], np.int64)
        return Term(kernel, params, keepalive=table)

    def _table(self, problem: Problem, shared: SharedMap, report: Report) -> Distances:
        pivots = self.pivots if isinstance(self.pivots, int) else tuple((x, y) for x, y in self.pivots)
        return table_of(problem, shared, pivots, report)


@helper
def largest_difference(params, state, target):
    """Return the largest difference of any pivot between two cells."""
    width, pivots, table = params[0], params[PIVOTS], params[TABLE]
    here = (y_of(state) * width + x_of(state)) * pivots
    there = (y_of(target) * width + x_of(target)) * pivots
    largest = np.int64(0)
    for pivot in range(pivots):
        from_here, from_there = int32_at(table, here + pivot), int32_at(table, there + pivot)
        if (from_here == UNREACHED) != (from_there == UNREACHED):
            return np.int64(UNREACHABLE)
        largest = max(largest, abs(np.int64(from_here) - np.int64(from_there)))
    return largest


@kernel(TERM)
def differential(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest difference from the goal."""
    for k in range(n):
        h[slot + k] += largest_difference(params, out[out_at + k], goal_of(out[out_at + k]))
    return 0


@kernel(TERM)
def differential_from_start(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest difference from the start."""
    start = np.uint64(params[START])
    for k in range(n):
        h[slot + k] += largest_difference(params, out[out_at + k], start)
    return 0
