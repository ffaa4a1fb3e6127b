"""What guides the search: one folder per domain with one file per heuristic, stacks of them, and weighting."""

from heuristics import npuzzle as npuzzle
from heuristics import snake as snake
from heuristics import wumpus as wumpus
