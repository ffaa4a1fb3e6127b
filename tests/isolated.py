"""Context in which the registries hold only the entries of some packages."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import unwrap
from types import ModuleType
from typing import Any

from heuristics.interface.combination import COMBINATIONS
from runner.base.registry import Registry
from runner.config.cell.registries import REGISTRIES


@contextmanager
def isolated(packages: Collection[str]) -> Iterator[None]:
    """Hide the parts of other packages, and what others added to the doors. At the end restore what was there.

    Entries of our own doors that were imported meanwhile stay: a module that is imported already registers nothing.
    """
    before = {id(registry): dict(registry._entries) for registry in _registries()}
    for registry in _registries():
        _remove_others(registry, packages if registry in _PARTS else ("runner", *packages))
    try:
        yield
    finally:
        for registry in _registries():
            _remove_others(registry, () if registry in _PARTS else ("runner",))
            registry._entries.update(before.get(id(registry), {}))


def _remove_others(registry: Registry[Any], packages: Collection[str]) -> None:
    for key, entry in list(registry._entries.items()):
        if unwrap(entry).__module__.partition(".")[0] not in packages:
            del registry._entries[key]


def _registries() -> list[Registry[Any]]:
    """Return all registries of the modules that are imported."""
    ours = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in _OURS]
    return [*{id(each): each for module in ours for each in _registries_of(module)}.values()]


@cache
def _registries_of(module: ModuleType) -> list[Registry[Any]]:
    """Return the registries of a module, for which all commands of all tests ask."""
    values = list(vars(module).values())
    inside = [each for value in values if isinstance(value, dict) for each in list(value.values())]
    return [each for each in (*values, *inside) if isinstance(each, Registry)]


_PARTS = (*REGISTRIES.values(), COMBINATIONS)
"""Registries of the packages beside `runner`. Nothing in `runner` is registered in them."""
_OURS = ("runner", "worlds", "heuristics", "algorithms")
