"""Probabilities of pits and breezes in a new room, and path lengths, for `algorithms.agents.lookahead`."""

from __future__ import annotations

import numpy as np

from algorithms.agents.rooms import has, intersection, is_empty, load, lowest, single, size, store, union, without
from worlds.compile import helper

MAX_FRONTIER = 12
"""Largest number of connected breezy rooms that pits are counted for exactly; of more, the nearest count."""

SCRATCH = 2 << MAX_FRONTIER
NEGLIGIBLE = 1e-12
NO_PATH = 1 << 30


@helper
def pit_chances(room, visited, breezy, clear, board, around, pit_probability, scratch):
    """Return the probabilities that a new room has neither pit nor breeze, and that it has no pit but a breeze.

    By inclusion and exclusion over the breezy rooms that share unvisited neighbours with the room, directly or through
    each other. A subset of them contributes the probability that none of the unvisited rooms beside it has a pit.
    `algorithms.agents.belief.pit_likelihood` is the reference implementation.
    """
    free = without(without(board, visited), clear)
    here = union(single(room), intersection(load(around, 2 * room), board))
    reached = intersection(here, free)
    layer, found_breezy, found = reached, (np.uint64(0), np.uint64(0)), 0
    while not is_empty(layer) and found < MAX_FRONTIER:
        following = (np.uint64(0), np.uint64(0))
        while not is_empty(layer):
            suspect = lowest(layer)
            layer = without(layer, single(suspect))
            fresh = without(intersection(load(around, 2 * suspect), breezy), found_breezy)
            while not is_empty(fresh) and found < MAX_FRONTIER:
                neighbour = lowest(fresh)
                fresh = without(fresh, single(neighbour))
                found_breezy = union(found_breezy, single(neighbour))
                suspects = intersection(load(around, 2 * neighbour), free)
                store(scratch, 2 << found, suspects)
                found += 1
                following = union(following, without(suspects, reached))
                reached = union(reached, suspects)
        layer = following
    store(scratch, 0, (np.uint64(0), np.uint64(0)))
    elsewhere, beyond = without(free, single(room)), without(free, here)
    evidence = alive = calm = 0.0
    no_pit = 1.0 - pit_probability
    for subset in range(1 << found):
        others = subset & (subset - 1)
        if others != 0:
            store(scratch, 2 * subset, union(load(scratch, 2 * others), load(scratch, 2 * (subset - others))))
        suspects = load(scratch, 2 * subset)
        sign = 1.0 - 2.0 * (size((np.uint64(subset), np.uint64(0))) & 1)
        evidence += sign * no_pit ** size(intersection(suspects, free))
        alive += sign * no_pit ** size(intersection(suspects, elsewhere))
        calm += sign * no_pit ** size(intersection(suspects, beyond))
    if evidence < NEGLIGIBLE:
        return 0.0, 0.0
    alive *= no_pit ** size(intersection(single(room), free)) / evidence
    calm *= no_pit ** size(intersection(here, free)) / evidence
    return max(0.0, calm), max(0.0, alive - calm)


@helper
def path_lengths(rooms, room, facing, next_room, lengths, queue, only_home):
    """Write the number of actions to every room and facing through the given rooms; return the number to climb out.

    NO_PATH marks what cannot be reached. With `only_home` the search ends as soon as it reaches the first room.
    """
    lengths[:] = NO_PATH
    lengths[4 * room + facing] = 0
    queue[0] = 4 * room + facing
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        if only_home and state < 4:
            return lengths[state] + 1
        for action in range(3):
            if action < 2:
                after = (state & ~3) + ((state + 1 + 2 * action) & 3)
            elif next_room[state] >= 0 and has(rooms, next_room[state]):
                after = 4 * next_room[state] + (state & 3)
            else:
                continue
            if lengths[after] == NO_PATH:
                lengths[after] = lengths[state] + 1
                queue[tail] = after
                tail += 1
    return min(min(lengths[0], lengths[1]), min(lengths[2], lengths[3])) + 1


@helper
def room_behind(room, facing, next_room):
    """Return the room from which a move with this facing enters `room`; -1 if there is a wall."""
    return next_room[4 * room + ((facing + 2) & 3)]


@helper
def approach_length(room, next_room, lengths):
    """Return the fewest actions to any place from which one move enters a room."""
    shortest = NO_PATH
    for facing in range(4):
        behind = room_behind(room, facing, next_room)
        if behind >= 0:
            shortest = min(shortest, lengths[4 * behind + facing])
    return shortest
