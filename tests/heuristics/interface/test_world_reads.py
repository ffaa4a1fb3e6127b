"""Parts of its world that a function in plain Python reads."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

import runner
from heuristics.interface.world_reads import parts_read
from worlds.npuzzle.rules import blank_last

BOARD = runner.load("npuzzle/random", size="2x3", count=1)[0]


def nothing(state: Any, world: Any) -> float:
    return len(state)


def two_fields(state: Any, world: Any) -> float:
    return world.puzzle.goal.index(1) + max(world.puzzle.columns for _ in state)


def field_of_instance(state: Any, world: Any) -> float:
    return len(world.id)


def nested(state: Any, world: Any) -> float:
    def inner() -> int:
        return int(world.puzzle.rows)

    return inner()


def itself(state: Any, world: Any) -> float:
    return len(repr(world))


def method(state: Any, world: Any) -> float:
    return world.problem() is not None


def without_its_name(state: Any, world: Any) -> float:
    return len(locals()["world"].id)


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def around(*arguments: Any) -> Any:
        return function(*arguments)

    return around


def collecting(state: Any, *worlds: Any) -> float:
    return len(worlds)


@pytest.mark.parametrize(
    ("function", "parts"),
    [
        (nothing, set()),
        (two_fields, {blank_last(6), 3}),
        (field_of_instance, {BOARD.id}),
        (nested, {2}),
        (itself, None),
        (method, None),
        (without_its_name, None),
        (wrapped(nothing), None),
        (collecting, None),
        (lambda state, world: 0, None),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_parts_are_fields_or_unknown(function: Callable[..., Any], parts: set[Any] | None) -> None:
    found = parts_read(function, BOARD)
    assert (found if found is None else {*found}) == parts
