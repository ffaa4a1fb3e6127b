"""The exercises of the examples: their solutions get all points, and what students begin with does not.

`runner new exercise` writes the puzzle, and runs its tests (`tests/runner/features/scaffold/test_new.py`).
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

import runner
from runner.features.grading.criterion import CRITERIA
from runner.features.grading.exercise import read
from runner.features.grading.formats import PLATFORMS
from runner.features.grading.grader import Grader
from tests.runner_cli import ROOT

FOLDER = ROOT / "examples" / "exercises"


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("snake", ".py"),
        pytest.param("astar", ".py", marks=pytest.mark.long),
        pytest.param(
            "cpp", ".cpp", marks=[pytest.mark.long, pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")]
        ),
        pytest.param("puzzle", ".py", marks=pytest.mark.long),
    ],
)
def test_the_solution_of_an_exercise_gets_all_points(name: str, suffix: str) -> None:
    folder = FOLDER / name
    with closing(Grader(read(folder / "exercise.yaml"))) as grader:
        right, begun = (grader.grade(folder / f"{each}{suffix}", "ada") for each in ("reference", "skeleton"))
    assert right.points == right.max_points, right
    assert not [title for title in right.leaderboard if title.startswith("better than")]
    assert not begun.failure
    assert begun.points < begun.max_points


TRIVIAL = {"0": "return 0", "infinity": "return float('inf')", "large": "return 100"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(name, value, marks=[] if (name, value) == ("snake", "large") else [pytest.mark.long])
        for name in ("snake", "puzzle")
        for value in TRIVIAL
    ],
)
def test_a_trivial_heuristic_only_keeps_the_limits(name: str, value: str, tmp_path: Path) -> None:
    begin = (FOLDER / name / "skeleton.py").read_text(encoding="utf-8")
    assert "return 0" in begin
    (tmp_path / "trivial.py").write_text(begin.replace("return 0", TRIVIAL[value]), encoding="utf-8")
    marks = runner.grade(FOLDER / name / "exercise.yaml", tmp_path / "trivial.py")
    assert [(each.name, each.points) for each in marks.verdicts if each.points] == [("limits", 1)], marks


def test_an_astar_that_tests_for_the_goal_too_early_is_found_in_the_graph(tmp_path: Path) -> None:
    """In the caves its plans are optimal, and its expansions as many as with other ties."""
    right = (FOLDER / "astar" / "reference.py").read_text(encoding="utf-8")
    last = "                closed.discard(successor)\n"
    assert last in right
    early = last + last.replace(
        "closed.discard(successor)", "if problem.is_goal(successor): return actions_to(successor, parents)"
    )
    (tmp_path / "early.py").write_text(right.replace(last, early), encoding="utf-8")
    marks = runner.grade(FOLDER / "astar" / "exercise.yaml", tmp_path / "early.py")
    assert [each.points for each in marks.verdicts] == [3, 1, 0, 0, 1], marks
    assert "graph: your plan costs 5, and the cheapest one 4: A G" in marks["finds an optimal plan in a graph"].text


def test_the_page_for_teachers_has_every_criterion_and_format() -> None:
    page = (ROOT / "docs" / "teaching_reference.md").read_text(encoding="utf-8")
    ours = [each for each in CRITERIA.names() if CRITERIA.find(each).__module__.startswith("runner.")]
    assert [each for each in (*ours, *PLATFORMS.names()) if f"`{each}`" not in page] == []
