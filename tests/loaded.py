"""Instances of a source, with the type of their domain."""

from __future__ import annotations

from typing import Any, TypeVar

import runner
from worlds.interface.instance import Instance
from worlds.interface.world import Family, Kernels, World

AnyWorld = TypeVar("AnyWorld", bound=World)


def load(kind: type[AnyWorld], world: str, /, **parameters: Any) -> list[Instance[AnyWorld]]:
    """Return the instances of a source, whose worlds must be of a class such as `CaveWorld`."""
    instances: list[Any] = runner.load(world, **parameters)
    assert all(isinstance(instance.world, kind) for instance in instances)
    return instances


def kernels_of(world: World) -> Kernels:
    """Return the kernels of a world that has some."""
    assert world.kernels is not None
    return world.kernels


def family_of(world: World) -> Family:
    """Return the family of a world that has one."""
    assert world.family is not None
    return world.family
