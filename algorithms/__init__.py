"""Search algorithms, one file for each family, and agents.

`examples/astar.py` is A* in one screen of plain Python; begin there. A file holds the registered algorithms of a family
with their parameters and guarantees, then the resumable search, then its kernel. `algorithms.engine` has what families
share.
"""

from algorithms import agents as agents
from algorithms import anytime as anytime
from algorithms import beam as beam
from algorithms import best_first as best_first
from algorithms import bidirectional as bidirectional
from algorithms import bounded_suboptimal as bounded_suboptimal
from algorithms import breadth_first as breadth_first
from algorithms import depth_first as depth_first
from algorithms import frontier as frontier
from algorithms import greedy as greedy
from algorithms import jump_point as jump_point
from algorithms import linear_memory as linear_memory
from algorithms import real_time as real_time
from algorithms import unibz_astar as unibz_astar
