"""Heuristics (one folder per domain, one file per heuristic), stacks of heuristics, and weightings of h."""

from heuristics import graph as graph
from heuristics import gridmap as gridmap
from heuristics import hanoi as hanoi
from heuristics import npuzzle as npuzzle
from heuristics import pancake as pancake
from heuristics import pddl as pddl
from heuristics import permutation_patterns as permutation_patterns
from heuristics import rubik as rubik
from heuristics import snake as snake
from heuristics import wumpus as wumpus
