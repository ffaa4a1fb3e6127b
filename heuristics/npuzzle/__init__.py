"""Heuristics for the n-puzzle."""

from heuristics.npuzzle import linear_conflict as linear_conflict
from heuristics.npuzzle import manhattan as manhattan
from heuristics.npuzzle import pattern_database as pattern_database
