"""Entries of real-time search, behind those of best-first search."""

from __future__ import annotations

from algorithms.engine import control_best_first as best_first

(
    AGENT,  # node where the agent stands
    LOOKAHEAD,  # expansions of a local search
    LOCAL_EXPANDED,  # of them so far
    LEARN_DISTANCE,  # learn distances to the frontier, not differences of f
    EXPANDED_G,  # g of the node expanded last
    WALKS,  # walks to the frontier of a local search
    MOVES,  # moves of the agent
    TRAVELLED,  # their cost
    LARGEST_LOCAL,  # most expansions before a walk
    LEARNED_STEPS,  # steps of the local search that has ended after the last expansion
    STEPS,  # recorded steps
    END,
) = range(best_first.END, best_first.END + 12)
