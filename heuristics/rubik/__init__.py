"""Heuristics for Rubik's cube."""

from heuristics.rubik import pattern_database as pattern_database
