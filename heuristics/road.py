"""Heuristics for road networks: distance as the crow flies, and differences of the distances from and to landmarks.

Both bound the cost from one node to another by a table for each network. The parameters of their terms are the start
(-1: estimate the cost to the goal), the address of the table, and its number of columns.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from heuristics.tables import Report, computed_once
from runner.base import Incompatible
from worlds.compile import MAX_COST, Kernel, helper, int32_at, kernel
from worlds.interface import Instance, Problem, generator_of
from worlds.road.network import UNREACHED, Network
from worlds.road.search import goal_of, node_of
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

START, TABLE, COLUMNS = range(3)
MARGIN = 1e-6
"""Share by which distances are smaller: beside a cost of 1, more than the error of a float of up to 2^30."""
FORMAT = "search-runner distances from and to landmarks 1"
NONE = -1

Choice = Literal["avoid", "farthest"]
Distances = NDArray[np.int32]

_tables: WeakKeyDictionary[SharedNetwork, dict[Heuristic, NDArray[Any]]] = WeakKeyDictionary()


class TableOfNetwork(Heuristic):
    """Heuristic with a table for each network, which stays in memory as long as the network."""

    admissible = True
    consistent = True
    kernel: ClassVar[Kernel]

    @abstractmethod
    def computed(self, shared: SharedNetwork, report: Report) -> NDArray[Any]:
        """Return the table of a network."""

    def build(self, instance: Instance, report: Report) -> None:
        """Compute the table of the network of an instance."""
        self._table(instance.world, report)

    def term(self, problem: Problem) -> Term:
        """Bind to the table of the network."""
        return self._bound(problem, -1)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the table of the network, and to the start."""
        return self._bound(problem, node_of(problem.initial[0]))

    def _bound(self, problem: Problem, start: int) -> Term:
        table = self._table(problem.world, lambda *_: None)
        return Term(self.kernel, np.array([start, table.ctypes.data, table.shape[1]], np.int64), keepalive=table)

    def _table(self, world: object, report: Report) -> NDArray[Any]:
        assert isinstance(world, Road)
        tables = _tables.setdefault(world.shared, {})
        if self not in tables:
            tables[self] = self.computed(world.shared, report)
        return tables[self]


@helper
def ends_of(params, state):
    """Return the two nodes between which a cost is estimated."""
    return (node_of(state), goal_of(state)) if params[START] < 0 else (params[START], node_of(state))


@helper
def float64_at(address, index):
    """Return an element of an array of float64 at an address."""
    return np.int64(int32_at(address, 2 * index + 1) << 32 | int32_at(address, 2 * index) & 0xFFFFFFFF).view(np.float64)


