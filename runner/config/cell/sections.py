"""Sections of a configuration: mappings become checked sources, algorithms, stacks and weightings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algorithms.interface import ALGORITHMS, Algorithm
from heuristics.interface import WEIGHTINGS, Stack, Weighting, name_and_parameters
from heuristics.interface import documented_stack as documented_stack
from heuristics.interface import stack_of as stack_of
from heuristics.interface import stack_of_entries as stack_of_entries
from runner.base import changed_parameters
from worlds.interface import SOURCES, Source


def source_of(section: Mapping[str, Any]) -> Source:
    """Return the source of instances that a `world` section describes."""
    name, parameters = name_and_parameters(section, "world", SOURCES.names())
    return SOURCES.build(name, parameters)


def algorithm_of(section: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm that an `algorithm` section describes."""
    name, parameters = name_and_parameters(section, "algorithm", ALGORITHMS.names())
    return ALGORITHMS.build(name, parameters)


def weighting_of(section: Mapping[str, Any]) -> Weighting | None:
    """Return the weighting that a `weighting` section describes."""
    name, parameters = name_and_parameters(section, "weighting", WEIGHTINGS.names())
    if name == "none" and not parameters:
        return None
    return WEIGHTINGS.build(name, parameters)


def weighting_of_value(weighting: float | str | Mapping[str, Any] | None) -> Weighting | None:
    """Return a constant weighting, the weighting of a name, or the one that a mapping describes."""
    if isinstance(weighting, str):
        weighting = {"name": weighting}
    if weighting is None or isinstance(weighting, Mapping):
        return weighting_of(weighting or {"name": "none"})
    return WEIGHTINGS.build("constant", {"weight": weighting})


def search_key(algorithm: Algorithm, stack: Stack, weighting: Weighting | None) -> dict[str, Any]:
    """Return the part of a `run_id` that is not the instance, as JSON-compatible values.

    Parameters at their defaults are left out, so that a new one changes no `run_id`.
    """
    return {
        "algorithm": {**_entry_key(algorithm, algorithm.without_effect), "name": algorithm.identity_name},
        "heuristic": [{"name": each.registered_name, **each.identity()} for each in stack.heuristics],
        "combine": stack.combine if isinstance(stack.combine, str) else _entry_key(stack.combine),
        "weighting": None if weighting is None else _entry_key(weighting),
    }


def _entry_key(entry: Any, without: Sequence[str] = ()) -> dict[str, Any]:
    changed = {name: value for name, value in changed_parameters(entry).items() if name not in without}
    return {"name": entry.registered_name, **changed}
