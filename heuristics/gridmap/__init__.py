"""Heuristics for grid maps, one file each."""

from heuristics.gridmap import differential as differential
from heuristics.gridmap import euclidean as euclidean
from heuristics.gridmap import manhattan as manhattan
from heuristics.gridmap import octile as octile
