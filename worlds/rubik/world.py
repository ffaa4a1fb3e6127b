"""Rubik's cube: turn faces until each has one colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError
from worlds.interface import Document, Family, InPlaceProblem, InputFile, Kernels, Looks, Step
from worlds.rubik import search
from worlds.rubik.cube_texts import facelets_of, state_of, turns_in
from worlds.rubik.in_place import in_place, sequences
from worlds.rubik.rules import SLOTS, SOLVED, TURNS, State, inverse, redundant_pairs, stickers, turned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"U": "white", "D": "gold", "F": "limegreen", "B": "royalblue", "L": "darkorange", "R": "crimson"}


@dataclass(frozen=True)
class Cube(Kernels, Looks, Family):
    """The 3x3x3 cube. A turn of a face by 90 or 180 degrees costs 1: the half-turn metric.

    Source: R. Korf, "Finding optimal solutions to Rubik's cube using pattern databases", AAAI 1997.

    Attributes
    ----------
    start : tuple of int
        Slot of each cubie (`worlds.rubik.rules`).
    turns : tuple of str
        Turns that are allowed. Each must be the inverse of one of them.
    """

    domain: ClassVar[str] = "rubik"
    plan_formats = ("names", "moves", "json")
    unit_costs = True
    expand_kernel = search.expand
    predecessors_kernel = search.predecessors
    goal_kernel = search.is_goal

    start: State
    turns: tuple[str, ...] = TURNS

    def initial(self) -> State:
        """Return the start."""
        return self.start

    def successors(self, state: State) -> Iterator[Step]:
        """Yield the turns in their order, by default U, U-, U2, D, D-, D2, F, ..., B, ..., L, ..., R, R-, R2."""
        for turn in self.turns:
            yield turn, turned(state, turn), 1

    def predecessors(self, state: State) -> Iterator[Step]:
        """Yield the turns to a state, in the same order."""
        for turn in self.turns:
            yield turn, turned(state, inverse(turn)), 1

    def is_goal(self, state: State) -> bool:
        """Return whether the cube is solved."""
        return state == SOLVED

    def goals(self) -> list[State]:
        """Return the solved cube."""
        return [SOLVED]

    # The packed side.

    @property
    def redundant_pairs(self) -> frozenset[tuple[int, int]]:
        """Turns of one face, or of opposite faces in the other order, one after the other."""
        return redundant_pairs(self.turns)

    @property
    def in_place(self) -> Callable[[], InPlaceProblem] | None:
        """Function that returns the problem for searches that change one cube, if a turn may follow each turn."""
        return partial(in_place, self.start, self.turns) if all(sequences(self.turns)) else None

    def pack(self, state: State) -> list[int]:
        """Return the words of a state."""
        return search.pack(state)

    def unpack(self, words: Sequence[int]) -> State:
        """Return the state of packed words."""
        return search.unpack(words)

    def values_of(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the slot of each cubie; those of edges count from 0."""
        return search.slots_of(states)

    @property
    def value_counts(self) -> list[int]:
        """Number of slots of each cubie."""
        return [search.SLOT_COUNT // 2] * (search.CORNER_COUNT + search.EDGE_COUNT)

    def constants(self) -> list[int]:
        """Return the tables of the turns, and the solved cube."""
        return search.constants_of(self.turns, SOLVED)

    def action_names(self) -> list[str]:
        """Return the names of the turns."""
        return list(self.turns)

    # Audits and files.

    def state(self, value: Sequence[int] | str) -> State:
        """Return a state, given as its slots, as turns of the solved cube, or as in a file.

        Raises
        ------
        UserError
            If turns do not lead there.
        """
        if isinstance(value, str):
            return state_of(value.split())
        if not all(0 <= int(slot) < len(SLOTS) for slot in value):
            raise UserError(f"state: expected slots from 0 to {len(SLOTS) - 1}, got {value}")
        return state_of([SLOTS[int(slot)] for slot in value])

    def starting_at(self, state: State) -> Cube:
        """Return the problem with another start."""
        return replace(self, start=state)

    def document(self, name: str) -> Document:
        """Return the start as a file with one line."""
        return Document("rubik/file", ".txt", f"{name}: {self.text_of(self.start)}\n", {"turns": list(self.turns)})

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the start as the places of the cubies and as facelets, and the turns that are allowed."""
        cube = self.text_of(self.start)
        return {"cube": cube, "facelets": facelets_of(self.start), "turns": " ".join(self.turns)}

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the turns of a plan. `moves` are in the usual notations, such as ``R' U2`` and ``R3U2``."""
        return turns_in(text) if format == "moves" else super().read_plan(text, format)

    # The looks.

    def text_of(self, state: State) -> str:
        """Return the slot of each cubie."""
        return " ".join(SLOTS[slot] for slot in state)

    def show(self, state: State) -> str:
        """Return the unfolded cube: up, then left, front, right and back, then down."""
        rows = [[" "] * 12 for _ in range(9)]
        for column, row, colour in stickers(state):
            rows[8 - row][column] = colour
        return "\n".join("".join(row).rstrip() for row in rows)

    def draw(self, state: State, axes: Axes) -> None:
        """Draw the unfolded cube."""
        from matplotlib.collections import PolyCollection

        axes.set(xlim=(-0.7, 11.7), ylim=(-0.7, 8.7), aspect="equal")
        axes.set_axis_off()
        x, y, colours = zip(*stickers(state), strict=True)
        corners = np.stack([x, y], axis=-1)[:, None] + [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
        faces = [COLOURS[each] for each in colours]
        axes.add_collection(PolyCollection([*corners], facecolors=faces, edgecolors="0.2", linewidths=1))
