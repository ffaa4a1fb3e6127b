"""Lost points are told in words first, then with the state, or both states of a step, then in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import runner
from algorithms.engine.search import Limits
from heuristics.interface.entries import stack_of_entries
from runner.features.audits import Tally, checks_of
from runner.features.audits.analysis import Analyser
from runner.features.grading.counterexample import told
from runner.features.grading.exercise import read
from runner.features.grading.grader import Grader

EXERCISE = """
title: x
hand_in: heuristic
world: {name: npuzzle/random, size: 2x3, count: 1}
reference: manhattan
criteria:
  - {name: admissible, points: 1}
  - {name: consistent, points: 1}
  - {name: dominates, points: 1, reference: misplaced}
  - {name: expanded, points: 3, at_most: {1: 3, 2: 2, 1000: 1}, reference: manhattan, requires: []}
  - {name: expanded, title: few, points: 1, at_most: 1}
"""
BODIES = {
    "admissible": (
        "return 0 if b == (1, 2, 3, 4, 5, 0) else 2",
        """
        Your estimate is 2, but 1 move is enough: here

        1 2 3
        4 . 5

        h <= h* at every state: violated in 2 of 360 states (1 of 1 instance)
        instance: uniform-2x3-0
        state: h((1, 2, 3, 4, 0, 5))
        h = 2, h* = 1
        optimal path: R
        """,
    ),
    "consistent": (
        "return 3 if b == (1, 2, 3, 0, 4, 5) else 0",
        """
        Your estimate is 3, and 0 after one move. A move of cost 1 may lower it by at most 1: here

        1 2 3
        . 4 5
        h = 3
          |
          v
        . 2 3
        1 4 5
        h = 0

        h <= cost + h' over every step: violated in 2 of 838 steps (1 of 1 instance)
        instance: uniform-2x3-0
        from: h((1, 2, 3, 0, 4, 5)), h = 3
        by U, cost 1
        to: h((0, 2, 3, 1, 4, 5)), h = 0
        """,
    ),
    "dominates": ("return 0", "Your estimate is 0, less than that of misplaced, 1: here\n\n"),
    "expanded": (
        "return 0",
        "The searches expand too many states for more points: 96 or fewer get 2 of 3 points, and 48 or fewer get all "
        "points\n\nexpanded 229 on 1 instance (astar with manhattan: 48)",
    ),
}


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    file = tmp_path_factory.mktemp("exercise") / "exercise.yaml"
    file.write_text(EXERCISE)
    grader = Grader(read(file))
    yield grader
    grader.close()


@pytest.mark.parametrize("name", BODIES)
def test_words_come_first(name: str, grader: Grader, tmp_path: Path) -> None:
    body, text = BODIES[name]
    file = tmp_path / "mine.py"
    file.write_text(
        f'import runner\n\n\n@runner.python_heuristic("mine", domain="npuzzle")\ndef mine(b):\n    {body}\n'
    )
    verdict = grader.grade(file, "ada")[name]
    expected = dedent(text).strip("\n") if text[0] == "\n" else text
    assert verdict.text.startswith(expected)
    assert (verdict.picture is None) == (name == "expanded")


def test_no_points_are_promised_for_expansions_alone(grader: Grader, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text('import runner\n\n\n@runner.python_heuristic("mine", domain="npuzzle")\ndef mine(b): return 2\n')
    assert grader.grade(file, "ada")["few"].text.startswith(
        "no points: requires all points of 'admissible'\n\nThe searches expand too many states for more points: "
    )


def test_a_picture_marks_no_move_and_a_step_has_both_states() -> None:
    """A tile that moved last is orange in the pictures of plans."""
    (instance,) = runner.load("npuzzle/random", size="2x3", count=1)
    analysis = Analyser(stack_of_entries("npuzzle", ["misplaced"]), Limits()).analyse(instance)
    assert analysis is not None
    analysis.h[:] = 3 * analysis.h + (analysis.h_star == 0)
    for check in checks_of("heuristic"):
        if check.name not in ("zero_at_goals", "consistent"):
            continue
        tally = Tally(check)
        tally.add(analysis)
        assert tally.witness is not None
        _, draw = told(tally.witness, "", "")
        assert draw is not None
        axes = Figure().add_subplot()
        draw(axes)
        shown = axes.child_axes or [axes]
        assert len(shown) == (2 if check.name == "consistent" else 1)
        assert {to_hex(patch.get_facecolor()) for each in shown for patch in each.patches} <= {"#cfe3d4", "#f1e4c8"}


OWN_WORLD = """
from dataclasses import dataclass
from runner import PythonWorld, register


@register("world", "pair")
@dataclass(frozen=True)
class Pair(PythonWorld):
    domain = "pair"
    max_successors = 1

    def initial(self):
        return (2, 0)

    def successors(self, state):
        return [("down", (state[0] - 1, 0), 1)] if state[0] else []

    def is_goal(self, state):
        return state == (0, 0)
"""


def test_an_own_world_without_show_is_told_what_would_show_its_states(tmp_path: Path) -> None:
    (tmp_path / "pair.py").write_text(OWN_WORLD)
    text = (
        "title: x\nhand_in: heuristic\nplugins: [pair]\nworld: {name: pair}\n"
        "criteria: [{name: admissible, points: 1}]\n"
    )
    (tmp_path / "exercise.yaml").write_text(text)
    file = tmp_path / "mine.py"
    file.write_text('import runner\n\n\n@runner.python_heuristic("mine", domain="pair")\ndef mine(s):\n    return 1\n')
    found = runner.grade(tmp_path / "exercise.yaml", file)["admissible"].text
    assert found.startswith("Your estimate is 1, but this is a goal, where it must be 0: here\n\n(0, 0)\n")
    assert found.endswith("\npair has no show(state) and draw(state, axes), which would show it")
