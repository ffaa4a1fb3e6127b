"""Differential heuristic of road networks: differences of the distances from and to landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Meta

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.road.landmarks import Choice, Distances, landmark_table
from heuristics.tables import Report, computed_once
from worlds.compile import Kernel, helper, int32_at, kernel
from worlds.interface import Instance, Problem
from worlds.road.network import UNREACHED
from worlds.road.search import goal_of, node_of
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

FORMAT = "search-runner distances from and to landmarks 1"

# Layout of the parameters of the terms: number of columns, address of the table, and the start.
COLUMNS, TABLE, START = range(3)

_tables: WeakKeyDictionary[SharedNetwork, dict[Differential, Distances]] = WeakKeyDictionary()


@HEURISTICS.register("differential", domain="road")
@dataclass(frozen=True)
class Differential(Heuristic):
    """Largest difference of the distances from a landmark, or to it, of the node and the goal.

    Also known as ALT (Goldberg and Harrelson, SODA 2005). Admissible and consistent by the triangle inequality. A node
    that cannot reach a landmark that the goal reaches is a dead end, and so is one that a landmark reaches that does
    not reach the goal.

    The distances are computed once for each network. Tables of 1 MB or more are stored in the user's cache directory.

    Attributes
    ----------
    landmarks : int
        Number of landmarks, 1 to 64.
    choose : {"avoid", "farthest"}
        `avoid`: each landmark where the bounds of those before are worst. `farthest`: each far from those before.
    """

    admissible = True
    consistent = True

    landmarks: Annotated[int, Meta(ge=1, le=64)] = 8
    choose: Choice = "avoid"

    def build(self, instance: Instance, report: Report) -> None:
        """Compute the distances in the network of an instance."""
        assert isinstance(instance.world, Road)
        self._table(instance.world.shared, report)

    def term(self, problem: Problem) -> Term:
        """Bind to the table of the network."""
        return self._bound(road_differential, problem)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the table of the network, and to the start."""
        return self._bound(road_differential_from_start, problem)

    def _bound(self, kernel: Kernel, problem: Problem) -> Term:
        assert isinstance(problem.world, Road)
        table = self._table(problem.world.shared, lambda *_: None)
        params = np.array([table.shape[1], table.ctypes.data, problem.world.start], np.int64)
        return Term(kernel, params, keepalive=table)

    def _table(self, shared: SharedNetwork, report: Report) -> Distances:
        """Return the table of `landmark_table`. It stays in memory, or mapped into memory, as long as the network."""
        tables = _tables.setdefault(shared, {})
        if self not in tables:
            about = {
                "format": FORMAT, "network": shared.digest, "landmarks": self.landmarks, "choose": self.choose,
            }  # fmt: skip
            compute = partial(landmark_table, shared.network, self.landmarks, self.choose, report)
            shape = shared.network.nodes, 2 * self.landmarks
            title = f"distances from and to landmarks of {shared.name}"
            tables[self] = computed_once("road", about, shape, compute, report, title)
        return tables[self]


@helper
def bound_between(params, node, other):
    """Return the largest lower bound of any landmark of the cost of a path from a node to another."""
    columns, table = params[COLUMNS], params[TABLE]
    here, there = node * columns, other * columns
    largest = np.int64(0)
    for column in range(0, columns, 2):
        from_landmark = int32_at(table, here + column), int32_at(table, there + column)
        to_landmark = int32_at(table, there + column + 1), int32_at(table, here + column + 1)
        for near, far in (from_landmark, to_landmark):
            if near != UNREACHED:
                if far == UNREACHED:
                    return np.int64(UNREACHABLE)
                largest = max(largest, far - near)
    return largest


@kernel(TERM)
def road_differential(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest bound of the cost to the goal."""
    for k in range(n):
        h[slot + k] += bound_between(params, node_of(out[out_at + k]), goal_of(out[out_at + k]))
    return 0


@kernel(TERM)
def road_differential_from_start(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest bound of the cost from the start."""
    for k in range(n):
        h[slot + k] += bound_between(params, params[START], node_of(out[out_at + k]))
    return 0
