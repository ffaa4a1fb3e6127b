"""Instances of a source, with the type of their domain."""

from __future__ import annotations

from typing import Any

import runner


def load(kind: type, world: str, /, **parameters: Any) -> list[Any]:
    """Return the instances of a source, whose worlds must be of a class such as `CaveWorld`."""
    instances: list[Any] = runner.load(world, **parameters)
    assert all(isinstance(getattr(instance, "rules", instance), kind) for instance in instances)
    return instances
