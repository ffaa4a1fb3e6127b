"""Names that an exercise forbids are found in the text of a submission, however they are imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner import UserError
from runner.features.grading.forbidden import check_names
from tests.runner_cli import run

FORBIDDEN = ["runner.heuristic", "runner.solve", "heapq"]
USES = {
    "import runner\nrunner.solve(1)": (2, "runner.solve"),
    "import runner as r\nx = 1\nr.heuristic": (3, "runner.heuristic"),
    "def f():\n    from runner import solve as s": (2, "runner.solve"),
    "from runner import *": (1, "runner.heuristic"),
    "from runner.api import solve": (1, "runner.solve"),
    "import runner.api\nrunner.api.solve": (2, "runner.solve"),
    "import runner\nmine = runner\nmine.solve": (3, "runner.solve"),
    "import runner\ngetattr(runner, 'solve')(1)": (2, "runner.solve"),
    "import heapq": (1, "heapq"),
    "from heapq import heappush": (1, "heapq"),
    "import runner\n@runner.python_heuristic('heuristic', domain='npuzzle')\ndef solve(heuristic): return 0": None,
    "from . import solve\nimport heapq_of_mine\ngetattr(solve, 'x')": None,
    "def f(": None,
}


@pytest.mark.parametrize("text", USES)
def test_a_forbidden_name_is_found_by_its_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    if (use := USES[text]) is None:
        check_names(file, FORBIDDEN)
        return
    with pytest.raises(UserError, match=f"^line {use[0]}: {use[1]} is forbidden in this exercise: do without it$"):
        check_names(file, FORBIDDEN)


def test_an_exercise_forbids_names(tmp_path: Path) -> None:
    text = (
        "title: x\nhand_in: heuristic\nforbid: [NAME]\nworld: {name: npuzzle/random, size: 2}\n"
        "criteria: [{name: admissible, points: 1}]\n"
    )
    (tmp_path / "mine.py").write_text(
        'import runner\n\n\n@runner.python_heuristic("mine", domain="npuzzle")\ndef mine(board):\n'
        "    return runner.solve(board)\n"
    )
    for name, said in (
        ("runner.solve", "mine,mine.py,0,1,0,line 6: runner.solve is forbidden in this exercise: do without it"),
        ("runner.slove", "error: exercise.yaml: forbid: there is no 'runner.slove'; did you mean 'solve'?"),
        ("solve it", "error: exercise.yaml: forbid: expected names such as runner.solve, got 'solve it'"),
    ):
        (tmp_path / "exercise.yaml").write_text(text.replace("NAME", name))
        done = run(tmp_path, "grade", "exercise.yaml", "mine.py", "--format", "csv")
        assert said in done.stdout + done.stderr
