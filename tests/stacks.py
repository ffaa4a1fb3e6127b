"""Stacks for tests, over the registry: a new heuristic is tested the moment it exists."""

from __future__ import annotations

from typing import Any

from heuristics.stack import Stack
from runner import packages, registry
from runner.config import sections

packages.load()

WUMPUS = registry.names("heuristic", domain="wumpus")
DOCUMENTED = ["none", *WUMPUS]
COMPLETE = ["manhattan_orientation", "best_neighbour", "relaxed", "relaxed_shot"]
"""Heuristics of the cave that stand alone and promise to be consistent."""


def documented(name: str, as_published: bool | None = None) -> Stack:
    """The documented stack that ends with a heuristic of the cave."""
    return by_hand(sections.documented_stack("wumpus", name), as_published=as_published)


def by_hand(names: list[Any], combine: str = "sum", as_published: bool | None = None) -> Stack:
    return sections.stack_of("wumpus", {"stack": list(names), "combine": combine, "as_published": as_published})
