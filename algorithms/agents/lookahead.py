"""The compiled look-ahead of the Bayesian agent: a search over beliefs.

A belief is what the percepts so far leave open: the visited rooms, those of them that are breezy, the rooms that surely
hold no pit, the rooms where the wumpus may be, and the probability of each side of the cave. Given these, pits, wumpus
and gold are independent of each other. The value of a belief is the best expected score from there on, looking ahead a
given number of macro-actions (`algorithms.agents.macro_actions`). It is the maximum over the macro-actions of the mean
over their outcomes.

Values are stored in a table, where beliefs reached in different orders meet.
"""

from __future__ import annotations

import numpy as np

from algorithms.agents.chances import NO_PATH, SCRATCH, path_lengths
from algorithms.agents.macro_actions import (
    ARROW,
    BOUND,
    BREEZY,
    COST,
    DEATH,
    FACING,
    MACRO_ACTION,
    PRIZE,
    READY,
    ROOM,
    TOLERANCE,
    VISITED,
    WUMPUS,
    estimate,
    list_entries,
    list_shots,
    max_gold_chance,
    outcomes_of_entry,
    outcomes_of_shot,
)
from algorithms.agents.rooms import load
from algorithms.engine.hashing import hash_state
from worlds.compile.kernel import helper, kernel

LEAVE = -1
STATE, REMAINING, LISTED_COUNT, CURRENT, OUTCOMES, OUTCOME = range(6)
"""Entries of a cursor, which holds the progress of one level."""

NEW, LISTED = 0, 1
"""States of a cursor."""

BEST, CHOICE, TOTAL = range(3)
"""Entries of `values`: the best value so far, its macro-action, and the partial mean of the current macro-action."""

LEVEL, DETOUR, USED = range(3)
"""Entries of `control`: the current level, the parameter `detour`, and the number of entries in the table."""

KEY = 7
RUNNING, DONE = 0, 1


@helper
def slot_of(keys, key):
    """Return the slot of a key in the table, or the free slot where it belongs."""
    slots = keys.shape[0]
    slot = np.int64(hash_state(key, 0, KEY) & np.uint64(slots - 1))
    while keys[slot, KEY - 1] != 0:
        same = True
        for word in range(KEY):
            same = same and keys[slot, word] == key[word]
        if same:
            return slot
        slot = (slot + 1) & (slots - 1)
    return slot


@helper
def write_key(key, belief, place, weights, remaining):
    """Write what identifies a belief and the macro-actions that remain to look ahead. The last word is never 0."""
    key[0:4] = belief[VISITED : BREEZY + 2]
    key[4:6] = belief[WUMPUS : WUMPUS + 2]
    sides = 0
    for index in range(weights.size):
        sides |= (weights[index] > 0) << index
    state = (place[ROOM] * 4 + place[FACING]) * 4 + place[ARROW]
    key[6] = np.uint64(((state * 256 + remaining) << weights.size | sides) << 1 | 1)


