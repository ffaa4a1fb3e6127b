"""A mistake is one line for the student, with the line of the file and what to do, and a row for the class."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.runner_cli import run

EXERCISE = """
title: The 3-puzzle
hand_in: heuristic
name: steps
limits: {output: 1000, call: 300ms}
world: {name: npuzzle/random, size: 2, count: 1}
criteria: [{name: admissible, points: 4}, {name: limits, points: 1}]
"""
RIGHT = """import runner


def helper(board):
    return 0


@runner.python_heuristic("steps", domain="npuzzle")
def steps(board):
    return helper(board)
"""
MISTAKES = {
    "print": (
        "return 0\n", "print(board * 20)\n    return 0\n", 4, "line 5: prints more than 1,000 bytes (limits.output)",
    ),
    "syntax": ("board):\n    return h", "board)\n    return h", 0, "line 9: SyntaxError: expected ':'; Python cannot"),
    "name": (
        '"steps"', '"step"', 0, "line 8: expected one heuristic for npuzzle 'steps', but this registers 'step'; ch",
    ),
    "kind": (
        'heuristic("steps", domain="npuzzle")', 'algorithm("steps")', 0, "line 8: expected one heuristic for npuzz",
    ),
    "called": ("return 0\n", "return {}['no']\n", 0, "line 5, from line 10: KeyError: 'no'"),
    "encoding": (
        "def helper", "# M\udcfcller\n\n\nNAME = 'M\udcfcller'\ndef helper", 0,
        "line 4: save the file as UTF-8: its byte 0xfc is no UTF-8",
    ),
    "hangs": (
        "return 0\n", "while board == (2, 3, 0, 1): pass\n    return 0\n", 0,
        "line 5, from line 11: TimeoutError: a call of the heuristic took more than limits.call=0.3 seconds; "
        "to see it, call h((2, 3, 0, 1))",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Grade a class in which each student but one makes one of the mistakes; return its marks and what is printed."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "exercise.yaml").write_text(EXERCISE)
    for name, (before, after, _, _) in MISTAKES.items():
        assert before in RIGHT
        (folder / f"{name}.py").write_bytes(RIGHT.replace(before, after).encode(errors="surrogateescape"))
    (folder / "ada.py").write_text(RIGHT)
    done = run(folder, "grade", "exercise.yaml", *(f"{name}.py" for name in (*MISTAKES, "ada")))
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "marks", done.stdout


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_for_the_student_and_for_the_class(name: str, graded: tuple[Path, str]) -> None:
    _, _, points, line = MISTAKES[name]
    folder, output = graded
    found = {row["student"]: row for row in csv.DictReader((folder / "marks.csv").read_text().splitlines())}
    mistaken, right = found[name], found["ada"]
    assert (right["points"], right["failure"]) == ("5", "")
    assert mistaken["points"] == str(points)
    assert mistaken["failure"].startswith(line)
    page = (folder / f"{name}.html").read_text()
    assert mistaken["failure"].translate({39: "&#39;", 34: "&#34;"}) in page
    row = (folder / "index.html").read_text().partition(f"{name}.html")[2].partition("</tr>")[0]
    assert line[:20].replace("'", "&#39;") in row
    assert mistaken["failure"] in output


def test_the_line_that_ran_at_the_limit_of_time_is_named(tmp_path: Path) -> None:
    """Also while the file is imported, and with `limits.call` only for calls of heuristics."""
    (tmp_path / "exercise.yaml").write_text(EXERCISE.replace("output: 1000", "output: 1000, time: 1s"))
    (tmp_path / "mine.py").write_text("def spin():\n    while True:\n        x = 1\n\n\nspin()\n")
    done = run(tmp_path, "grade", "exercise.yaml", "mine.py", "--format", "csv")
    assert re.search(r",line [23]: took more than 1 s of processor time \(limits.time\)$", done.stdout.rstrip())
