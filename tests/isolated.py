"""Context in which the registries hold only the entries of some packages."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from runner.base.errors import PACKAGES
from runner.base.registry import Registry
from runner.config.registries import REGISTRIES

OURS = ("runner", *PACKAGES)


@contextmanager
def isolated(packages: Collection[str]) -> Iterator[None]:
    """Hide the parts of other packages. At the end restore them, and remove what others added to other doors."""
    before = {kind: dict(registry._entries) for kind, registry in REGISTRIES.items()}
    for registry in REGISTRIES.values():
        _remove_others(registry, packages)
    try:
        yield
    finally:
        for kind, registry in REGISTRIES.items():
            registry._entries.clear()
            registry._entries.update(before[kind])
        for door in _doors():
            _remove_others(door, OURS)


def _remove_others(registry: Registry[Any], packages: Collection[str]) -> None:
    for key, entry in list(registry._entries.items()):
        if entry.__module__.partition(".")[0] not in packages:
            del registry._entries[key]


def _doors() -> list[Registry[Any]]:
    """Return the registries of commands and of the features that are imported."""
    ours = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "runner"]
    found = {id(each): each for module in ours for each in vars(module).values() if isinstance(each, Registry)}
    return [each for each in found.values() if each not in REGISTRIES.values()]
