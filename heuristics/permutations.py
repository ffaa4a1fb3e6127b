"""Pattern databases for worlds that sort a permutation, by the moves of the world. Domains register them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import perm

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import TERM, Heuristic, Term
from heuristics.tables import Report, distances
from runner.base import UserError
from worlds.compile import Kernel, byte_at, count_ones
from worlds.interface import Instance, Problem, World
from worlds.permutations import (
    SIZE,
    Layout,
    Permutation,
    PermutationWorld,
    Rearrangement,
    index_of_patterns,
    layout_of,
    per_layout,
    places_of,
)

MAX_ENTRIES = 1 << 28
"""Largest number of entries of a table."""
MAX_GROUP = 10
AUTOMATIC_ENTRIES = 1_000_000
"""Largest number of entries of a table that ``auto`` makes."""


@dataclass(frozen=True)
class PermutationPatternDatabase(Heuristic):
    """Maximum over groups of items: the fewest moves that bring a group into place, wherever the others are.

    Admissible and consistent: these are distances in an abstraction. Source: Culberson and Schaeffer, "Pattern
    databases", Computational Intelligence 14, 1998.

    Attributes
    ----------
    partition : str, int or list of lists of int
        Sizes of the groups joined by ``-``, of the items in ascending order; or the items of each group, from 0. Items
        may be in no group. ``auto``: groups of the largest size that gives at most a million entries.
    """

    partition: str | int | list[list[int]] = "auto"

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Raise `UserError` for groups that do not fit the permutation."""
        self._groups(len(_world(instance.world).goal))

    def build(self, instance: Instance, report: Report) -> None:
        """Compute the tables of the goal."""
        world = _world(instance.world)
        for group in self._groups(len(world.goal)):
            _table(world.moves, group)

    def term(self, problem: Problem) -> Term:
        """Bind to the goal."""
        world = _world(problem.world)
        return self._bound(world, world.goal)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the start."""
        world = _world(problem.world)
        return self._bound(world, world.initial())

    def _bound(self, world: PermutationWorld, target: Permutation) -> Term:
        n, places = len(target), places_of(target)
        params, tables = [n, *[0] * n], []
        for group in self._groups(n):
            tables.append(_table(world.moves, tuple(places[item] for item in group)))
            params += [len(group), tables[-1].ctypes.data, *group]
        return Term(_KERNELS[layout_of(n)], np.array(params, np.int64), keepalive=tables)

    def _groups(self, n: int) -> list[tuple[int, ...]]:
        """Return the items of each group."""
        given = self.partition
        if isinstance(given, list):
            groups = [tuple(group) for group in given]
            if not all(group and len({*group}) == len(group) and {*group} <= {*range(n)} for group in groups):
                raise UserError(f"heuristic.partition: expected groups of the items 0 to {n - 1}, each once in a group")
        else:
            most = max(k for k in range(1, min(n, MAX_GROUP) + 1) if k == 1 or perm(n, k) <= AUTOMATIC_ENTRIES)
            auto = "-".join([str(most)] * (n // most))
            text = auto if given == "auto" else str(given)
            sizes = [int(size) for size in text.split("-")] if re.fullmatch(r"[1-9]\d?(-[1-9]\d?)*", text) else []
            if not 0 < sum(sizes) <= n:
                raise UserError(
                    f"heuristic.partition: '{text[:40]}' gives no groups of {n} items; expected sizes such as {auto}, "
                    "lists of items, or auto"
                )
            ends = np.cumsum([0, *sizes]).tolist()
            groups = [tuple(range(end - size, end)) for size, end in zip(sizes, ends[1:], strict=True)]
        largest = max(map(len, groups), default=0)
        if not 0 < largest <= MAX_GROUP or perm(n, largest) > MAX_ENTRIES:
            raise UserError(
                f"heuristic.partition: expected groups of 1 to {MAX_GROUP} items with at most {MAX_ENTRIES:,} "
                f"placements, got one of {largest} of {n} items"
            )
        return groups


def _world(world: World) -> PermutationWorld:
    assert isinstance(world, PermutationWorld)
    return world


@lru_cache(maxsize=8)
def _table(moves: tuple[Permutation, ...], places: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the distance of each placement of some items to given places."""
    index = index_of_patterns(len(moves[0]), len(places), [*map(Rearrangement, moves)])
    return distances(index, index.number(places))


def _term(layout: Layout) -> Kernel:
    item, per_word = layout.item, layout.per_word

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        size = params[SIZE]  # behind it the place of each item, then the groups: size, address of the table, items
        words = (size + per_word - 1) // per_word
        for k in range(n):
            for place in range(size):
                params[1 + item(out, out_at + k * words, place)] = place
            at, best = 1 + size, np.int64(0)
            while at < params.size:
                occupied, number = np.uint64(0), np.int64(0)
                for i in range(params[at]):
                    place = params[1 + params[at + 2 + i]]
                    bit = np.uint64(1) << np.uint64(place)
                    number = number * (size - i) + place - count_ones(occupied & (bit - np.uint64(1)))
                    occupied |= bit
                best = max(best, np.int64(byte_at(params[at + 1], number)))
                at += 2 + params[at]
            h[slot + k] += best
        return 0

    term.__qualname__ = f"permutation_patterns.{layout.name}"  # its own name in the disk cache
    return Kernel(term, TERM)


_KERNELS = per_layout(_term)
