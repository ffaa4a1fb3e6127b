"""The file of each platform has the fields that it documents, with values of the documented types."""

# ruff: noqa: E501

from __future__ import annotations

import base64
import contextlib
import csv
import io
import json
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from runner.base.errors import UserError
from runner.base.own_places import PACKAGES
from runner.features.grading.course import cells, identical, leaderboards, overview, statistics
from runner.features.grading.exercise import read
from runner.features.grading.formats import files_for
from runner.features.grading.marks import Marks, Verdict
from tests.isolated import isolated
from tests.runner_cli import run

PICTURE = f"data:image/png;base64,{base64.b64encode(b'picture').decode()}"
VERDICTS = [
    Verdict("admissible", "admissible", 4, 4, "holds in all 181,440 states"),
    Verdict("consistent", "consistent", 0, 2, "VIOLATED\n<b> & | ```", picture=PICTURE),
    Verdict("expanded", "few", 1.5, 3, "expanded 787", value=787.0),
    Verdict("table", "secret", 0, 1, "the secret table", visible=False, feedback=False),
]
MARKS = Marks("The 8-puzzle", "ada", "ada.py", "mine", VERDICTS, output="hello", behaviour="x")
FAILED = Marks("The 8-puzzle", "bob", "bob.py", "", [VERDICTS[3]] * 2, failure="Traceback\nSyntaxError: bad")


def written(kind: str, marks: Marks = MARKS) -> Any:
    return json.loads(next(iter(files_for(kind, marks).values())))


def typed(found: dict[str, Any], **types: type | tuple[type, ...]) -> None:
    assert found.keys() == types.keys()
    for key, kind in types.items():
        assert isinstance(found[key], kind), key


NUMBER = (int, float)


def test_gradescope() -> None:
    found = written("gradescope")
    typed(found, score=NUMBER, output=str, output_format=str, visibility=str, tests=list, leaderboard=list)
    assert (found["score"], found["visibility"]) == (5.5, "visible")
    for each, verdict in zip(found["tests"], VERDICTS, strict=True):
        text = dict.fromkeys(("name", "number", "status", "output", "output_format", "visibility"), str)
        typed(each, score=NUMBER, max_score=NUMBER, **text)
        assert (each["score"], each["max_score"], each["name"]) == (verdict.points, verdict.max_points, verdict.title)
        assert each["output_format"] in ("text", "html", "simple_format", "md", "ansi")
    assert [each["status"] for each in found["tests"]] == ["passed", "failed", "failed", "failed"]
    assert [each["visibility"] for each in found["tests"]] == [*["visible"] * 3, "after_published"]
    assert "&lt;b&gt; &amp;" in found["tests"][1]["output"]
    assert PICTURE in found["tests"][1]["output"]
    assert found["leaderboard"] == [{"name": "few", "value": 787, "order": "asc"}]
    assert "SyntaxError" in written("gradescope", FAILED)["output"]


