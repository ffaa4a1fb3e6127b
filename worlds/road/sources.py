"""Sources of queries on networks: files of road networks, grids, and random networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from runner.base import UserError, checked_id, file_error
from worlds.interface import source
from worlds.road import formats
from worlds.road.formats import Arcs
from worlds.road.generators import random_network
from worlds.road.network import MAX_OBJECTIVES, Network
from worlds.road.shared import MAX_DEGREE, SharedNetwork
from worlds.road.world import Road

Bound = Annotated[int, Meta(ge=0, lt=1 << 31)]


@dataclass(frozen=True)
class Costs:
    """Parameters of networks in files.

    Attributes
    ----------
    objectives : list of int, optional
        The costs that count, in this order, from 1: at most five. Searches for one path take the first. Unless given,
        all costs of the file, or files.
    reference : list of int, optional
        Point up to which fronts dominate, for the hypervolume: a number for each objective. Unless given, the corner of
        the single optima.
    """

    objectives: list[int] | None = None
    reference: list[Bound] | None = None

    def chosen(self, costs: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the costs that count.

        Raises
        ------
        UserError
            If there are others, or the reference has another length.
        """
        count = costs.shape[1]
        chosen = [*range(1, count + 1)] if self.objectives is None else self.objectives
        is_allowed = 1 <= len(chosen) <= MAX_OBJECTIVES and len(set(chosen)) == len(chosen)
        if not is_allowed or not all(1 <= number <= count for number in chosen):
            raise UserError(
                f"world.objectives: expected 1 to {MAX_OBJECTIVES} different numbers from 1 to {count}, got {chosen}"
            )
        if self.reference is not None and len(self.reference) != len(chosen):
            raise UserError(
                f"world.reference: expected a number for each of {len(chosen)} objectives, got {self.reference}"
            )
        return costs[:, [number - 1 for number in chosen]]

    def road(self, shared: SharedNetwork, start: int, goal: int) -> Road:
        """Return a query."""
        return Road(shared, start, goal, None if self.reference is None else tuple(self.reference))


def _check_ends(parameters: Any) -> None:
    """Refuse one end without the other, and ends beside queries."""
    if (parameters.start is None) != (parameters.goal is None):
        raise UserError("world.start and world.goal: give both or none")
    if parameters.start is not None and parameters.queries is not None:
        raise UserError("world.queries: leave it out, or world.start and world.goal")
    if parameters.path == []:
        raise UserError("world.path: expected a file, or a list of files, got []")


@source("road/file", sampled=True, validate=_check_ends)
def queries_on_network(
    costs: Costs,
    *,
    path: str | list[str],
    coordinates: str | None = None,
    queries: str | None = None,
    start: int | None = None,
    goal: int | None = None,
) -> Iterator[tuple[str, Road]]:
    """Queries on a road network, or any other network, with one to five costs.

    Nodes count from 1. Files may be compressed by gzip.

    Parameters
    ----------
    path : str or list of str
        File of the arcs, or one file for each cost, with the same arcs in the same order: DIMACS (``p sp N M``, then
        ``a u v c``), Raith and Ehrgott (``sp min N M``), or ``N M``, then ``u v c1 c2``.
    coordinates : str, optional
        File of the coordinates in the format of DIMACS (``v node x y``), for pictures and `great_circle`.
    queries : str, optional
        File with a line ``source target`` for each query.
    start, goal : int, optional
        Nodes of one query. Both or none. Unless these or `queries` are given, the query that the file of the arcs has.
    """
    paths = [Path(each).expanduser() for each in ([path] if isinstance(path, str) else path)]
    arcs = [formats.load_arcs(each) for each in paths]
    _check_same(paths, arcs)
    first = arcs[0]
    table = costs.chosen(np.concatenate([each.table[:, 2:-1] for each in arcs], axis=1))
    points = next((each.points for each in arcs if each.points is not None), None)
    if coordinates is not None:
        points = formats.load_points(Path(coordinates).expanduser(), first.nodes)
    network = Network.of(first.table[:, 0] - 1, first.table[:, 1] - 1, table, first.nodes)
    query = next((each.query for each in arcs if each.query), ())
    del arcs, table  # as much memory as the network
    shared = _shared(paths[0], SharedNetwork(_stem(paths[0]), network, points))
    if start is not None and goal is not None:
        for key, node in (("start", start), ("goal", goal)):
            if not 1 <= node <= network.nodes:
                raise UserError(f"world.{key}: expected a node from 1 to {network.nodes:,}, got {node}")
        query = start, goal
    if queries is not None:
        file = Path(queries).expanduser()
        pairs = formats.load_queries(file, network.nodes)
        if not pairs:
            raise file_error(file, "no queries; expected lines 'source target'")
        for number, (source_node, target) in enumerate(pairs, 1):
            yield f"{shared.name}#{number}", costs.road(shared, source_node - 1, target - 1)
        return
    if not query:
        raise UserError("world.queries: expected a file with lines 'source target', or world.start and world.goal")
    yield shared.name, costs.road(shared, query[0] - 1, query[1] - 1)


