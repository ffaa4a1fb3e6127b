"""Levels of a space by sets of states."""

from __future__ import annotations

from worlds.interface.world import State, World


def levels(world: World) -> list[set[State]]:
    """Return the states at each distance from the goals."""
    assert world.goals is not None
    assert world.predecessors is not None
    found = [set(world.goals())]
    seen = set(found[0])
    while found[-1]:
        found.append({before for state in found[-1] for _, before, _ in world.predecessors(state)} - seen)
        seen |= found[-1]
    return found[:-1]
