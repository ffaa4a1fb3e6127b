"""Nodes of a tree of constraints for those who watch the search: cost, constraint, first conflict and paths as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.node_space import NodeSpace
from algorithms.engine.search import Expansion
from algorithms.mapf import constraint_tree as tree
from algorithms.mapf import constraints as fields
from algorithms.mapf.team_search import Paths, move_codes
from runner.base.messages import plural
from worlds.interface import Words
from worlds.mapf.rules import LETTERS, Conflict
from worlds.mapf.search import Roadmap


class TreeArrays(NamedTuple):
    """Arrays of a tree (`algorithms.mapf.constraint_tree`): nodes, pool of paths, and the node selected last."""

    nodes: NDArray[np.int32]
    pool: NDArray[np.int32]
    selected: int


class ConstraintSpace(NodeSpace):
    """Tree of constraints. The word of a node is its number.

    Parameters
    ----------
    roadmap : Roadmap
    agents : int
    arrays : callable
        Returns the tree as it is now.
    """

    initial = np.zeros(1, np.uint64)

    def __init__(self, roadmap: Roadmap, agents: int, arrays: Callable[[], TreeArrays]) -> None:
        self._roadmap, self._agents, self._arrays = roadmap, agents, arrays

    @property
    def solution(self) -> Words | None:
        """The node selected last, if it has no conflicts."""
        nodes, _, selected = self._arrays()
        is_solved = len(nodes) > 0 and nodes[selected, fields.CONFLICTS] == 0
        return np.array([selected], np.uint64) if is_solved else None

    def is_goal(self, node: Words) -> bool:
        """Return whether the paths of a node have no conflicts."""
        return bool(self._arrays().nodes[int(node[0]), fields.CONFLICTS] == 0)

    def show(self, node: Words) -> str:
        """Return cost and number of conflicts, the constraint, and the first conflict."""
        return "\n".join(self._lines(int(node[0]), self._paths(int(node[0]))))

    def details(self, node: Words) -> str:
        """Return the same, and below it for each agent its start and its moves over time."""
        paths = self._paths(int(node[0]))
        starts = [str(self._roadmap.cells[path[0]]) for path in paths]
        wide, digits = max(map(len, starts)), len(str(self._agents))
        lines = self._lines(int(node[0]), paths)
        for agent, (start, path) in enumerate(zip(starts, paths, strict=True), 1):
            moves = move_codes(self._roadmap.neighbours, path[None])[0]
            lines.append(f"{agent:{digits}} {start:{wide}} {''.join(LETTERS[move] for move in moves)}".rstrip())
        return "\n".join(lines)

    def expansion(self) -> Expansion:
        """Return the expansion of the node that was selected last."""
        nodes, _, node = self._arrays()
        parent = int(nodes[node, fields.PARENT])
        children = np.flatnonzero((nodes[:, fields.PARENT] == node) & (nodes[:, fields.IS_CLOSED] == 0))
        costs = nodes[:, fields.COST] - nodes[node, fields.COST]
        return Expansion(
            np.array([node], np.uint64),
            None if parent < 0 else np.array([parent], np.uint64),
            int(nodes[node, fields.COST]),
            [(np.array([child], np.uint64), int(costs[child]), 0) for child in children],
        )

    def _lines(self, node: int, paths: list[Paths]) -> list[str]:
        nodes = self._arrays().nodes
        cost, conflicts = nodes[node, [fields.COST, fields.CONFLICTS]].tolist()
        lines = [f"cost {cost}, {plural(conflicts, 'conflict')}"]
        if nodes[node, fields.CONSTRAINED] >= 0:
            lines.append(self._constraint(node))
        if conflicts:
            lines += [f"{conflict} at {time}" for time, conflict in _conflicts(self._roadmap, paths)][:1]
        return lines

    def _constraint(self, node: int) -> str:
        row = self._arrays().nodes[node]
        start = self._roadmap.cells[row[fields.CONSTRAINT_CELL]]
        is_demand, is_move = row[fields.IS_DEMAND] != 0, row[fields.CONSTRAINT_TO] >= 0
        verb = "not"
        if is_demand:
            verb = "must go" if is_move else "must be"
        where = f"from {start} to {self._roadmap.cells[row[fields.CONSTRAINT_TO]]}" if is_move else f"in {start}"
        return f"agent {row[fields.CONSTRAINED] + 1} {verb} {where} at {row[fields.CONSTRAINT_TIME]}"

    def _paths(self, node: int) -> list[Paths]:
        """Return the cells of each agent up to its arrival. Paths that did not change are those of a node above."""
        nodes, pool, _ = self._arrays()
        found: dict[int, Paths] = {}
        while len(found) < self._agents:
            record = int(nodes[node, fields.PATHS])
            while record >= 0:
                cells = record + tree.PATH_CELLS
                last = cells + int(pool[record + tree.PATH_COST])
                found.setdefault(int(pool[record + tree.PATH_AGENT]), pool[cells : last + 1] >> 1)
                record = int(pool[record + tree.NEXT])
            node = int(nodes[node, fields.PARENT])
        return [found[agent] for agent in range(self._agents)]


def _conflicts(roadmap: Roadmap, paths: list[Paths]) -> Iterator[tuple[int, Conflict]]:
    """Yield the time of each conflict, in this order, and for each the agents with the smallest numbers."""
    longest = max(map(len, paths))
    waiting = [np.append(path, np.full(longest - len(path), path[-1])).tolist() for path in paths]
    for time, (before, after) in enumerate(pairwise(zip(*waiting, strict=True)), 1):
        in_cell: dict[int, int] = {}
        moves: dict[tuple[int, int], int] = {}
        for agent, move in enumerate(zip(before, after, strict=True)):
            start, end = move
            other = in_cell.setdefault(end, agent)
            if other != agent:
                yield time, Conflict(other + 1, agent + 1, roadmap.cells[end], None)
            other = moves.get((end, start), agent)
            if other != agent and start != end:
                yield time, Conflict(other + 1, agent + 1, roadmap.cells[end], roadmap.cells[start])
            moves[move] = agent
