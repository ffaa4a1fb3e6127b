"""Grid maps: the shortest path from a cell to another, on the maps of the MovingAI benchmarks and others."""

from worlds.gridmap import exhaustive as exhaustive
from worlds.gridmap import scenario_sources as scenario_sources
from worlds.gridmap import sources as sources
