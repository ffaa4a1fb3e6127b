"""Heuristics for explicit graphs."""

from heuristics.graph import table as table
