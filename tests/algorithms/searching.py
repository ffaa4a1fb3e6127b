"""Runs of searches."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.engine.search import Counts, Limiter, Limits, Search


def run(
    search: Search,
    limits: Limits,
    watch: Callable[[Counts], bool | None] | None = None,
    improved: Callable[[], None] | None = None,
) -> str:
    """Run a search to its end or to a limit, and return the status."""
    return search.run(Limiter(limits, watch, improved))
