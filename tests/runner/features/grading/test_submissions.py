"""Fifty submissions: each gets the points that it deserves, and a message on what it did. None ends or cheats the grader."""

# ruff: noqa: E501

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import runner
from runner.features.grading.exercise import read
from runner.features.grading.grader import Grader
from runner.features.grading.marks import Marks
from tests.naive import npuzzle
from worlds.npuzzle.rules import Puzzle, blank_last

SMALL = """
    title: The 5-puzzle
    hand_in: heuristic
    reference: manhattan
    limits: {time: 1s, wall: 60s, memory: 300MB, output: 20000}
    world: {name: npuzzle/random, size: 2x3, count: 1, seed: 1}
    criteria:
      - {name: admissible, points: 1}
      - {name: consistent, points: 1}
      - {name: dominates, points: 1, reference: misplaced}
      - {name: expanded, points: 1, at_most: 1.0, reference: misplaced, world: {name: npuzzle/random, size: 2x3, count: 9}}
"""
FULL = """
    title: The 8-puzzle
    hand_in: heuristic
    reference: manhattan
    world: {name: npuzzle/random, size: 3, count: 1, seed: 0}
    criteria:
      - {name: admissible, points: 1}
      - {name: consistent, points: 1}
      - {name: zero_at_goals, points: 1}
      - {name: dominated_by, points: 1}
"""
CAVES = """
    title: A* by hand
    hand_in: algorithm
    reference: manhattan
    limits: {time: 2s, wall: 20s}
    world: {name: wumpus/static}
    criteria:
      - {name: valid, points: 1}
      - {name: optimal, points: 1}
      - {name: counts, points: 1}
      - {name: limits, points: 1}
"""
LINES = """
    title: A line
    hand_in: world
    plugins: [line_of_teacher.py]
    world: {name: line_of_teacher}
    criteria:
      - {name: world_checks, points: 1}
      - {name: same_space, points: 1}
"""
LINE = """
    from dataclasses import dataclass
    import runner

    @runner.register("world", "NAME")
    @dataclass(frozen=True)
    class Line(runner.PythonWorld):
        length: int = LENGTH
        max_successors = 2

        def initial(self):
            return 0

        def successors(self, state):
            return [(name, state + step, 1) for name, step in (("left", -1), ("right", 1)) if 0 <= state + step <= self.length]

        def is_goal(self, state):
            return state == GOAL
"""

HEAD = """
import ctypes, gc, os, signal, sys, time
from pathlib import Path
import numpy as np
from runner import python_heuristic

def manhattan(b):
    w = 3
    return sum(abs((t - 1) // w - i // w) + abs((t - 1) % w - i % w) for i, t in enumerate(b) if t)

def misplaced(b):
    return sum(t not in (0, i + 1) for i, t in enumerate(b))
"""
BODY = """
@python_heuristic("mine", domain="npuzzle")
def mine(b):
"""


def heuristic(body: str, before: str = "") -> str:
    """Return a submission with the body of a heuristic of a board `b`, and statements before it."""
    return f"{HEAD}{dedent(before)}\n{BODY}    " + dedent(body).strip().replace("\n", "\n    ") + "\n"


FAR = "8 6 7 2 5 4 3 0 1", "6 4 7 8 5 0 3 2 1", "8 0 6 5 4 7 2 3 1"
BOARDS = [tuple(map(int, board.split())) for board in FAR]

