"""Boards and plans as text and pictures."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from tests.snakes import instance
from worlds.interface.world import Frame
from worlds.snake.rules import Board, Candy

BOARD = Board(3, 4, (0, 0), (Candy((0, 3), 1), Candy((2, 3), 12)))


def drawn(frame: Frame) -> Axes:
    assert frame.draw is not None
    axes = Figure().add_subplot()
    frame.draw(axes)
    return axes


def lines_of(axes: Axes) -> list[LineCollection]:
    lines = [collection for collection in axes.collections if isinstance(collection, LineCollection)]
    assert len(lines) == len(axes.collections)
    return lines


def test_the_text_shows_the_board() -> None:
    assert instance(BOARD).world.render().splitlines()[:3] == [" @  .  .  1", " .  .  .  .", " .  .  . 12"]


def test_the_text_of_a_plan_shows_its_moves_and_the_last_state() -> None:
    board = Board(3, 4, (0, 0), (Candy((0, 3), 1), Candy((2, 3), 2)))
    text = instance(board).world.render(("L", "U", "R"))
    assert "plan (3 moves): L U R" in text
    assert text.splitlines()[-3:] == [". . . ^", ". . . .", "@ . . >"]


def test_captions_of_frames_describe_moves_and_units() -> None:
    frames = list(instance(BOARD).world.frames(("L", "U", "L")))
    assert [frame.caption for frame in frames] == [
        "start",
        "1/3: left, eats (units left: 12)",
        "2/3: up, eats (units left: 11)",
        "3/3: left (units left: 11)",
    ]
    assert frames[1].text.splitlines() == [" <  .  .  @", " .  .  .  .", " .  .  . 12"]


@pytest.mark.parametrize("size", [(1, 3), (2, 3), (3, 4), (30, 30)])
def test_pictures_show_head_candies_units_and_body(size: tuple[int, int]) -> None:
    """The head and each candy that is left are discs, the units are texts, and each cell of the body is a line."""
    board = Board(*size, (0, 0), (Candy((0, 1), 1), Candy((0, 2), 1)))
    grid_lines = sum(size) - 2
    for eaten, frame in enumerate(instance(board).world.frames("RR")):
        axes = drawn(frame)
        discs = [patch for patch in axes.patches if isinstance(patch, Circle)]
        assert discs[-1].center == (eaten + 0.5, 0.5)
        assert len(discs) == 3 - eaten
        assert [text.get_text() for text in axes.texts] == ["1"] * (2 - eaten)
        assert [len(lines.get_segments()) for lines in lines_of(axes)] == [grid_lines, eaten]


def test_a_body_across_the_border_is_drawn_at_both_edges() -> None:
    board = Board(3, 4, (0, 0), (Candy((0, 3), 1), Candy((2, 3), 12)))
    *_, last = instance(board).world.frames("LU")
    _, body = lines_of(drawn(last))
    assert [[tuple(point) for point in segment] for segment in body.get_segments()] == [
        [(3.5, 0.5), (3.5, 0)],
        [(3.5, 3), (3.5, 2.5)],
        [(0.5, 0.5), (0, 0.5)],
        [(4, 0.5), (3.5, 0.5)],
    ]


def test_on_a_side_of_two_cells_the_text_shows_the_body_inside_the_board() -> None:
    board = Board(2, 2, (0, 1), (Candy((0, 0), 1), Candy((1, 0), 1)))
    assert [frame.text for frame in instance(board).world.frames(("L", "U"))][1:] == ["@ <\n1 .", "v <\n@ ."]
