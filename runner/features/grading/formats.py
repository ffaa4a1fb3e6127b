"""Files with the marks of one submission, as platforms of courses and people read them.

Students read the files of most platforms, which have `Marks.for_students`. Hidden criteria are in those that a platform
hides itself (Gradescope, nbgrader, otter-grader), and in those of teachers (CSV, Markdown).
"""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
import reprlib
import textwrap
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from html import escape
from pathlib import Path, PureWindowsPath
from typing import Any, TypeVar

from runner.base import PluginError, Registry, UserError, render_page
from runner.features.grading.marks import PROBLEMS, Marks, Verdict, markdown, number

Files = dict[str, str]
"""Texts by the names of files; the first one is printed if no folder is given."""
_MAX_BYTES = 1_000_000
"""Size of PrairieLearn's results; pictures are left out beyond it."""
MOODLE, WORKSHEET, FEEDBACK = "moodle", "grades.csv", "feedback.zip"
"""Format of classes with two files, which Moodle reads."""
_PAGE = Path(__file__).parent / "page.html"

PLATFORMS: Registry[Callable[[Marks], Files]] = Registry("format")
W = TypeVar("W", bound=Callable[[Marks], Files])


def platform(name: str) -> Callable[[W], W]:
    """Register a function of the marks of a submission, which returns the files that a platform reads.

    Those that students read have `Marks.for_students` alone::

        @platform("points")
        def points(marks: Marks) -> dict[str, str]:
            return {"points.txt": f"{marks.for_students.points:g}"}

    Parameters
    ----------
    name : str
        Name for ``--format``, and of the folder of its files.

    Raises
    ------
    ValueError
        If the name is not of letters, digits and _, or another platform has it.
    """
    if not (isinstance(name, str) and re.fullmatch(r"\w+", name)):
        raise ValueError(f"format '{name}': expected a name of letters, digits and _, because a folder has it")
    return PLATFORMS.register(name)


def files_for(name: str, marks: Marks) -> Files:
    """Return the files of a submission for a platform.

    Raises
    ------
    UserError
        If there is no such platform, or its function returns no texts by the names of files.
    PluginError
        If its function raises an exception.
    """
    write = PLATFORMS.find(name, where="--format")
    try:
        files = write(marks)
    except UserError:
        raise
    except Exception as error:  # of a plug-in
        raise PluginError(f"--format {name}: failed for {marks.student}", error) from None
    are_texts = isinstance(files, dict) and all(isinstance(each, str) for pair in files.items() for each in pair)
    if not (files and are_texts):
        raise UserError(f"--format {name}: expected texts by the names of files, got {reprlib.repr(files)}")
    for file in files:
        if file in ("", "..") or PureWindowsPath(file).name != file or not file.isprintable():
            raise UserError(f"--format {name}: expected the name of a file without folders, got {file!r}")
    return files


@platform("gradescope")
def gradescope(marks: Marks) -> Files:
    """Return results.json of Gradescope, which hides tests, and then their total."""
    tests = [
        {
            "name": each.title,
            "number": str(n),
            "score": number(each.points),
            "max_score": number(each.max_points),
            "status": "passed" if each.passed else "failed",
            "output": _html(each),
            "output_format": "html",
            "visibility": "visible" if each.visible else "after_published",
        }
        for n, each in enumerate(marks.verdicts, 1)
    ]
    public = marks.for_students.leaderboard
    leaderboard = [{"name": name, "value": number(value), "order": "asc"} for name, value in public.items()]
    output = "\n\n".join(filter(None, (marks.problem, marks.output)))
    top = {"score": number(marks.points), "output": output, "output_format": "text", "visibility": "visible"}
    return {"results.json": _json({**top, "tests": tests, "leaderboard": leaderboard})}


