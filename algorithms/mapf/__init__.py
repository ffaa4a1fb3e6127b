"""Algorithms for several agents on a grid map, one file for each family. `team_search` has what they share."""

from algorithms.mapf import conflict_based as conflict_based
from algorithms.mapf import lacam as lacam
from algorithms.mapf import pibt as pibt
from algorithms.mapf import prioritized as prioritized
