"""Keys of searches, from which `run_id`s follow: equal searches have equal keys, and different ones different keys."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, get_args, get_type_hints

import msgspec

from algorithms.best_first.best_first import UniformCost
from algorithms.interface.algorithm import ALGORITHMS, Algorithm
from algorithms.programs.program import Program
from heuristics.interface.heuristic import HEURISTICS, Heuristic
from heuristics.interface.stack import Stack
from heuristics.interface.weighting import WEIGHTINGS
from runner.base import own_packages
from runner.base.errors import UserError
from runner.base.parameters import checked, fields_of
from runner.config.cell import sections

VALUES = (True, False, None, 0, 1, 2, 3, 7, 0.25, 1.75, "x", "1", [1], [2, 1], [3.5], [[0, 1]])


def key(entry: Any) -> bytes:
    """Return the key of a search with an entry."""
    algorithm = entry if isinstance(entry, Algorithm) else UniformCost()
    stack = Stack((entry,)) if isinstance(entry, Heuristic) else Stack()
    weighting = None if entry in (algorithm, *stack.heuristics) else entry
    return msgspec.json.encode(sections.search_key(algorithm, stack, weighting), enc_hook=repr, order="sorted")


def variants(cls: Any) -> list[Any]:
    """Return the default entry, and entries in which one parameter has another value."""
    found, hints = [made(cls)], get_type_hints(cls, include_extras=True)
    for field in fields_of(cls).values():
        choices = [choice for choice in get_args(hints[field.name]) if isinstance(choice, str)]
        for value in (*VALUES, *choices):
            with suppress(UserError, ValueError):
                found.append(dataclasses.replace(made(cls), **{field.name: checked(value, hints[field.name], "")}))
    return found


def made(cls: Any) -> Any:
    """Return an entry with its defaults. A program has no default command."""
    return cls(command=["ls"]) if cls is Program else cls()


def test_keys_tell_all_entries_apart() -> None:
    own_packages.load()
    classes = [cls for registry in (ALGORITHMS, HEURISTICS, WEIGHTINGS) for _, _, cls in registry.entries()]
    for cls in classes:
        entries = [each for each in variants(cls) if getattr(each, "path", None) is None]  # a file must exist
        keys = [key(each) for each in entries]
        for one, its_key in zip(entries, keys, strict=True):
            fields = [fields_of(cls)[name].name for name in getattr(cls, "without_effect", ())]
            ignored = {name: getattr(one, name) for name in fields}
            alike = [one == replace(other, **ignored) for other in entries]
            assert [its_key == other for other in keys] == alike, one
    assert sum(len(variants(cls)) for cls in classes) > 300


def test_a_new_parameter_with_a_default_changes_no_key() -> None:
    @dataclass(frozen=True)
    class Extended(UniformCost):
        added: list[int] = dataclasses.field(default_factory=lambda: [1])

    assert key(Extended()) == key(UniformCost())
    assert key(Extended("fifo")) == key(UniformCost("fifo"))
    assert key(Extended(added=[2])) != key(UniformCost())