RIGHT = {
    "manhattan": (heuristic("return manhattan(b)"), "1111", ""),
    "maximum": (heuristic("return max(manhattan(b), misplaced(b))"), "1111", ""),
    "floats": (heuristic("return float(manhattan(b))"), "1111", ""),
    "noise": (heuristic("return np.array([0.1 * manhattan(b) * 10 + 1e-9])[0]"), "1111", ""),
    "with_world": (heuristic("return manhattan(b)").replace("mine(b)", "mine(b, world)"), "1111", ""),
    "prints": (heuristic("return manhattan(b)", "print('hello from here')"), "1111", ""),
    "random_ties": (heuristic("return min(manhattan(b), manhattan(b) + random.random())", "import random").replace(
        "manhattan(b) + random.random()", "manhattan(b) + (random.random() < 2)"), "1111", ""),
}  # fmt: skip
WRONG = {
    "zero": (heuristic("return 0"), "1100", "h >= that of misplaced"),
    "half_of_a_move": (heuristic("return manhattan(b) / 3"), "1100", "h >= that of misplaced"),
    "doubled": (heuristic("return 2 * manhattan(b)"), "0010", "requires all points of 'admissible'"),
    "with_blank": (heuristic("return manhattan(b) + (b[5] != 0)"), "0010", "state: h(("),
    "inconsistent_only": (heuristic("return manhattan(b) if b.index(0) % 2 == 0 else 0"), "1001", "h <= cost + h'"),
    "infinite_once": (heuristic("return float('inf') if b == (1, 2, 3, 4, 0, 5) else manhattan(b)"), "0?1?", "infinite"),
    "negative": (heuristic("return -1"), "0000", "gave -1"),
    "fraction": (heuristic("return manhattan(b) / 2 + 0.25"), "0100", "h = 1, h* = 0"),
    "one_of_all": (heuristic("return -1 if b == (5, 4, 3, 2, 1, 0) else 0"), "0000", "gave -1 for h((5, 4, 3, 2, 1, 0)); expected a number"),
    "not_a_number": (heuristic("return float('nan')"), "0000", "gave nan"),
    "raises_once": (heuristic("return manhattan(b) if b[0] != 5 else {}['no']"), "0000", "line 17: KeyError: 'no'; to see it, call h((5, "),
    "syntax": ("def mine(b:\n", "0000", "line 1: SyntaxError: "),
    "no_module": ("import no_such_module\n", "0000", "No module named 'no_such_module'"),
    "no_entry": ("\ndef mine(b): return 0\n", "0000", "line 2: nothing is registered, expected one heuristic for npuzzle; write"),
    "two_entries": (heuristic("return 0") + heuristic("return 1").replace('"mine"', '"other"'), "0000", "lines 15, 32: expected one heuristic for npuzzle, found 2 (mine, other); keep one"),
    "other_domain": (heuristic("return 0").replace('"npuzzle"', '"wumpus"'), "0000", "'mine' for the domain 'wumpus'; change this to 'npuzzle'"),
    "name_taken": (heuristic("return 0").replace('"mine"', '"manhattan"'), "0000", "registered already"),
    "too_large": ("#" * 1_100_000, "0000", "has more than 1,048,576 bytes"),
    "no_text": ("\x00\x01\x02", "0000", "null bytes"),
}  # fmt: skip
FORGED = "[each for each in gc.get_objects() if type(each).__name__ == 'Channel'][0]"
CLONE = "ctypes.PyDLL(None).syscall({'x86_64': 56, 'aarch64': 220}[os.uname().machine], 0x8000 | 17, 0, 0, 0, 0)"
"""Call of clone(2) with CLONE_PARENT, whose process is a child of the process that runs submissions."""
HOSTILE = {
    "loops": (heuristic("while True: pass"), "0000", "took more than 1 s"),
    "loops_at_import": ("while True:\n    pass\n", "0000", "took more than 1 s"),
    "slow": (heuristic("x = sum(range(400_000))\nreturn manhattan(b)"), "0000", "took more than 1 s"),
    "ignores_signals": (heuristic("while True: pass", "for n in {*range(1, 32)} - {9, 19}: signal.signal(n, signal.SIG_IGN)"),
                        "0000", "took more than 1 s"),
    "exits": ("import sys\nsys.exit(0)\n", "0000", "line 2: SystemExit: 0; a submission must not end the process"),
    "reads_input": (heuristic("return int(input())"), "0000", "remove input()"),
    "ends_process": (heuristic("os._exit(0)"), "0000", "ended with exit code 0"),
    "crashes": (heuristic("ctypes.string_at(0)"), "0000", "killed by SIGSEGV"),
    "kills_itself": (heuristic("os.kill(os.getpid(), 9)"), "0000", "killed by SIGKILL"),
    "kills_parent": (heuristic("os.kill(os.getppid(), 9); time.sleep(9)"), "0000", "killed the process that runs it"),
    "prints_gigabytes": (heuristic("print('x' * 10**5)\nreturn manhattan(b)"), "1111", "line 17: prints more than 20,000 bytes"),
    "writes_gigabytes": (heuristic("Path('file').write_bytes(bytes(10**7))\nreturn 0"), "0000", "File too large"),
    "recursion": (heuristic("return mine(b)"), "0000", "RecursionError"),
    "takes_memory": (heuristic("return len(bytearray(10**9))"), "0000", "MemoryError; the submission needs more"),
    "forks": (heuristic("os.fork()\ntime.sleep(9)"), "0000", "started another process"),
    "escapes": (heuristic("if os.fork() == 0: os.setsid(); time.sleep(9)\ntime.sleep(9)"), "0000", "started another process"),
    "clones": (heuristic(f"{CLONE}\ntime.sleep(9)"), "0000", "started another process"),
    "keyboard": (heuristic("raise KeyboardInterrupt"), "0000", "KeyboardInterrupt"),
    "closes_files": (heuristic("os.closerange(0, 256)\nreturn 0"), "0000", "ended with exit code 0"),
    "garbage": (heuristic(f"{FORGED}._connection.sendall(b'x' * 100)\nreturn 0"), "0000", "answer that is none"),
    "too_long": (heuristic(f"{FORGED}._connection.sendall(b'v' + b'\\x7f' * 8)\nreturn 0"), "0000", "answer that is none"),
    "forges_values": (heuristic(f"{FORGED}.answer(b'v', np.full(360, -1))\nreturn 0"), "0000", "out of range"),
    "forges_marks": (heuristic(f"{FORGED}.answer(b'd', dict(points=99, passed=True))\nreturn 0"), "0000", "number of values"),
    "links_output": (heuristic("return manhattan(b)", """
        os.remove("output.txt")
        os.symlink("/etc/passwd", "output.txt")"""), "1111", ""),
    "reads_reference": (heuristic("return manhattan(b)", """
        import inspect
        folders = [Path.cwd(), *Path(__file__).parents[:2], *map(Path, sys.path), *map(Path, filter(None, os.environ.values()))]
        texts = [each.read_text(errors="ignore") for folder in folders if folder.is_dir() for each in folder.glob("*.yaml")]
        texts += [Path(f"/proc/{n}/{name}").read_text(errors="ignore") for n in (os.getpid(), os.getppid())
                  for name in ("cmdline", "environ")]
        texts += [repr(each.frame.f_locals) for each in inspect.stack()] + [repr(sys.argv)]
        print("found" if any("dominates" in text or "exercise_of_teacher" in text for text in texts) else "no exercise")
        tables = [each for each in gc.get_objects() if isinstance(each, np.ndarray) and each.size == 360]
        print(f"{len(tables)} tables")"""), "1111", ""),
}  # fmt: skip
LARGE = {
    "right": (heuristic("return manhattan(b)"), "1111", ""),
    "three_of_all": (heuristic("return manhattan(b) + 40 * (b in FAR)", f"FAR = {BOARDS}"), "0010", " 3 of 181,440 states"),
}  # fmt: skip
ASTAR = (Path(__file__).parents[4] / "examples" / "astar.py").read_text(encoding="utf-8").replace("plain_astar", "mine")
PLAN = '@python_algorithm("mine")\ndef mine(problem):\n    '
ALGORITHMS = {
    "astar": (ASTAR, "1111", ""),
    "greedy": (ASTAR.replace("g[successor] + h[successor], h", "h[successor], h"), "1?01", "expected"),
    "forges_counts": (ASTAR.replace("        closed.add(state)", "        problem.expand(state); problem.counts.expanded = 1\n"
                      "        closed.add(state)"), "1101", "expanded: expected"),
    "no_plan": (f"from runner import python_algorithm\n{PLAN}return None\n", "0001", "no plan, but there is one"),
    "wrong_plan": (f"from runner import python_algorithm\n{PLAN}return [0] * 99\n", "0000",
                   "0, is not possible in the state (0, 0) N, where expand gives 4 (MOVE), 16 (RIGHT MOVE), 8 (SHOOT)"),
    "names": (f"from runner import python_algorithm\n{PLAN}return ['NORTH']\n", "0000", "ints"),
    "foreign_state": (f"from runner import python_algorithm\n{PLAN}problem.expand(12345)\n", "0000", "no state that"),
    "foreign_method": (f"from runner import python_algorithm\n{PLAN}problem._ask('conclude', [])\n", "0000", "is none"),
    "endless": (f"from runner import python_algorithm\n{PLAN}while True: problem.expand(problem.start)\n", "0000", "in time"),
}  # fmt: skip
WORLDS = {
    "forges_spaces": (LINE.replace("NAME", "mine").replace("LENGTH", "9").replace("GOAL", "9").replace(
        "import runner", "import gc, runner").replace("return 0", f"{FORGED}.answer(b'd', 7); return 0"), "00", "answer that is none"),
    "right": (LINE.replace("NAME", "mine").replace("LENGTH", "9").replace("GOAL", "9"), "11", ""),
    "longer": (LINE.replace("NAME", "mine").replace("LENGTH", "9").replace("GOAL", "8"), "10", "states: expected 10"),
    "changes": (LINE.replace("NAME", "mine").replace("LENGTH", "9").replace("GOAL", "9").replace(
        "return [", "import os; return [] if os.urandom(1)[0] % 2 else ["), "0?", ""),
}  # fmt: skip
GROUPS = {"small": {**RIGHT, **WRONG, **HOSTILE}, "full": LARGE, "caves": ALGORITHMS, "lines": WORLDS}
EXERCISES = {"small": SMALL, "full": FULL, "caves": CAVES, "lines": LINES}
LONG = {
    "full-right", "three_of_all", "endless", "loops_at_import", "ignores_signals", "slow", "changes", "ends_process",
    "kills_itself", "closes_files", "forks", "clones", "garbage", "too_long", "keyboard", "maximum", "with_world",
    "negative", "two_entries", "crashes", "reads_input", "recursion", "wrong_plan", "foreign_method",
}  # fmt: skip
"""Submissions that end as another one does: with its points, at the limit of time, with their process, with an error;
and those that are asked for all boards of the 8-puzzle."""
ALL = [(group, name) for group, submissions in GROUPS.items() for name in submissions]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = tmp_path_factory.mktemp("exercise_of_teacher")
    for name, text in EXERCISES.items():
        (result / f"{name}.yaml").write_text(dedent(text), encoding="utf-8")
    teacher = dedent(LINE).replace("NAME", "line_of_teacher").replace("LENGTH", "9").replace("GOAL", "9")
    (result / "line_of_teacher.py").write_text(teacher, encoding="utf-8")
    return result


