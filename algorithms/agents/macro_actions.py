"""What can be done under a belief, and what may come of it (`algorithms.agents.lookahead`).

A macro-action enters a new room or shoots. Its code is ``(4 * room + facing) * 2``, plus 1 for a shot; `room` is
the room that is entered, or the one from which the arrow is shot.
"""

from __future__ import annotations

import numpy as np

from algorithms.agents.chances import INFINITY, NEGLIGIBLE, door_of, find_ways, nearest_door, pit_chances
from algorithms.agents.rooms import common, has, is_empty, load, lowest, number, single, store, union, without
from worlds.kernel import helper
from worlds.wumpus.rules import COST as ACTION_COST
from worlds.wumpus.rules import PRIZE as GOLD
from worlds.wumpus.rules import SHOOT

VISITED, BREEZY, CLEAR, WUMPUS = 0, 2, 4, 6
WORDS = 8
ROOM, FACING, ARROW = range(3)
MACRO_ACTION, COST, DEATH, BOUND = range(4)
MAX_OUTCOMES = 5

SHOT, READY, KILLED = range(3)
"""The arrow: used in vain, ready, or it has hit. Then the set WUMPUS is where the wumpus was when it was hit."""

PRIZE = float(GOLD)
COST_OF_SHOT = ACTION_COST[SHOOT]
SUSPECTED = 4
"""A shot is considered if the wumpus may be in at most so many rooms: something smells. In 4x4 caves no other pays."""

SHARE_BEYOND = 0.2
"""Of the rooms next to safe ones; fitted to exact values of beliefs in 4x4 caves."""


TOLERANCE = 1e-9
"""Values that differ by less are equal: the last bits of a sum depend on the order in which beliefs are reached."""


@helper
def lairs(belief, arrow):
    """Where the living wumpus may be."""
    return (np.uint64(0), np.uint64(0)) if arrow == KILLED else load(belief, WUMPUS)


@helper
def obtainable(belief, weights, boards, pit_probability):
    """At most so likely does the gold lie in a room without a pit.

    A breeze makes a pit next to it more likely than it was before, never less.
    """
    likely = 0.0
    for index in range(weights.size):
        unvisited = without(load(boards, 2 * index), load(belief, VISITED))
        if weights[index] > 0 and not is_empty(unvisited):
            sure = number(common(unvisited, load(belief, CLEAR)))
            likely += weights[index] * (1 - pit_probability * (1 - sure / number(unvisited)))
    return likely


@helper
def estimate(belief, arrow, weights, boards, around):
    """What is still to be had where the look ahead ends.

    The gold, if it lies in a room that is safe, or that a shot would make safe; or perhaps beyond.
    """
    visited, clear, wumpus = load(belief, VISITED), load(belief, CLEAR), lairs(belief, arrow)
    sure = without(without(clear, visited), wumpus)
    beyond, left = sure, sure
    while not is_empty(left):
        room = lowest(left)
        left = without(left, single(room))
        beyond = union(beyond, load(around, 2 * room))
    if arrow == READY:
        sure = without(clear, visited)
    beyond = without(without(beyond, visited), sure)
    likely = 0.0
    for index in range(weights.size):
        unvisited = without(load(boards, 2 * index), visited)
        if weights[index] > 0 and not is_empty(unvisited):
            rooms = number(common(sure, unvisited)) + SHARE_BEYOND * number(common(beyond, unvisited))
            likely += weights[index] * rooms / number(unvisited)
    return PRIZE * likely


@helper
def list_entries(
    belief, arrow, weights, cave, pit_probability, detour, floor, likely, to, pits, macro_actions, scratch
):
    """Write the entries worth more than `floor` at best; returns their number, and whether some room is safe.

    While there are safe rooms, only those that take at most `detour` actions more than the nearest; all rooms if that
    is negative.
    """
    next_room, around, _, boards = cave
    visited, breezy, clear = load(belief, VISITED), load(belief, BREEZY), load(belief, CLEAR)
    wumpus = lairs(belief, arrow)
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
    frontier = common(without(frontier, visited), widest)
    safe = without(common(frontier, clear), wumpus)
    farthest, left = INFINITY, safe
    if detour >= 0 and not is_empty(safe):
        frontier = safe
        while not is_empty(left):
            room = lowest(left)
            left = without(left, single(room))
            farthest = min(farthest, nearest_door(room, next_room, to) + detour)
    count = 0
    while not is_empty(frontier):
        room = lowest(frontier)
        frontier = without(frontier, single(room))
        nearest = nearest_door(room, next_room, to)
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
                survival *= 1.0 - 1.0 / number(common(wumpus, board))
            death += weights[index] * (1.0 - survival)
        for facing in range(4):
            door = door_of(room, facing, next_room)
            if door < 0 or to[4 * door + facing] > min(nearest + 2, farthest):  # two turns lead to any facing
                continue
            cost = to[4 * door + facing] + 1
            bound = PRIZE * min(1.0 - death, likely) - PRIZE * death - cost
            if bound > floor - TOLERANCE:
                macro_actions[count, MACRO_ACTION], macro_actions[count, COST] = (4 * room + facing) * 2, cost
                macro_actions[count, DEATH], macro_actions[count, BOUND] = death, bound
                count += 1
    return count, not is_empty(safe)


