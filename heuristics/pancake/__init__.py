"""Heuristics for the pancake problem."""

from heuristics.pancake import gap as gap
