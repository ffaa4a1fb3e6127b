"""The compiled look-ahead of the Bayesian agent: which macro-action has the best expected score under a belief.

It is a depth-first search over beliefs. A belief is what the percepts so far leave open: the visited rooms, those of
them that are breezy, the rooms that surely hold no pit, the rooms where the wumpus may be, and the probability of each
side of the cave. Given these, pits, wumpus and gold are independent of each other. The value of a belief is the best
expected score from there on, looking ahead a given number of macro-actions (`algorithms.agents.macro_actions`). It is
the maximum over the macro-actions of the mean over their outcomes. Values are stored in a table, where beliefs reached
in different orders meet.

The helpers share these groups of arrays. The first axis of the arrays of levels and outcomes is the level: the number
of macro-actions so far.

- `cave`: `next_room`, `around` and `line` of `algorithms.agents.rooms.geometry`, and `boards`, the rooms of each side.
- `levels`: on each level the belief, the place of the hunter, the weights of the sides, the cursor, the values, the
  macro-actions that are listed, and the probabilities of pits.
- `outcomes`: on each level, of each outcome of the current macro-action, the belief, the place, the weights and the
  probability.
- `table`: keys of beliefs, and their values.
- `buffers`: lengths of paths, a queue, and words for pits and for a key.
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
from algorithms.engine import hash_state
from worlds.compile import helper, kernel

LEAVE = -1

STATE, REMAINING, LISTED_COUNT, CURRENT, OUTCOMES, OUTCOME = range(6)
"""Entries of a cursor: its state, the macro-actions that remain to look ahead, the number of listed macro-actions, the
index of the current one, the number of its outcomes, and the index of the next outcome."""

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


@helper
def list_macro_actions(cave, pit_probability, levels, level, buffers, detour):
    """Begin a belief: list its macro-actions, and take the value of leaving the cave, or the estimate at the end."""
    beliefs, places, weights, cursors, values, macro_actions, pits = levels
    next_room, around, line, boards = cave
    lengths, queue, scratch = buffers
    belief = beliefs[level]
    place = places[level]
    weight = weights[level]
    cursor = cursors[level]
    arrow = place[ARROW]
    cursor[STATE] = LISTED
    cursor[LISTED_COUNT] = 0
    cursor[CURRENT] = -1
    cursor[OUTCOMES] = 0
    cursor[OUTCOME] = 0
    home = path_lengths(load(belief, VISITED), place[ROOM], place[FACING], next_room, lengths, queue, False)
    values[level, BEST] = -home
    values[level, CHOICE] = LEAVE
    if cursor[REMAINING] == 0:
        values[level, BEST] = estimate(belief, arrow, weight, boards, around) - home
        return
    gold_chance = max_gold_chance(belief, weight, boards, pit_probability)
    if gold_chance <= 0:
        return
    cursor[LISTED_COUNT], is_safe = list_entries(
        belief, arrow, weight, cave, pit_probability, detour, -home, gold_chance, lengths,
        pits[level], macro_actions[level], scratch,
    )  # fmt: skip
    if arrow == READY and (detour < 0 or not is_safe):
        cursor[LISTED_COUNT] = list_shots(
            belief, line, detour < 0, -home, gold_chance, lengths, macro_actions[level], cursor[LISTED_COUNT]
        )


@helper
def list_outcomes(cave, levels, level, outcomes, buffers):
    """Begin the current macro-action of a belief: list its outcomes, and take its value without them."""
    beliefs, places, weights, cursors, values, macro_actions, pits = levels
    after_beliefs, after_places, after_weights, after_chances = outcomes
    lengths, queue, _ = buffers
    cursor = cursors[level]
    current = macro_actions[level, cursor[CURRENT]]
    code = np.int64(current[MACRO_ACTION])
    gain = 0.0
    cursor[OUTCOME] = 0
    if code & 1 == 1:
        cursor[OUTCOMES] = outcomes_of_shot(
            code >> 1, beliefs[level], weights[level], cave,
            after_beliefs[level], after_places[level], after_weights[level], after_chances[level],
        )  # fmt: skip
    else:
        cursor[OUTCOMES], gain = outcomes_of_entry(
            code >> 3, (code >> 1) & 3, beliefs[level], places[level, ARROW], weights[level], cave, pits[level],
            after_beliefs[level], after_places[level], after_weights[level], after_chances[level],
            lengths, queue,
        )  # fmt: skip
    values[level, TOTAL] = gain - current[COST] - PRIZE * current[DEATH]


@helper
def add_outcome(levels, level, outcomes, value):
    """Add the value of the belief after the next outcome to the mean of the current macro-action."""
    cursor = levels[3][level]
    values = levels[4]
    chances = outcomes[3]
    values[level, TOTAL] += chances[level, cursor[OUTCOME]] * value
    cursor[OUTCOME] += 1


@helper
def enter_outcome(levels, level, outcomes):
    """Make the belief after the next outcome the one of the level below."""
    beliefs, places, weights, cursors, _, _, _ = levels
    after_beliefs, after_places, after_weights, _ = outcomes
    outcome = cursors[level, OUTCOME]
    beliefs[level + 1] = after_beliefs[level, outcome]
    places[level + 1] = after_places[level, outcome]
    weights[level + 1] = after_weights[level, outcome]
    cursors[level + 1, STATE] = NEW
    cursors[level + 1, REMAINING] = cursors[level, REMAINING] - 1


@helper
def end_macro_action(value, macro_action):
    """Compare the mean of a macro-action with the best value. Among equal ones the smallest code is chosen."""
    macro_action[BOUND] = -NO_PATH
    if value[TOTAL] > value[BEST] + TOLERANCE:
        value[CHOICE] = macro_action[MACRO_ACTION]
    elif value[TOTAL] > value[BEST] - TOLERANCE:
        value[CHOICE] = min(value[CHOICE], macro_action[MACRO_ACTION])
    value[BEST] = max(value[BEST], value[TOTAL])


@helper
def most_promising(macro_actions, count, best):
    """Return the index of the listed macro-action with the largest bound; -1 if no bound is above the best value."""
    promising = -1
    best_bound = best - TOLERANCE
    for index in range(count):
        if macro_actions[index, BOUND] > best_bound:
            best_bound = macro_actions[index, BOUND]
            promising = index
    return promising


@helper
def store_value(table, key, value, control):
    """Write the value of a belief into the table, unless it is three quarters full."""
    keys, known = table
    if control[USED] * 4 >= keys.shape[0] * 3:
        return
    slot = slot_of(keys, key)
    if keys[slot, KEY - 1] == 0:
        keys[slot] = key
        known[slot] = value
        control[USED] += 1


CAVE = "Tuple((int64[::1], uint64[::1], uint64[::1], uint64[::1]))"
LEVELS = (
    "Tuple((uint64[:,::1], int64[:,::1], float64[:,::1], int64[:,::1], float64[:,::1], float64[:,:,::1], "
    "float64[:,:,:,::1]))"
)
OUTCOMES_OF_LEVELS = "Tuple((uint64[:,:,::1], int64[:,:,::1], float64[:,:,::1], float64[:,::1]))"
TABLE = "Tuple((uint64[:,::1], float64[::1]))"
BUFFERS = "Tuple((int64[::1], int64[::1], uint64[::1]))"
"""Types of the groups of arrays."""


@kernel(f"int64({CAVE}, float64, {LEVELS}, {OUTCOMES_OF_LEVELS}, {TABLE}, {BUFFERS}, int64[::1], int64)")
def look_ahead(cave, pit_probability, levels, outcomes, table, buffers, control, budget):
    """Evaluate at most `budget` beliefs; return DONE when the value of the first belief is known, else RUNNING."""
    beliefs, places, weights, cursors, values, macro_actions, _ = levels
    after_beliefs, after_places, after_weights, _ = outcomes
    keys, known = table
    key = buffers[2][SCRATCH : SCRATCH + KEY]
    level = control[LEVEL]
    while True:
        cursor = cursors[level]
        value = values[level]
        if cursor[STATE] == NEW:
            if budget == 0:
                control[LEVEL] = level
                return RUNNING
            budget -= 1
            list_macro_actions(cave, pit_probability, levels, level, buffers, control[DETOUR])
        if cursor[OUTCOME] < cursor[OUTCOMES]:
            after = level, cursor[OUTCOME]
            write_key(key, after_beliefs[after], after_places[after], after_weights[after], cursor[REMAINING] - 1)
            slot = slot_of(keys, key)
            if keys[slot, KEY - 1] != 0:
                add_outcome(levels, level, outcomes, known[slot])
            else:
                enter_outcome(levels, level, outcomes)
                level += 1
            continue
        if cursor[CURRENT] >= 0:
            end_macro_action(value, macro_actions[level, cursor[CURRENT]])
        cursor[CURRENT] = most_promising(macro_actions[level], cursor[LISTED_COUNT], value[BEST])
        if cursor[CURRENT] >= 0:
            list_outcomes(cave, levels, level, outcomes, buffers)
            continue
        write_key(key, beliefs[level], places[level], weights[level], cursor[REMAINING])
        store_value(table, key, value[BEST], control)
        if level == 0:
            control[LEVEL] = 0
            return DONE
        level -= 1
        add_outcome(levels, level, outcomes, value[BEST])


@kernel("void(uint64[:,::1], float64[::1], uint64[:,::1], float64[::1])")
def move_table(keys, known, larger_keys, larger_known):
    """Copy all entries of a table to a larger table."""
    for slot in range(keys.shape[0]):
        if keys[slot, KEY - 1] != 0:
            larger_slot = slot_of(larger_keys, keys[slot])
            larger_keys[larger_slot] = keys[slot]
            larger_known[larger_slot] = known[slot]
