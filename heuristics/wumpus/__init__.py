"""Heuristics for the Wumpus cave, one file each."""

from heuristics.wumpus import area_pruning as area_pruning
from heuristics.wumpus import flood_fill as flood_fill
from heuristics.wumpus import iterative_shift as iterative_shift
from heuristics.wumpus import manhattan as manhattan
from heuristics.wumpus import obstacle as obstacle
from heuristics.wumpus import pivots as pivots
