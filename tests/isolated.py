"""Context in which the registries hold only the entries of some packages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from runner.config.registries import REGISTRIES


@contextmanager
def isolated(packages: Collection[str]) -> Iterator[None]:
    """Hide the entries of other packages. At the end remove new entries and restore the old ones."""
    before = {kind: dict(registry._entries) for kind, registry in REGISTRIES.items()}
    for kind, registry in REGISTRIES.items():
        for key, entry in before[kind].items():
            if entry.__module__.partition(".")[0] not in packages:
                del registry._entries[key]
    try:
        yield
    finally:
        for kind, registry in REGISTRIES.items():
            registry._entries.clear()
            registry._entries.update(before[kind])
