"""Context in which the registries hold only the entries of some packages."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from inspect import unwrap
from typing import Any

from heuristics.combination import COMBINATIONS
from runner.base.registry import Registry
from runner.config.registries import REGISTRIES


@contextmanager
def isolated(packages: Collection[str]) -> Iterator[None]:
    """Hide the parts of other packages, and what others added to the doors. At the end restore what was there.

    Entries of our own doors that were imported meanwhile stay: a module that is imported already registers nothing.
    """
    before = {id(registry): dict(registry._entries) for registry in _registries()}
    for registry in _registries():
        _remove_others(registry, packages if registry in PARTS else ("runner", *packages))
    try:
        yield
    finally:
        for registry in _registries():
            _remove_others(registry, () if registry in PARTS else ("runner",))
            registry._entries.update(before.get(id(registry), {}))


def _remove_others(registry: Registry[Any], packages: Collection[str]) -> None:
    for key, entry in list(registry._entries.items()):
        if unwrap(entry).__module__.partition(".")[0] not in packages:
            del registry._entries[key]


def _registries() -> list[Registry[Any]]:
    """Return all registries of the modules that are imported."""
    ours = [vars(module) for name, module in list(sys.modules.items()) if name.partition(".")[0] in _OURS]
    values = [value for variables in ours for value in list(variables.values())]
    inside = [each for value in values if isinstance(value, dict) for each in list(value.values())]
    return [*{id(each): each for each in (*values, *inside) if isinstance(each, Registry)}.values()]


PARTS = (*REGISTRIES.values(), COMBINATIONS)
"""Registries of the packages beside `runner`. Nothing in `runner` is registered in them."""
_OURS = ("runner", "worlds", "heuristics", "algorithms")
