"""Entries of searches by novelty, behind those of best-first search."""

from __future__ import annotations

from algorithms.engine import control_best_first as best_first

(
    VARIABLES,  # variables of a state
    FACTS,  # facts: values of all variables
    SIZE,  # most facts of a tuple: 1 or 2
    CLASSES,  # classes of states
    PAIRS_USED,  # words of the table of pairs that belong to facts
    NEXT_NODE,  # next node to expand in order of generation; in best-first search, to evaluate
    HAS_PRUNED,  # whether a state was pruned
    PLANS_USED,  # places of relaxed plans that are taken
    FULL_PART,  # what had no room
    END,
) = range(best_first.END, best_first.END + 10)
