"""Declared properties of heuristics on all 181,440 boards of the 8-puzzle and all moves between them."""

from __future__ import annotations

import math
from functools import cache

import pytest

import runner
from algorithms.spaces.state_space import StateSpace
from algorithms.spaces.state_values import values
from heuristics.interface.stack import Stack
from runner.config.cell import sections
from tests.declared import violations
from tests.puzzles import stack
from worlds.interface.instance import Instance
from worlds.npuzzle.rules import Puzzle, blank_first
from worlds.npuzzle.world import PuzzleWorld

GOAL = blank_first(9)
WHERE = Instance(PuzzleWorld(Puzzle(3, 3, (1, 0, 2, 3, 4, 5, 6, 7, 8), GOAL)), "8-puzzle")
STACKS = [
    stack({"name": "pattern_database", "partition": "8"}),
    stack({"name": "pattern_database", "partition": "5-3", "reflect": False}),
    stack({"name": "pattern_database", "partition": "4-4", "regions": False}),
    stack("linear_conflict"),
    stack("manhattan", "linear_conflict", {"name": "pattern_database", "partition": "4-4"}, combine="max"),
]
"""Stacks that are not documented; audits have these on the same boards."""


@cache
def space() -> StateSpace:
    """Return all boards; test_state_space.py knows their number and the largest distance."""
    return StateSpace(WHERE.problem())


@pytest.mark.parametrize("chosen", STACKS, ids=str)
def test_declared_properties_hold(chosen: Stack) -> None:
    too_large, drops = violations(chosen.prepare(WHERE.problem()), space())
    assert chosen.admissible is True
    assert too_large == 0
    if chosen.consistent:
        assert drops == 0
    else:
        inconsistent = "pattern_database(partition=4-4,regions=false)"
        unknown = "linear_conflict", "max(manhattan+linear_conflict+pattern_database(partition=4-4))"
        assert str(chosen) in (inconsistent, *unknown)
        assert chosen.consistent is (False if str(chosen) == inconsistent else None)
        assert (drops > 0) == (chosen.combine == "sum")


def test_each_heuristic_is_stronger_than_the_one_before_on_average() -> None:
    states = space().all_states()
    names = ["misplaced", "manhattan", "linear_conflict", "pattern_database"]
    stacks = [sections.stack_of("npuzzle", {"stack": sections.documented_stack("npuzzle", name)}) for name in names]
    means = [values(each.prepare(WHERE.problem()), states).mean() for each in stacks]
    assert means == sorted(means)
    exact = stack({"name": "pattern_database", "partition": "8"}).prepare(WHERE.problem())
    assert (values(exact, states) == space().distance).all()


def test_a_database_of_all_tiles_detects_boards_of_odd_parity() -> None:
    h = runner.heuristic(WHERE, [{"name": "pattern_database", "partition": "8"}])
    assert h(WHERE.world.state((0, 2, 1, 3, 4, 5, 6, 7, 8))) == math.inf
