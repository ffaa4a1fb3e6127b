"""Best-first search: UCS, A* and weighted A*, with the kernel that all searches by an open list run.

`best_first` has the algorithms, `kernel` the kernel, compiled with the functions of each open list; with `batches` it
expands several nodes before it evaluates their successors. `inconsistent` has A* for inconsistent heuristics, and
`unibz_astar` a published A*, both in plain Python.
"""

from algorithms.best_first import best_first as best_first
from algorithms.best_first import unibz_astar as unibz_astar
