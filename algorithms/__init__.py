"""How it is searched: one file per family of algorithms, on the compiled machinery of `algorithms.engine`."""

from algorithms import best_first as best_first
from algorithms import unibz_astar as unibz_astar
