"""Explicit weighted graphs with a heuristic value for each node: textbook examples and counterexamples."""

from worlds.graph import sources as sources
