"""Marks are those that a submission deserves, whatever its process says, and can be compared with those of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from runner.features.grading import submission
from runner.features.grading.exercise import read
from runner.features.grading.grader import Grader
from runner.features.grading.marks import Marks
from tests.runner.features.grading.test_submissions import ASTAR, CAVES, LINE, heuristic
from tests.runner.features.grading.test_submissions import LINES as SHORT_LINES
from tests.runner_cli import ROOT
from tests.sampling import covering

LINES = SHORT_LINES.replace("line_of_teacher", "long_line")
TEACHER = dedent(LINE).replace("NAME", "long_line").replace("LENGTH", "30").replace("GOAL", "5")
RIGHT = TEACHER.replace("long_line", "mine")
FORGED_CHECK = "import runner.features.grading.worker as worker\nworker.check_world = lambda *_: None\n"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Marks]]:
    """Grade a submission by an exercise; `plugins` are its other files. An exercise has one process for all tests."""
    folder, graders = tmp_path_factory.mktemp("exercises"), dict[str, Grader]()

    def grade(exercise: str, submission: str, student: str = "mine", **plugins: str) -> Marks:
        for name, text in {**plugins, "mine": submission}.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        (folder / "exercise.yaml").write_text(dedent(exercise), encoding="utf-8")
        if exercise not in graders:
            graders[exercise] = Grader(read(folder / "exercise.yaml"))
        return graders[exercise].grade(folder / "mine.py", student)

    yield grade
    for grader in graders.values():
        grader.close()


def points(marks: Marks) -> str:
    return "".join(f"{each.points:g}" for each in marks.verdicts)


COUNTED = "calls = []\n" + RIGHT.replace("return [(name,", "calls.append(state)\n        return [(name + SUFFIX,")
WORLDS = {
    "right": (RIGHT, "11", "agree"),
    "forges_the_check": (COUNTED.replace("SUFFIX", "str(len(calls))") + FORGED_CHECK, "00", "another answer"),
    "changes_later": (COUNTED.replace("SUFFIX", "'s' * (len(calls) > 60)") + FORGED_CHECK, "00", "another answer"),
    "is_that_of_the_teacher": ("import long_line\n" + RIGHT, "00", "No module named 'long_line'"),
    "never_ends": (RIGHT.replace("0 <= state", "state"), "10", "expected 6 states, got more"),
    "has_negative_costs": (RIGHT.replace("step, 1)", "step, -1)") + FORGED_CHECK, "00", "costs -1; costs are"),
}  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_the_grader_itself_explores_and_checks_a_world(name: str, graded: Callable[..., Marks]) -> None:
    submission, expected, text = WORLDS[name]
    marks = graded(LINES, submission, long_line=TEACHER)
    assert points(marks) == expected, str(marks)
    assert text in str(marks)


@pytest.mark.long  # compiles the world of the submission; in plain Python it is the test above
def test_a_compiled_world_has_the_space_of_one_in_plain_python(graded: Callable[..., Marks]) -> None:
    teacher = (
        (ROOT / "examples" / "pancake.py").read_text(encoding="utf-8").replace("plain_pancake", "teachers_pancake")
    )
    submission = (
        (ROOT / "examples" / "pancake_compiled.py").read_text(encoding="utf-8").replace("le=16)] = 8", "le=16)] = 5")
    )
    exercise = LINES.replace("{name: long_line}", "{name: pancake_of_teacher, size: 5}")
    exercise = exercise.replace("long_line", "pancake_of_teacher")
    marks = graded(exercise, submission, pancake_of_teacher=teacher.replace('"pancake"', '"pancake_of_teacher"'))
    assert points(marks) == "11", str(marks)


GRID = """
from dataclasses import dataclass
import runner

