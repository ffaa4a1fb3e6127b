"""Names of the registered algorithms: agents and searches."""

from __future__ import annotations

from algorithms.agents.interface import Agent
from algorithms.interface import ALGORITHMS
from runner.config import packages

packages.load()
_ALGORITHMS = ALGORITHMS.names()
AGENTS = [name for name in _ALGORITHMS if issubclass(ALGORITHMS.find(name), Agent)]
SEARCHES = [name for name in _ALGORITHMS if name not in AGENTS]
ONLY_IN = {"jps": ("gridmap",), "unibz_astar": ("wumpus",), "frontier": ("hanoi", "npuzzle", "pancake", "topspin")}
"""Domains of the searches that do not accept all."""
