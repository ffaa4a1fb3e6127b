"""Boards and plans as text and pictures."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from tests.snakes import instance
from worlds.snake.rules import Board, Candy

BOARD = Board(3, 4, (0, 0), (Candy((0, 3), 1), Candy((2, 3), 12)))


def test_a_board() -> None:
    assert instance(BOARD).render().splitlines()[:3] == [" @  .  .  1", " .  .  .  .", " .  .  . 12"]


def test_a_plan_shows_the_moves_and_the_end() -> None:
    board = Board(3, 4, (0, 0), (Candy((0, 3), 1), Candy((2, 3), 2)))
    text = instance(board).render(("L", "U", "R"))
    assert "plan (3 moves): L U R" in text
    assert text.splitlines()[-3:] == [". . . ^", ". . . .", "@ . . >"]


def test_frames_tell_what_happens() -> None:
    frames = list(instance(BOARD).frames(("L", "U", "L")))
    assert [frame.caption for frame in frames] == [
        "start",
        "1/3: left, eats (units left: 12)",
        "2/3: up, eats (units left: 11)",
        "3/3: left (units left: 11)",
    ]
    assert frames[1].text.splitlines() == [" <  .  .  @", " .  .  .  .", " .  .  . 12"]


@pytest.mark.parametrize("size", [(1, 3), (2, 3), (3, 4), (30, 30)])
def test_every_frame_is_drawn(size: tuple[int, int]) -> None:
    """A disc for the head and for each candy that is left, with its units, and a line for each cell of the body."""
    board = Board(*size, (0, 0), (Candy((0, 1), 1), Candy((0, 2), 1)))
    grid_lines = sum(size) - 2
    for eaten, frame in enumerate(instance(board).frames("RR")):
        axes = Figure().add_subplot()
        frame.draw(axes)
        discs = [patch for patch in axes.patches if isinstance(patch, Circle)]
        assert discs[-1].center == (eaten + 0.5, 0.5)
        assert len(discs) == 3 - eaten
        assert [text.get_text() for text in axes.texts] == ["1"] * (2 - eaten)
        assert [len(lines.get_segments()) for lines in axes.collections] == [grid_lines, eaten]


def test_the_body_goes_on_at_the_other_edge() -> None:
    board = Board(3, 4, (0, 0), (Candy((0, 3), 1), Candy((2, 3), 12)))
    axes = Figure().add_subplot()
    [*instance(board).frames("LU")][-1].draw(axes)
    drawn = axes.collections[1].get_segments()
    assert [[tuple(point) for point in segment] for segment in drawn] == [
        [(3.5, 0.5), (3.5, 0)],
        [(3.5, 3), (3.5, 2.5)],
        [(0.5, 0.5), (0, 0.5)],
        [(4, 0.5), (3.5, 0.5)],
    ]


def test_where_a_side_is_two_the_body_is_drawn_inside() -> None:
    board = Board(2, 2, (0, 1), (Candy((0, 0), 1), Candy((1, 0), 1)))
    assert [frame.text for frame in instance(board).frames(("L", "U"))][1:] == ["@ <\n1 .", "v <\n@ ."]
