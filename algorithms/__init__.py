"""Search algorithms, one file for each family, and agents.

A file holds the registered algorithms with their parameters and guarantees. `algorithms.engine` runs the searches.
"""

from algorithms import agents as agents
from algorithms import anytime as anytime
from algorithms import beam as beam
from algorithms import best_first as best_first
from algorithms import bidirectional as bidirectional
from algorithms import breadth_first as breadth_first
from algorithms import depth_first as depth_first
from algorithms import jump_point as jump_point
from algorithms import unibz_astar as unibz_astar
