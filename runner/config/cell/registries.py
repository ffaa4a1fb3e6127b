"""The registries of all kinds of entries: those of a section of a configuration, and combinations of heuristics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from algorithms.interface import ALGORITHMS
from heuristics.interface import COMBINATIONS, HEURISTICS, WEIGHTINGS
from runner.base import Kind, PartRegistry, Registered
from worlds.interface import SOURCES

REGISTRIES: dict[str, PartRegistry[Any]] = {each.kind: each for each in (SOURCES, ALGORITHMS, HEURISTICS, WEIGHTINGS)}
"""By the section that chooses an entry."""
_REGISTERED = {**REGISTRIES, COMBINATIONS.kind: COMBINATIONS}

Entry = TypeVar("Entry", bound=type[Registered])


def register(kind: Kind | Literal["combination"], name: str, *, domain: str | None = None) -> Callable[[Entry], Entry]:
    """Register a dataclass under a name.

    Parameters
    ----------
    kind : {"world", "algorithm", "heuristic", "weighting", "combination"}
    name : str
        Name in configurations.
    domain : str, optional
        Domain of a heuristic or a combination. Those of several domains may have the same name.

    Raises
    ------
    ValueError
        If the kind is unknown, the class is not a dataclass, another class of this module or of search-runner has the
        name, or a parameter has a name that its base class or YAML uses.
    TypeError
        If the class lacks a required method, or `metrics` is no tuple of `Metric`.
    """
    if kind not in _REGISTERED:
        raise ValueError(f"kind must be one of {', '.join(_REGISTERED)}, not {kind!r}")
    return _REGISTERED[kind].register(name, domain=domain)


def entries() -> list[tuple[str, str | None, str, type[Any]]]:
    """Return the kind, domain, name and class of each entry."""
    return [(kind, *entry) for kind in REGISTRIES for entry in registered_parts(kind)]


def registered_parts(group: str) -> list[tuple[str | None, str, type[Any]]]:
    """Return the domain, name and class of each entry of a kind; nothing for another group of a configuration."""
    return REGISTRIES[group].entries() if group in REGISTRIES else []
