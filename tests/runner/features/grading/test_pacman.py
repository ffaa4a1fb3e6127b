"""Exercises on Pacman: ten styles of right files get all points, ten wrong ones lose what they should, with a message.

The files are packed beside the exercises (`solutions.xz`), because nobody is to find solutions of the project.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import runner
from runner.features.grading.exercise import read
from runner.features.grading.grader import Grader
from runner.features.grading.marks import Marks
from tests.runner_cli import ROOT

FOLDER = ROOT / "examples" / "exercises" / "pacman"
DATA = next((path for each in ROOT.parents if (path := each / "shared" / "data" / "pacman").is_dir()), None)
FILES: dict[str, str] = json.loads(lzma.decompress((FOLDER / "solutions.xz").read_bytes()))
RIGHT = sorted({path.partition("/")[0] for path in FILES if path.startswith("right_")})
OF_FILE = {
    "search.py": ("search",),
    "searchAgents.py": ("corners_problem", "corners_heuristic", "food", "closest_dot", "competition"),
}
FAST = {
    ("right_lists", "search"), ("right_classes", "corners_problem"), ("right_recursive", "corners_problem"),
    ("right_python2", "corners_problem"), ("right_tuples", "corners_heuristic"), ("right_update", "closest_dot"),
}  # fmt: skip
"""Right files that the short tests mark. The others are long."""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Marks]]:
    """Grade a text, or a file of the packed ones. An exercise has one process for all tests."""
    folder, graders = tmp_path_factory.mktemp("submissions"), dict[str, Grader]()

    def grade(exercise: str, text: str, student: str = "ada") -> Marks:
        if exercise not in graders:
            graders[exercise] = Grader(read(FOLDER / f"{exercise}.yaml"))
        file = folder / graders[exercise]._exercise.file_name
        file.write_bytes(FILES.get(text, text).encode("latin-1"))
        return graders[exercise].grade(file, student)

    yield grade
    for grader in graders.values():
        grader.close()


def file_of(exercise: str) -> str:
    return next(file for file, exercises in OF_FILE.items() if exercise in exercises)


@pytest.mark.parametrize(
    ("name", "exercise"),
    [
        pytest.param(name, exercise, marks=[] if (name, exercise) in FAST else [pytest.mark.long])
        for exercises in OF_FILE.values()
        for exercise in exercises
        for name in RIGHT
    ],
)
def test_a_right_file_gets_all_points(name: str, exercise: str, graded: Callable[..., Marks]) -> None:
    marks = graded(exercise, f"{name}/{file_of(exercise)}", name)
    assert not marks.failure
    assert marks.points == marks.max_points, str(marks)


WRONG = {
    "bfs_without_closed_list": ("search", {"BFS expands no state twice": 0}, "expanded more than"),
    "goal_when_generated": ("search", {"A* finds cheapest paths": 0, "UCS finds cheapest paths": 0}, "cheapest one 4"),
    "ignores_corners": ("corners_problem", {"the same moves and goals": 0}, "isGoalState is True, but a corner"),
    "wall_off_by_one": ("corners_problem", {"the same moves and goals": 0}, "; possible: "),
    "wrong_at_goals": (
        "corners_heuristic", {"admissible": 0, "consistent": 1, "expansions": 0}, "this is a goal, where it must be 0",
    ),
    "too_much_on_one_food": ("food", {"admissible": 0, "expansions": 0}, "Your estimate is"),
    "inconsistent": ("food", {"admissible": 2, "consistent": 0, "expansions": 0}, "after one move"),
    "global_state": ("food", {"admissible": 0, "expansions": 0}, "Your estimate is"),
    "expands_too_much": ("food", {"admissible": 2, "consistent": 1, "expansions": 0}, "expand too many states"),
    "peeks": ("competition", {"fewest expansions": 0}, "opens 'competition.yaml': a submission may open its own"),
}  # fmt: skip
LONG = {
    "bfs_without_closed_list", "expands_too_much", "global_state", "goal_when_generated", "inconsistent",
    "too_much_on_one_food",
}  # fmt: skip
"""Wrong files whose mistake other tests have in another place, or that take seconds: all states with all food."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in LONG else []) for name in WRONG]
)
def test_a_wrong_file_loses_what_it_should(name: str, graded: Callable[..., Marks]) -> None:
    exercise, expected, text = WRONG[name]
    marks = graded(exercise, f"wrong_{name}/{file_of(exercise)}")
    assert {title: marks[title].points for title in expected} == expected, str(marks)
    assert text in str(marks)


def test_all_wrong_files_are_marked() -> None:
    assert {f"wrong_{name}" for name in WRONG} == {path.partition("/")[0] for path in FILES} - {*RIGHT}
    assert len(WRONG) == len(RIGHT) == 10


