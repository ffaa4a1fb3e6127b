"""What may be in a new room, and how far away the others are (`algorithms.agents.lookahead`)."""

from __future__ import annotations

import numpy as np

from algorithms.agents.rooms import common, has, is_empty, load, lowest, number, single, store, union, without
from worlds.kernel import helper

MAX_FRONTIER = 12
"""Pits are counted exactly as long as at most so many breezy rooms share unvisited neighbours; of more, the nearest."""

SCRATCH = 2 << MAX_FRONTIER
NEGLIGIBLE = 1e-12
INFINITY = 1 << 30


@helper
def pit_chances(room, visited, breezy, clear, board, around, pit_probability, scratch):
    """Probabilities that a new room has no pit and no breeze, and that it has no pit but a breeze.

    By inclusion and exclusion over the breezy rooms that share unvisited neighbours with it: a set of them lacks pits
    around it with the probability that none of its suspects has one. `algorithms.agents.belief` has the slow twin.
    """
    free = without(without(board, visited), clear)
    here = union(single(room), common(load(around, 2 * room), board))
    reached = common(here, free)
    layer, witnesses, found = reached, (np.uint64(0), np.uint64(0)), 0
    while not is_empty(layer) and found < MAX_FRONTIER:
        following = (np.uint64(0), np.uint64(0))
        while not is_empty(layer):
            suspect = lowest(layer)
            layer = without(layer, single(suspect))
            fresh = without(common(load(around, 2 * suspect), breezy), witnesses)
            while not is_empty(fresh) and found < MAX_FRONTIER:
                witness = lowest(fresh)
                fresh = without(fresh, single(witness))
                witnesses = union(witnesses, single(witness))
                suspects = common(load(around, 2 * witness), free)
                store(scratch, 2 << found, suspects)
                found += 1
                following = union(following, without(suspects, reached))
                reached = union(reached, suspects)
        layer = following
    store(scratch, 0, (np.uint64(0), np.uint64(0)))
    elsewhere, beyond = without(free, single(room)), without(free, here)
    before = alive = calm = 0.0
    air = 1.0 - pit_probability
    for subset in range(1 << found):
        others = subset & (subset - 1)
        if others != 0:
            store(scratch, 2 * subset, union(load(scratch, 2 * others), load(scratch, 2 * (subset - others))))
        suspects = load(scratch, 2 * subset)
        sign = 1.0 - 2.0 * (number((np.uint64(subset), np.uint64(0))) & 1)
        before += sign * air ** number(common(suspects, free))
        alive += sign * air ** number(common(suspects, elsewhere))
        calm += sign * air ** number(common(suspects, beyond))
    if before < NEGLIGIBLE:
        return 0.0, 0.0
    alive *= air ** number(common(single(room), free)) / before
    calm *= air ** number(common(here, free)) / before
    return max(0.0, calm), max(0.0, alive - calm)


@helper
def find_ways(rooms, room, facing, next_room, to, queue, only_home):
    """Write how many actions lead to every room and facing through the given rooms; returns how many lead out."""
    to[:] = INFINITY
    to[4 * room + facing] = 0
    queue[0] = 4 * room + facing
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        if only_home and state < 4:
            return to[state] + 1
        for action in range(3):
            if action < 2:
                after = (state & ~3) + ((state + 1 + 2 * action) & 3)
            elif next_room[state] >= 0 and has(rooms, next_room[state]):
                after = 4 * next_room[state] + (state & 3)
            else:
                continue
            if to[after] == INFINITY:
                to[after] = to[state] + 1
                queue[tail] = after
                tail += 1
    return min(min(to[0], to[1]), min(to[2], to[3])) + 1


@helper
def door_of(room, facing, next_room):
    """The room from which one enters a room with this facing; -1 if that is a wall."""
    return next_room[4 * room + ((facing + 2) & 3)]


@helper
def nearest_door(room, next_room, to):
    """How many actions lead to where one step enters a room."""
    nearest = INFINITY
    for facing in range(4):
        door = door_of(room, facing, next_room)
        if door >= 0:
            nearest = min(nearest, to[4 * door + facing])
    return nearest
