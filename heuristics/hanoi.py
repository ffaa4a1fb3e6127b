"""Additive pattern databases for the Tower of Hanoi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log2

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.tables import Report, distances
from runner.base import UserError
from worlds.compile import byte_at, kernel
from worlds.hanoi import Hanoi, Pegs, index_of, peg_of
from worlds.interface import Instance, Problem, World

MAX_ENTRIES = 1 << 28
"""Largest number of entries of a table."""


@HEURISTICS.register("pattern_database", domain="hanoi")
@dataclass(frozen=True)
class HanoiPatternDatabase(Heuristic):
    """Sum over groups of disks: the fewest moves that each group needs if there are no other disks.

    Admissible and consistent: a move moves a disk of one group only, and is possible without the others. Source:
    Felner, Korf and Hanan, "Additive pattern database heuristics", JAIR 22, 2004.

    Attributes
    ----------
    partition : str, int or list of lists of int
        Sizes of the groups joined by ``-``, that of the largest disks first; or the disks of each group, 1 being the
        smallest. ``auto``: two halves, or more groups if these would be too large.
    """

    partition: str | int | list[list[int]] = "auto"

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Raise `UserError` for a partition that does not fit the tower."""
        self._groups(_world(instance.world))

    def build(self, instance: Instance, report: Report) -> None:
        """Compute the tables of the goal."""
        world = _world(instance.world)
        for group in self._groups(world):
            _table(world.pegs, tuple(world.goal[disk] for disk in group))

    def term(self, problem: Problem) -> Term:
        """Bind to the goal."""
        world = _world(problem.world)
        return self._bound(world, world.goal)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the start."""
        world = _world(problem.world)
        return self._bound(world, world.start)

    def _bound(self, world: Hanoi, target: Pegs) -> Term:
        params, tables = [world.pegs], []
        for group in self._groups(world):
            tables.append(_table(world.pegs, tuple(target[disk] for disk in group)))
            params += [len(group), tables[-1].ctypes.data, *reversed(group)]
        return Term(sum_of_groups, np.array(params, np.int64), keepalive=tables)

    def _groups(self, world: Hanoi) -> list[list[int]]:
        """Return the disks of each group, from 0, the smallest first."""
        disks, given = len(world.start), self.partition
        if isinstance(given, list):
            groups = [sorted(disk - 1 for disk in group) for group in given]
            if sorted(disk for group in groups for disk in group) != [*range(disks)] or [] in groups:
                raise UserError(f"heuristic.partition: expected each of the disks 1 to {disks} once, in groups")
        else:
            most = min(-(-disks // 2), 7 if world.pegs == 3 else int(24 / log2(world.pegs)))
            auto = "-".join(map(str, [most] * (disks // most) + [disks % most] * (disks % most > 0)))
            text = auto if given == "auto" else str(given)
            sizes = [int(size) for size in text.split("-")] if re.fullmatch(r"[1-9]\d?(-[1-9]\d?)*", text) else []
            if sum(sizes) != disks:
                raise UserError(
                    f"heuristic.partition: '{text[:40]}' is no partition of {disks} disks; expected sizes of groups "
                    f"such as {auto}, lists of disks, or auto"
                )
            ends = np.cumsum([0, *sizes[::-1]]).tolist()
            groups = [[*range(begin, end)] for begin, end in pairwise(ends)][::-1]
        largest = max(map(len, groups))
        if world.pegs**largest > MAX_ENTRIES or (world.pegs == 3 and largest > 7):
            raise UserError(
                f"heuristic.partition: a group of {largest} disks on {world.pegs} pegs has more than {MAX_ENTRIES:,} "
                "states, or distances that do not fit into a byte; use smaller groups"
            )
        return groups


def _world(world: World) -> Hanoi:
    assert isinstance(world, Hanoi)
    return world


@lru_cache(maxsize=8)
def _table(pegs: int, target: Pegs) -> NDArray[np.uint8]:
    """Return the distance of each state of some disks to a state."""
    index = index_of(len(target), pegs)
    return distances(index, index.number(target))


@kernel(TERM)
def sum_of_groups(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Look up each group: its size, the address of its table, and its disks, the largest first."""
    pegs = params[0]
    for k in range(n):
        state, at, value = out[out_at + k], 1, np.int64(0)
        while at < params.size:
            number = np.int64(0)
            for i in range(params[at]):
                number = number * pegs + peg_of(state, params[at + 2 + i])
            value += byte_at(params[at + 1], number)
            at += 2 + params[at]
        h[slot + k] += value
    return 0
