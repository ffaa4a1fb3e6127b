"""Sample of a long search, small enough for a page that plays smoothly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.explorer.history import History
from runner.explorer.recorder import NO_NODE

Integers = NDArray[np.int64]
MAX_STEPS, MAX_NODES = 100_000, 200_000


@dataclass(frozen=True)
class Sample:
    """Expansions and nodes of a search that a page shows.

    Attributes
    ----------
    nodes : ndarray
        Numbers of the nodes in the record. A node of the sample is its index here.
    steps : ndarray
        Numbers of the expansions in the record.
    history : History
        History of these expansions. Its nodes are those of the sample, its counts those of the whole search.
    """

    nodes: Integers
    steps: Integers
    history: History


def sample(history: History, plan: list[int], max_steps: int = MAX_STEPS, max_nodes: int = MAX_NODES) -> Sample:
    """Return the whole history if it is small enough, else every k-th expansion.

    A sample keeps the nodes of its expansions and of the plan with all their first parents, the first expansion of each
    of these, and as many of their successors that were never expanded as there is room for.

    Parameters
    ----------
    plan : list of int
        Nodes of the plan; negative numbers are ignored.
    """
    expansions, count = len(history.expanded), len(history.first_parent)
    if expansions <= max_steps and count <= max_nodes:
        return Sample(np.arange(count), np.arange(expansions), history)
    every = max(1, -(-expansions // max_steps))
    while True:
        steps = np.arange(0, expansions, every)
        kept = np.zeros(count, bool)
        kept[history.expanded[steps]] = True
        kept[[node for node in plan if node >= 0]] = True
        _keep_parents(kept, history.first_parent)
        if kept.sum() <= max_nodes or len(steps) <= 1:
            break
        every *= 2
    was_expanded = np.zeros(count, bool)
    was_expanded[history.expanded] = True
    others = np.flatnonzero(~was_expanded & ~kept & kept[history.first_parent])
    room = max_nodes - int(kept.sum())
    if room > 0 and len(others):
        kept[others[:: -(-len(others) // room)]] = True
    expanded, first_expansion = np.unique(history.expanded, return_index=True)
    return _reduced(history, kept, np.union1d(steps, first_expansion[kept[expanded]]))


def _keep_parents(kept: NDArray[np.bool_], first_parent: Integers) -> None:
    """Keep the first parents of all nodes that are kept, up to the roots."""
    nodes = np.flatnonzero(kept)
    while len(nodes):
        parents = np.unique(first_parent[nodes])
        nodes = parents[(parents >= 0) & ~kept[parents]]
        kept[nodes] = True


def _reduced(history: History, kept: NDArray[np.bool_], steps: Integers) -> Sample:
    """Return the sample of some nodes and expansions.

    Its changes are those of its expansions, and the first one of each node, at the next expansion of the sample. All
    parents are first parents, because other changes of parents are left out.
    """
    nodes = np.flatnonzero(kept)
    step_of = np.repeat(np.arange(len(history.expanded)), np.diff(history.first))
    is_first = np.zeros(len(history.node), bool)
    is_first[np.unique(history.node, return_index=True)[1]] = True
    is_sampled = np.zeros(len(history.expanded), bool)
    is_sampled[steps] = True
    chosen = np.flatnonzero(kept[history.node] & (is_first | is_sampled[step_of]))
    at = np.searchsorted(steps, step_of[chosen])
    before_end = at < len(steps)
    chosen, at = chosen[before_end], at[before_end]
    # Each expansion first states its own g, which may have changed since its last change of the sample.
    order = np.argsort(np.concatenate([2 * np.arange(len(steps)), 2 * at + 1]), kind="stable")
    node = np.concatenate([history.expanded[steps], history.node[chosen]])[order]
    g = np.concatenate([history.expanded_g[steps], history.g[chosen]])[order]
    number = np.cumsum(kept) - 1
    first_parent = np.where(history.first_parent >= 0, number[history.first_parent], NO_NODE)
    return Sample(
        nodes,
        steps,
        History(
            expanded=number[history.expanded[steps]],
            expanded_parent=first_parent[history.expanded[steps]],
            expanded_g=history.expanded_g[steps],
            first=np.concatenate([[0], np.cumsum(1 + np.bincount(at, minlength=len(steps)))]),
            node=number[node],
            parent=first_parent[node],
            g=g,
            starts=np.unique(np.searchsorted(steps, history.starts)[: len(steps)]),
            is_open=history.is_open[steps],
            is_closed=history.is_closed[steps],
            is_seen=history.is_seen[steps],
            is_reopened=history.is_reopened[steps],
            first_parent=first_parent[nodes],
        ),
    )
