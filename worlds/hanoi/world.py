"""The Tower of Hanoi: move disks between pegs, never onto a smaller one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from runner.base.errors import UserError
from worlds.hanoi.search import BITS, expand, index_of, is_goal, predecessors
from worlds.perfect_index import MAX_STATES, PerfectIndex
from worlds.world import Document, Step, World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pegs = tuple[int, ...]
"""Peg of each disk, from 0, the smallest disk first."""


@dataclass(frozen=True)
class Hanoi(World):
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
    unit_costs = True
    expand_kernel = expand
    predecessors_kernel = predecessors
    goal_kernel = is_goal

    start: Pegs
    goal: Pegs
    pegs: int = 3

    def initial(self) -> Pegs:
        """Return the start."""
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
        """Return whether a state is the goal."""
        return state == self.goal

    def goals(self) -> list[Pegs]:
        """Return the only goal."""
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
        """Return the word of a state."""
        return [sum(peg << BITS * disk for disk, peg in enumerate(state))]

    def unpack(self, words: Sequence[int]) -> Pegs:
        """Return the state of a word."""
        return tuple(words[0] >> BITS * disk & 7 for disk in range(len(self.start)))

    def constants(self) -> list[int]:
        """Return the numbers of disks and pegs, and the packed goal."""
        return [len(self.start), self.pegs, *self.pack(self.goal)]

    def action_names(self) -> list[str]:
        """Return the names of the moves, with their pegs."""
        return [f"{one} to {other}" for one in range(self.pegs) for other in range(self.pegs)]

    # Audits and files.

    def state_of(self, value: Sequence[int]) -> Pegs:
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
        return len(self.start), self.pegs

    def smaller(self) -> Iterator[Hanoi]:
        """Yield towers without one of the disks."""
        for disk in range(len(self.start) if len(self.start) > 1 else 0):
            start, goal = ((*state[:disk], *state[disk + 1 :]) for state in (self.start, self.goal))
            yield replace(self, start=start, goal=goal)

    def starting_at(self, state: Pegs) -> Hanoi:
        """Return the problem with another start."""
        return replace(self, start=state)

    def document(self, name: str) -> Document:
        """Return the start as a file with one line."""
        return Document("hanoi/file", ".txt", f"{name}: {self.show(self.start)}\n", {"goal": list(self.goal)})

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
