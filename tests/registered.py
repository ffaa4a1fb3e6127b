"""Names of the registered algorithms: agents, and searches on the engine that expand states of the world.

Programs, and searches for the paths of several agents, have tests of their own.
"""

from __future__ import annotations

from algorithms.agents.interface import Agent
from algorithms.interface.algorithm import ALGORITHMS, SearchAlgorithm
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