@pytest.fixture(scope="module")
def graders(folder: Path) -> Iterator[dict[str, Grader]]:
    result: dict[str, Grader] = {}
    yield result
    for grader in result.values():
        grader.close()


def graded(graders: dict[str, Grader], folder: Path, group: str, name: str) -> Marks:
    if group not in graders:
        graders[group] = Grader(read(folder / f"{group}.yaml"))
    file = folder / f"{group}_{name}.py"
    file.write_text(dedent(GROUPS[group][name][0]), encoding="utf-8")
    return graders[group].grade(file, name)


@pytest.mark.parametrize(
    ("group", "name"),
    [
        pytest.param(*each, id="-".join(each), marks=[pytest.mark.long] if {each[1], "-".join(each)} & LONG else [])
        for each in ALL
    ],
)
def test_a_submission_gets_its_points(group: str, name: str, graders: dict[str, Grader], folder: Path) -> None:
    _, points, text = GROUPS[group][name]
    marks = graded(graders, folder, group, name)
    given = "".join(f"{each.points:g}" for each in marks.verdicts)
    expected = "".join(one if other == "?" else other for one, other in zip(given, points, strict=True))
    assert given == expected, str(marks)
    assert text in " ".join(str(marks).split()), str(marks)
    assert os.fspath(folder) not in str(marks)
    if name == "reads_reference":
        assert marks.output.splitlines() == ["no exercise", "0 tables"]
    if name == "links_output":
        assert marks.output == ""