def _check_same(paths: Sequence[Path], files: Sequence[Arcs]) -> None:
    """Refuse files whose arcs differ from those of the first one."""
    first = files[0]
    for path, other in zip(paths[1:], files[1:], strict=True):
        sizes = [(each.nodes, len(each.table)) for each in (first, other)]
        if sizes[0] != sizes[1]:
            (nodes, arcs), (nodes_here, arcs_here) = sizes
            raise file_error(
                path, f"expected {nodes:,} nodes and {arcs:,} arcs, as {paths[0]}, got {nodes_here:,} and {arcs_here:,}"
            )
        differs = (first.table[:, :2] != other.table[:, :2]).any(axis=1)
        if differs.any():
            here, there = other.table[differs][0].tolist(), first.table[differs][0].tolist()
            problem = f"expected the arc from {there[0]} to {there[1]}, as line {there[-1]} of {paths[0]}, got "
            raise file_error(path, f"{problem}{here[0]} to {here[1]}", line=here[-1])


def _stem(path: Path) -> str:
    """Return the name of a file without what tells its format."""
    name = path.name
    for suffix in (".gz", ".gr", ".txt"):
        name = name.removesuffix(suffix)
    return checked_id(name, partial(file_error, path))


def _shared(path: Path, shared: SharedNetwork) -> SharedNetwork:
    """Return a network after checking it."""
    if shared.degree > MAX_DEGREE:
        raise file_error(path, f"a node has {shared.degree:,} arcs; at most {MAX_DEGREE:,} are possible")
    return shared


@source("road/grid", sampled=True, validate=_check_ends)
def queries_on_grid(
    costs: Costs,
    *,
    path: str,
    queries: str | None = None,
    start: list[int] | None = None,
    goal: list[int] | None = None,
) -> Iterator[tuple[str, Road]]:
    """Queries on a grid whose edges have several costs, the same in both directions.

    Nodes have the names ``x:y``. The file may be compressed by gzip.

    Parameters
    ----------
    path : str
        File of the grid: ``nodes edges``, then ``a x1 y1 x2 y2 c1 c2 ..`` for each edge.
    queries : str, optional
        File of queries: the number of costs, the number of queries, then ``number x y x y`` for each.
    start, goal : [x, y], optional
        Nodes of one query. Both or none. Either these or `queries` are needed.
    """
    file = Path(path).expanduser()
    xy, table = formats.load_grid(file)
    tails, heads = np.ascontiguousarray(table[:, :2].T)
    network = Network.of(tails, heads, costs.chosen(table[:, 2:]), len(xy))
    shared = _shared(file, SharedNetwork(_stem(file), network, formats.Points(xy, is_sphere=False), has_cells=True))
    if start is not None and goal is not None:
        ends = [_cell(shared, each, UserError, f"world.{key}: ") for key, each in (("start", start), ("goal", goal))]
        yield shared.name, costs.road(shared, *ends)
        return
    if queries is None:
        raise UserError("world.queries: expected a file of queries, or world.start and world.goal")
    at = Path(queries).expanduser()
    for number, source_cell, target, line in formats.load_grid_queries(at):
        fail = partial(file_error, at, line=line)
        yield (
            f"{shared.name}#{number}",
            costs.road(shared, *(_cell(shared, each, fail) for each in (source_cell, target))),
        )


def _cell(shared: SharedNetwork, cell: Sequence[int], fail: Any, key: str = "") -> int:
    """Return the node of a cell of a grid."""
    node = shared.node(":".join(map(str, cell)))
    if node is None:
        raise fail(f"{key}expected a node [x, y] of {shared.name}, got {list(cell)}")
    return node


@source("road/random", id="{nodes}-{seed}", small_space={"nodes": 100, "count": 1})
def random_queries(
    seed: int,
    nodes: Annotated[int, Meta(ge=2, le=1_000_000)] = 1000,
    objectives: Annotated[int, Meta(ge=1, le=MAX_OBJECTIVES)] = 2,
    correlation: Annotated[float, Meta(ge=-1, le=1)] = 0.0,
) -> Road:
    """Random networks: planar, with one-way streets and coordinates, each with a random query that has a solution.

    Nodes lie near the places of a square lattice. Each cost of an arc is its length times a factor from 1 to 3.

    Parameters
    ----------
    nodes : int
        Number of nodes.
    objectives : int
        Number of costs of an arc.
    correlation : float
        How the factors of the costs depend on that of the first: 1 equal, 0 not at all, -1 opposed.
    """
    network, points, start, goal = random_network(nodes, objectives, correlation, seed)
    name = f"random-{nodes}-{seed}"
    return Road(SharedNetwork(name, network, points), start, goal)