@helper
def list_shots(belief, line, all_places, floor, likely, to, macro_actions, first):
    """Append the shots worth more than `floor` at best to the list; return the new length of the list.

    Of shots at the same rooms only the cheapest is listed, unless `all_places`.
    """
    wumpus, left = load(belief, WUMPUS), load(belief, VISITED)
    count = first
    if not 0 < number(wumpus) <= SUSPECTED:
        return count
    while not is_empty(left):
        room = lowest(left)
        left = without(left, single(room))
        for facing in range(4):
            aim = 4 * room + facing
            targets = common(wumpus, load(line, 2 * aim))
            cost = to[aim] + COST_OF_SHOT
            if is_empty(targets) or PRIZE * likely - cost < floor - TOLERANCE:
                continue
            at = count
            for other in range(first, count):
                same = common(wumpus, load(line, np.int64(macro_actions[other, MACRO_ACTION]) & ~1))
                if not all_places and same[0] == targets[0] and same[1] == targets[1]:
                    at = other
            if at == count or cost < macro_actions[at, COST]:
                macro_actions[at, MACRO_ACTION], macro_actions[at, COST] = aim * 2 + 1, cost
                macro_actions[at, DEATH], macro_actions[at, BOUND] = 0.0, PRIZE * likely - cost
                count = max(count, at + 1)
    return count


@helper
def outcomes_of_shot(aim, belief, weights, cave, beliefs, places, likelihoods, chances):
    """Write what is known after a shot: it missed, or the wumpus screamed. Returns the number of outcomes."""
    _, _, line, boards = cave
    wumpus, targets = load(belief, WUMPUS), load(line, 2 * aim)
    count = 0
    for hits in range(2):
        after = likelihoods[count]
        total = 0.0
        for index in range(weights.size):
            after[index] = 0.0
            if weights[index] > 0:
                there = common(wumpus, load(boards, 2 * index))
                struck = number(common(there, targets)) / number(there)
                after[index] = weights[index] * (struck if hits == 1 else 1.0 - struck)
                total += after[index]
        if total > NEGLIGIBLE:
            after /= total
            beliefs[count] = belief
            store(beliefs[count], WUMPUS, common(wumpus, targets) if hits == 1 else without(wumpus, targets))
            places[count, ROOM], places[count, FACING] = aim >> 2, aim & 3
            places[count, ARROW] = KILLED if hits == 1 else SHOT
            chances[count] = total
            count += 1
    return count


@helper
def outcomes_of_entry(
    room, facing, belief, arrow, weights, cave, pits, beliefs, places, likelihoods, chances, to, queue
):  # fmt: skip
    """Write what is known after a room was entered alive and had no gold, or proved to be a wall.

    Returns
    -------
    count : int
        Number of outcomes.
    gain : float
        Expected score from the gold, if it is there: the prize, without the way home.
    """
    next_room, around, _, boards = cave
    visited, breezy, clear = load(belief, VISITED), load(belief, BREEZY), load(belief, CLEAR)
    wumpus = lairs(belief, arrow)
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
            suspects = common(wumpus, near) if stench == 1 else without(without(wumpus, near), single(room))
            after = likelihoods[count]
            total = gold = 0.0
            for index in range(weights.size):
                after[index] = 0.0
                board = load(boards, 2 * index)
                if weights[index] > 0 and has(board, room):
                    likely = weights[index] * pits[room, index, breeze]
                    if is_empty(wumpus):
                        likely *= 1.0 - stench
                    else:
                        likely *= number(common(suspects, board)) / number(common(wumpus, board))
                    glitter = 1.0 / number(without(board, visited))
                    gold += likely * glitter
                    after[index] = likely * (1.0 - glitter)
                    total += after[index]
            if gold < NEGLIGIBLE:
                continue
            passable = union(seen, common(without(calm, suspects), sure))
            gain += gold * (PRIZE - 1 - find_ways(passable, room, facing, next_room, to, queue, True))
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
        places[count, ROOM], places[count, FACING] = door_of(room, facing, next_room), facing
        places[count, ARROW] = arrow
        chances[count] = total
        count += 1
    return count, gain
