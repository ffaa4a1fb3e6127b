"""Heuristics of TopSpin: pattern databases."""

from __future__ import annotations

from heuristics.interface import HEURISTICS, PermutationPatternDatabase

HEURISTICS.register("pattern_database", domain="topspin")(PermutationPatternDatabase)
