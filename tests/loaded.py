"""Instances of a source, with the type of their domain."""

from __future__ import annotations

from typing import Any, TypeVar

import runner
from worlds.interface import Instance
from worlds.world import World

AnyWorld = TypeVar("AnyWorld", bound=World)


def load(kind: type[AnyWorld], world: str, /, **parameters: Any) -> list[Instance[AnyWorld]]:
    """Return the instances of a source, whose worlds must be of a class such as `CaveWorld`."""
    instances: list[Any] = runner.load(world, **parameters)
    assert all(isinstance(instance.world, kind) for instance in instances)
    return instances
