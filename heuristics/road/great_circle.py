"""Distances on the sphere, or in the plane, times the least cost per distance of any arc."""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from runner.base import Incompatible
from worlds.compile import MAX_COST, Kernel, float_of, helper, int32_at, kernel
from worlds.interface import Instance, Problem
from worlds.road.network import Network
from worlds.road.search import goal_of, node_of
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

MARGIN = 1e-6
"""Share by which values are smaller: more than the error of floats, of up to 2^30 times 2^-50, beside a cost of 1."""

# Layout of the parameters of the terms: the bits of the least cost per distance, whether the network is on the sphere,
# the address of the places, and the start.
RATE, SPHERE, PLACES, START = range(4)

Places = NDArray[np.float64]
_rates: WeakKeyDictionary[SharedNetwork, tuple[Places, float]] = WeakKeyDictionary()


@HEURISTICS.register("great_circle", domain="road")
@dataclass(frozen=True)
class GreatCircle(Heuristic):
    """Distance as the crow flies, times the least cost per distance of any arc, rounded down.

    The distance is that on the sphere if the coordinates are longitude and latitude, else that in the plane. Admissible
    and consistent by the triangle inequality. An arc between equal points has any cost; one that costs 0 between
    different points makes all values 0.
    """

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Refuse networks without coordinates."""
        assert isinstance(instance.world, Road)
        if instance.world.shared.points is None:
            raise Incompatible("heuristic: great_circle needs coordinates; give them as world.coordinates")

    def term(self, problem: Problem) -> Term:
        """Bind to the places of the nodes."""
        return _bound(great_circle, problem)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the places of the nodes, and to the start."""
        return _bound(great_circle_from_start, problem)


def _bound(kernel: Kernel, problem: Problem) -> Term:
    assert isinstance(problem.world, Road)
    shared = problem.world.shared
    if shared not in _rates:
        places = places_of(shared)
        _rates[shared] = places, least_rate(shared.network, places, is_sphere=_is_sphere(shared))
    places, rate = _rates[shared]
    bits = np.float64(rate * (1 - MARGIN)).view(np.int64)
    params = np.array([bits, _is_sphere(shared), places.ctypes.data, problem.world.start], np.int64)
    return Term(kernel, params, keepalive=places)


def _is_sphere(shared: SharedNetwork) -> bool:
    return shared.points is not None and shared.points.is_sphere


def places_of(shared: SharedNetwork) -> Places:
    """Return the places of the nodes in space: on a sphere of radius 1, or in the plane. Shape (nodes, 3)."""
    assert shared.points is not None
    places = np.zeros((shared.network.nodes, 3))
    if shared.points.is_sphere:
        longitude, latitude = np.radians(shared.points.xy.T / 1e6)
        places[:, 0] = np.cos(latitude) * np.cos(longitude)
        places[:, 1] = np.cos(latitude) * np.sin(longitude)
        places[:, 2] = np.sin(latitude)
    else:
        places[:, :2] = shared.points.xy
    return places


def least_rate(network: Network, places: Places, *, is_sphere: bool) -> float:
    """Return the least first cost per distance of the arcs between different places; 0 without any."""
    between = places[network.tails] - places[network.heads]
    distance = np.sqrt((between**2).sum(axis=1))
    if is_sphere:
        distance = 2 * np.arcsin(np.minimum(distance / 2, 1))
    apart = distance > 0
    return float((network.costs[apart, 0] / distance[apart]).min(initial=math.inf)) if apart.any() else 0.0


@helper
def float64_at(address, index):
    """Return an element of an array of float64 at an address."""
    low = int32_at(address, 2 * index) & 0xFFFFFFFF
    return float_of(int32_at(address, 2 * index + 1) << 32 | low)


@helper
def least_cost(params, node, other):
    """Return the cost of the distance of two nodes, rounded down."""
    square = 0.0
    for k in range(3):
        difference = float64_at(params[PLACES], 3 * node + k) - float64_at(params[PLACES], 3 * other + k)
        square += difference * difference
    distance = math.sqrt(square)
    if params[SPHERE]:
        distance = 2 * math.asin(min(distance / 2, 1.0))
    return np.int64(math.floor(min(float_of(params[RATE]) * distance, MAX_COST)))


@kernel(TERM)
def great_circle(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the cost of the distance to the goal."""
    for k in range(n):
        h[slot + k] += least_cost(params, node_of(out[out_at + k]), goal_of(out[out_at + k]))
    return 0


@kernel(TERM)
def great_circle_from_start(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the cost of the distance from the start."""
    for k in range(n):
        h[slot + k] += least_cost(params, params[START], node_of(out[out_at + k]))
    return 0
