"""Indices into the control array, through which a kernel and the Python code around it exchange numbers.

These entries are those of every search. Each family has a table of its own behind them, from `OWN` on: `control_*` of
this package, or `control_entries` of its folder. So different families use the same numbers; a search has one family.
"""

from __future__ import annotations

(
    # counts
    EXPANDED,
    GENERATED,
    EVALUATED,
    REOPENED,
    SIMULATED,  # 1 + primitive actions in all generated successors
    # of a search that is recorded
    EXPANDED_NODE,  # node expanded last; in depth-first search its level
    # sizes of the problem
    WORDS,  # words of a state
    MAX_SUCCESSORS,
    # node store
    NODES,  # stored nodes
    INDEX_MASK,  # see `algorithms.engine.nodes`; with a number table, its `base`
    GOAL,  # goal node, once solved
    OWN,  # first entry of a family
) = range(12)

SIZE = 64
"""Numbers of a control array: enough for every family."""

NO_INCUMBENT = NO_LIMIT = 1 << 60
"""No bound on costs; no limit on depth."""
