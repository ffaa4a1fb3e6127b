"""History of a recorded search: g, parent, and the open and closed nodes at every moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.explorer.recorder import NO_NODE, Recorder

Integers = NDArray[np.int64]
UNSEEN, OPEN, CLOSED = range(3)


@dataclass(frozen=True)
class History:
    """Changes of the nodes of a recorded search, in the engine's costs.

    Before expansion i, the nodes of the changes ``first[i]`` to ``first[i + 1]`` (excluded) get a parent and g. Nodes
    that were not open become open, except the one that is expanded, which becomes closed.

    Attributes
    ----------
    expanded, expanded_parent, expanded_g : ndarray, shape (expansions,)
        Node of each expansion, and the parent and g with which it was expanded.
    first : ndarray, shape (expansions + 1,)
        Number of the first change of each expansion.
    node, parent, g : ndarray, shape (changes,)
        Nodes that change, their new parent (-1: a root) and their new g.
    starts : ndarray
        Expansions with which an iteration begins. Then no node is open or closed.
    is_open, is_closed, is_seen : ndarray, shape (expansions,)
        Number of open nodes, of closed nodes, and of nodes of any iteration, after each expansion.
    is_reopened : ndarray of bool, shape (expansions,)
        Whether the node had been expanded before in the same iteration.
    first_parent : ndarray, shape (nodes,)
        Parent under which each node was generated first; -1 for roots.
    """

    expanded: Integers
    expanded_parent: Integers
    expanded_g: Integers
    first: Integers
    node: Integers
    parent: Integers
    g: Integers
    starts: Integers
    is_open: Integers
    is_closed: Integers
    is_seen: Integers
    is_reopened: NDArray[np.bool_]
    first_parent: Integers


def history_of(record: Recorder, reopens: bool) -> History:
    """Return the history of a search.

    In a depth-first search g is the cost of the path on which a node was reached last. In other searches it is the cost
    of the cheapest path found so far.

    Parameters
    ----------
    record : Recorder
    reopens : bool
        Whether the search puts closed nodes back when it finds a cheaper path. Otherwise they keep their parent and g.
    """
    return _Follower(record, reopens and not record.depth_first).follow()


class _Follower:
    """Replay of a record, expansion by expansion."""

    def __init__(self, record: Recorder, reopens: bool) -> None:
        count = len(record.states)
        self._record, self._reopens = record, reopens
        self._status, self._times = [UNSEEN] * count, [0] * count
        self._g, self._parent, self._first_parent = [0] * count, [NO_NODE] * count, [NO_NODE] * count
        self._is_seen = [False] * count
        self._better: dict[int, tuple[int, int]] = {}  # cheaper paths to closed nodes
        self._changes: list[tuple[int, int, int]] = []
        self._open = self._closed = self._seen = 0
        self._cost_of, self._parent_of = list[int](), list[int]()  # of each expansion

    def follow(self) -> History:
        record = self._record
        first, starts, reopened, counts = [0], list[int](), list[bool](), list[tuple[int, int, int]]()
        for step, node in enumerate(record.expanded):
            if self._begins_iteration(step, node):
                starts.append(step)
                self._restart()
            self._reach(step, node)
            reopened.append(self._times[node] > 0 and not record.depth_first)
            self._times[node] += 1
            self._open -= self._status[node] == OPEN
            self._closed += self._status[node] != CLOSED
            self._status[node] = CLOSED
            self._generate(step, node)
            first.append(len(self._changes))
            counts.append((self._open, self._closed, self._seen))
        changes = np.array(self._changes, np.int64).reshape(-1, 3)
        is_open, is_closed, is_seen = np.array(counts, np.int64).reshape(-1, 3).T
        return History(
            np.array(record.expanded, np.int64), np.array(self._parent_of, np.int64), np.array(self._cost_of, np.int64),
            np.array(first), changes[:, 0], changes[:, 1], changes[:, 2],
            np.array(starts, np.int64), is_open, is_closed, is_seen, np.array(reopened, bool),
            np.array(self._first_parent, np.int64),
        )  # fmt: skip

    def _begins_iteration(self, step: int, node: int) -> bool:
        """Return whether a search begins at its start again. Nothing leads to the start at a lower cost than 0."""
        if self._record.depth_first:
            return self._record.above[step] == NO_NODE
        return step == 0 or (node == 0 and self._times[0] > 0)

    def _restart(self) -> None:
        count = len(self._status)
        self._status, self._times = [UNSEEN] * count, [0] * count
        self._better.clear()
        self._open = self._closed = 0

    def _reach(self, step: int, node: int) -> None:
        """Give the node that is expanded the parent and g with which it is expanded."""
        record = self._record
        above = record.above[step]
        if above != NO_NODE:
            parent, g = record.expanded[above], self._cost_of[above] + record.cost[record.step_to[step]]
        elif self._status[node] == UNSEEN:
            parent, g = NO_NODE, 0
        elif node in self._better:
            parent, g = self._better.pop(node)
        else:
            parent, g = self._parent[node], self._g[node]
        if self._status[node] == UNSEEN or (parent, g) != (self._parent[node], self._g[node]):
            self._change(node, parent, g)
        self._cost_of.append(g)
        self._parent_of.append(parent)

    def _generate(self, step: int, node: int) -> None:
        record, status = self._record, self._status
        for each in range(record.first[step], record.first[step + 1]):
            child, g = record.successor[each], self._cost_of[step] + record.cost[each]
            if status[child] == UNSEEN:
                self._change(child, node, g)
                status[child] = OPEN
                self._open += 1
            elif status[child] == OPEN:
                if g < self._g[child] or (record.depth_first and (node, g) != (self._parent[child], self._g[child])):
                    self._change(child, node, g)
            elif g < self._g[child] and not record.depth_first:
                if self._reopens:
                    self._change(child, node, g)
                    status[child] = OPEN
                    self._open, self._closed = self._open + 1, self._closed - 1
                elif g < self._better.get(child, (0, self._g[child]))[1]:
                    self._better[child] = node, g

    def _change(self, node: int, parent: int, g: int) -> None:
        self._changes.append((node, parent, g))
        self._parent[node], self._g[node] = parent, g
        if not self._is_seen[node]:
            self._is_seen[node] = True
            self._first_parent[node] = parent
            self._seen += 1
