"""The Tower of Hanoi with any number of pegs: move disks between pegs, never onto a smaller one.

The whole domain: the rules as a world, the same rules as kernels, the perfect index of all states, and the sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from msgspec import Meta

from runner.base import Fail, UserError, file_error, named_lines
from worlds.compile import EXPAND, IS_GOAL, helper, kernel
from worlds.interface import (
    MAX_STATES,
    NOWHERE,
    STEPS,
    Document,
    Family,
    InputFile,
    Kernels,
    Looks,
    PerfectIndex,
    StateVariable,
    Step,
    generator_of,
    source,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pegs = tuple[int, ...]
"""Peg of each disk, from 0, the smallest disk first."""
BITS = 3
MAX_DISKS, MAX_PEGS = 21, 8
Disks = Annotated[int, Meta(ge=1, le=MAX_DISKS)]
PegCount = Annotated[int, Meta(ge=3, le=MAX_PEGS)]

# The kernels. A packed state is one word, with 3 bits for the peg of each disk, the smallest disk in the lowest bits.
# Successors come in the order of the peg from which a disk is taken, then of the peg to which it goes. The action code
# is ``from * pegs + to``. `constants` is the numbers of disks and pegs, and the packed goal.
DISKS, PEGS, GOAL = range(3)


@helper
def peg_of(state, disk):
    """Return the peg of a disk, from 0 for the smallest."""
    return np.int64((state >> np.uint64(BITS * disk)) & np.uint64(7))


@helper
def tops_of(state, disks, pegs):
    """Return the smallest disk of each peg, or the number of disks if it is empty, in groups of 5 bits."""
    tops = np.uint64(0)
    for peg in range(pegs):
        tops |= np.uint64(disks) << np.uint64(5 * peg)
    for disk in range(disks - 1, -1, -1):
        shift = np.uint64(5 * peg_of(state, disk))
        tops = (tops & ~(np.uint64(31) << shift)) | (np.uint64(disk) << shift)
    return tops


@helper
def write_moves(constants, states, at, out, out_at, cost, action, slot, backward):
    """Write the states after (or before) each move of a smallest disk to a peg without a smaller one."""
    state, pegs = states[at], constants[PEGS]
    tops = tops_of(state, constants[DISKS], pegs)
    n = 0
    for one in range(pegs):
        for other in range(pegs):
            source, target = (other, one) if backward else (one, other)
            disk = np.int64((tops >> np.uint64(5 * source)) & np.uint64(31))
            if disk < np.int64((tops >> np.uint64(5 * target)) & np.uint64(31)):
                out[out_at + n] = state ^ (np.uint64(source ^ target) << np.uint64(BITS * disk))
                cost[slot + n] = 1
                action[slot + n] = one * pegs + other
                n += 1
    return n


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the states after each move."""
    return write_moves(constants, states, at, out, out_at, cost, action, slot, False)


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the states before each move."""
    return write_moves(constants, states, at, out, out_at, cost, action, slot, True)


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether a state is the goal."""
    return np.int64(states[at]) == constants[GOAL]


# The perfect index.


@cache
def index_of(disks: int, pegs: int) -> PerfectIndex:
    """Return the index of all states: the pegs as digits, that of the smallest disk last.

    A block is the pegs of the large disks. A step moves one of the small disks within the block, or a large disk, if no
    small disk is on either of the two pegs.
    """
    small = next(k for k in range(disks, 0, -1) if pegs**k < NOWHERE)
    states = list(product(range(pegs), repeat=small))  # the smallest disk is the last digit
    maps = []
    for pair in combinations(range(pegs), 2):
        inner, clear = [], []
        for number, state in enumerate(states):
            disk = next((k for k in reversed(range(small)) if state[k] in pair), None)
            moved = 0 if disk is None else (sum(pair) - 2 * state[disk]) * pegs ** (small - 1 - disk)
            inner.append(NOWHERE if disk is None else number + moved)
            clear.append(number if disk is None else NOWHERE)
        maps += [inner, clear]
    return PerfectIndex(
        blocks=pegs ** (disks - small),
        size=pegs**small,
        steps=block_steps,
        data=np.array([disks - small, pegs], np.int64),
        max_steps=len(maps),
        maps=np.array(maps, np.uint16),
        number=lambda state: sum(peg * pegs**disk for disk, peg in enumerate(state)),
    )


