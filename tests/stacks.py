"""Stacks of the heuristics for caves, taken from the registry, so that tests include new heuristics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.stack import Stack
from runner.base import own_packages
from runner.config.cell import sections

own_packages.load()

WUMPUS = HEURISTICS.names(domain="wumpus")
DOCUMENTED = ["none", *WUMPUS]
COMPLETE = ["manhattan_orientation", "best_neighbour", "relaxed", "relaxed_shot"]
"""Heuristics for caves that are declared consistent as a stack of one."""


def documented(name: str, as_published: bool | None = None) -> Stack:
    """Return the documented stack of a heuristic for caves."""
    return by_hand(sections.documented_stack("wumpus", name), as_published=as_published)


def by_hand(
    entries: Iterable[str | Mapping[str, Any]], combine: str = "sum", as_published: bool | None = None
) -> Stack:
    return sections.stack_of("wumpus", {"stack": list(entries), "combine": combine, "as_published": as_published})
