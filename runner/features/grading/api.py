"""Function `runner.grade`, for notebooks, scripts and the graders of platforms."""

from __future__ import annotations

from pathlib import Path

from runner.features.grading.exercise import read
from runner.features.grading.grader import Grader, key_of
from runner.features.grading.marks import Marks

_graded: dict[str, Marks] = {}
"""Marks by the digests of all that determines them: a notebook asks for each question of an exercise."""


def grade(exercise: str | Path, submission: str | Path, *, student: str | None = None) -> Marks:
    """Grade one submission.

    Parameters
    ----------
    exercise : str or Path
        File of the exercise.
    submission : str or Path
        Python file that registers a heuristic, an algorithm or a world. It runs in a process of its own.
    student : str, optional
        Id of the student, on which seeds may depend. Default: the name of the file.

    Returns
    -------
    Marks
        `points`, `max_points` and `verdicts`; an index by the name of a criterion gives its verdict. As text it is
        Markdown.

    Raises
    ------
    runner.UserError
        If the exercise is not valid, or the file cannot be read. A submission never raises an error.
    """
    file = Path(submission)
    checked, known = read(Path(exercise)), student or file.stem
    key = key_of(checked, file, known)
    if key not in _graded:
        grader = Grader(checked)
        try:
            _graded[key] = grader.grade(file, known)
        finally:
            grader.close()
    return _graded[key]