@kernel(STEPS)
def block_steps(data, block, out):
    """Write the steps between the pegs of each pair: those of the small disks, and that of a large disk."""
    large, pegs = data[0], data[1]
    n = pair = 0
    for one in range(pegs):
        for other in range(one + 1, pegs):
            out[2 * n], out[2 * n + 1] = block, 2 * pair
            n += 1
            power, rest = 1, block
            for _ in range(large):
                peg = rest % pegs
                if peg in (one, other):
                    out[2 * n], out[2 * n + 1] = block + (one + other - 2 * peg) * power, 2 * pair + 1
                    n += 1
                    break
                power *= pegs
                rest //= pegs
            pair += 1
    return n


# The world.


@dataclass(frozen=True)
class Hanoi(Kernels, Looks, Family):
    """Disks on pegs. A move takes the smallest disk of a peg to a peg without a smaller disk, and costs 1.

    Sources: E. Lucas, "Récréations mathématiques III", 1893; H. Dudeney, "The Canterbury puzzles", 1907 (four pegs).

    Attributes
    ----------
    start : tuple of int
    goal : tuple of int
    pegs : int
        Number of pegs.
    """

    domain: ClassVar[str] = "hanoi"
    plan_formats = ("names", "moves", "json")
    numbered_action = "{} to {}"
    unit_costs = True
    expand_kernel = expand
    predecessors_kernel = predecessors
    goal_kernel = is_goal

    start: Pegs
    goal: Pegs
    pegs: int = 3

    def initial(self) -> Pegs:
        return self.start

    def successors(self, state: Pegs) -> Iterator[Step]:
        """Yield the moves by the peg from which the disk is taken, then by that to which it goes."""
        return self._moves(state, backward=False)

    def predecessors(self, state: Pegs) -> Iterator[Step]:
        """Yield the moves to a state, in the same order."""
        return self._moves(state, backward=True)

    def _moves(self, state: Pegs, *, backward: bool) -> Iterator[Step]:
        top = {peg: disk for disk, peg in reversed([*enumerate(state)])}
        for one in range(self.pegs):
            for other in range(self.pegs):
                source, target = (other, one) if backward else (one, other)
                disk = top.get(source, len(state))
                if disk < top.get(target, len(state)):
                    yield f"{one} to {other}", (*state[:disk], target, *state[disk + 1 :]), 1

    def is_goal(self, state: Pegs) -> bool:
        return state == self.goal

    def goals(self) -> list[Pegs]:
        return [self.goal]

    # The packed side.

    @property
    def max_successors(self) -> int:
        """Largest number of moves: one for each pair of pegs."""
        return self.pegs * (self.pegs - 1) // 2

    @property
    def perfect_index(self) -> Callable[[], PerfectIndex] | None:
        """Index of all states, if they are not too many."""
        return partial(index_of, len(self.start), self.pegs) if self.pegs ** len(self.start) <= MAX_STATES else None

    def pack(self, state: Pegs) -> list[int]:
        return [sum(peg << BITS * disk for disk, peg in enumerate(state))]

    def unpack(self, words: Sequence[int]) -> Pegs:
        return tuple(words[0] >> BITS * disk & 7 for disk in range(len(self.start)))

    def state_variables(self) -> list[StateVariable]:
        """Return the peg of each disk."""
        return [StateVariable(0, BITS * disk, 7, self.pegs) for disk in range(len(self.start))]

    def constants(self) -> list[int]:
        """Return the numbers of disks and pegs, and the packed goal."""
        return [len(self.start), self.pegs, *self.pack(self.goal)]

    def action_names(self) -> list[str]:
        return [f"{one} to {other}" for one in range(self.pegs) for other in range(self.pegs)]

    # Audits and files.

    def state(self, value: Sequence[int]) -> Pegs:
        """Return a state with these pegs.

        Raises
        ------
        UserError
            If it has another number of disks, or there is no such peg.
        """
        state = tuple(int(peg) for peg in value)
        if len(state) != len(self.start) or not {*state} <= {*range(self.pegs)}:
            raise UserError(f"state: expected the pegs, 0 to {self.pegs - 1}, of {len(self.start)} disks, got {value}")
        return state

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Numbers of disks and pegs."""
        return len(self.start), self.pegs

    def smaller(self) -> Iterator[Hanoi]:
        """Yield towers without one of the disks."""
        for disk in range(len(self.start) if len(self.start) > 1 else 0):
            start, goal = ((*state[:disk], *state[disk + 1 :]) for state in (self.start, self.goal))
            yield replace(self, start=start, goal=goal)

    def starting_at(self, state: Pegs) -> Hanoi:
        return replace(self, start=state)

    def document(self, name: str) -> Document:
        """Return the start as a file with one line."""
        return Document("hanoi/file", ".txt", f"{name}: {self.show(self.start)}\n", {"goal": list(self.goal)})

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the peg of each disk in the start and in the goal, the smallest first, and the numbers of both."""
        return {
            "start": " ".join(map(str, self.start)),
            "goal": " ".join(map(str, self.goal)),
            "disks": str(len(self.start)),
            "pegs": str(self.pegs),
        }

    # The looks.

    def show(self, state: Pegs) -> str:
        """Return the pegs with their disks, the largest first, disk 1 being the smallest."""
        disks = [[disk + 1 for disk, peg in enumerate(state) if peg == number] for number in range(self.pegs)]
        return " ".join(" ".join([f"({peg})", *map(str, reversed(on))]) for peg, on in enumerate(disks))

    def draw(self, state: Pegs, axes: Axes) -> None:
        """Draw the disks on their pegs. A darker disk is larger."""
        n, height = len(state), [0] * self.pegs
        axes.set(xlim=(-0.6, self.pegs - 0.4), ylim=(0, n + 1), aspect=(self.pegs + 1) / (n + 1))
        axes.set_axis_off()
        axes.bar(range(self.pegs), n + 0.5, width=0.04, color="0.6")
        for disk in reversed(range(n)):
            peg = state[disk]
            width, shade = 0.2 + 0.7 * (disk + 1) / n, 0.85 - 0.45 * disk / n
            axes.bar(peg, 0.9, width, height[peg], color=(0.4 * shade, shade, 0.95), edgecolor="0.35")
            height[peg] += 1


