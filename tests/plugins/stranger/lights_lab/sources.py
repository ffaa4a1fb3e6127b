"""Domain `rings`: lamps in a ring, as a world made of parts, with random instances and those of files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta

from runner import EXPAND, IS_GOAL, Family, Kernels, Looks, file_error, kernel, read_text, source

State = tuple[bool, ...]


@kernel(EXPAND)
def press(constants, states, at, out, out_at, cost, action, slot):  # type: ignore[no-untyped-def]
    """Write the ring after each press. `constants` has the bits that it switches."""
    for lamp in range(constants.size):
        out[out_at + lamp] = states[at] ^ np.uint64(constants[lamp])
        cost[slot + lamp] = 1
        action[slot + lamp] = lamp
    return constants.size


@kernel(IS_GOAL)
def is_dark(constants, states, at):  # type: ignore[no-untyped-def]
    """Return whether all lamps are off."""
    return states[at] == 0


@dataclass(frozen=True)
class Ring(Kernels, Looks, Family):
    """Ring of lamps. Pressing one switches it and its neighbours; all must be off."""

    domain = "rings"
    unit_costs = True
    expand_kernel = press
    goal_kernel = is_dark

    lit: State

    def initial(self) -> State:
        """Return the start."""
        return self.lit

    def step_of(self, state: State, action: str) -> tuple[State, int]:
        """Return the ring after a press."""
        bits = self.constants()[self.action_names().index(action)]
        return tuple(on != bool(bits >> place & 1) for place, on in enumerate(state)), 1

    def is_goal(self, state: State) -> bool:
        """Return whether all lamps are off."""
        return not any(state)

    def pack(self, state: State) -> list[int]:
        """Return the word of a state."""
        return [sum(on << place for place, on in enumerate(state))]

    def unpack(self, words: list[int]) -> State:  # type: ignore[override]
        """Return the state of a word."""
        return tuple(bool(words[0] >> place & 1) for place in range(len(self.lit)))

    def constants(self) -> list[int]:
        """Return the bits that each press switches."""
        n = len(self.lit)
        return [sum({1 << near % n for near in (lamp - 1, lamp, lamp + 1)}) for lamp in range(n)]

    def action_names(self) -> list[str]:
        """Return the names of the presses."""
        return [f"press {lamp}" for lamp in range(len(self.lit))]

    def show(self, state: State) -> str:
        """Return the lamps as text."""
        return "".join("*" if on else "." for on in state)

    def smaller(self) -> Iterator[Ring]:
        """Yield the ring without its last lamp."""
        if len(self.lit) > 3:
            yield replace(self, lit=self.lit[:-1])


@source("rings/random", id="{lamps}-{seed}")
def random_rings(seed: int, lamps: Annotated[int, Meta(ge=3, le=30)] = 7) -> Ring:
    """Random rings.

    Parameters
    ----------
    lamps : int
        Number of lamps.
    """
    lit = random.Random(seed)
    return Ring(tuple(lit.random() < 0.5 for _ in range(lamps)))


@source("rings/file", files=".txt", content="rings")
def loaded_rings(file: Path) -> Iterator[tuple[None, Ring]]:
    """Rings of files, one per line: * for a lamp that is on."""
    for number, line in enumerate(read_text(file).splitlines(), 1):
        if set(line) - set("*."):
            raise file_error(file, f"expected * and ., got {line!r}", line=number)
        yield None, Ring(tuple(symbol == "*" for symbol in line))
