"""Parameters of tests that take a sample, the same in every run; the long tests take all of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")


def covering(axes: Mapping[str, Iterable[Any]]) -> pytest.MarkDecorator:
    """Parametrise a test by a product. The short tests take so few cases that each value of each axis is in one.

    Parameters
    ----------
    axes : dict of str to iterable
        Values of each parameter; tuples for a key with several names, such as ``"how,status"``.
    """
    values = [[*axis] for axis in axes.values()]
    short = {tuple(row % len(axis) for axis in values) for row in range(max(map(len, values)))}
    cases = []
    for places in itertools.product(*(range(len(axis)) for axis in values)):
        chosen = [axis[place] for axis, place in zip(values, places, strict=True)]
        arguments = [each if "," in names else (each,) for names, each in zip(axes, chosen, strict=True)]
        marks = [] if places in short else [pytest.mark.long]
        cases.append(pytest.param(*itertools.chain(*arguments), marks=marks, id="-".join(map(str, chosen))))
    return pytest.mark.parametrize(",".join(axes), cases)


def drawn_or_each(values: Iterable[Any]) -> list[Any]:
    """Return None, for a test that draws a value for each of its problems, and the values, for the long tests."""
    return [None, *(pytest.param(value, marks=pytest.mark.long) for value in values)]


def drawn(source: random.Random, given: Value | None, values: Sequence[Value]) -> Value:
    """Return the value that is given, or draw one."""
    return source.choice(values) if given is None else given
