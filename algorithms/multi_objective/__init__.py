"""Searches for a Pareto front: all paths whose vectors of costs no other path dominates.

`multi_objective` has the algorithms and their search, `kernel` the labels, the open list and the rules of cuts.
"""

from algorithms.multi_objective import multi_objective as multi_objective
