"""Heuristics of TopSpin: pattern databases."""

from __future__ import annotations

from heuristics.interface import HEURISTICS
from heuristics.permutations import PermutationPatternDatabase

HEURISTICS.register("pattern_database", domain="topspin")(PermutationPatternDatabase)
