"""Heuristics in plain Python that count the tiles that are not in place, or that know the start."""
# mypy: ignore-errors

import runner


@runner.python_heuristic("tiles_and_world", domain="npuzzle", admissible=True)
def tiles_and_world(state, world):
    return misplaced(state, world.puzzle.goal)


@runner.python_heuristic("above_start", domain="npuzzle", admissible=True)
def above_start(state, world):
    return int(state == world.puzzle.board != world.puzzle.goal)


def misplaced(state, goal):
    return sum(tile not in (0, at) for tile, at in zip(state, goal, strict=True))
