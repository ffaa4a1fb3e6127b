"""Compiled heuristics for two domains: caves, whose states take one word, and sliding-tile puzzles of any size.

python -m runner 'plugins=[runner.examples.two_legs]' world=wumpus/static heuristic=two_legs
"""

from heuristics.wumpus.legs import distance, value_when_over
from runner import compiled_heuristic, helper
from worlds.npuzzle.search import CELLS, goal_tile, tile_at
from worlds.wumpus.search import CLIMBED_OUT, DIED, EXIT, GOLD, HAS_GOLD, has, square_of


@helper
def legs(constants, state):
    """Return the Manhattan distance to the gold and from there to the exit."""
    if has(state, HAS_GOLD):
        return distance(square_of(state), constants[EXIT])
    return distance(square_of(state), constants[GOLD]) + distance(constants[GOLD], constants[EXIT])


@compiled_heuristic("two_legs", domain="wumpus", admissible=True, consistent=True)
def two_legs(constants, state, actions: bool = True) -> int:
    """Return the distance of both legs; with `actions`, also the cost of GRAB and CLIMB."""
    if has(state, CLIMBED_OUT | DIED):
        return value_when_over(state)  # 0 or UNREACHABLE
    return legs(constants, state) + ((1 if has(state, HAS_GOLD) else 2) if actions else 0)


@compiled_heuristic("wrong_tiles", domain="npuzzle", admissible=True, consistent=True)
def wrong_tiles(constants, states, at) -> int:
    """Return the number of tiles that are not on their goal cells."""
    count = 0
    for cell in range(constants[CELLS]):
        tile = tile_at(constants, states, at, cell)
        if tile != 0 and tile != goal_tile(constants, cell):
            count += 1
    return count
