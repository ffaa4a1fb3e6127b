"""Heuristics in plain Python that count the tiles that are not in place. They use their world in different ways."""
# mypy: ignore-errors

import runner


@runner.python_heuristic("tiles_and_world", domain="npuzzle", admissible=True)
def tiles_and_world(state, world):
    return misplaced(state, world.puzzle.goal)


@runner.python_heuristic("tiles_of_helper", domain="npuzzle", admissible=True)
def tiles_of_helper(state, world):
    return misplaced(state, goal_of(world))


def goal_of(world):
    return world.puzzle.goal


def misplaced(state, goal):
    return sum(tile not in (0, at) for tile, at in zip(state, goal, strict=True))
