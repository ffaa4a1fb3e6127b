"""The registry with the entries of some packages only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from runner import registry


@contextmanager
def isolated(packages: Iterable[str]) -> Iterator[None]:
    """Hide what other packages have registered; at the end restore the entries that were there before."""
    before = dict(registry._entries)
    for key, entry in before.items():
        if entry.__module__.partition(".")[0] not in packages:
            del registry._entries[key]
    try:
        yield
    finally:
        registry._entries.clear()
        registry._entries.update(before)
