"""How it is searched: a file for every family of algorithms, on the machinery of `algorithms.engine`; and agents."""

from algorithms import agents as agents
from algorithms import anytime as anytime
from algorithms import beam as beam
from algorithms import best_first as best_first
from algorithms import bidirectional as bidirectional
from algorithms import breadth_first as breadth_first
from algorithms import depth_first as depth_first
from algorithms import unibz_astar as unibz_astar
