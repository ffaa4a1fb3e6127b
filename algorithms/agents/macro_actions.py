"""Macro-actions under a belief and their outcomes, for `algorithms.agents.lookahead`.

A macro-action enters a new room or shoots. Its code is ``(4 * room + facing) * 2``, plus 1 for a shot. Its room is
the one that is entered, or the one from which the arrow is shot.
"""

from __future__ import annotations

import numpy as np

from algorithms.agents.chances import NEGLIGIBLE, NO_PATH, approach_length, path_lengths, pit_chances, room_behind
from algorithms.agents.rooms import has, intersection, is_empty, load, lowest, single, size, store, union, without
from worlds.compile import helper
from worlds.wumpus.rules import COST as ACTION_COST
from worlds.wumpus.rules import PRIZE as GOLD
from worlds.wumpus.rules import SHOOT

VISITED, BREEZY, CLEAR, WUMPUS = 0, 2, 4, 6
"""Indices of the sets of rooms in a belief."""

WORDS = 8
ROOM, FACING, ARROW = range(3)
"""Entries of a place: the hunter's room and facing, and the state of the arrow."""

MACRO_ACTION, COST, DEATH, BOUND = range(4)
"""Entries of a listed macro-action: its code, its cost, the probability of death, an upper bound of its value."""

MAX_OUTCOMES = 5

SHOT, READY, KILLED = range(3)
"""States of the arrow: it has missed, is unused, or has hit. After a hit, WUMPUS is where the wumpus may have been."""

PRIZE = float(GOLD)
COST_OF_SHOT = ACTION_COST[SHOOT]
MAX_SUSPECTED = 4
"""Shots are considered while the wumpus may be in at most this many rooms. In 4x4 caves no other shot pays."""

SHARE_BEYOND = 0.2
"""Weight of rooms next to safe ones in `estimate`, fitted to exact values of beliefs in 4x4 caves."""

TOLERANCE = 1e-9
"""Values that differ by less count as equal: rounding depends on the order in which beliefs are reached."""


@helper
def live_wumpus(belief, arrow):
    """Return the rooms where the living wumpus may be."""
    return (np.uint64(0), np.uint64(0)) if arrow == KILLED else load(belief, WUMPUS)


@helper
def max_gold_chance(belief, weights, boards, pit_probability):
    """Return an upper bound on the probability that the gold is in a room without a pit.

    A breeze never makes a pit beside it less chance than `pit_probability`.
    """
    chance = 0.0
    for index in range(weights.size):
        unvisited = without(load(boards, 2 * index), load(belief, VISITED))
        if weights[index] > 0 and not is_empty(unvisited):
            sure = size(intersection(unvisited, load(belief, CLEAR)))
            chance += weights[index] * (1 - pit_probability * (1 - sure / size(unvisited)))
    return chance


@helper
def estimate(belief, arrow, weights, boards, around):
    """Return the estimated score still to be gained where the look-ahead ends.

    It counts the chance that the gold is in a safe room, in one that a shot would make safe, or next to safe rooms.
    """
    visited, clear, wumpus = load(belief, VISITED), load(belief, CLEAR), live_wumpus(belief, arrow)
    sure = without(without(clear, visited), wumpus)
    beyond, left = sure, sure
    while not is_empty(left):
        room = lowest(left)
        left = without(left, single(room))
        beyond = union(beyond, load(around, 2 * room))
    if arrow == READY:
        sure = without(clear, visited)
    beyond = without(without(beyond, visited), sure)
    chance = 0.0
    for index in range(weights.size):
        unvisited = without(load(boards, 2 * index), visited)
        if weights[index] > 0 and not is_empty(unvisited):
            rooms = size(intersection(sure, unvisited)) + SHARE_BEYOND * size(intersection(beyond, unvisited))
            chance += weights[index] * rooms / size(unvisited)
    return PRIZE * chance


