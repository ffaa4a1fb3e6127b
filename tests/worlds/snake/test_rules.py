"""The rules of snake and candies in plain Python."""

from __future__ import annotations

import random

import pytest

from tests.naive import snake as naive
from tests.snakes import any_board, as_naive, random_walk, small_boards
from worlds.snake import rules
from worlds.snake.rules import MOVES, Board, Candy, Snake, act, destination, fits, start
from worlds.snake.world import SnakeWorld


def after(board: Board, moves: str) -> list[Snake]:
    return SnakeWorld(board).played(moves)[0][1:]


def test_the_board_wraps_around() -> None:
    board = Board(3, 4, (0, 0), (Candy((1, 1), 1),))
    assert [destination(board, (0, 0), move) for move in MOVES] == [(0, 3), (0, 1), (1, 0), (2, 0)]
    assert [destination(board, (2, 3), move) for move in MOVES] == [(2, 2), (2, 0), (0, 3), (1, 3)]
    with pytest.raises(ValueError, match="'X'"):
        destination(board, (0, 0), "X")


def test_a_side_of_one_has_no_moves_along_it() -> None:
    row = Board(1, 4, (0, 0), (Candy((0, 2), 1),))
    assert [destination(row, (0, 0), move) for move in MOVES] == [(0, 3), (0, 1), None, None]
    assert after(row, "U") == after(row, "D") == []


def test_the_snake_grows_in_the_move_that_eats() -> None:
    board = Board(5, 5, (0, 0), (Candy((0, 1), 2), Candy((0, 3), 1)))
    states = after(board, "RRR")
    assert states[0] == Snake((0, 1), ((0, 0),), (1, 1))
    assert states[1] == Snake((0, 2), ((0, 1),), (1, 1))
    assert states[2] == Snake((0, 3), ((0, 2), (0, 1)), (1, 0))


def test_the_cell_directly_behind_the_head_is_never_entered() -> None:
    board = Board(5, 5, (0, 0), (Candy((0, 1), 1), Candy((3, 3), 1)))
    assert len(after(board, "RL")) == 1  # although this tail moves away
    narrow = Board(2, 5, (0, 0), (Candy((1, 0), 1), Candy((1, 3), 1)))
    assert len(after(narrow, "DD")) == len(after(narrow, "DU")) == 1


def test_the_head_may_enter_the_cell_of_the_tail_only_if_the_tail_leaves_it() -> None:
    ring = Board(2, 2, (0, 0), (Candy((0, 1), 1), Candy((1, 1), 1), Candy((1, 0), 1)))
    eaten = after(ring, "RDL")
    assert eaten[-1] == Snake((1, 0), ((1, 1), (0, 1), (0, 0)), (0, 0, 0))
    assert act(ring, eaten[-1], "U") == Snake((0, 0), ((1, 0), (1, 1), (0, 1)), (0, 0, 0))
    again = Board(2, 2, (0, 0), (Candy((0, 1), 2), Candy((1, 1), 1), Candy((1, 0), 1)))
    before = after(again, "RDLU")[-1]
    assert before == Snake((0, 0), ((1, 0), (1, 1), (0, 1)), (1, 0, 0))
    assert act(again, before, "R") is None  # the tail lies on the candy, and eating it keeps it there
    assert not fits(again)


def test_the_head_never_enters_a_cell_of_the_body() -> None:
    board = Board(5, 5, (2, 0), tuple(Candy(cell, 1) for cell in ((2, 1), (2, 2), (2, 3), (1, 3))))
    assert after(board, "RRRU")[-1].body == ((2, 3), (2, 2), (2, 1), (2, 0))
    assert len(after(board, "RRRULD")) == 5


def test_a_play_ends_at_the_goal_and_before_an_impossible_move() -> None:
    board = Board(1, 5, (0, 0), (Candy((0, 1), 1),))
    assert rules.is_goal(after(board, "R")[-1])
    assert not rules.is_goal(start(board))
    assert len(after(board, "RLL")) == 1


def test_successors_equal_those_of_the_naive_implementation_on_random_walks() -> None:
    source = random.Random(1)
    boards = [*small_boards("walks", 150), *(any_board(source, 9, 7, 20) for _ in range(20))]
    for board in boards:
        states = {as_naive(board, start(board)): start(board)}
        for state in random_walk(source, board, 60):
            snake = states[state]
            found = [(move, to) for move in MOVES if (to := act(board, snake, move)) is not None]
            assert [(move, as_naive(board, to)) for move, to in found] == list(naive.successors(board, state))
            states.update((as_naive(board, to), to) for _, to in found)


def test_boards_have_a_solution_exactly_if_the_snake_fits() -> None:
    for board in small_boards("fits", 150, most_units=4):
        assert fits(board)
        assert naive.breadth_first(board)[0] is not None
        crowded = Board(
            board.rows, board.columns, board.head, (Candy(board.candies[0].cell, board.rows * board.columns),)
        )
        assert not fits(crowded)
        if board.rows * board.columns <= 6:
            assert naive.breadth_first(crowded)[0] is None
