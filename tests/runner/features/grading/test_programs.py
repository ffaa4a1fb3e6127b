"""Submissions that are programs: built, started within limits, and judged by the plans that they give."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import dedent

import pytest

import runner
from runner.base.errors import UserError
from runner.features.grading.handed_in import handed_in
from tests.runner_cli import run

EXERCISE = """
title: Plans
hand_in: program
program:
  file: plans.sh
  build: [cp, "{file}", built]
  command: [sh, "{build}/built", "{board}"]
  plan: {pattern: 'moves(.*)', format: moves}
  output: {expanded: 'expanded (\\d+)'}
  exit_codes: {3: unsolvable}
world: {name: npuzzle/file, path: boards.txt}
reference: manhattan
limits: {time: 60s, wall: 60s, memory: 300MiB}
criteria:
  - {name: valid, points: 2}
  - {name: optimal, points: 2}
  - {name: expanded, points: 1, at_most: 9}
  - {name: limits, points: 1}
"""
BOARDS = "1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n"
RIGHT = """
    case "$1" in
      *"7 0 8") echo moves R;;
      *) echo moves RR;;
    esac
    echo expanded 2
"""


def exercise(folder: Path, text: str = EXERCISE) -> Path:
    (folder / "boards.txt").write_text(BOARDS, encoding="utf-8")
    (folder / "exercise.yaml").write_text(text, encoding="utf-8")
    return folder / "exercise.yaml"


def graded(folder: Path, code: str, text: str = EXERCISE) -> runner.Marks:
    (folder / "ada.sh").write_text(dedent(code), encoding="utf-8")
    return runner.grade(exercise(folder, text), folder / "ada.sh")


def points(marks: runner.Marks) -> list[float]:
    return [each.points for each in marks.verdicts]


def test_a_right_program_gets_all_points(tmp_path: Path) -> None:
    marks = graded(tmp_path, RIGHT)
    assert (points(marks), marks.problem, marks.submission) == ([2, 2, 1, 1], "", "ada.sh")


def test_plans_are_played_whatever_the_program_prints(tmp_path: Path) -> None:
    marks = graded(tmp_path, RIGHT.replace("moves RR", "moves LLRR"))
    assert points(marks) == [0, 0, 0, 1]
    assert "the rules allow only" in marks["valid"].text
    marks = graded(tmp_path, RIGHT.replace("moves RR", "moves UDRR"))
    assert points(marks) == [2, 0, 0, 1]
    assert "your plan costs 4, and the cheapest one 2" in marks["optimal"].text


def test_a_count_that_is_not_printed_gets_no_points(tmp_path: Path) -> None:
    marks = graded(tmp_path, RIGHT.replace("echo expanded 2", ""))
    assert points(marks) == [2, 2, 0, 1]
    assert "prints no number of expansions" in marks["expanded"].text
    assert points(graded(tmp_path, RIGHT.replace("expanded 2", "expanded 5"))) == [2, 2, 0, 1]


def test_a_failure_of_the_build_is_the_first_error_of_the_compiler(tmp_path: Path) -> None:
    compiler = 'echo "note: old" >&2; echo "$1:3: error: no semicolon" >&2; echo "  3 | x" >&2; exit 1'
    text = EXERCISE.replace('[cp, "{file}", built]', f"[sh, -c, '{compiler}', sh, '{{file}}']")
    marks = graded(tmp_path, RIGHT, text)
    assert marks.failure == "cannot be built: plans.sh:3: error: no semicolon"
    assert points(marks) == [0, 0, 0, 0]
    assert marks.output.splitlines()[-1] == "  3 | x"
    text = EXERCISE.replace('[cp, "{file}", built]', "[sleep, '99']").replace("wall: 60s", "wall: 1s")
    assert graded(tmp_path, RIGHT, text).failure == "cannot be built: ended by time_limit"


@pytest.mark.parametrize(
    ("code", "limits", "problem"),
    [
        ("sleep 99", "wall: 1s", "did not answer in time (limits.wall)"),
        ("while :; do :; done", "time: 1s, wall: 60s", "took more than 1 s of processor time (limits.time)"),
        ("exit 7", "wall: 9s", "exit code 7"),
        ("yes", "wall: 60s", "it printed more than 10 MiB"),
        ('python3 -c "x = bytearray(9 ** 9)"', "wall: 60s, memory: 99MiB", "needed more than 99 MiB (limits.memory)"),
    ],
)
def test_limits_hold_and_are_named(code: str, limits: str, problem: str, tmp_path: Path) -> None:
    text = EXERCISE.replace("{time: 60s, wall: 60s, memory: 300MiB}", f"{{{limits}}}")
    marks = graded(tmp_path, code, text)
    assert points(marks) == [0, 0, 0, 0]
    assert problem in marks.problem


def test_the_environment_of_the_grader_is_not_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    marks = graded(tmp_path, 'echo "token:$TOKEN, home:$HOME, here:$PWD"; exit 9')
    assert "token:, home:" in marks.output
    assert "secret" not in str(marks)


def test_files_of_the_kind_are_found_in_a_download(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for name in ("Ada_1_assignsubmission_file_/a.cpp", "Bob_2_assignsubmission_file_/b.py"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("x\n", encoding="utf-8")
    for path in (folder, Path(shutil.make_archive(str(tmp_path / "moodle"), "zip", folder))):
        ada, bob = handed_in([path], tmp_path / "out", ".cpp")
        assert (ada.student, ada.fault, ada.file.read_text(encoding="utf-8")) == ("Ada_1", "", "x\n")
        assert bob.fault.startswith("no .cpp file was handed in (only b.py): hand in one file that ends in .cpp")


def test_a_class_is_marked(tmp_path: Path) -> None:
    exercise(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.sh").write_text(dedent(RIGHT), encoding="utf-8")
    (tmp_path / "in" / "bob.sh").write_text("exit 1\n", encoding="utf-8")
    done = run(tmp_path, "grade", "exercise.yaml", "in", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines()[:2]] == [["ada", "6"], ["bob", "0"]]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("hand_in: program", "hand_in: algorithm", "program: has no effect with hand_in: algorithm"),
        ("file: plans.sh", "file: plans", "program.file: expected a name with a suffix"),
        ("file: plans.sh", "file: plans.sh\n  keep: all", "program.keep: has no effect on a submission"),
        ("{board}", "{bord}", "program.command: {bord}: npuzzle has no such placeholder; did you mean 'board'?"),
        ('"{file}", built', '"{fil}", built', "program.build: {fil} is no placeholder; did you mean 'file'?"),
        ("format: moves", "format: cells", "program.plan.format: npuzzle has no format 'cells'"),
        ("name: valid", "name: admissible", "'admissible' does not judge a program"),
        ("command: [sh, ", "commands: [sh, ", "program.command: missing"),
        ('command: [sh, "{build}/built", "{board}"]', "command: 5", "program.command: expected"),
        ('build: [cp, "{file}", built]', "build: {a: b}", "program.build: expected"),
        ('build: [cp, "{file}", built]', "build: cp {file", "program.build"),
    ],
)
def test_a_mistake_in_an_exercise_is_one_line(before: str, after: str, says: str, tmp_path: Path) -> None:
    assert EXERCISE.count(before) == 1
    with pytest.raises(UserError, match="exercise") as refused:
        graded(tmp_path, RIGHT, EXERCISE.replace(before, after))
    assert says in str(refused.value)


def test_a_missing_compiler_is_a_mistake_of_the_grader(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"program\.build: there is no program no_such_compiler"):
        graded(tmp_path, RIGHT, EXERCISE.replace("[cp, ", "[no_such_compiler, "))
    without = EXERCISE[: EXERCISE.index("program:\n")] + EXERCISE[EXERCISE.index("world:") :]
    with pytest.raises(UserError, match="program: missing"):
        graded(tmp_path, RIGHT, without)