@platform("classroom50")
def classroom50(marks: Marks) -> Files:
    """Return result.json of Classroom 50, whose scores are integers, and a report for the release."""
    marks, environment = marks.for_students, os.environ.get
    tests = [
        {
            "test-name": each.title,
            "passed": each.passed,
            "score": int(each.points),
            "max-score": int(each.max_points),
            "output": each.text,
        }
        for each in marks.verdicts
    ]
    result = {
        "schema": "classroom50/result/v1",
        "classroom": environment("CLASSROOM", ""),
        "assignment": environment("ASSIGNMENT", ""),
        "submission": environment("SUBMISSION_TAG", ""),
        "commit": environment("COMMIT_URL", ""),
        "release": environment("RELEASE_URL", ""),
        "review": environment("REVIEW_URL", ""),
        "datetime": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests if isinstance(test["score"], int)),
        "max-score": sum(test["max-score"] for test in tests if isinstance(test["max-score"], int)),
        "tests": tests,
    }
    return {"result.json": _json(result), "release-body.md": markdown(marks)}


@platform("prairielearn")
def prairielearn(marks: Marks) -> Files:
    """Return results.json of PrairieLearn, of at most 1 MB."""
    marks = marks.for_students

    def of(pictures: bool) -> str:
        tests = [
            {
                "name": each.title,
                "description": each.name,
                "points": number(each.points),
                "max_points": number(each.max_points),
                "output": each.text,
                "images": [{"label": "counterexample", "url": each.picture}] if pictures and each.picture else [],
            }
            for each in marks.verdicts
        ]
        result = {
            "gradable": True,
            "score": marks.points / marks.max_points if marks.max_points else 0.0,
            "message": marks.problem,
            "output": marks.output,
            "images": [],
            "tests": tests,
        }
        return _json(result)

    text = of(True)
    return {"results.json": text if len(text.encode()) < _MAX_BYTES else of(False)}


@platform("nbgrader")
def nbgrader(marks: Marks) -> Files:
    """Return the cell that grades with nbgrader: its value is the points, which count as partial credit."""
    return {"cell.py": f'import runner\n\nrunner.grade("exercise.yaml", {marks.submission!r}).points\n'}


@platform("otter")
def otter(marks: Marks) -> Files:
    """Return a test file of otter-grader for each criterion. The submission is a file beside the notebook."""
    return {f"q{n}.py": _question(n, each, marks.submission) for n, each in enumerate(marks.verdicts, 1)}


def _question(n: int, verdict: Verdict, submission: str) -> str:
    return textwrap.dedent(f"""\
        from otter.test_files import test_case

        OK_FORMAT = False

        name = "q{n}"
        points = {number(verdict.max_points)}


        @test_case(points={number(verdict.max_points)}, hidden={not verdict.visible})
        def test_{verdict.name}():
            import runner

            verdict = runner.grade("exercise.yaml", {submission!r}).verdicts[{n - 1}]
            assert verdict.passed, verdict.for_students.text
        """)


@platform("github")
def github(marks: Marks) -> Files:
    """Return the step output `result` of GitHub Actions, and a job summary; append them to the files of the job."""
    marks = marks.for_students
    tests = [
        {
            "name": each.title,
            "status": "pass" if each.passed else "fail",
            "score": number(each.points),
            "message": each.text,
            "test_code": "",
            "filename": marks.submission,
            "line_no": 0,
            "duration": 0,
        }
        for each in marks.verdicts
    ]
    status = "error" if marks.failure else "pass" if marks.points >= marks.max_points else "fail"
    result = {"version": 1, "status": status, "max_score": number(marks.max_points), "tests": tests}
    encoded = base64.b64encode(json.dumps(result).encode()).decode()
    files = {"github_output": f"result={encoded}\n", "summary.md": markdown(marks)}
    for variable, text in zip(("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"), files.values(), strict=True):
        if variable in os.environ:
            with open(os.environ[variable], "a", encoding="utf-8") as out:
                out.write(text)
    return files


