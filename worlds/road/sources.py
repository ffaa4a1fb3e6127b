"""Sources of queries on networks: files of road networks, grids, and random networks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from runner.base import UserError, checked_id, file_error
from worlds.interface import MAX_CODE, source
from worlds.road import formats
from worlds.road.formats import Arcs, Points
from worlds.road.generators import random_network
from worlds.road.network import MAX_OBJECTIVES, Network
from worlds.road.shared import SharedNetwork
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
        """Return the costs that count. Refuse others, and a reference of another length."""
        count = costs.shape[1]
        chosen = [*range(1, count + 1)] if self.objectives is None else self.objectives
        if not 1 <= len(chosen) <= MAX_OBJECTIVES or len(chosen) != len({*chosen} & {*range(1, count + 1)}):
            allowed = f"1 to {MAX_OBJECTIVES} different numbers from 1 to {count}"
            raise UserError(f"world.objectives: expected {allowed}, got {chosen}")
        if self.reference is not None and len(self.reference) != len(chosen):
            raise UserError(f"world.reference: expected a number for each of {len(chosen)}, got {self.reference}")
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
    shared = _shared(paths[0], network, points)
    if start is not None and goal is not None:
        for key, node in (("start", start), ("goal", goal)):
            if not 1 <= node <= network.nodes:
                raise UserError(f"world.{key}: expected a node from 1 to {network.nodes:,}, got {node}")
        query = start, goal
    if queries is not None:
        for number, ends in enumerate(formats.load_queries(Path(queries).expanduser(), network.nodes), 1):
            yield f"{shared.name}#{number}", costs.road(shared, ends[0] - 1, ends[1] - 1)
        return
    if not query:
        raise UserError("world.queries: expected a file with lines 'source target', or world.start and world.goal")
    yield shared.name, costs.road(shared, query[0] - 1, query[1] - 1)


def _check_same(paths: Sequence[Path], files: Sequence[Arcs]) -> None:
    """Refuse files whose arcs differ from those of the first one."""
    first = files[0]
    for path, other in zip(paths[1:], files[1:], strict=True):
        sizes = [f"{each.nodes:,} nodes and {len(each.table):,} arcs" for each in (first, other)]
        if sizes[0] != sizes[1]:
            raise file_error(path, f"expected {sizes[0]}, as {paths[0]}, got {sizes[1]}")
        for row in np.flatnonzero((first.table[:, :2] != other.table[:, :2]).any(axis=1))[:1]:
            (tail, head), (tail_here, head_here) = first.table[row, :2], other.table[row, :2]
            there = f"the arc from {tail} to {head}, as line {first.table[row, -1]} of {paths[0]}"
            problem = f"expected {there}, got {tail_here} to {head_here}"
            raise file_error(path, problem, line=int(other.table[row, -1]))


def _shared(path: Path, network: Network, points: Points | None, *, has_cells: bool = False) -> SharedNetwork:
    """Return the network of a file. Its name is that of the file without what tells the format."""
    name = re.sub(r"(\.gr|\.txt)?(\.gz)?$", "", path.name)
    shared = SharedNetwork(checked_id(name, partial(file_error, path)), network, points, has_cells)
    if shared.degree > MAX_CODE:
        raise file_error(path, f"a node has {shared.degree:,} arcs; at most {MAX_CODE:,} are possible")
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
    shared = _shared(file, network, Points(xy, is_sphere=False), has_cells=True)
    if start is not None and goal is not None:
        ends = (_cell(shared, each, UserError, f"world.{key}: ") for key, each in (("start", start), ("goal", goal)))
        yield shared.name, costs.road(shared, *ends)
        return
    if queries is None:
        raise UserError("world.queries: expected a file of queries, or world.start and world.goal")
    at = Path(queries).expanduser()
    for number, *cells, line in formats.load_grid_queries(at):
        fail = partial(file_error, at, line=line)
        ends = (_cell(shared, each, fail) for each in (cells[:2], cells[2:]))
        yield f"{shared.name}#{number}", costs.road(shared, *ends)


def _cell(shared: SharedNetwork, cell: Sequence[int], fail: Callable[[str], UserError], key: str = "") -> int:
    """Return the node of a cell of a grid."""
    node = shared.node(":".join(map(str, cell)))
    if node is None:
        raise fail(f"{key}expected a node [x, y] of {shared.name}, got {[*cell]}")
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