# The sources.


@source("hanoi/tower", id="{disks}-{pegs}")
def tower(disks: Disks = 8, pegs: PegCount = 3) -> Hanoi:
    """The tower: all disks are on the first peg, and go to the last.

    Parameters
    ----------
    disks : int
        Number of disks.
    pegs : int
        Number of pegs.
    """
    return Hanoi((0,) * disks, (pegs - 1,) * disks, pegs)


@source("hanoi/random", id="{disks}-{pegs}-{seed}", small_space={"disks": 7, "count": 1})
def random_states(seed: int, disks: Disks = 10, pegs: PegCount = 4) -> Hanoi:
    """Seeded random states, all equally likely. The goal is all disks on the last peg.

    Parameters
    ----------
    disks : int
        Number of disks.
    pegs : int
        Number of pegs.
    """
    start = (generator_of(seed).random(disks) * pegs).astype(int).tolist()
    return Hanoi(tuple(start), (pegs - 1,) * disks, pegs)


@source("hanoi/file", files=".txt", content="towers of Hanoi")
def loaded_states(file: Path, goal: list[int] | None = None) -> Iterator[tuple[str | None, Hanoi]]:
    """States of your own, one per line: the disks on each peg, optionally after `id:`, as in ``(0) 4 1 (1) 3 (2) 2``.

    Disk 1 is the smallest. Empty lines and lines that begin with # are skipped.

    Parameters
    ----------
    goal : list of int, optional
        Peg of each disk, the smallest first. Unless given, all disks are on the last peg.
    """
    lines = list(named_lines(file))
    for name, text, fail in lines:
        start, pegs = _state(text, fail)
        end = (pegs - 1,) * len(start) if goal is None else tuple(goal)
        if len(end) != len(start) or not {*end} <= {*range(pegs)}:
            raise UserError(f"world.goal: expected the pegs, 0 to {pegs - 1}, of {len(start)} disks, got {goal}")
        yield name, Hanoi(start, end, pegs)
    if not lines:
        raise file_error(file, "holds no towers; expected one per line, such as (0) 4 1 (1) 3 (2) 2")


def _state(text: str, fail: Fail) -> tuple[Pegs, int]:
    """Return the peg of each disk, and the number of pegs."""
    if not re.fullmatch(r"(\s*\(\d\)(\s+\d{1,2})*)+\s*", text, re.ASCII):
        raise fail(f"expected pegs with their disks, such as (0) 4 1 (1) 3 (2) 2, got '{text.strip()[:60]}'")
    pegs = [part.split() for part in text.split("(")[1:]]
    if [part[0] for part in pegs] != [f"{number})" for number in range(len(pegs))] or not 3 <= len(pegs) <= MAX_PEGS:
        raise fail(f"expected 3 to {MAX_PEGS} pegs in the order (0) (1) (2) ...")
    peg_of = {int(disk): number for number, part in enumerate(pegs) for disk in part[1:]}
    count = sum(len(part) - 1 for part in pegs)
    if not 1 <= count <= MAX_DISKS or sorted(peg_of) != [*range(1, count + 1)]:
        raise fail(f"expected each of the disks 1 to n once, n being at most {MAX_DISKS}")
    return tuple(peg_of[disk] for disk in sorted(peg_of)), len(pegs)