@kernel(TERM)
def great_circle(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the cost of the distance. Row 0 of the table is the least cost per distance, and whether it is a sphere."""
    table = params[TABLE]
    for k in range(n):
        node, other = ends_of(params, out[out_at + k])
        square = 0.0
        for axis in range(3):
            difference = float64_at(table, 3 * node + 3 + axis) - float64_at(table, 3 * other + 3 + axis)
            square += difference * difference
        distance = math.sqrt(square)
        if float64_at(table, 1) != 0:
            distance = 2 * math.asin(min(distance / 2, 1.0))
        h[slot + k] += np.int64(math.floor(min(float64_at(table, 0) * distance, MAX_COST)))
    return 0


@HEURISTICS.register("great_circle", domain="road")
@dataclass(frozen=True)
class GreatCircle(TableOfNetwork):
    """Distance as the crow flies, times the least cost per distance of any arc, rounded down.

    The distance is that on the sphere if the coordinates are longitude and latitude, else that in the plane. Admissible
    and consistent by the triangle inequality. An arc that costs 0 between different points makes all values 0.
    """

    kernel = great_circle

    def check(self, instance: Instance) -> None:
        """Refuse networks without coordinates."""
        assert isinstance(instance.world, Road)
        if instance.world.shared.points is None:
            raise Incompatible("heuristic: great_circle needs coordinates; give them as world.coordinates")

    def computed(self, shared: SharedNetwork, report: Report) -> NDArray[np.float64]:
        """Return the places of the nodes, on a sphere of radius 1 or in the plane, behind the least cost per distance.

        Shape (nodes + 1, 3).
        """
        assert shared.points is not None
        network, is_sphere = shared.network, shared.points.is_sphere
        x, y = shared.points.xy.T.astype(np.float64)
        z = np.zeros_like(x)
        if is_sphere:
            longitude, latitude = np.radians(x / 1e6), np.radians(y / 1e6)
            x, y, z = np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)
        places = np.stack([x, y, z], axis=1)
        distance = np.sqrt(((places[network.tails] - places[network.heads]) ** 2).sum(axis=1))
        if is_sphere:
            distance = 2 * np.arcsin(np.minimum(distance / 2, 1))
        apart = distance > 0
        rates = network.costs[apart, 0] / distance[apart]
        return np.vstack([[(1 - MARGIN) * rates.min() if rates.size else 0.0, is_sphere, 0], places])


@kernel(TERM)
def road_differential(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest lower bound of any landmark."""
    table, columns = params[TABLE], params[COLUMNS]
    for k in range(n):
        node, other = ends_of(params, out[out_at + k])
        here, there = node * columns, other * columns
        largest = np.int64(0)
        for column in range(0, columns, 2):
            from_landmark = int32_at(table, here + column), int32_at(table, there + column)
            to_landmark = int32_at(table, there + column + 1), int32_at(table, here + column + 1)
            for near, far in (from_landmark, to_landmark):
                if near != UNREACHED:
                    largest = max(largest, np.int64(UNREACHABLE if far == UNREACHED else far - near))
        h[slot + k] += largest
    return 0


@HEURISTICS.register("differential", domain="road")
@dataclass(frozen=True)
class LandmarkDifferences(TableOfNetwork):
    """Largest difference of the distances from a landmark, or to it, of the node and the goal.

    Also known as ALT (Goldberg and Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005).
    Admissible and consistent by the triangle inequality. A node that cannot reach a landmark that the goal reaches is a
    dead end, and so is one that a landmark reaches that does not reach the goal.

    The distances are computed once for each network. Tables of 1 MB or more are stored in the user's cache directory.

    Attributes
    ----------
    landmarks : int
        Number of landmarks, 1 to 64.
    choose : {"avoid", "farthest"}
        `avoid`: each landmark where the bounds of those before are worst. `farthest`: each far from those before.
    """

    kernel = road_differential

    landmarks: Annotated[int, Meta(ge=1, le=64)] = 8
    choose: Choice = "avoid"

    def computed(self, shared: SharedNetwork, report: Report) -> Distances:
        """Return the table of `landmark_table`, which may be mapped into memory."""
        about = {"format": FORMAT, "network": shared.digest, "landmarks": self.landmarks, "choose": self.choose}
        compute = partial(landmark_table, shared.network, self.landmarks, self.choose, report)
        title = f"distances from and to landmarks of {shared.name}"
        return computed_once("road", about, (shared.network.nodes, 2 * self.landmarks), compute, report, title)


def landmark_table(network: Network, count: int, choose: Choice, report: Report) -> Distances:
    """Choose landmarks, and return the distances from and to each of them, `UNREACHED` where there is no path.

    Returns
    -------
    ndarray of int32, shape (nodes, 2 * count)
        In column 2 k the distance from landmark k to each node, in the next column the distance to the landmark.
    """
    draws = generator_of(0).random(count + 3)
    tries = [network.distances(int(draw * network.nodes))[:, 0] != UNREACHED for draw in draws[count:]]
    reached = np.flatnonzero(max(tries, key=np.count_nonzero))
    columns: list[Distances] = []
    for number in range(count):
        report("distances from and to landmarks", number / count)
        root = int(reached[int(draws[number] * reached.size)])
        landmark = _avoiding(network, root, columns) if choose == "avoid" else NONE
        if landmark == NONE:
            nearest = np.min(columns[::2] or [network.distances(root)[:, 0]], axis=0)
            landmark = int(np.where(nearest == UNREACHED, NONE, nearest).argmax())
        columns += [network.distances(landmark)[:, 0], network.backward.distances(landmark)[:, 0]]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _avoiding(network: Network, root: int, columns: list[Distances]) -> int:
    """Return a leaf of the tree of least paths from a root, below which the present bounds are worst, if any are.

    The weight of a node is the distance from the root minus its bound, the size of a node the weights of the nodes
    below it, or 0 if a landmark is below it. From the node of the largest size, the largest child is taken, down to a
    leaf.
    """
    counted = replace(network, costs=np.stack([network.costs[:, 0], np.ones_like(network.heads)], axis=1))
    distance, arcs = counted.distances(root, (0, 1)).T.astype(np.int64)  # few arcs: no circles of arcs that cost 0
    in_tree = distance[network.tails] + network.costs[:, 0] == distance[network.heads]
    in_tree &= arcs[network.tails] + 1 == arcs[network.heads]
    parent = np.full(network.nodes, NONE, np.int64)
    parent[network.heads[in_tree]] = network.tails[in_tree]
    bound = np.zeros(network.nodes, np.int64)
    for column, sign in zip(columns, [1, -1] * len(columns), strict=False):
        if column[root] != UNREACHED:
            differences = sign * (column.astype(np.int64) - column[root])
            np.maximum(bound, differences, out=bound, where=column != UNREACHED)
    size = np.where(distance == UNREACHED, 0, distance - bound)
    has_landmark = np.zeros(network.nodes, np.bool_)
    has_landmark[[int(column.argmin()) for column in columns[::2]]] = True
    child = np.full(network.nodes, NONE, np.int64)
    sum_up.compiled(np.lexsort((arcs, distance)), parent, size, has_landmark, child)
    size[has_landmark] = 0
    leaf = int(size.argmax())
    if size[leaf] == 0:  # the bounds from this root are exact
        return NONE
    while child[leaf] != NONE:
        leaf = int(child[leaf])
    return leaf


@kernel("int64(int64[::1], int64[::1], int64[::1], boolean[::1], int64[::1])")
def sum_up(order, parent, size, has_landmark, child):
    """Add the size of each node to that of its parent, and write the largest child. Parents come before in `order`."""
    for index in range(order.size - 1, -1, -1):
        node = order[index]
        above = parent[node]
        if above >= 0:
            size[above] += size[node]
            has_landmark[above] |= has_landmark[node]
            if child[above] < 0 or size[node] > size[child[above]]:
                child[above] = node
    return 0
