"""Sources of boards: files, random boards and the suite."""

from __future__ import annotations

from pathlib import Path

import pytest

import runner
from runner.base.errors import Incompatible, UserError
from runner.config.cell import schema, sections
from tests.loaded import load as load_all
from worlds.snake.rules import Board, Candy, GridCell
from worlds.snake.world import SnakeInstance, SnakeWorld

GOOD = "5,7\n0,0\n2\n1,2,1\n4,6,3\n"


def load(tmp_path: Path, text: str, name: str = "board.txt") -> SnakeInstance:
    (tmp_path / name).write_bytes(text.encode())
    return load_all(SnakeWorld, "snake/file", path=str(tmp_path / name))[0]


def test_boards_are_loaded_from_files(tmp_path: Path) -> None:
    expected = Board(5, 7, (0, 0), (Candy((1, 2), 1), Candy((4, 6), 3)))
    assert load(tmp_path, GOOD).world.board == expected
    assert load(tmp_path, GOOD).id == "board"
    for same in (
        GOOD.rstrip(),
        GOOD.replace("\n", "\r\n"),
        "# one\u2028two\n\n" + GOOD + "\n  \n# end",
        GOOD.replace(",", " , "),
    ):
        assert load(tmp_path, same).world.board == expected
    assert load(tmp_path, "1,1\n0,0\n0\n").world.board == Board(1, 1, (0, 0), ())
    (tmp_path / "a10.txt").write_text(GOOD)
    (tmp_path / "a9.txt").write_text(GOOD)
    assert [board.id for board in runner.load("snake/file", path=str(tmp_path / "a*.txt"))] == ["a9", "a10"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected rows,columns (the size of the board), but the file ends here"),
        ("5\n0,0\n0", "line 1: expected rows,columns (the size of the board), got '5'"),
        ("5,5,5\n0,0\n0", "line 1: expected rows,columns (the size of the board), got '5,5,5'"),
        ("0,5\n0,0\n0", "line 1: rows and columns: expected 1 to 64, got 0,5"),
        ("-5,5\n0,0\n0", "line 1: rows and columns: expected 1 to 64, got -5,5"),
        ("5,65\n0,0\n0", "line 1: rows and columns: expected 1 to 64, got 5,65"),
        ("5,x\n0,0\n0", "line 1: expected rows,columns (the size of the board), got '5,x'"),
        ("5,\u0665\n0,0\n0", "line 1: expected rows,columns"),
        ("5,99999999999999999999\n0,0\n0", "line 1: expected rows,columns"),
        ("5,5\n5,0\n0", "line 2: the head on 5,0 is outside the 5 x 5 board"),
        ("5,5\n-1,0\n0", "line 2: the head on -1,0 is outside the 5 x 5 board"),
        ("5,5\n\n# head\n0;0\n0", "line 4: expected row,column (the head of the snake), got '0;0'"),
        ("5,5\n0,0", "line 3: expected a number (how many candies there are), but the file ends here"),
        ("5,5\n0,0\n-1", "line 3: the number of candies: expected 0 or more, got -1"),
        ("5,5\n0,0\n1.5", "line 3: expected a number (how many candies there are), got '1.5'"),
        ("5,5\n0,0\n2\n1,1,1", "line 5: expected row,column,capacity (candy 2 of 2), but the file ends here"),
        ("5,5\n0,0\n1\n1,1", "line 4: expected row,column,capacity (candy 1 of 1), got '1,1'"),
        ("5,5\n0,0\n1\n1,1,1\n2,2,1", "line 5: expected the end of the file after 1 candy, got '2,2,1'"),
        ("5,5\n0,0\n0\n2,2,1", "line 4: expected the end of the file after 0 candies, got '2,2,1'"),
        ("5,5\n0,0\n1\n1,1,1 x", "line 4: expected row,column,capacity (candy 1 of 1), got '1,1,1 x'"),
        ("5,5\n0,0\n1\n1,5,1", "line 4: a candy on 1,5 is outside the 5 x 5 board (rows and columns from 0)"),
        ("5,5\n0,0\n1\n1,-1,1", "line 4: a candy on 1,-1 is outside"),
        ("5,5\n0,0\n1\n0,0,1", "line 4: the candy on 0,0 is under the head of the snake"),
        ("5,5\n0,0\n2\n1,1,1\n1,1,2", "line 5: there is another candy on 1,1 already"),
        ("5,5\n0,0\n1\n1,1,0", "line 4: capacity: expected 1 or more, got 0"),
        ("5,5\n0,0\n1\n1,1,-2", "line 4: capacity: expected 1 or more, got -2"),
        ("9,9\n0,0\n2\n1,1,30\n2,2,21", "line 5: more than 50 units of candy in all"),
        ("5,5\n0,0\n999999999", "line 4: expected row,column,capacity (candy 1 of 999999999), but the file ends"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'board.txt'}: {message}")
    assert "\n" not in str(caught.value)


def test_random_boards_have_all_cells_and_capacities() -> None:
    boards = load_all(SnakeWorld, "snake/random", rows=6, columns=9, candies=7, max_capacity=4, count=60, seed=5)
    for instance in boards:
        board = instance.world.board
        cells = [board.head, *(candy.cell for candy in board.candies)]
        assert len(set(cells)) == 8
        assert all(0 <= row < 6 and 0 <= column < 9 for row, column in cells)
    assert {candy.capacity for instance in boards for candy in instance.world.board.candies} == {1, 2, 3, 4}
    assert len({instance.world.board.head for instance in boards}) > 25
    assert boards[7].id == "random-6x9-7-4-12"
    full = load_all(SnakeWorld, "snake/random", rows=1, columns=5, candies=4, max_capacity=1, count=3)
    assert all(len({c.cell for c in instance.world.board.candies}) == 4 for instance in full)


def test_generated_boards_never_change() -> None:
    """The same seed must give the same board in all versions and on all machines."""
    board = load_all(SnakeWorld, "snake/random", count=1)[0].world.board
    cells = ((2, 0), (0, 2), (0, 1), (6, 0), (6, 5))
    assert board == Board(8, 8, (5, 0), tuple(Candy(cell, 2) for cell in cells))
    (mixed,) = load_all(SnakeWorld, "snake/random", count=1, seed=3, rows=3, columns=4, candies=3, max_capacity=4)
    assert [(candy.cell, candy.capacity) for candy in mixed.world.board.candies] == [
        ((0, 2), 1),
        ((2, 0), 2),
        ((1, 1), 2),
    ]


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("random", {"rows": 2, "columns": 2, "candies": 4}, "world.candies: a 2 x 2 board has room for at most 3"),
        (
            "random",
            {"candies": 10, "max_capacity": 6},
            "world.max_capacity: 10 candies of up to 6 units may be 60 units",
        ),
    ],
)
def test_bad_parameters_are_refused(world: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.load(f"snake/{world}", **parameters)


def test_a_change_of_any_part_of_a_board_changes_the_run_id(tmp_path: Path) -> None:
    """The files have the same name, so the instances have the same id."""
    texts = [
        GOOD,
        GOOD.replace("5,7", "5,8"),
        GOOD.replace("0,0", "0,1"),
        GOOD.replace("1,2,1", "1,3,1"),
        GOOD[:-2] + "2",
    ]
    ids = {runner.solve(load(tmp_path, text), "dfs", limits={"nodes": 1}).run_id for text in [*texts, GOOD]}
    assert len(ids) == len(texts)


@pytest.mark.parametrize(
    ("rows", "head", "candies", "message"),
    [
        (3, (0, 0), [((0, 0), 1)], "different cells"),
        (3, (0, 0), [((1, 1), 1), ((1, 1), 2)], "different cells"),
        (3, (0, 0), [((3, 1), 1)], "on the board"),
        (65, (0, 0), [], "sides must be 1 to 64"),
        (3, (0, 0), [((1, 1), 0)], "1 unit or more"),
        (3, (0, 0), [((1, 1), 51)], "at most 50"),
    ],
)
def test_invalid_boards_cannot_be_made(
    rows: int, head: GridCell, candies: list[tuple[GridCell, int]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Board(rows, 3, head, tuple(Candy(*candy) for candy in candies))


def test_route_is_refused_if_the_largest_board_has_too_many_units(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(GOOD)
    (tmp_path / "b.txt").write_text("9,9\n0,0\n1\n1,1,21\n")
    for world in (
        {"name": "snake/file", "path": str(tmp_path)},
        {"name": "snake/random", "candies": 7, "max_capacity": 3, "count": 1},
    ):
        source = sections.source_of(world)
        stack = sections.stack_of("snake", {"stack": ["route"]})
        sample = list(source.samples())
        with pytest.raises(
            Incompatible, match=r"route is for at most 20 units of candy, .* has up to 21; spanning_tree"
        ):
            schema.check_fit(sections.algorithm_of({"name": "astar"}), stack, None, sample)