@runner.register("world", "plain_grid")
@dataclass(frozen=True)
class Grid(runner.PythonWorld):
    unit_costs = True

    def initial(self):
        return (0, 0)

    def successors(self, state):
        for name, dx, dy in (("right", 1, 0), ("left", -1, 0), ("down", 0, 1), ("up", 0, -1)):
            x, y = state[0] + dx, state[1] + dy
            if 0 <= x < 9 and 0 <= y < 9:
                yield name, (x, y), 1

    def is_goal(self, state):
        return state == (8, 8)
"""
ON_GRID = """
    title: A grid
    hand_in: heuristic
    plugins: [plain_grid.py]
    world: {name: plain_grid}
    criteria:
      - {name: expanded, points: 1, at_most: 40}
      - {name: admissible, points: 1}
"""
BOMB = """
from runner import python_heuristic

calls = []

@python_heuristic("mine", domain="plain_grid")
def mine(state):
    calls.append(state)
    return 0 if len(calls) CONDITION 81 else 5 * (16 - sum(state))
"""


@covering({"condition": ["<=", ">"], "hidden": [True, False]})
def test_a_heuristic_in_plain_python_keeps_its_values(
    condition: str, hidden: bool, graded: Callable[..., Marks]
) -> None:
    """81 states are checked before the search, which does not ask for their values again."""
    exercise = ON_GRID.replace("admissible,", "admissible, visible: false,") if hidden else ON_GRID
    marks = graded(exercise, BOMB.replace("CONDITION", condition), plain_grid=GRID)
    assert points(marks) == {"<=": "01", ">": "00"}[condition], str(marks)


def test_a_submission_may_have_the_name_of_a_heuristic_of_the_exercise(graded: Callable[..., Marks]) -> None:
    mine = BOMB.replace("CONDITION", "<= 0 *").replace("5 *", "1 *")
    exercise = ON_GRID.replace("title:", "name: mine\n    title:").replace("at_most: 40", "at_most: 99")
    marks = graded(exercise, mine, plain_grid=GRID + mine.replace("1 *", "5 *"))
    assert points(marks) == "11", str(marks)


def test_what_hidden_criteria_ask_first_is_not_in_visible_output(graded: Callable[..., Marks]) -> None:
    marks = graded(
        ON_GRID.replace("admissible,", "admissible, visible: false,"),
        BOMB.replace("return 0 if", "print(state)\n    return 0 if").replace("CONDITION", "<="),
        plain_grid=GRID,
    )
    assert (points(marks), marks.output) == ("01", "")


@pytest.mark.parametrize(
    ("submission", "expected"), [(ASTAR, "1111"), (ASTAR.replace("    waiting", "    return\n    waiting", 1), "0001")]
)
def test_expansions_count_on_an_instance_without_a_plan(
    submission: str, expected: str, graded: Callable[..., Marks]
) -> None:
    """One of the caves has no plan, and an algorithm that returns None may have given up."""
    marks = graded(CAVES.replace("name: counts", "name: expanded, at_most: 1.0, reference: manhattan"), submission)
    assert points(marks) == expected, str(marks)


OWN_RULES = """
from collections import deque
from runner import python_algorithm

