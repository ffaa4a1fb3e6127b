"""Manhattan distance, and the turns that the hunter needs before it can walk towards its target."""

from __future__ import annotations

from heuristics.compiled_heuristic import compiled_heuristic
from heuristics.wumpus.legs import base_costs, distance, goal_of, is_over, path_with_turns, value_when_over
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, square_of


@compiled_heuristic("manhattan_orientation", domain="wumpus", admissible=True, consistent=True)
def manhattan_orientation(world, state):
    """Cost of the current leg: distance, turns to a direction that leads nearer, 1 for a corner; plus the rest.

    The rest is GRAB and CLIMB, and the distance from gold to exit until the gold is taken. Consistent, so admissible.
    A turn changes the number of turns by at most 1. A move that leads nearer lowers the distance by 1, and does not
    lower the turns and the corner. A move that leads away raises the distance by 1 and leaves at least 2 turns. After
    GRAB the new leg costs at least the distance that was counted for it, and 1 action less remains. A complete
    heuristic: combine it with others by maximum. Source: Green team, UniBZ 2020, section 4.2.
    """
    if is_over(state):
        return value_when_over(state)
    rest = base_costs(state) + (0 if has(state, HAS_GOLD) else distance(world[GOLD], world[EXIT]))
    return rest + path_with_turns(world, square_of(state), facing_of(state), goal_of(world, state))
