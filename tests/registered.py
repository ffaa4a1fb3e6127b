"""Names of the registered algorithms: agents and searches."""

from __future__ import annotations

from algorithms.agents.interface import Agent
from runner import packages, registry

packages.load()
_ALGORITHMS = registry.names("algorithm")
AGENTS = [name for name in _ALGORITHMS if issubclass(registry.find("algorithm", name), Agent)]
SEARCHES = [name for name in _ALGORITHMS if name not in AGENTS]
ONLY_IN = {"jps": "gridmap", "unibz_astar": "wumpus"}
"""Searches that accept one domain only."""