BEGUN = (FOLDER / "searchAgents.py").read_text(encoding="utf-8")
FOOD = "def foodHeuristic(state, problem):\n    position, grid = state\n    "
CORNERS = """class CornersProblem:
    def __init__(self, start): self.getStartState = start.getPacmanPosition
    def isGoalState(self, state): {goal}
    def getSuccessors(self, state): {steps}
"""
MISTAKES: dict[str, tuple[str, ...]] = {
    "none": ("food", FOOD + "grid.count()", "line 1: foodHeuristic returned None: is a return missing? (Pacman on "),
    "negative": ("food", FOOD + "return -1", "line 1: foodHeuristic returned -1: an estimate is a number of"),
    "nan": ("food", FOOD + "return float('nan')", "line 1: foodHeuristic returned nan: an estimate is a number of"),
    "text": ("food", FOOD + "return 'far'", "line 1: foodHeuristic returned 'far': an estimate is a number"),
    "changes": ("food", FOOD + "grid[1][1] = 'x'\n    return 0", "line 1: foodHeuristic changes its argument"),
    "raises": ("food", FOOD + "return grid.asList()[9]", "line 3: IndexError: list index out of range (Pacman on"),
    "missing": ("food", "def food(state, problem): return 0", "the file has no foodHeuristic"),
    "imported": ("food", "from util import manhattanDistance as foodHeuristic", "the file has no foodHeuristic"),
    "graphics": ("food", "import layout\n\nboard = layout.getLayout('x')", "line 3: AttributeError: module 'layout'"),
    "python2": ("food", "if True:\n    pass\nraise ValueError, 1", "line 3: SyntaxError: invalid syntax"),
    "ours": ("search", "from algorithms import astar as aStarSearch", "line 1: algorithms is forbidden in this"),
    "ours_in_python2": ("food", FOOD + "print 1\nimport heuristics.pacman", "line 4: heuristics is forbidden in this"),
    "begun": ("corners_problem", BEGUN, "line 19: NotImplementedError: util.raiseNotDefined() is still here"),
    "unhashable": (
        "corners_problem",
        BEGUN.replace('"""Return the start."""\n        util.raiseNotDefined()', "return [self.startingPosition, []]"),
        "line 24: the state [",
    ),
    "no_step_list_path_or_priority": (
        "search",
        """import util
def aStarSearch(problem, h): return ['Up']
def breadthFirstSearch(problem): return 3
def depthFirstSearch(problem): return []
def uniformCostSearch(problem): util.PriorityQueue().push(0)
""",
        "line 2: aStarSearch: action 1 of the path is",
        "line 3: breadthFirstSearch returned 3: ",
        "line 4: depthFirstSearch returned a path",
        "line 5: TypeError: ",
    ),
    "pair_and_no_problem": (
        "search",
        "def breadthFirstSearch(problem): return [], 3\ndef aStarSearch(problem, h): h(problem.getStartState())",
        "line 1: breadthFirstSearch returned ([], 3):",
        "line 2: TypeError: ",
    ),
    "no_goal": (
        "corners_problem",
        CORNERS.format(goal="pass", steps="return []"),
        "line 3: isGoalState returned None: is a return missing?",
    ),
    "no_steps": (
        "corners_problem",
        CORNERS.format(goal="return False", steps="pass"),
        "line 4: getSuccessors returned None: is a return missing?",
    ),
    "swapped": (
        "corners_problem",
        CORNERS.format(goal="return False", steps="return [('North', (1, 1), 1)]"),
        "line 4: getSuccessors returned [('North', (1, 1), 1)]: a successor is (state, action, cost), and its second",
    ),
    "no_way": (
        "closest_dot",
        "class ClosestDotSearchAgent:\n    def findPathToClosestDot(self, gameState): [1]",
        "line 2: findPathToClosestDot returned None: is a return missing?",
    ),
    "endless": (
        "search",
        "def depthFirstSearch(problem):\n    state = problem.getStartState()\n    while True:\n"
        "        state = problem.getSuccessors(state)[0][0]",
        ": line 4: 30,000 expansions without an end: does it remember what it has expanded?",
    ),
    "wall": (
        "closest_dot",
        "class ClosestDotSearchAgent:\n    def findPathToClosestDot(self, gameState): return ['North'] * 9",
        "line 2: findPathToClosestDot returned ['North', 'North',",
    ),
    "no_food": (
        "closest_dot",
        "class ClosestDotSearchAgent:\n    def findPathToClosestDot(self, gameState): return []",
        "line 2: findPathToClosestDot returned [], which leads from ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if name in ("changes", "endless") else []) for name in MISTAKES],
)
def test_a_mistake_is_one_line(name: str, graded: Callable[..., Marks]) -> None:
    """All states are searched before a change of the argument is found, which takes seconds."""
    exercise, text, *messages = MISTAKES[name]
    marks = graded(exercise, text)
    shown = [marks.failure, *(line for each in marks.verdicts for line in each.text.splitlines())]
    assert [message for message in messages if not any(message in line for line in shown)] == [], str(marks)


OF_LAST_STEP = """import util

def uniformCostSearch(problem):
    fringe, closed = util.PriorityQueue(), set()
    fringe.push((problem.getStartState(), []), 0)
    while not fringe.isEmpty():
        state, path = fringe.pop()
        if problem.isGoalState(state):
            return path
        if state not in closed:
            closed.add(state)
            for after, action, cost in problem.getSuccessors(state):
                fringe.push((after, path + [action]), cost)
"""


def test_a_search_by_the_cost_of_the_last_step_is_no_uniform_cost_search(graded: Callable[..., Marks]) -> None:
    marks = graded("search", FILES["right_update/search.py"] + OF_LAST_STEP)
    assert marks.points == 9
    assert "last: your plan costs 5, and the cheapest one 4: B C D E G" in str(marks)


VISITED = """
class CornersProblem(search.SearchProblem):
    def __init__(self, start):
        self.walls, self.at, self.visited = start.getWalls(), start.getPacmanPosition(), set()
        top, right = self.walls.height - 2, self.walls.width - 2
        self.corners = {(1, 1), (1, top), (right, 1), (right, top)}

    def getStartState(self):
        return self.at

    def isGoalState(self, state):
        self.visited |= {state} & self.corners
        return self.visited == self.corners

    def getSuccessors(self, state):
        steps = [(state[0] + x, state[1] + y, name) for name, (x, y) in Actions.vectors.items() if name != "Stop"]
        return [((x, y), name, 1) for x, y, name in steps if not self.walls[x][y]]
"""


def test_visited_corners_are_no_part_of_the_problem(graded: Callable[..., Marks]) -> None:
    marks = graded("corners_problem", BEGUN + VISITED)
    assert (marks.points, len(marks.verdicts)) == (0, 1)
    assert "when asked whether it is a goal: a state must have all that matters" in str(marks)


@pytest.mark.parametrize("top_right", ["(5, 6)", "(7, 5)", "(4, 8)"])
def test_corners_that_are_numbers_in_a_file_are_wrong_on_other_boards(
    top_right: str, graded: Callable[..., Marks]
) -> None:
    text, corners = FILES["right_tuples/searchAgents.py"], "        self.corners = "
    marks = graded("corners_problem", text.replace(corners, f"        top, right = {top_right}\n{corners}"))
    assert marks.points == 0


def test_files_may_have_the_names_of_later_versions(graded: Callable[..., Marks]) -> None:
    for exercise in ("search", "corners_problem", "closest_dot"):
        text = FILES[f"right_recursive/{file_of(exercise)}"].replace("getSuccessors", "expand")
        marks = graded(exercise, text.replace("getCostOfActions", "getCostOfActionSequence"))
        assert marks.points == marks.max_points, str(marks)


HANGS = "def depthFirstSearch(problem):\n    while True: pass\n"


@pytest.mark.parametrize(
    ("search", "text"),
    [
        ("depthFirstSearch = breadthFirstSearch", "expand too many states"),
        pytest.param(HANGS, ": no end after 10 seconds", marks=[pytest.mark.long]),
    ],
    ids=["breadth_first", "hangs"],
)
def test_a_wrong_search_does_not_cost_the_points_of_others(
    search: str, text: str, graded: Callable[..., Marks]
) -> None:
    marks = graded("search", FILES["right_update/search.py"] + search)
    assert {each.title[:3] for each in marks.verdicts if not each.passed} == {"DFS"}, str(marks)
    assert text in str(marks)


def test_what_students_begin_with_is_read_and_gets_no_points(graded: Callable[..., Marks]) -> None:
    for exercise in ("search", "corners_problem", "corners_heuristic", "closest_dot"):
        marks = graded(exercise, (FOLDER / file_of(exercise)).read_text(encoding="utf-8"))
        assert (marks.points, marks.failure) == (0, "")


@pytest.mark.long
@pytest.mark.skipif(DATA is None, reason="needs the layouts of the Pacman project in ../shared/data/pacman")
def test_files_of_students_expand_what_the_project_publishes(tmp_path: Path) -> None:
    """On its layouts, with its own order of equal states: that of its priority queue."""
    assert DATA is not None
    food = (FOLDER / "food.yaml").read_text(encoding="utf-8").replace("skeleton: searchAgents.py\n", "")
    search = """
        title: Mazes
        hand_in: algorithm
        form: algorithms.pacman_project
        world: {name: pacman/layout, problem: position, path: PATH}
        reference: manhattan
        criteria:
          - {name: expanded, points: 1, entry: breadthFirstSearch, at_most: 269}
          - {name: expanded, points: 1, entry: uniformCostSearch, at_most: 269}
          - {name: expanded, points: 1, entry: aStarSearch, at_most: 221}
    """
    exercises = {
        "searchAgents.py": (food.replace("larder.lay", str(DATA / "trickySearch.lay")), ["4,137"]),
        "search.py": (dedent(search).replace("PATH", str(DATA / "mediumMaze.lay")), ["269", "269", "221"]),
    }
    for name, (exercise, counts) in exercises.items():
        (tmp_path / "exercise.yaml").write_text(exercise)
        (tmp_path / name).write_text(FILES[f"right_recursive/{name}"], encoding="utf-8")
        marks = runner.grade(tmp_path / "exercise.yaml", tmp_path / name)
        assert marks.points == marks.max_points, str(marks)
        found = [re.findall(r"expanded ([\d,]+) on 1 instance$", each.text, re.MULTILINE) for each in marks.verdicts]
        assert [count for each in found for count in each] == counts