@python_algorithm("mine")
def mine(problem):
    start = tuple(problem.describe(problem.start))
    plans, waiting = {start: []}, deque([start])
    while waiting:
        board = waiting.popleft()
        if board == (1, 2, 3, 4, 5, 0):
            return RETURNED
        at = board.index(0)
        for action, step in ((0, -3), (1, -1), (2, 1), (3, 3)):
            to = at + step
            if 0 <= to < 6 and (action in (0, 3) or to // 3 == at // 3):
                moved = list(board)
                moved[at], moved[to] = moved[to], 0
                if tuple(moved) not in plans:
                    plans[tuple(moved)] = [*plans[board], action]
                    waiting.append(tuple(moved))
"""


@pytest.mark.parametrize("returned", ["plans[board]", "problem.improve(plans[board])"])
def test_a_plan_that_no_counted_expansion_found_has_no_points(returned: str, graded: Callable[..., Marks]) -> None:
    exercise = PUZZLE.replace("heuristic", "algorithm").replace("SEED", "1").replace("AT_MOST", "9999")
    marks = graded(exercise, OWN_RULES.replace("RETURNED", returned))
    assert points(marks) == "0"
    assert "action 1 of the plan was not found by problem.expand" in str(marks)


PUZZLE = """
    title: The 5-puzzle
    hand_in: heuristic
    reference: manhattan
    world: {name: npuzzle/random, size: 2x3, count: 9, seed: SEED}
    criteria:
      - {name: expanded, points: 1, at_most: AT_MOST}
"""


@pytest.mark.parametrize(
    ("seed", "at_most", "expected"),
    [
        ("student", "9999", {"expanded (ratio to astar with manhattan)": 1.0}),
        pytest.param(
            "1", "1.0, reference: manhattan", {"expanded (ratio to astar with manhattan)": 1.0}, marks=pytest.mark.long
        ),
        ("1", "9999", {"expanded": 339}),
    ],
)
def test_a_leaderboard_compares_what_can_be_compared(
    seed: str, at_most: str, expected: dict[str, float], graded: Callable[..., Marks]
) -> None:
    exercise = PUZZLE.replace("SEED", seed).replace("AT_MOST", at_most)
    first, second = (graded(exercise, heuristic("return manhattan(b)"), student=name) for name in ("ada", "bob"))
    assert first.leaderboard == second.leaderboard == expected
    without = exercise.replace("reference: manhattan\n", "reference: []\n")
    blind = graded(without, heuristic("return manhattan(b)"), student="ada").leaderboard
    assert (blind == {}) == (seed == "student")


STOPPING = """
import os, signal, time
from runner import python_heuristic

@python_heuristic("mine", domain="npuzzle")
def mine(board):
    os.kill(os.WHOM(), signal.SIGSTOP)
    time.sleep(9)
    return 0
"""


@pytest.mark.parametrize(
    ("whom", "text", "seconds"),
    [("getpid", "did not answer in time", 10.0), ("getppid", "stopped the process that runs it", 0.3)],
)
def test_a_process_that_is_stopped_does_not_stop_the_grader(
    whom: str, text: str, seconds: float, graded: Callable[..., Marks], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "_SECONDS_TO_END", seconds)
    exercise = PUZZLE.replace("SEED", "1").replace("AT_MOST", "9999") + "    limits: {wall: 2s}\n"
    marks = graded(exercise, STOPPING.replace("WHOM", whom))
    assert points(marks) == "0"
    assert text in str(marks)


def test_a_submission_writes_no_bytecode(graded: Callable[..., Marks], tmp_path: Path) -> None:
    """With the limit of the size of files, Python would store half of it, and could not read it again."""
    (tmp_path / "long_module.py").write_text(f"TEXT = {'long ' * 10_000!r}\n")
    exercise = PUZZLE.replace("SEED", "1").replace("AT_MOST", "9999") + "    limits: {output: 20000}\n"
    found = f"import sys\nsys.path.append({str(tmp_path)!r})\nimport long_module\n"
    marks = graded(exercise, found + heuristic("return manhattan(b)"))
    assert points(marks) == "1", str(marks)
    assert not (tmp_path / "__pycache__").exists()


LEAVING = """
import os, signal, time
with open(f"/proc/{os.getppid()}/cwd/random.py", "w") as file:
    file.write("raise SystemExit('not the random of Python')")
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(9)
"""


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs Linux")
def test_a_module_in_the_folder_of_the_server_is_not_imported_for_the_next_student(
    graded: Callable[..., Marks], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next process is started as for a student: with another environment, it is no fork."""
    exercise = PUZZLE.replace("SEED", "1").replace("AT_MOST", "9998")
    assert points(graded(exercise, heuristic("return manhattan(b)"))) == "1"
    monkeypatch.setenv("PYTHONPATH", ".")
    assert "killed the process" in graded(exercise, LEAVING).failure
    assert points(graded(exercise, heuristic("return manhattan(b)"))) == "1"