@platform("csv")
def table(marks: Marks) -> Files:
    """Return the marks as CSV, for spreadsheets."""
    return {"marks.csv": csv_table([marks])}


def csv_table(all_marks: list[Marks]) -> str:
    """Return a CSV with a row for each student, and columns for the points of each criterion."""
    titles = [each.title for each in all_marks[0].verdicts] if all_marks else []
    rows: list[list[object]] = [["student", "submission", "points", "max_points", *titles, "failure"]]
    for marks in all_marks:
        points = [number(each.points) for each in marks.verdicts]
        row = [marks.student, marks.submission, number(marks.points), number(marks.max_points), *points]
        rows.append([_cell(each) for each in (*row, marks.problem)])
    return _csv(rows)


def _cell(value: object) -> object:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


# Moodle: https://docs.moodle.org/en/Offline_grading, and feedback files by the names of its download.


@platform(MOODLE)
def moodle(marks: Marks) -> Files:
    """Return the worksheet of Moodle with one row. `grade` writes that of a class, and its feedback files."""
    return {WORKSHEET: worksheet([marks])}


def participant(student: str) -> tuple[str, str]:
    """Return the name and the number of a student in the id, as Moodle's download has them: Name_12345.

    Raises
    ------
    UserError
        If the id has no number.
    """
    name, _, number = student.rpartition("_")
    if not (name and re.fullmatch("[0-9]+", number)):
        raise UserError(
            f"--format moodle: '{student}' has no number of a participant; give the download of Moodle, with names "
            "such as Ada Lovelace_12345_assignsubmission_file_"
        )
    return name, number


def worksheet(all_marks: Sequence[Marks]) -> str:
    """Return a CSV with the points of all criteria, which Moodle reads as its grading worksheet."""
    names = ("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments")
    rows: list[Sequence[object]] = [names]
    for marks in all_marks:
        name, number_of = participant(marks.student)
        points = number(marks.points), number(marks.max_points)
        rows.append([f"Participant {number_of}", _cell(name), *points, "", _comments(marks.for_students)])
    return _csv(rows)


def feedback_files(all_marks: Sequence[Marks]) -> bytes:
    """Return a zip file with the pages of students, in folders whose names are those of Moodle's download."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for marks in all_marks:
            name, number_of = participant(marks.student)
            folder = f"{name.replace('_', ' ')}_{number_of}_assignsubmission_file_"
            file = zipfile.ZipInfo(f"{folder}/feedback.html", (2026, 1, 1, 0, 0, 0))
            file.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(file, page(marks))
    return out.getvalue()


def _comments(marks: Marks) -> str:
    """Return HTML with the points of each criterion, and why some are lost."""
    points = [f"{each.title}: {number(each.points)} of {number(each.max_points)}" for each in marks.verdicts]
    parts = [f"<p>{'<br>'.join(map(escape, points))}</p>"]
    lost = [(titles, each.text) for titles, each in marks.findings if not each.passed]
    for title, text in [(PROBLEMS[bool(marks.failure)], marks.problem)] * bool(marks.problem) + lost:
        parts.append(f"<p><b>{escape(title)}</b></p><pre>{escape(text)}</pre>")
    return "".join(parts)


@platform("markdown")
def text(marks: Marks) -> Files:
    """Return the marks as Markdown."""
    return {f"{marks.student}.md": markdown(marks)}


@platform("html")
def html(marks: Marks) -> Files:
    """Return one HTML page with the pictures."""
    return {f"{marks.student}.html": page(marks)}


def page(marks: Marks) -> str:
    """Return the page of a student."""
    return render_page(_PAGE, marks=marks.for_students, number=number, problems=PROBLEMS)


def _html(verdict: Verdict) -> str:
    """Return what a student sees of a verdict as HTML."""
    shown = verdict.for_students
    picture = f'<img src="{shown.picture}" width="300">' if shown.picture else ""
    return f"<pre>{escape(shown.text)}</pre>{picture}"


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"
