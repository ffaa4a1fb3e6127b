"""Context in which the registry holds only the entries of some packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from runner import registry


@contextmanager
def isolated(packages: Iterable[str]) -> Iterator[None]:
    """Hide the entries of other packages. At the end remove new entries and restore the old ones."""
    before = dict(registry._entries)
    for key, entry in before.items():
        if entry.__module__.partition(".")[0] not in packages:
            del registry._entries[key]
    try:
        yield
    finally:
        registry._entries.clear()
        registry._entries.update(before)
