"""A network and what is computed from it once, for all its queries."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from worlds.interface import InputFile, Numbering
from worlds.road import formats
from worlds.road.formats import Points
from worlds.road.network import Network
from worlds.road.search import constants_of, number_of


@dataclass(frozen=True, eq=False)
class SharedNetwork:
    """A network that many queries share.

    Attributes
    ----------
    name : str
    network : Network
        With the chosen objectives, in their order.
    points : Points or None
        Coordinates of the nodes.
    has_cells : bool
        Whether nodes are called by their points, ``x:y``, and not by their numbers from 1.
    """

    name: str
    network: Network = field(repr=False)
    points: Points | None = field(default=None, repr=False)
    has_cells: bool = False

    def node_name(self, node: int) -> str:
        """Return the name of a node."""
        if self.has_cells and self.points is not None:
            x, y = self.points.xy[node].tolist()
            return f"{x}:{y}"
        return str(node + 1)

    def node(self, name: str) -> int | None:
        """Return the node of a name, or None."""
        if self.has_cells:
            return self._cells.get(name)
        is_number = name.isascii() and name.isdigit() and len(name) < 11
        number = int(name) if is_number else 0
        return number - 1 if 1 <= number <= self.network.nodes and str(number) == name else None

    @cached_property
    def _cells(self) -> dict[str, int]:
        return {self.node_name(node): node for node in range(self.network.nodes)}

    @cached_property
    def packed(self) -> NDArray[np.int64]:
        """The network as kernels see it."""
        return constants_of(self.network)

    @cached_property
    def numbering(self) -> Numbering:
        """Numbers of the nodes."""
        return Numbering(number_of, self.network.nodes)

    @cached_property
    def degree(self) -> int:
        """Largest number of arcs from or to a node, at least 1."""
        into = np.bincount(self.network.heads, minlength=1).max()
        return max(1, int(np.diff(self.network.first).max()), int(into))

    @cached_property
    def action_lengths(self) -> NDArray[np.int64]:
        """Number of arcs of each action: 1."""
        return np.ones(self.degree, np.int64)

    @cached_property
    def has_unit_costs(self) -> bool:
        """Whether the first cost of every arc is 1."""
        return bool((self.network.costs[:, 0] == 1).all())

    @cached_property
    def with_unit_costs(self) -> SharedNetwork:
        """The network in which the only cost of every arc is 1."""
        costs = np.ones((self.network.heads.size, 1), np.int32)
        return replace(self, network=replace(self.network, costs=costs))

    @cached_property
    def digest(self) -> str:
        """Digest of the network, its coordinates, and the names of its nodes."""
        digest = hashlib.sha256(repr((self.has_cells, self.points is not None and self.points.is_sphere)).encode())
        network = self.network
        digest.update(network.first.data)
        digest.update(network.heads.data)
        digest.update(repr(network.objectives if network.heads.size else 1).encode())
        digest.update(network.costs.data)
        if self.points is not None:
            digest.update(self.points.xy.data)
        return digest.hexdigest()[:32]

    @cached_property
    def positions(self) -> NDArray[np.float64] | None:
        """Places of the nodes in pictures, shape (nodes, 2): the area has one and a half squares for each node."""
        if self.points is None:
            return None
        places = self.points.xy - self.points.xy.min(axis=0).astype(np.float64)
        if self.points.is_sphere:
            places[:, 0] *= np.cos(np.radians(self.points.xy[:, 1].mean() / 1e6))
        scaled: NDArray[np.float64] = places * (1.5 * np.sqrt(self.network.nodes) / max(1.0, float(places.max())))
        return scaled

    @cached_property
    def files(self) -> dict[str, InputFile]:
        """The network as files for programs: with all costs, and of each cost in the format of DIMACS."""
        network, points = self.network, self.points
        found = {"network": self._file("network.txt", partial(formats.dump_network, network))}
        for k in range(network.objectives):
            found[f"arcs_{k + 1}"] = self._file(f"{k + 1}.gr", partial(formats.dump_dimacs, network, k))
        if points is not None:
            found["coordinates"] = self._file("points.co", partial(formats.dump_points, points))
        return found

    def _file(self, name: str, lines: Callable[[], Iterator[str]]) -> InputFile:
        kind, suffix = name.split(".")
        return InputFile(f".{suffix}", lambda: "".join(f"{line}\n" for line in lines()), key=f"{self.digest}_{kind}")
