"""The planner of the Bayesian agent: it runs the look-ahead and keeps its arrays, table and time limits."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.agents import lookahead
from algorithms.agents.belief import Belief, belief
from algorithms.agents.chances import SCRATCH
from algorithms.agents.macro_actions import MAX_OUTCOMES, READY, WORDS
from algorithms.agents.rooms import board, geometry, room_of, square_of, words_of
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import FACINGS, Square

BELIEFS_PER_STEP = 200
"""Number of beliefs evaluated between two looks at the clock."""

_FIRST_SLOTS = 1 << 18
"""Slots of the table at first."""
_MAX_SLOTS = 1 << 20
"""Maximum number of slots with a limited depth."""
_MAX_SLOTS_FULL_DEPTH = 1 << 22
"""Maximum number of slots with an unlimited depth."""


@dataclass(frozen=True)
class MacroAction:
    """Macro-action to do next.

    Attributes
    ----------
    room : (int, int) or None
        New room to enter, or room to shoot from, counted from (0, 0); None: leave the cave.
    facing : {"N", "E", "S", "W"}
        Facing of the hunter when it enters or shoots.
    shoots : bool
    value : float
        Expected score from now on, as computed by the look-ahead.
    """

    room: Square | None
    facing: str
    shoots: bool
    value: float


class Planner:
    """Planner that finds the best macro-action under a belief.

    Parameters
    ----------
    largest_side : int
        Largest possible side of the cave.
    pit_probability : float
    detour : int or None
        While there are safe new rooms, consider only those that cost at most so many actions more than the nearest;
        None: consider everything.
    """

    def __init__(self, largest_side: int, pit_probability: float, detour: int | None) -> None:
        self._stride = largest_side
        self._pit_probability = pit_probability
        self._sides = range(2, largest_side + 1)
        self._cave = (
            *geometry(largest_side),
            np.concatenate([board(side, largest_side) for side in self._sides]),
        )
        rooms = largest_side**2
        sides = len(self._sides)
        levels = rooms + 4
        macro_actions = 8 * rooms
        self._beliefs = np.zeros((levels, WORDS), np.uint64)
        self._places = np.zeros((levels, 3), np.int64)
        self._weights = np.zeros((levels, sides))
        self._cursors = np.zeros((levels, 6), np.int64)
        self._values = np.zeros((levels, 3))
        self._levels = (
            self._beliefs,
            self._places,
            self._weights,
            self._cursors,
            self._values,
            np.zeros((levels, macro_actions, 4)),
            np.zeros((levels, rooms, sides, 2)),
        )
        self._outcomes = (
            np.zeros((levels, MAX_OUTCOMES, WORDS), np.uint64),
            np.zeros((levels, MAX_OUTCOMES, 3), np.int64),
            np.zeros((levels, MAX_OUTCOMES, sides)),
            np.zeros((levels, MAX_OUTCOMES)),
        )
        self._buffers = (
            np.zeros(4 * rooms, np.int64),
            np.zeros(4 * rooms, np.int64),
            np.zeros(SCRATCH + lookahead.KEY, np.uint64),
        )
        self._control = np.zeros(3, np.int64)
        self._control[lookahead.DETOUR] = -1 if detour is None else detour
        self._max_slots = _MAX_SLOTS
        self._deadline: float | None = None
        self._new_table(_FIRST_SLOTS)

    def best_macro_action(
        self,
        belief: Belief,
        at: Square,
        facing: str,
        arrow: int,
        depth: int | None = None,
        seconds: float | None = None,
        deadline: float | None = None,
    ) -> MacroAction:
        """Return the macro-action with the best expected score.

        Parameters
        ----------
        belief : Belief
        at, facing
            Room of the hunter, counted from (0, 0), and its facing.
        arrow : int
            `READY`, `SHOT` or `KILLED` of `algorithms.agents.macro_actions`.
        depth : int, optional
            Number of macro-actions looked ahead; unlimited if not given.
        seconds : float, optional
            Time for looking one macro-action deeper after the other, up to `depth`. The answer then depends on the
            speed of the machine.
        deadline : float, optional
            Value of `time.perf_counter` at which TimeoutError is raised.

        Raises
        ------
        TimeoutError
            At the deadline.
        """
        self._deadline = deadline
        end = max(belief.sides) ** 2 - len(belief.visited) + (arrow == READY) + (len(belief.sides) > 1)
        deepest = end if depth is None else min(depth, end)
        if seconds is None:
            self._max_slots = _MAX_SLOTS_FULL_DEPTH if depth is None else _MAX_SLOTS
            best = self._look_ahead(belief, at, facing, arrow, deepest, None)
            assert best is not None
            return best
        until = time.perf_counter() + seconds
        best = None
        for limit in range(1, deepest + 1):
            deeper = self._look_ahead(belief, at, facing, arrow, limit, until if best else None)
            if deeper is None:
                break
            best = deeper
        return best or MacroAction(None, facing, False, 0.0)

    def expected_score(self, sides: Sequence[int], depth: int | None = None) -> float:
        """Return the expected score of a game before its first percepts; the given sides are equally likely."""
        score, calm = 0.0, (1 - self._pit_probability) ** 2
        smells = sum(2 / (side * side - 1) for side in sides) / len(sides)
        for breeze, stench in itertools.product((False, True), repeat=2):
            known = belief({(0, 0): Percepts(stench, breeze, False)}, self._pit_probability, sides)
            value = self.best_macro_action(known, (0, 0), "E", READY, depth).value
            score += (1 - calm if breeze else calm) * (smells if stench else 1 - smells) * value
        return score

    def _look_ahead(
        self, belief: Belief, at: Square, facing: str, arrow: int, depth: int, until: float | None
    ) -> MacroAction | None:
        """Look ahead to one depth. Return None once the time `until` has passed."""
        inside = {(x, y) for x in range(self._stride) for y in range(self._stride)}
        for index, rooms in enumerate((belief.visited, belief.breezy, belief.clear & inside, belief.wumpus)):
            self._beliefs[0, 2 * index : 2 * index + 2] = words_of(rooms, self._stride)
        self._places[0] = room_of(at, self._stride), FACINGS.index(facing), arrow
        self._weights[0] = [belief.sides.get(side, 0.0) for side in self._sides]
        self._cursors[0, lookahead.STATE] = lookahead.NEW
        self._cursors[0, lookahead.REMAINING] = depth
        self._control[lookahead.LEVEL] = 0
        while self._step(may_grow=until is None) == lookahead.RUNNING:
            now = time.perf_counter()
            if self._deadline is not None and now > self._deadline:
                raise TimeoutError
            if until is not None and now > until:
                return None
        code = int(self._values[0, lookahead.CHOICE])
        value = float(self._values[0, lookahead.BEST])
        if code == lookahead.LEAVE:
            return MacroAction(None, facing, False, value)
        return MacroAction(square_of(code >> 3, self._stride), FACINGS[code >> 1 & 3], bool(code & 1), value)

    def _step(self, *, may_grow: bool) -> int:
        """Evaluate some more beliefs. If the table may not hold them all, first grow it, or empty it."""
        slots, used = self._known.size, int(self._control[lookahead.USED])
        if 4 * (used + BELIEFS_PER_STEP) > 3 * slots:
            if may_grow and slots < self._max_slots:
                keys, known = self._keys, self._known
                self._new_table(4 * slots)
                lookahead.move_table.compiled(keys, known, self._keys, self._known)
                self._control[lookahead.USED] = used
            else:
                self._new_table(slots)
        return int(
            lookahead.look_ahead.compiled(
                self._cave,
                self._pit_probability,
                self._levels,
                self._outcomes,
                (self._keys, self._known),
                self._buffers,
                self._control,
                BELIEFS_PER_STEP,
            )
        )

    def _new_table(self, slots: int) -> None:
        self._keys = np.zeros((slots, lookahead.KEY), np.uint64)
        self._known = np.zeros(slots)
        self._control[lookahead.USED] = 0
