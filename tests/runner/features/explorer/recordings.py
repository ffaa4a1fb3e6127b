"""Recorded searches for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from algorithms.engine.search import Limits
from runner.config.cell import schema, sections
from runner.features.explorer.recorder import Recording, record_search
from worlds.interface.instance import Instance


def recorded(
    instance: Instance, name: str, heuristics: Sequence[str] = (), nodes: int = 20_000, **parameters: Any
) -> Recording:
    """Record a search of an instance by the named algorithm and heuristics."""
    algorithm = sections.algorithm_of({"name": name, **parameters})
    stack, _ = schema.used_stack(algorithm, sections.stack_of_entries(instance.world.domain, list(heuristics)))
    schema.check_fit(algorithm, stack, None, [instance])
    algorithm, weighting = algorithm.effective(None)
    return record_search(instance, algorithm, stack, weighting, Limits(nodes=nodes))
