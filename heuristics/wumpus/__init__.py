"""Heuristics for the Wumpus cave: a file for each, or for those that share their tables."""

from heuristics.wumpus import area_pruning as area_pruning
from heuristics.wumpus import best_neighbour as best_neighbour
from heuristics.wumpus import best_neighbour_smart_manhattan as best_neighbour_smart_manhattan
from heuristics.wumpus import flood_fill as flood_fill
from heuristics.wumpus import iterative_shift as iterative_shift
from heuristics.wumpus import manhattan as manhattan
from heuristics.wumpus import obstacle as obstacle
from heuristics.wumpus import pivots as pivots
from heuristics.wumpus import relaxed as relaxed
from heuristics.wumpus import smart_manhattan as smart_manhattan
