"""Lines through positions, also on a torus."""

from __future__ import annotations

import math

import pytest

from runner.base.drawing import aside, line_through

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


def test_a_line_is_moved_aside_only_where_it_runs_along_others_or_itself() -> None:
    line = [(0, 0), (1, 0), (1, 0), (1, 1)]
    assert aside(line, [[(2, 0), (2, 1)]], 0.25) == [(0, 0), (1, 0), (1, 1)]
    assert aside(line, [[(1, 1), (1, 0)]], 0.25) == [(0, 0), (1, 0), (1.25, 0.25), (1.25, 1.25), (1, 1)]
    assert aside([(0, 0), (1, 1), (0, 0)], [], 0.25) == [(0, 0), (1, 1), (1.25, 0.75), (0.25, -0.25), (0, 0)]