@kernel(
    "int64(int64[::1], uint64[::1], uint64[::1], uint64[::1], float64, uint64[:,::1], int64[:,::1], float64[:,::1], "
    "int64[:,::1], float64[:,::1], float64[:,:,::1], float64[:,:,:,::1], uint64[:,:,::1], int64[:,:,::1], "
    "float64[:,:,::1], float64[:,::1], uint64[:,::1], float64[::1], int64[::1], int64[::1], uint64[::1], int64[::1], "
    "int64)"
)
def look_ahead(
    next_room, around, line, boards, pit_probability,
    beliefs, places, weights, cursors, values, macro_actions, pits,
    after_beliefs, after_places, after_weights, after_chances,
    keys, known, lengths, queue, scratch, control, budget,
):  # fmt: skip
    """Evaluate at most `budget` beliefs; return DONE when the value of the first belief is known, else RUNNING.

    The first axis of the arrays from `beliefs` to `after_chances` is the level: the number of macro-actions so far.
    """
    cave = next_room, around, line, boards
    key = scratch[SCRATCH:]
    level = control[LEVEL]
    while True:
        cursor, value, belief, place, weight = (
            cursors[level],
            values[level],
            beliefs[level],
            places[level],
            weights[level],
        )
        if cursor[STATE] == NEW:
            if budget == 0:
                control[LEVEL] = level
                return RUNNING
            budget -= 1
            cursor[STATE], cursor[LISTED_COUNT], cursor[CURRENT] = LISTED, 0, -1
            cursor[OUTCOMES] = cursor[OUTCOME] = 0
            home = path_lengths(load(belief, VISITED), place[ROOM], place[FACING], next_room, lengths, queue, False)
            value[BEST], value[CHOICE] = -home, LEAVE
            gold_chance = max_gold_chance(belief, weight, boards, pit_probability)
            if cursor[REMAINING] == 0:
                value[BEST] = estimate(belief, place[ARROW], weight, boards, around) - home
            elif gold_chance > 0:
                detour = control[DETOUR]
                cursor[LISTED_COUNT], is_safe = list_entries(
                    belief, place[ARROW], weight, cave, pit_probability, detour, value[BEST], gold_chance, lengths,
                    pits[level], macro_actions[level], scratch,
                )  # fmt: skip
                if place[ARROW] == READY and (detour < 0 or not is_safe):
                    cursor[LISTED_COUNT] = list_shots(
                        belief, line, detour < 0, value[BEST], gold_chance, lengths,
                        macro_actions[level], cursor[LISTED_COUNT],
                    )  # fmt: skip
        if cursor[OUTCOME] < cursor[OUTCOMES]:
            outcome, remaining = cursor[OUTCOME], cursor[REMAINING] - 1
            write_key(
                key, after_beliefs[level, outcome], after_places[level, outcome], after_weights[level, outcome],
                remaining,
            )  # fmt: skip
            slot = slot_of(keys, key)
            if keys[slot, KEY - 1] != 0:
                value[TOTAL] += after_chances[level, outcome] * known[slot]
                cursor[OUTCOME] += 1
            else:
                beliefs[level + 1] = after_beliefs[level, outcome]
                places[level + 1] = after_places[level, outcome]
                weights[level + 1] = after_weights[level, outcome]
                cursors[level + 1, STATE], cursors[level + 1, REMAINING] = NEW, remaining
                level += 1
            continue
        if cursor[CURRENT] >= 0:
            current = macro_actions[level, cursor[CURRENT]]
            current[BOUND] = -NO_PATH
            if value[TOTAL] > value[BEST] + TOLERANCE:
                value[CHOICE] = current[MACRO_ACTION]
            elif value[TOTAL] > value[BEST] - TOLERANCE:
                value[CHOICE] = min(value[CHOICE], current[MACRO_ACTION])
            value[BEST] = max(value[BEST], value[TOTAL])
        cursor[CURRENT] = -1
        best_bound = value[BEST] - TOLERANCE
        for index in range(cursor[LISTED_COUNT]):
            if macro_actions[level, index, BOUND] > best_bound:
                best_bound, cursor[CURRENT] = macro_actions[level, index, BOUND], index
        if cursor[CURRENT] >= 0:
            current = macro_actions[level, cursor[CURRENT]]
            macro_action = np.int64(current[MACRO_ACTION])
            cursor[OUTCOME], gain = 0, 0.0
            if macro_action & 1 == 1:
                cursor[OUTCOMES] = outcomes_of_shot(
                    macro_action >> 1, belief, weight, cave,
                    after_beliefs[level], after_places[level], after_weights[level], after_chances[level],
                )  # fmt: skip
            else:
                cursor[OUTCOMES], gain = outcomes_of_entry(
                    macro_action >> 3, (macro_action >> 1) & 3, belief, place[ARROW], weight, cave, pits[level],
                    after_beliefs[level], after_places[level], after_weights[level], after_chances[level],
                    lengths, queue,
                )  # fmt: skip
            value[TOTAL] = gain - current[COST] - PRIZE * current[DEATH]
            continue
        if control[USED] * 4 < keys.shape[0] * 3:
            write_key(key, belief, place, weight, cursor[REMAINING])
            slot = slot_of(keys, key)
            if keys[slot, KEY - 1] == 0:
                keys[slot] = key[:KEY]
                known[slot] = value[BEST]
                control[USED] += 1
        if level == 0:
            control[LEVEL] = 0
            return DONE
        level -= 1
        values[level, TOTAL] += after_chances[level, cursors[level, OUTCOME]] * value[BEST]
        cursors[level, OUTCOME] += 1


@kernel("void(uint64[:,::1], float64[::1], uint64[:,::1], float64[::1])")
def move_table(keys, known, larger_keys, larger_known):
    """Copy all entries of a table to a larger table."""
    for slot in range(keys.shape[0]):
        if keys[slot, KEY - 1] != 0:
            place = slot_of(larger_keys, keys[slot])
            larger_keys[place] = keys[slot]
            larger_known[place] = known[slot]
