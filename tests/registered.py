"""Names of what is registered: agents, searches on the engine that expand states of the world, heuristics.

Programs, and searches for the paths of several agents, have tests of their own.
"""

from __future__ import annotations

from algorithms.agents.interface import Agent
from algorithms.interface.algorithm import ALGORITHMS, SearchAlgorithm
from heuristics.interface.heuristic import HEURISTICS
from runner.base import own_packages
from tests.domains import DOMAINS

own_packages.load()
_ALGORITHMS = ALGORITHMS.names()
AGENTS = [name for name in _ALGORITHMS if issubclass(ALGORITHMS.find(name), Agent)]
_FOUND = {name: ALGORITHMS.find(name) for name in _ALGORITHMS}
SEARCHES = [name for name, each in _FOUND.items() if issubclass(each, SearchAlgorithm) and each.expands_states]
ONLY_IN = {
    search: tuple(name for name, domain in DOMAINS.items() if search in domain.searches)
    for search in SEARCHES
    if any(search in domain.searches for domain in DOMAINS.values())
}
"""Domains of the searches that do not accept all."""
OF_FILES = {"file", "onnx"}
"""Heuristics that need a file. They have tests of their own."""


def heuristics_without_files(domain: str) -> list[str]:
    """Return the names of the heuristics of a domain that need no file."""
    return [name for name in HEURISTICS.names(domain=domain) if name not in OF_FILES]