@helper
def list_entries(
    belief, arrow, weights, cave, pit_probability, detour, floor, gold_chance, lengths, pits, macro_actions, scratch
):
    """List the entries whose bound exceeds `floor`; return their number and whether there are safe new rooms.

    While there are safe new rooms, only those count that cost at most `detour` actions more than the nearest. A
    negative `detour` means all rooms.
    """
    next_room, around, _, boards = cave
    visited, breezy, clear = load(belief, VISITED), load(belief, BREEZY), load(belief, CLEAR)
    wumpus = live_wumpus(belief, arrow)
    stride = np.int64(np.sqrt(next_room.size // 4))
    frontier, reach, left = (np.uint64(0), np.uint64(0)), 0, visited
    while not is_empty(left):
        room = lowest(left)
        left = without(left, single(room))
        frontier = union(frontier, load(around, 2 * room))
        reach = max(reach, max(room // stride, room % stride))
    widest = (np.uint64(0), np.uint64(0))
    for index in range(weights.size):
        if weights[index] > 0:
            widest = load(boards, 2 * index)
    frontier = intersection(without(frontier, visited), widest)
    safe = without(intersection(frontier, clear), wumpus)
    farthest, left = NO_PATH, safe
    if detour >= 0 and not is_empty(safe):
        frontier = safe
        while not is_empty(left):
            room = lowest(left)
            left = without(left, single(room))
            farthest = min(farthest, approach_length(room, next_room, lengths) + detour)
    count = 0
    while not is_empty(frontier):
        room = lowest(frontier)
        frontier = without(frontier, single(room))
        nearest = approach_length(room, next_room, lengths)
        if nearest > farthest:
            continue
        death, previous = 0.0, -1
        limit = max(reach, max(room // stride, room % stride)) + 1
        for index in range(weights.size):
            board = load(boards, 2 * index)
            if weights[index] <= 0 or not has(board, room):
                continue
            if previous >= 0 and has(load(boards, 2 * previous), limit):  # no wall was near in the smaller cave
                pits[room, index] = pits[room, previous]
            else:
                calm, breeze = pit_chances(room, visited, breezy, clear, board, around, pit_probability, scratch)
                pits[room, index, 0], pits[room, index, 1] = calm, breeze
            previous = index
            survival = pits[room, index, 0] + pits[room, index, 1]
            if has(wumpus, room):
                survival *= 1.0 - 1.0 / size(intersection(wumpus, board))
            death += weights[index] * (1.0 - survival)
        for facing in range(4):
            behind = room_behind(room, facing, next_room)
            if behind < 0 or lengths[4 * behind + facing] > min(nearest + 2, farthest):  # two turns lead to any facing
                continue
            cost = lengths[4 * behind + facing] + 1
            bound = PRIZE * min(1.0 - death, gold_chance) - PRIZE * death - cost
            if bound > floor - TOLERANCE:
                macro_actions[count, MACRO_ACTION], macro_actions[count, COST] = (4 * room + facing) * 2, cost
                macro_actions[count, DEATH], macro_actions[count, BOUND] = death, bound
                count += 1
    return count, not is_empty(safe)


@helper
def list_shots(belief, line, all_places, floor, gold_chance, lengths, macro_actions, first):
    """Append the shots whose bound exceeds `floor`; return the new length of the list.

    Of shots at the same rooms only the cheapest is listed, unless `all_places` is true.
    """
    wumpus, left = load(belief, WUMPUS), load(belief, VISITED)
    count = first
    if not 0 < size(wumpus) <= MAX_SUSPECTED:
        return count
    while not is_empty(left):
        room = lowest(left)
        left = without(left, single(room))
        for facing in range(4):
            aim = 4 * room + facing
            targets = intersection(wumpus, load(line, 2 * aim))
            cost = lengths[aim] + COST_OF_SHOT
            if is_empty(targets) or PRIZE * gold_chance - cost < floor - TOLERANCE:
                continue
            at = count
            for other in range(first, count):
                same = intersection(wumpus, load(line, np.int64(macro_actions[other, MACRO_ACTION]) & ~1))
                if not all_places and same[0] == targets[0] and same[1] == targets[1]:
                    at = other
            if at == count or cost < macro_actions[at, COST]:
                macro_actions[at, MACRO_ACTION], macro_actions[at, COST] = aim * 2 + 1, cost
                macro_actions[at, DEATH], macro_actions[at, BOUND] = 0.0, PRIZE * gold_chance - cost
                count = max(count, at + 1)
    return count


@helper
def outcomes_of_shot(aim, belief, weights, cave, beliefs, places, likelihoods, chances):
    """Write the beliefs after a shot, which misses or kills the wumpus; return the number of outcomes."""
    _, _, line, boards = cave
    wumpus, targets = load(belief, WUMPUS), load(line, 2 * aim)
    count = 0
    for hits in range(2):
        after = likelihoods[count]
        total = 0.0
        for index in range(weights.size):
            after[index] = 0.0
            if weights[index] > 0:
                there = intersection(wumpus, load(boards, 2 * index))
                struck = size(intersection(there, targets)) / size(there)
                after[index] = weights[index] * (struck if hits == 1 else 1.0 - struck)
                total += after[index]
        if total > NEGLIGIBLE:
            after /= total
            beliefs[count] = belief
            store(beliefs[count], WUMPUS, intersection(wumpus, targets) if hits == 1 else without(wumpus, targets))
            places[count, ROOM], places[count, FACING] = aim >> 2, aim & 3
            places[count, ARROW] = KILLED if hits == 1 else SHOT
            chances[count] = total
            count += 1
    return count


@helper
def outcomes_of_entry(
    room, facing, belief, arrow, weights, cave, pits, beliefs, places, likelihoods, chances, lengths, queue
):  # fmt: skip
    """Write the beliefs after entering a room alive without finding gold, and after bumping into a wall there.

    Returns
    -------
    count : int
        Number of outcomes.
    gain : float
        Expected score from finding the gold there: the prize minus the cost of taking it home.
    """
    next_room, around, _, boards = cave
    visited, breezy, clear = load(belief, VISITED), load(belief, BREEZY), load(belief, CLEAR)
    wumpus = live_wumpus(belief, arrow)
    near = load(around, 2 * room)
    seen = union(visited, single(room))
    sure = (np.uint64(0), np.uint64(0))  # rooms that exist: those of the smallest cave
    for index in range(weights.size - 1, -1, -1):
        if weights[index] > 0 and has(load(boards, 2 * index), room):
            sure = load(boards, 2 * index)
    count, gain = 0, 0.0
    for breeze in range(2):
        calm = clear if breeze == 1 else union(clear, near)
        for stench in range(2):
            suspects = intersection(wumpus, near) if stench == 1 else without(without(wumpus, near), single(room))
            after = likelihoods[count]
            total = gold = 0.0
            for index in range(weights.size):
                after[index] = 0.0
                board = load(boards, 2 * index)
                if weights[index] > 0 and has(board, room):
                    likelihood = weights[index] * pits[room, index, breeze]
                    if is_empty(wumpus):
                        likelihood *= 1.0 - stench
                    else:
                        likelihood *= size(intersection(suspects, board)) / size(intersection(wumpus, board))
                    glitter = 1.0 / size(without(board, visited))
                    gold += likelihood * glitter
                    after[index] = likelihood * (1.0 - glitter)
                    total += after[index]
            if gold < NEGLIGIBLE:
                continue
            passable = union(seen, intersection(without(calm, suspects), sure))
            gain += gold * (PRIZE - 1 - path_lengths(passable, room, facing, next_room, lengths, queue, True))
            if total > NEGLIGIBLE:
                after /= total
                store(beliefs[count], VISITED, seen)
                store(beliefs[count], BREEZY, union(breezy, single(room)) if breeze == 1 else breezy)
                store(beliefs[count], CLEAR, calm)
                store(beliefs[count], WUMPUS, load(belief, WUMPUS) if arrow == KILLED else suspects)
                places[count, ROOM], places[count, FACING], places[count, ARROW] = room, facing, arrow
                chances[count] = total
                count += 1
    after = likelihoods[count]
    total = 0.0
    for index in range(weights.size):
        after[index] = 0.0 if has(load(boards, 2 * index), room) else weights[index]
        total += after[index]
    if total > NEGLIGIBLE:
        after /= total
        beliefs[count] = belief
        places[count, ROOM], places[count, FACING] = room_behind(room, facing, next_room), facing
        places[count, ARROW] = arrow
        chances[count] = total
        count += 1
    return count, gain
