"""Heuristics for the Tower of Hanoi."""

from heuristics.hanoi import pattern_database as pattern_database
