"""Sources of boards: published instances, random boards and files."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from tests.bad_input import error_of_file
from tests.loaded import load
from worlds.npuzzle.rules import blank_first, is_solvable
from worlds.npuzzle.sources import INSTANCES
from worlds.npuzzle.world import PuzzleWorld


def korf(name: str) -> list[dict[str, str]]:
    with open(INSTANCES / f"{name}.csv", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize(("name", "column", "count"), [("korf100", "board", 100), ("korf50_24", "tiles", 50)])
def test_published_instances_equal_their_tables(name: str, column: str, count: int) -> None:
    boards = load(PuzzleWorld, f"npuzzle/{name}")
    assert [" ".join(map(str, board.world.puzzle.board)) for board in boards] == [row[column] for row in korf(name)]
    assert len(boards) == len({board.id for board in boards}) == count
    assert all(is_solvable(board.world.puzzle) for board in boards)
    assert {board.world.puzzle.goal for board in boards} == {blank_first(len(boards[0].world.puzzle.board))}


def test_instances_are_chosen_by_numbers_and_ranges() -> None:
    chosen = runner.load("npuzzle/korf100", instances=[79, "2-4", 3])
    assert [board.id for board in chosen] == ["korf100_79", "korf100_2", "korf100_3", "korf100_4"]


@pytest.mark.parametrize("size", [3, "2x3", [4, 4]])
def test_uniform_boards_are_solvable(size: object) -> None:
    boards = load(PuzzleWorld, "npuzzle/random", size=size, count=50, seed=7)
    assert all(is_solvable(board.world.puzzle) for board in boards)
    assert len({board.world.puzzle.board for board in boards}) > 30


def test_uniform_boards_are_uniformly_distributed() -> None:
    counts = Counter(board.world.puzzle.board for board in load(PuzzleWorld, "npuzzle/random", size=2, count=2400))
    assert len(counts) == 12
    assert max(abs(count - 200) for count in counts.values()) < 60


def test_walks_end_at_most_as_far_from_the_goal_as_their_steps() -> None:
    for steps in (0, 1, 7):
        for board in runner.load("npuzzle/random", size=4, shuffle="walk", steps=steps, count=20):
            cost = runner.solve(board, "idastar", ["manhattan"]).cost
            assert cost is not None
            assert cost <= steps
            assert cost % 2 == steps % 2
    first = runner.load("npuzzle/random", size=5, shuffle="walk", count=1)[0]
    assert first == runner.load("npuzzle/random", size=5, shuffle="walk", count=1)[0]
    assert first.id == "walk-5x5-0"


def test_generated_boards_never_change() -> None:
    """The same seed must give the same board in all versions and on all machines."""
    (uniform,) = load(PuzzleWorld, "npuzzle/random", count=1)
    (walk,) = load(PuzzleWorld, "npuzzle/random", size="2x3", shuffle="walk", steps=1000, count=1)
    assert uniform.world.puzzle.board == (4, 0, 2, 13, 7, 8, 15, 6, 5, 10, 9, 14, 12, 1, 11, 3)
    assert walk.world.puzzle.board == (2, 0, 5, 4, 1, 3)


def test_boards_are_loaded_from_text_and_csv_files(tmp_path: Path) -> None:
    file = tmp_path / "boards.txt"
    file.write_text("# mine\n\n1 2 3 4 5 6 7 0 8\neasy: 1, 2, 3, 0\n")
    assert [(b.id, b.world.puzzle.rows) for b in load(PuzzleWorld, "npuzzle/file", path=str(file))] == [
        ("boards_1", 3),
        ("easy", 2),
    ]
    (tmp_path / "wide.csv").write_text("id,board\na,1 2 3 4 0 5\n")
    file = tmp_path / "wide.csv"
    (wide,) = load(PuzzleWorld, "npuzzle/file", path=str(file), size="2x3", goal=[1, 2, 3, 4, 5, 0])
    assert (wide.id, wide.world.puzzle.rows, wide.world.puzzle.columns) == ("a", 2, 3)
    assert runner.solve(wide, "bfs").cost == 1
    for separator in ";\t":
        rows = f'\ufeffid{separator}board\r\na{separator}1 2 3 0\r\nb{separator}"1,2,0,3"\r\n'
        (tmp_path / "excel.csv").write_bytes(rows.encode())
        excel = load(PuzzleWorld, "npuzzle/file", path=str(tmp_path / "excel.csv"))
        assert [(b.id, b.world.puzzle.board) for b in excel] == [("a", (1, 2, 3, 0)), ("b", (1, 2, 0, 3))]
    again = load(PuzzleWorld, "npuzzle/file", path=str(INSTANCES / "korf100.csv"), goal="blank_first")
    assert [b.world.puzzle for b in again] == [b.world.puzzle for b in load(PuzzleWorld, "npuzzle/korf100")]


@pytest.mark.parametrize(
    "text",
    [
        "a:\n1 2 3\n4 5 6\n7 _ 8\nb:\n1 2 3\n4 5 6\n_ 7 8\n",
        "a:\n1 2 3 4 5 6 7 0 8\nb:\n1 2 3 4 5 6 0 7 8\n",
        "a: 3\n1 2 3\n4 5 6\n7 0 8\n\nb:\n3x3\n1 2 3\n4 5 6\n0 7 8\n",
        "a:\n[\n[1, 2, 3],\n[4, 5, 6],\n[7, 0, 8]\n]\nb: [1, 2, 3],\n[4, 5, 6],\n[0, 7, 8]]\n",
    ],
)
def test_names_and_sides_may_stand_above_boards(tmp_path: Path, text: str) -> None:
    (tmp_path / "boards.txt").write_text(text)
    found = load(PuzzleWorld, "npuzzle/file", path=str(tmp_path / "boards.txt"))
    assert [(each.id, each.world.puzzle.board) for each in found] == [
        ("a", (1, 2, 3, 4, 5, 6, 7, 0, 8)),
        ("b", (1, 2, 3, 4, 5, 6, 0, 7, 8)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3 x", "line 1: 'x' is not a tile"),
        ("1 2 3 -1", "line 1: '-1' is not a tile"),
        ("\n1 2 2 0", "line 2: not a permutation: tile 2 occurs twice, 3 is missing"),
        ("1 2 4 0", "line 1: not a permutation: tile 4 is not one of 0 to 3"),
        ("1 2 99999999999999999999 0", "not one of 0 to 3"),
        (
            "1 2 3",
            "line 1: 3 tiles make no square of side 2 to 10; write one board per line, or one row per line; for a",
        ),
        ("0", "1 tiles make no square"),
        ("1 2 3\n4 5 6\n7 0 8\n99", "line 1: 3 tiles make no square"),
        ("1 2 3 0\n1 2 3 0\n1 1 3 0\n1 2 0 3", "line 3: not a permutation: tile 1 occurs twice, 2 is missing"),
        ("x:\n\ny:", "line 1: 0 tiles make no square"),
        ("1 2 3\n4   6\n7 5 8", "line 2: 2 tiles in a row of 3; write 0 or _ for the blank"),
        ("4\n1 2 3\n4 5 6\n7 0 8", "line 1: expected the side of the board below (3), or a name such as easy:"),
        ("1 2 3\n3\n4 5 6\n7 0 8", "line 1: 3 tiles make no square"),
        (": 1 2 3 0", "line 1: the id before the colon is missing"),
        ("# nothing", "holds no boards"),
        ("a: 1 2 3 0\na: 1 2 0 3", "the name 'a' is already used in"),
    ],
)
def test_bad_text_files_are_refused_with_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(text)
    error = error_of_file("npuzzle", str(file))
    assert message in error
    assert str(file) in error


def test_bad_csv_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    for text, message in (
        ('id,board\n1,"' + "1 " * 100_000 + '"', "field larger than field limit"),
        ('id,board\n1,"1 2 3 0', "unexpected end of data"),
        ("id,bord\n1,1 2 3 0\n", "line 1: no column 'board'; did you mean 'bord'"),
        ("board\n1 2", "line 2: 2 tiles"),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=message):
            runner.load("npuzzle/file", path=str(file))


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("random", {"size": 1}, "world.size: expected sides of 2 to 10: .* got 1"),
        ("random", {"size": "3x11"}, "got '3x11'"),
        ("random", {"size": [3, 3, 3]}, r"got \[3, 3, 3\]"),
        ("random", {"size": []}, r"got \[\]"),
        ("random", {"goal": "blank_lst"}, "world.goal: there is no 'blank_lst'; did you mean 'blank_last'"),
        ("random", {"size": 2, "goal": [0, 1, 2]}, "world.goal: expected 4 tiles, got 3"),
        ("random", {"size": 2, "goal": [0, 1, 2, 2]}, "world.goal: not a permutation"),
        ("korf100", {"instances": [0]}, "world.instances: expected numbers of 1 to 100 or ranges such as 3-7, got 0"),
        ("korf100", {"instances": ["7-3"]}, "got '7-3'"),
        ("korf50_24", {"instances": ["50-51"]}, "1 to 50"),
        ("korf100", {"instances": []}, "the list is empty"),
        ("file", {"path": "~nobody-of-that-name/x"}, "world.path: .*: Could not determine home directory"),
        ("file", {"path": "a" * 5000}, "world.path: .?aaa"),
    ],
)
def test_bad_parameters_are_refused(world: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.load(f"npuzzle/{world}", **parameters)


def test_a_size_that_does_not_fit_the_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_text("1 2 3 0\n")
    with pytest.raises(UserError, match=r"line 1: expected 6 tiles \(world.size is 2x3\), got 4"):
        runner.load("npuzzle/file", path=str(file), size="2x3")


@pytest.mark.parametrize(
    ("text", "size", "boards"),
    [
        ("1 2 3\n4 5 6\n7 0 8\n", None, [(1, 2, 3, 4, 5, 6, 7, 0, 8)]),
        ("3\n1 2 3\n4 5 6\n7 0 8\n", None, [(1, 2, 3, 4, 5, 6, 7, 0, 8)]),
        ("one: 1 2\n3 0\n\n# next\n1 2\n0 3", None, [(1, 2, 3, 0), (1, 2, 0, 3)]),
        ("1 2 3\n4 5 0", "2x3", [(1, 2, 3, 4, 5, 0)]),
        ("[[1,2],[3,None]]\n(1,2,_,3)", None, [(1, 2, 3, 0), (1, 2, 0, 3)]),
        ("[[1, 2],\n [3, .]]", None, [(1, 2, 3, 0)]),
    ],
)
def test_boards_as_people_write_them_are_read(
    tmp_path: Path, text: str, size: str | None, boards: list[tuple[int, ...]]
) -> None:
    (tmp_path / "boards.txt").write_text(text)
    found = load(PuzzleWorld, "npuzzle/file", path=str(tmp_path / "boards.txt"), size=size)
    assert [each.world.puzzle.board for each in found] == boards
