"""Lines through positions, also on a torus, and legends."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

import runner.plugin
from worlds.drawing import aside, line_through, with_legend

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


@pytest.mark.parametrize("size", [(2.0, 2.3), (3.2, 3.7), (5.0, 1.5)], ids=str)
def test_rows_of_a_legend_do_not_overlap(size: tuple[float, float]) -> None:
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()

    def draw(picture: Axes) -> None:
        for label, marker in (
            ("the path so far, with gold", ""),
            ("exit", "s"),
            ("an optimal path from the state to the goal", "o"),
        ):
            picture.plot([0, 1], [0, 1], marker=marker, markersize=40, label=label)

    with_legend(draw, axes, rows=3)
    figure.canvas.draw()
    legends = [each for each in axes.get_children() if isinstance(each, Legend)]
    boxes = [each.get_window_extent() for each in legends]
    rows = sorted((box.y0, box.y1) for box in boxes)
    assert len(rows) > 1
    assert all(lower[1] <= upper[0] for lower, upper in pairwise(rows))
    handles = [handle for each in legends for handle in each.legend_handles if isinstance(handle, Line2D)]
    assert max(handle.get_markersize() for handle in handles) < 12


def test_plugins_draw_texts_with_dollars_as_they_are() -> None:
    """Without `literal` the text is a formula, and a mistake in it an exception."""
    figure = Figure()
    for text in ("5$ to 6$", "$\\frac{$"):
        axes = figure.add_subplot()
        axes.set_title(runner.plugin.literal(text))
        assert axes.title.get_text().replace("\\$", "$") == text
    figure.draw_without_rendering()
