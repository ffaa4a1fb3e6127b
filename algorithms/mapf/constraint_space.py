"""Nodes of a tree of constraints for those who watch the search: cost, constraint, first conflict and paths as text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Expansion, NodeSpace
from algorithms.mapf import constraint_tree as t
from algorithms.mapf.team_search import Paths, move_codes
from runner.base import plural
from worlds.interface import Words
from worlds.mapf.rules import LETTERS, conflicts
from worlds.mapf.search import Roadmap


class ConstraintSpace(NodeSpace):
    """Tree of constraints. The word of a node is its number.

    Parameters
    ----------
    roadmap : Roadmap
    agents : int
    tree : callable
        Returns the tree as it is now.
    control : ndarray of int64
        Control array of the search.
    """

    initial = np.zeros(1, np.uint64)

    def __init__(
        self, roadmap: Roadmap, agents: int, tree: Callable[[], t.ConstraintTree], control: NDArray[np.int64]
    ) -> None:
        self._roadmap, self._agents, self._tree, self._control = roadmap, agents, tree, control

    @property
    def solution(self) -> Words | None:
        """The node selected last, if it has no conflicts."""
        selected = np.array([self._control[t.SELECTED]], np.uint64)
        return selected if self._control[t.NODES] > 0 and self.is_goal(selected) else None

    def is_goal(self, node: Words) -> bool:
        """Return whether the paths of a node have no conflicts."""
        return bool(self._tree().nodes[int(node[0]), t.CONFLICTS] == 0)

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
        nodes, node = self._tree().nodes[: self._control[t.NODES]], int(self._control[t.SELECTED])
        parent = int(nodes[node, t.PARENT])
        children = np.flatnonzero((nodes[:, t.PARENT] == node) & (nodes[:, t.IS_CLOSED] == 0))
        costs = nodes[:, t.COST] - nodes[node, t.COST]
        return Expansion(
            np.array([node], np.uint64),
            None if parent < 0 else np.array([parent], np.uint64),
            int(nodes[node, t.COST]),
            [(np.array([child], np.uint64), int(costs[child]), 0) for child in children],
        )

    def _lines(self, node: int, paths: list[Paths]) -> list[str]:
        row = self._tree().nodes[node].tolist()
        lines = [f"cost {row[t.COST]}, {plural(row[t.CONFLICTS], 'conflict')}"]
        if row[t.CONSTRAINED] >= 0:
            start, is_move = self._roadmap.cells[row[t.CONSTRAINT_CELL]], row[t.CONSTRAINT_TO] >= 0
            where = f"from {start} to {self._roadmap.cells[row[t.CONSTRAINT_TO]]}" if is_move else f"in {start}"
            demand = "must go" if is_move else "must be"
            verb = demand if row[t.IS_DEMAND] else "not"
            lines.append(f"agent {row[t.CONSTRAINED] + 1} {verb} {where} at {row[t.CONSTRAINT_TIME]}")
        if row[t.CONFLICTS]:
            lines.append(self._first_conflict(paths))
        return lines

    def _first_conflict(self, paths: list[Paths]) -> str:
        """Return the earliest conflict of paths that have one, and its time."""
        longest = max(map(len, paths))
        cells = [
            [self._roadmap.cells[cell] for cell in np.pad(path, (0, longest - len(path)), "edge")] for path in paths
        ]
        steps = enumerate(pairwise(zip(*cells, strict=True)), 1)
        return next(f"{found[0]} at {time}" for time, step in steps if (found := conflicts(*step)))

    def _paths(self, node: int) -> list[Paths]:
        """Return the cells of each agent up to its arrival. Paths that did not change are those of a node above."""
        nodes, pool, _ = self._tree()
        found: dict[int, Paths] = {}
        while len(found) < self._agents:
            record = int(nodes[node, t.PATHS])
            while record >= 0:
                cells = record + t.PATH_CELLS
                last = cells + int(pool[record + t.PATH_COST])
                found.setdefault(int(pool[record + t.PATH_AGENT]), pool[cells : last + 1] >> 1)
                record = int(pool[record + t.NEXT])
            node = int(nodes[node, t.PARENT])
        return [found[agent] for agent in range(self._agents)]
