"""How it is searched: one file per family of algorithms, on the compiled machinery of `algorithms.engine`."""

from algorithms import anytime as anytime
from algorithms import beam as beam
from algorithms import best_first as best_first
from algorithms import bidirectional as bidirectional
from algorithms import breadth_first as breadth_first
from algorithms import depth_first as depth_first
from algorithms import unibz_astar as unibz_astar
