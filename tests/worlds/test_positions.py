"""Positions and texts of states, for the explorer."""

from __future__ import annotations

import numpy as np
import pytest
import runner.examples.sokoban

import runner
from algorithms.spaces.state_space import StateSpace
from runner.features.explorer.scene import positions_of, scene_of
from worlds.interface.instance import looks_of

assert runner.examples.sokoban


@pytest.mark.parametrize("world", ["wumpus/static", "snake/static", "sokoban"])
def test_positions_are_in_the_picture(world: str) -> None:
    instance = runner.load(world)[0]
    problem = instance.problem()
    space = StateSpace(problem)
    states = [problem.unpack(space.state(number)) for number in range(min(space.count, 500))]
    assert len({instance.world.show(state) for state in states}) == len(states)
    positions = positions_of(instance, states)
    assert positions is not None
    scene = scene_of(instance, positions)
    shares = positions * scene.scale + scene.offset
    assert scene.svg.startswith("<svg")
    assert 0 < shares.min() < shares.max() < 1
    assert abs(scene.scale[0]) == pytest.approx(abs(scene.scale[1]) * scene.shape)  # cells are squares


def test_north_is_up_in_caves_and_rows_go_down_on_boards() -> None:
    cave, board = runner.load("wumpus/static")[0], runner.load("snake/static")[0]
    for instance, state, cell in ((cave, cave.world.state((2, 3)), (2, 3)), (board, board.problem().initial, None)):
        locate = looks_of(instance.world).locate
        assert locate is not None
        position = locate(instance.problem().unpack(state))
        assert position is not None
        assert position == (cell or position)
    for instance, is_up in ((cave, True), (board, False)):
        scene = scene_of(instance, np.zeros((1, 2)))
        assert (scene.scale[1] < 0) == is_up
        assert scene.scale[0] > 0


def test_puzzles_have_texts_but_no_positions() -> None:
    puzzle = runner.load("npuzzle/random", size=[2, 3], count=1)[0]
    state = puzzle.problem().unpack(puzzle.world.state([1, 2, 3, 4, 5, 0]))
    assert puzzle.world.show(state) == "1 2 3\n4 5 ."
    assert positions_of(puzzle, [state]) is None


def test_states_of_caves_are_one_line() -> None:
    cave = runner.load("wumpus/static")[0]
    state = cave.problem().unpack(cave.world.state((1, 0), "W", gold=True, wumpus=False))
    assert cave.world.show(state) == "(1, 0) W, with gold, arrow used, wumpus dead"


def test_positions_alone_have_a_scene() -> None:
    class Bare(runner.PythonWorld):
        def initial(self) -> int:
            return 0

        def successors(self, state: int) -> list[tuple[str, int, int]]:
            return []

        def is_goal(self, state: int) -> bool:
            return True

    positions = np.array([(0.0, 0.0), (9.0, 0.0), (9.0, 4.0)])
    scene = scene_of(next(iter(Bare().instances())), positions)
    shares = positions * scene.scale + scene.offset
    assert scene.svg == ""
    assert scene.shape == pytest.approx(0.5)
    assert shares[:, 1].tolist() == pytest.approx([0.9, 0.9, 0.1])
