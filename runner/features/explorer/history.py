"""History of a recorded search: g, parent, and the open and closed nodes at every moment."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from runner.features.explorer.recorder import LABELS, NO_NODE, Recording

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

    def beginning(self, max_steps: int, max_nodes: int) -> History:
        """Return the history of the first expansions, with at most so many nodes."""
        steps = min(max_steps, int(np.searchsorted(self.is_seen, max_nodes, side="right")))
        if steps >= len(self.expanded):
            return self
        steps = max(1, steps)
        nodes, changes = int(self.is_seen[steps - 1]), int(self.first[steps])
        of_steps = ("expanded", "expanded_parent", "expanded_g", "is_open", "is_closed", "is_seen", "is_reopened")
        return replace(
            self,
            **{name: getattr(self, name)[:steps] for name in of_steps},
            **{name: getattr(self, name)[:changes] for name in ("node", "parent", "g")},
            first=self.first[: steps + 1],
            starts=self.starts[self.starts < steps],
            first_parent=self.first_parent[:nodes],
        )


def history_of(recording: Recording) -> History:
    """Return the history of a search.

    The search has told the parent and g of each expansion. Those of an open node are of the path that the search keeps.
    A node that has been expanded keeps them until it is expanded again, or put back by a search that reopens nodes.
    If a search keeps labels, a node is open again when a label is generated that is expanded later.
    """
    record = recording.recorder
    reopens, keeps = bool(recording.found.get("reopened")), record.keeps
    count = len(record.states)
    status, done = dict[int, int](), set[int]()
    paths: list[tuple[int, int]] = [(NO_NODE, 0)] * count  # parent and g
    changes, first, starts = list[tuple[int, int, int]](), [0], list[int]()
    reopened, counts, is_open, is_closed = list[bool](), list[tuple[int, int]](), 0, 0
    has_root = False
    labels = Counter(zip(record.expanded, record.parent, record.g, strict=True) if keeps == LABELS else ())

    def change(node: int, path: tuple[int, int]) -> None:
        paths[node] = path
        changes.append((node, *path))

    for step, (node, parent, g) in enumerate(zip(record.expanded, record.parent, record.g, strict=True)):
        is_root = parent == NO_NODE and not record.backward[node]
        if step == 0 or (is_root and has_root):  # the search begins again: at its start, or where the agent stands
            starts.append(step)
            status, done, is_open, is_closed = {}, set(), 0, 0
        has_root = has_root or is_root
        if node not in status or paths[node] != (parent, g):
            change(node, (parent, g))
        reopened.append(node in done and keeps not in ("last", LABELS))
        labels[node, parent, g] -= 1
        done.add(node)
        is_open, is_closed = is_open - (status.get(node) == OPEN), is_closed + (status.get(node) != CLOSED)
        status[node] = CLOSED
        for each in range(record.first[step], record.first[step + 1]):
            child, path = record.successor[each], (node, g + record.cost[each])
            is_cheaper = path[1] < paths[child][1]
            if status.get(child) == OPEN:
                if (is_cheaper and keeps == "cheapest") or (path != paths[child] and keeps == "last"):
                    change(child, path)
            elif child not in status or (is_cheaper and reopens) or labels[(child, *path)] > 0:
                change(child, path)
                is_open, is_closed = is_open + 1, is_closed - (status.get(child) == CLOSED)
                status[child] = OPEN
        first.append(len(changes))
        counts.append((is_open, is_closed))
    table = np.array(changes, np.int64).reshape(-1, 3)
    opens, closes = np.array(counts, np.int64).reshape(-1, 2).T
    return History(
        expanded=np.array(record.expanded, np.int64),
        expanded_parent=np.array(record.parent, np.int64),
        expanded_g=np.array(record.g, np.int64),
        first=np.array(first),
        node=table[:, 0],
        parent=table[:, 1],
        g=table[:, 2],
        starts=np.array(starts, np.int64),
        is_open=opens,
        is_closed=closes,
        is_seen=np.array(record.nodes, np.int64),
        is_reopened=np.array(reopened, bool),
        first_parent=np.array(record.first_parent, np.int64),
    )
