"""Instances of a source, with the type of their domain."""

from __future__ import annotations

from typing import Any, TypeVar

import runner
from worlds.interface import Instance

InDomain = TypeVar("InDomain", bound=Instance)


def load(kind: type[InDomain], world: str, /, **parameters: Any) -> list[InDomain]:
    """Return the instances of a source, which must be of a class such as `WumpusInstance`."""
    instances = runner.load(world, **parameters)
    typed = [instance for instance in instances if isinstance(instance, kind)]
    assert len(typed) == len(instances)
    return typed
