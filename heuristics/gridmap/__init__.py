"""Heuristics for grid maps."""

from heuristics.gridmap import differential as differential
from heuristics.gridmap import distances as distances
