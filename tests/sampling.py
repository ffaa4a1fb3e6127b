"""Parameters of tests that take a sample, the same in every run; the long tests take all of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")


def drawn_or_each(values: Iterable[Any]) -> list[Any]:
    """Return None, for a test that draws a value for each of its problems, and the values, for the long tests."""
    return [None, *(pytest.param(value, marks=pytest.mark.long) for value in values)]


def drawn(source: random.Random, given: Value | None, values: Sequence[Value]) -> Value:
    """Return the value that is given, or draw one."""
    return source.choice(values) if given is None else given
