"""Lines through positions, also on a torus."""

from __future__ import annotations

import math

import pytest

from runner.base.drawing import line_through

NAN = (math.nan, math.nan)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(0.5, 0.5), (1.5, 0.5)], [(0.5, 0.5), (1.5, 0.5)]),
        ([(0.5, 0.5), (3.5, 0.5)], [(0.5, 0.5), (0.0, 0.5), NAN, (4.0, 0.5), (3.5, 0.5)]),
        ([(1.5, 2.5), (1.5, 0.5)], [(1.5, 2.5), (1.5, 3.0), NAN, (1.5, 0.0), (1.5, 0.5)]),
    ],
)
def test_a_step_across_an_edge_of_a_torus_continues_at_the_opposite_edge(
    points: list[tuple[float, float]], expected: list[tuple[float, float]]
) -> None:
    assert str(line_through(points, (4, 3))) == str(expected)
    assert line_through(points, None) == points
