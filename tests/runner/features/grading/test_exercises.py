"""The exercises of the examples: their solutions get all points, and what students begin with does not.

`runner new exercise` writes the puzzle, and runs its tests (`tests/runner/features/scaffold/test_new.py`).
"""

from __future__ import annotations

import shutil

import pytest

import runner
from runner.features.grading.criterion import CRITERIA
from runner.features.grading.formats import PLATFORMS
from tests.runner_cli import ROOT

FOLDER = ROOT / "examples" / "exercises"


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("astar", ".py"),
        ("snake", ".py"),
        pytest.param("cpp", ".cpp", marks=pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")),
        pytest.param("puzzle", ".py", marks=pytest.mark.long),
    ],
)
def test_the_solution_of_an_exercise_gets_all_points(name: str, suffix: str) -> None:
    folder = FOLDER / name
    right = runner.grade(folder / "exercise.yaml", folder / f"reference{suffix}")
    assert right.points == right.max_points, right
    begun = runner.grade(folder / "exercise.yaml", folder / f"skeleton{suffix}")
    assert not begun.failure
    assert begun.points < begun.max_points


def test_the_page_for_teachers_has_every_criterion_and_format() -> None:
    page = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    assert [each for each in (*CRITERIA.names(), *PLATFORMS.names()) if f"`{each}`" not in page] == []
