"""Hidden criteria are in no file that students read: neither their names, instances and output, nor their points."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from textwrap import dedent

import pytest

import runner
from runner.features.grading.formats import files_for
from runner.features.grading.marks import Marks, Verdict

VERDICTS = [
    Verdict("admissible", "admissible", 4, 4, "holds"),
    Verdict("expanded", "few", 1, 3, "the private text", picture="data:private", feedback=False, value=99.0),
    Verdict("expanded", "secret", 2, 5, "the secret text", picture="data:secret", visible=False, value=77.0),
]
MARKS = Marks("The 8-puzzle", "ada", "ada.py", "mine", VERDICTS)


def texts(kind: str) -> dict[str, str]:
    files = files_for(kind, MARKS)
    if kind == "github":
        files["github_output"] = base64.b64decode(files["github_output"].partition("=")[2]).decode()
    return files


@pytest.mark.parametrize("kind", ["classroom50", "prairielearn", "github", "html"])
def test_a_file_for_students_has_nothing_of_hidden_criteria(kind: str) -> None:
    for text in texts(kind).values():
        assert "few" in text
        assert [word for word in ("secret", "private", "77", "99", "of 12") if word in text] == []


def test_points_for_students_add_up() -> None:
    classroom = json.loads(texts("classroom50")["result.json"])
    assert (classroom["score"], classroom["max-score"]) == (5, 7)
    assert json.loads(texts("prairielearn")["results.json"])["score"] == 5 / 7
    assert json.loads(texts("github")["github_output"])["max_score"] == 7
    assert "5 of 7 points" in texts("html")["ada.html"]


def test_gradescope_hides_the_test_and_its_place_on_the_leaderboard() -> None:
    found = json.loads(texts("gradescope")["results.json"])
    assert (found["score"], found["leaderboard"]) == (7, [])
    assert [each["visibility"] for each in found["tests"]] == ["visible", "visible", "after_published"]


def test_limits_and_output_have_nothing_of_hidden_instances(tmp_path: Path) -> None:
    (tmp_path / "exercise.yaml").write_text(
        dedent("""
        title: The 3-puzzle
        hand_in: heuristic
        reference: manhattan
        world: {name: npuzzle/random, size: 2, count: 1}
        criteria:
          - {name: valid, title: secret, points: 1, visible: false, world: {name: npuzzle/random, size: 2x3, count: 1}}
          - {name: valid, title: private, points: 1, feedback: false, world: {name: npuzzle/random, size: 3, count: 1}}
          - {name: valid, points: 1}
          - {name: limits, points: 1}
        """)
    )
    (tmp_path / "ada.py").write_text(
        dedent("""
        import runner
        @runner.python_heuristic("mine", domain="npuzzle")
        def mine(board):
            print(len(board), "cells")
            return 0 if len(board) == 4 else board[99]
        """)
    )
    marks = runner.grade(tmp_path / "exercise.yaml", tmp_path / "ada.py")
    assert "uniform-2x3-0" in marks["secret"].text
    assert [each.points for each in marks.verdicts] == [0, 0, 1, 0]
    assert marks["limits"].text == "an error in 'private'"
    assert "4 cells" in marks.output
    assert "6 cells" not in marks.output
