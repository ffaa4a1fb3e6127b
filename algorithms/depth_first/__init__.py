"""Depth-first searches: graph search, iterative deepening, IDA*, and searches with the memory of one path.

`depth_first` and `linear_memory` have the algorithms, and `path` the slots and levels of the path. `in_place` is IDA*
for worlds whose moves can be made and undone on one board, with a `prediction` of its expansions. `operator_order` is
the order of the children, and `factors` has the factors of g and h in f.
"""

from algorithms.depth_first import depth_first as depth_first
from algorithms.depth_first import linear_memory as linear_memory
