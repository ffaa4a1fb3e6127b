"""Heuristics for road networks."""

from heuristics.road import differential as differential
from heuristics.road import great_circle as great_circle
