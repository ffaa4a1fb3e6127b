"""Predicted number of expansions of IDA* (R. Korf, M. Reid and S. Edelkamp, Artificial Intelligence 129, 2001)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worlds.interface import InPlaceProblem

_MAX_NODES = 1e300


def predicted_expansions(problem: InPlaceProblem, distribution: NDArray[np.float64], bound: int) -> float | None:
    """Return how many nodes an iteration of IDA* is expected to expand; None if there are too many for a float.

    A node at depth i is expanded if its value is at most ``bound - i``. The formula takes for its probability the share
    of all states with such a value: ``sum of N_i P(bound - i)`` over all depths i. The number N_i of nodes at depth i
    in the tree without a heuristic is exact: it follows from the sequences of moves. The formula assumes a consistent
    heuristic, steps of cost 1, and that the states of the tree are distributed like all states, as in puzzles whose
    states all have the same moves.

    Parameters
    ----------
    problem : InPlaceProblem
    distribution : ndarray of float64
        Share of all states with each value of the heuristic.
    bound : int
        Bound on f.
    """
    following = np.zeros((len(problem.sequences), len(problem.sequences)))
    for number, sequence in enumerate(problem.sequences):
        for move in sequence:
            following[number, move.following] += 1
    nodes = np.zeros(len(following))
    nodes[problem.first] = 1
    at_most = np.cumsum(distribution)
    expected = 0.0
    for depth in range(bound + 1):
        generated = float(nodes.sum())
        if generated > _MAX_NODES:
            return None
        expected += generated * at_most[min(bound - depth, at_most.size - 1)]
        nodes = nodes @ following
    return float(expected)