def test_classroom50(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSROOM", "ai-2026")
    found = written("classroom50")
    text = ("schema", "classroom", "assignment", "submission", "commit", "release", "review", "datetime")
    typed(found, **dict.fromkeys(text, str), score=int, tests=list, **{"max-score": int})
    assert (found["schema"], found["classroom"]) == ("classroom50/result/v1", "ai-2026")
    assert (found["score"], found["max-score"]) == (5, 9)
    for each in found["tests"]:
        typed(each, passed=bool, score=int, output=str, **{"test-name": str, "max-score": int})
    report = files_for("classroom50", MARKS)["release-body.md"]
    assert "5.5 of 9 points" in report
    assert "secret" not in report


def test_prairielearn() -> None:
    found = written("prairielearn")
    typed(found, gradable=bool, score=NUMBER, message=str, output=str, images=list, tests=list)
    assert found["score"] == 5.5 / 9
    assert [each["name"] for each in found["tests"]] == ["admissible", "consistent", "few"]
    for each in found["tests"]:
        typed(each, name=str, description=str, points=NUMBER, max_points=NUMBER, output=str, images=list)
    assert found["tests"][1]["images"] == [{"label": "counterexample", "url": PICTURE}]
    large = Verdict("consistent", "consistent", 0, 2, "text", picture="data:image/png;base64," + "A" * 10**6)
    text = files_for("prairielearn", Marks("title", "ada", "ada.py", "mine", [large]))["results.json"]
    assert len(text) < 10**6
    assert json.loads(text)["tests"][0]["images"] == []


def test_github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    files_for("github", MARKS)
    name, _, encoded = (tmp_path / "output").read_text().strip().partition("=")
    found = json.loads(base64.b64decode(encoded))
    typed(found, version=int, status=str, max_score=NUMBER, tests=list)
    assert (name, found["version"], found["status"], found["max_score"]) == ("result", 1, "fail", 9)
    for each in found["tests"]:
        text = dict.fromkeys(("name", "status", "message", "test_code", "filename"), str)
        typed(each, score=NUMBER, line_no=int, duration=NUMBER, **text)
    assert "| few | 1.5 | 3 |" in (tmp_path / "summary").read_text()
    monkeypatch.delenv("GITHUB_OUTPUT")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    encoded = files_for("github", FAILED)["github_output"].partition("=")[2]
    assert json.loads(base64.b64decode(encoded))["status"] == "error"


def test_csv() -> None:
    marks = Marks("title", "=cmd()", "ada.py", "mine", VERDICTS)
    head, row = csv.reader(io.StringIO(files_for("csv", marks)["marks.csv"]))
    assert head == [
        "student",
        "submission",
        "points",
        "max_points",
        "admissible",
        "consistent",
        "few",
        "secret",
        "failure",
    ]
    assert row == ["'=cmd()", "ada.py", "5.5", "10", "4", "0", "1.5", "0", ""]


def test_moodle_reads_the_worksheet_and_the_names_of_feedback_files(tmp_path: Path) -> None:
    """Of points that were lost without a crash the reason is there, and nothing of hidden criteria but the grade."""
    (tmp_path / "exercise.yaml").write_text(
        "title: x\nhand_in: heuristic\nworld: {name: npuzzle/random, size: 2, count: 1}\ncriteria:\n"
        "  - {name: admissible, points: 4}\n  - {name: consistent, title: secret, points: 2, visible: false}\n"
    )
    source = '@runner.python_heuristic("mine", domain="npuzzle")\ndef mine(board): return VALUE\n'
    files = {"=Jörg_7_assignsubmission_file_/a.py": "0", "Ada B._12_assignsubmission_file_b.py": "99",
             "Eve_3_assignsubmission_onlinetext_/a.html": ""}  # fmt: skip
    for name, value in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text("import runner\n" + source.replace("VALUE", value))
    done = run(tmp_path, "grade", "exercise.yaml", "in", "--format", "moodle")
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / "marks" / "moodle"
    rows = list(csv.DictReader((folder / "grades.csv").read_text(encoding="utf-8").splitlines(keepends=True)))
    shown = [[row[name] for name in ("Identifier", "Full name", "Grade", "Last modified (grade)")] for row in rows]
    assert shown == [
        ["Participant 7", "'=Jörg", "6", ""],
        ["Participant 12", "Ada B.", "2", ""],
        ["Participant 3", "Eve", "0", ""],
    ]
    comments = [row["Feedback comments"] for row in rows]
    assert comments[0] == "<p>admissible: 4 of 4</p>"
    assert comments[1].startswith("<p>admissible: 0 of 4</p><p><b>admissible</b></p><pre>")
    assert "h((" in comments[1]
    assert comments[2].endswith(
        "<pre>no Python file was handed in (only a.html): hand in one file that ends in .py</pre>"
    )
    with zipfile.ZipFile(folder / "feedback.zip") as packed:
        names = [f"{name}_assignsubmission_file_/feedback.html" for name in ("=Jörg_7", "Ada B._12", "Eve_3")]
        assert packed.namelist() == names
        assert "<h1>x</h1>" in packed.read(names[1]).decode()
    assert "secret" not in "".join(comments)
    (tmp_path / "ada.py").write_text("")
    refused = run(tmp_path, "grade", "exercise.yaml", "ada.py", "--format", "moodle", "--out", "other")
    assert refused.returncode == 2
    assert refused.stderr == (
        "error: --format moodle: 'ada' has no number of a participant; give the download of Moodle, with names such as "
        "Ada Lovelace_12345_assignsubmission_file_\n"
    )
    assert not (tmp_path / "other").exists()


def test_an_error_is_told_once() -> None:
    """Also if criteria have met it in other instances and states. Another error appears, too."""
    call = "KeyError: 1; to see it, call h"
    texts = [f"line 4: {call}((1, 0))", f"a 1: line 4: {call}((0, 1))", "line 5: IndexError", "a 1: line 5: IndexError"]
    errors = [Verdict("valid", "valid", 0, 1, text, is_error=True) for text in texts]
    limits = Verdict("limits", "limits", 0, 1, "\n".join(texts[1:3]))
    for kind in ("markdown", "html", "moodle"):
        (text,) = files_for(kind, Marks("x", "ada_1", "ada.py", "mine", [*errors, limits])).values()
        assert (text.count("KeyError"), text.count("IndexError")) == (1, 1)
    others = [Verdict(name, name, 0, 1, "bfs-1: no plan") for name in ("valid", "optimal")]
    assert "## valid, optimal\n\n```text\nbfs-1: no plan" in files_for("markdown", Marks("", "", "", "", others))[".md"]


def test_pages_for_students_hide_what_is_hidden() -> None:
    page = files_for("html", MARKS)["ada.html"]
    assert "secret" not in page
    assert PICTURE in page
    assert "&lt;b&gt; &amp; |" in page
    assert "the secret table" in files_for("markdown", MARKS)["ada.md"]
    assert "````text\nVIOLATED" in files_for("markdown", MARKS)["ada.md"]


def test_the_overview_of_a_class() -> None:
    same = Marks("The 8-puzzle", "eve", "eve.py", "mine", VERDICTS[:2], behaviour="x")
    assert identical([MARKS, FAILED, same]) == [["ada", "eve"]]
    tie, last = (Marks("The 8-puzzle", name, "", "", [Verdict("expanded", "few", 0, 3, "", value=value)])
                 for name, value in (("eve", 787.0), ("zoe", 788.0)))  # fmt: skip
    assert leaderboards([last, MARKS, FAILED, same, tie]) == {
        "few": [(1, 787.0, "ada"), (1, 787.0, "eve"), (3, 788.0, "zoe")]
    }
    page = overview([MARKS, MARKS])
    assert page.count("<svg") == len(VERDICTS)
    assert "ada, ada" in page
    two = [MARKS, Marks("The 8-puzzle", "eve", "eve.py", "mine", [VERDICTS[1], *VERDICTS[1:]])]
    assert statistics(two) == [("mean", [3.5, 2, 0, 1.5, 0]), ("median", [3.5, 2, 0, 1.5, 0])]
    assert '<th>mean</th><td class="right">3.5</td>' in overview(two)


def test_the_overview_shows_an_error_once_and_counts_them() -> None:
    wrong = [Verdict(name, name, 0, 1, "line 4: KeyError: 1", is_error=True) for name in ("admissible", "consistent")]
    limits = Verdict("limits", "limits", 0, 1, "line 4: KeyError: 1")
    crash = Marks("x", "bob", "bob.py", "mine", [*wrong, limits], key="k")
    missing = Marks("x", "eve", "in", "", [*wrong, limits], failure="no Python file was handed in")
    broken = Marks("x", "zoe", "zoe.py", "", [*wrong, limits], failure="line 1: SyntaxError", key="k")
    right = Marks("x", "ada", "ada.py", "mine", [Verdict("admissible", "admissible", 1, 1, "")] * 3, key="k")
    assert cells(crash) == [("error", "none"), ("", "none"), ("0", "none")]
    assert cells(missing) == [("no file", "none"), ("", "none"), ("", "none")]
    assert cells(broken) == [("error", "none"), ("", "none"), ("", "none")]
    assert cells(right) == [("1", "full")] * 3
    assert "<p>2 with an error, 1 without a file to grade</p>" in overview([right, crash, missing, broken])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = tmp_path_factory.mktemp("exercise")
    (result / "exercise.yaml").write_text(
        dedent("""
        title: The 5-puzzle
        hand_in: heuristic
        world: {name: npuzzle/random, size: 2x3, count: 1}
        criteria:
          - {name: admissible, points: 4}
          - {name: expanded, points: 2, at_most: {20: 2, 9999: 1}, world: {name: npuzzle/random, size: 2x3, count: 3, seed: student}}
          - {name: table, points: 1, values: {uniform-2x3-0: 0}, visible: false}
        """)
    )
    source = '@runner.python_heuristic("mine", domain="npuzzle")\ndef mine(board): return VALUE\n'
    for name, value in (("ada", "0"), ("bob", "99"), ("eve", "0 * 1")):
        (result / f"{name}.py").write_text("import runner\n" + source.replace("VALUE", value))
    return result


def test_a_class_resumes(folder: Path) -> None:
    files = [f"{name}.py" for name in ("ada", "bob", "eve")]
    first = run(folder, "grade", "exercise.yaml", *files, "--workers", "2", "--format", "prairielearn")
    assert first.returncode == 0
    assert [line.split()[:2] for line in first.stdout.splitlines()[:3]] == [["ada", "6"], ["bob", "0"], ["eve", "6"]]
    (folder / "bob.py").write_text((folder / "bob.py").read_text().replace("99", "98"))
    table = (folder / "marks" / "marks.csv").read_text()
    again = run(folder, "grade", "exercise.yaml", *files, "--format", "prairielearn")
    assert "3 submissions, 2 of them unchanged: marks/index.html" in again.stdout
    assert (folder / "marks" / "marks.csv").read_text() == table
    assert "ada, eve" in (folder / "marks" / "index.html").read_text()
    assert json.loads((folder / "marks" / "prairielearn" / "ada" / "results.json").read_text())["score"] == 5 / 6


def test_right_answers_are_in_no_group_of_identical_ones(folder: Path) -> None:
    """Right answers are those of the reference; wrong ones that are equal are still a group."""
    exercise = (folder / "exercise.yaml").read_text().replace("count: 1}", "count: 1}\nreference: REFERENCE", 1)
    for reference, groups in (("none", 0), ("manhattan", 1)):
        (folder / "with_reference.yaml").write_text(exercise.replace("REFERENCE", reference))
        run(folder, "grade", "with_reference.yaml", "ada.py", "eve.py", "--out", reference)
        assert (folder / reference / "index.html").read_text().count("<li>ada, eve</li>") == groups


def test_grade_tells_what_an_unchanged_skeleton_gets(folder: Path) -> None:
    exercise = (folder / "exercise.yaml").read_text() + "skeleton: eve.py\n"
    (folder / "with_skeleton.yaml").write_text(exercise)
    alone = run(folder, "grade", "with_skeleton.yaml", "bob.py")
    assert alone.stderr.splitlines()[-1] == "(for comparison: the file that students begin with gets 6 of 7 points)"
    both = run(folder, "grade", "with_skeleton.yaml", "bob.py", "eve.py", "--out", "with_skeleton").stdout.splitlines()
    assert both[1].split(maxsplit=4)[1:] == ["6", "of", "7", "eve.py, unchanged"]
    assert both[2] == "eve.py, unchanged: 6 of 7 points"


def test_the_cell_of_nbgrader_and_the_tests_of_otter_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otter calls the functions that its decorator has marked. Nothing must be on stderr."""
    assert run(folder, "grade", "exercise.yaml", "ada.py", "--format", "nbgrader", "--out", "cells").returncode == 0
    assert run(folder, "grade", "exercise.yaml", "ada.py", "--format", "otter", "--out", "tests").returncode == 0
    otter = folder / "otter"
    otter.mkdir()
    (otter / "__init__.py").touch()
    (otter / "test_files.py").write_text("def test_case(**options):\n    return lambda test: (options, test)\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    capsys.readouterr()
    *lines, last = (folder / "cells" / "cell.py").read_text().splitlines()
    cell: dict[str, Any] = {}
    exec("\n".join(lines), cell)
    assert eval(last, cell) == 6
    for n, result in ((1, ""), (2, "expanded ")):
        question: dict[str, Any] = {}
        exec((folder / "tests" / f"q{n}.py").read_text(), question)
        (test,) = (value for name, value in question.items() if name.startswith("test_") and name != "test_case")
        assert (question["OK_FORMAT"], question["name"], question["points"]) == (False, f"q{n}", 6 - 2 * n)
        assert test[0] == {"points": 6 - 2 * n, "hidden": False}
        with pytest.raises(AssertionError, match=result) if result else contextlib.nullcontext():
            test[1]()
    assert capsys.readouterr().err == ""


def test_the_package_for_gradescope(folder: Path) -> None:
    assert run(folder, "grade", "new", "gradescope", "exercise.yaml").returncode == 0
    with zipfile.ZipFile(folder / "autograder.zip") as package:
        names = package.namelist()
        scripts_first = ["setup.sh", "run_autograder", "Dockerfile", "requirements.txt"]
        assert [*names[:4], names[-1]] == [*scripts_first, "exercise/exercise.yaml"]
        assert "numba" in package.read("requirements.txt").decode()
        scripts = [package.read(name).decode() for name in names[:2]]
        assert [each.external_attr >> 16 for each in package.infolist()[:2]] == [0o755, 0o755]
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    root = folder / "autograder"
    (root / "submission").mkdir(parents=True)
    (root / "source").mkdir()
    (root / "submission" / "any name.py").write_text((folder / "ada.py").read_text())
    (root / "submission_metadata.json").write_text('{"users": [{"id": 17}]}')
    with zipfile.ZipFile(folder / "autograder.zip") as package:
        package.extractall(root / "source")
    (root / "site").mkdir()
    for installed in Path(sysconfig.get_path("purelib")).iterdir():
        if "search_runner" not in installed.name:  # it is not installed on Gradescope
            (root / "site" / installed.name).symlink_to(installed)
    script = scripts[1].replace("source/search-runner\n", "source/search-runner:/autograder/site\n")
    script = re.sub(r".*export NUMBA.*\n", "", script)  # tests have compiled the kernels already
    script = script.replace("/autograder", str(root)).replace("python3 -m", f"{sys.executable} -S -m")
    subprocess.run(["bash", "-c", script], check=True, capture_output=True)
    assert json.loads((root / "results" / "results.json").read_text())["score"] == 6


MISTAKES = {
    "title: x\nhand_in: heuristik": "hand_in: expected one of heuristic, algorithm, world, program, got 'heuristik'",
    "criterias: []": "criterias: unknown key; did you mean 'criteria'?",
    "criteria: []": "criteria: there are none",
    "form: algorithms.pacmen": "form: there is no module 'algorithms.pacmen' with a function load",
    "form: algorithms.pacman_project": "name: missing; give the function or class that is judged",
    "criteria: [{name: valid, points: 1, entry: dfs}]": "criteria[0].entry: only with form, and without name, which",
    "criteria: [{name: valid, points: 1, algorithm: {ties: fifo}}]": "algorithm: expected a name, or name and parameters",
    "criteria: [{name: admisible, points: 1}]": "criteria[0]: there is no criterion 'admisible'; did you mean 'admiss",
    "criteria: [{name: admissible}]": "criteria[0].points: missing",
    "criteria: [{name: admissible, point: 1}]": "criteria[0].point: unknown parameter of criterion 'admissible'; did",
    "criteria: [{name: counts, points: 1}]": "criteria[0].name: 'counts' does not judge a heuristic",
    "criteria: [{name: expanded, points: 1}]": "criteria[0].at_most: missing",
    "criteria: [{name: expanded, points: 2, at_most: {5: 1}}]": "criteria[0].at_most: the most points must be those",
    "criteria: [{name: admissible, points: 1, requires: dominate}]": "criteria[0].requires: there is no criterion 'dom",
    "criteria: [{name: admissible, points: 1, requires: admissible}]": "requires: a criterion cannot require itself,",
    "criteria: [{name: dominates, points: 1, reference: manhatan}]": "criteria[0] (dominates): reference: npuzzle has no",
    "reference: manhatan": "exercise.yaml: reference: npuzzle has no heuristic 'manhatan'; did you mean 'manhattan'?",
    "criteria: [{name: admissible, points: 1, world: {name: npuzzle/al}}]": "criteria[0] (admissible): world: there is",
    "limits: {call: 1x}": "limits.call: expected seconds above 0",
    "hand_in: world\nlimits: {call: 1s}\ncriteria: [{name: limits, points: 1}]": "limits.call: has no effect with hand_in: world; remove it",
    "limits: {time: 1x}": "limits.time: expected seconds above 0",
    "world: {name: npuzzle/random, sise: 3}": "world.sise: unknown parameter of world 'npuzzle/random'; did you mean",
    "plugins: [nothing]": "plugins: there is no file '",
    "skeleton: nothing.py": "skeleton: there is no file '",
    "title: [": "exercise.yaml: ",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_an_exercise_is_named(text: str, tmp_path: Path) -> None:
    lines = ["title: x", "hand_in: heuristic", "world: {name: npuzzle/random, size: 2}",
             "criteria: [{name: admissible, points: 1}]"]  # fmt: skip
    keys = [line.partition(":")[0] for line in text.splitlines()]
    content = [line for line in lines if line.partition(":")[0] not in keys] + text.splitlines()
    (tmp_path / "exercise.yaml").write_text("\n".join(content))
    with isolated(PACKAGES), pytest.raises(UserError) as refused:
        read(tmp_path / "exercise.yaml")
    assert str(refused.value).startswith(f"{tmp_path / 'exercise.yaml'}: ")
    assert MISTAKES[text] in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_mistake_in_an_exercise_is_one_line_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "exercise.yaml").write_text("title: x\nhand_in: heuristic\ncriteria: []\nworld: {name: npuzzle/random}")
    done = run(tmp_path, "grade", "exercise.yaml", "mine.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: exercise.yaml: criteria: there are none\n"