@pytest.mark.parametrize(("columns", "states"), [(2, 360), pytest.param(3, 181_440, marks=pytest.mark.long)])
def test_h_star_is_that_of_an_independent_table(columns: int, states: int, folder: Path) -> None:
    exercise, cells = read(folder / "full.yaml"), 3 * columns
    world = {"name": "npuzzle/random", "size": [3, columns], "count": 1, "seed": 0}
    (space,) = exercise.material.spaces(json.dumps(world))
    distances = npuzzle.distances(Puzzle(3, columns, blank_last(cells), blank_last(cells)))
    boards = np.array(list(distances), np.uint64)
    words = (boards << np.arange(0, 4 * cells, 4, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    assert space.count == len(distances) == states
    assert (space.distance[space.find(words)] == list(distances.values())).all()


def test_marks_do_not_depend_on_the_machine_or_the_order(graders: dict[str, Grader], folder: Path) -> None:
    names = ["random_ties", "doubled", "manhattan", "maximum"]
    first = [graded(graders, folder, "small", name) for name in names]
    again = [graded(graders, folder, "small", name) for name in reversed(names)][::-1]
    assert first == again
    assert first[2].behaviour == first[3].behaviour != first[1].behaviour


def test_the_api_grades_a_file(folder: Path) -> None:
    file = folder / "mine.py"
    file.write_text(GROUPS["small"]["with_blank"][0], encoding="utf-8")
    marks = runner.grade(folder / "small.yaml", file)
    assert (marks.points, marks.max_points, marks.student) == (1, 4, "mine")
    assert marks["admissible"].picture is not None
    assert marks["admissible"].picture.startswith("data:image/png;base64,")
    assert "optimal path" in marks["admissible"].text
