"""Heuristics of pancakes: the number of gaps, and pattern databases.

A gap is two neighbours in the stack that are no neighbours in the target. `Gap` has a batch kernel, because h follows
from the parent's; `examples/pancake_compiled.py` has the usual form, a function of one state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.permutations import PermutationPatternDatabase
from worlds.compile import Kernel, helper
from worlds.interface import Problem
from worlds.pancake import Pancakes, PancakeStack
from worlds.permutations import MAX_SIZE, SIZE, Layout, layout_of, per_layout

HEURISTICS.register("pattern_database", domain="pancake")(PermutationPatternDatabase)


@HEURISTICS.register("gap", domain="pancake")
@dataclass(frozen=True)
class Gap(Heuristic):
    """Number of places where two neighbours in the stack are no neighbours in the target.

    The plate lies below the stack and is the last pancake of the target. Admissible and consistent: a flip separates
    one pair of neighbours, and costs no less than their gap: 1; 2 where a flip costs its length; for heavy pancakes,
    the smaller number of the two plus 1. GAP-k leaves out gaps with k of the pancakes, and is weaker. Source: M.
    Helmert, "Landmark heuristics for the pancake problem", SoCS 2010.

    Attributes
    ----------
    k : int
        Number of pancakes whose gaps do not count.
    definition : {"siag", "alcazar", "holte"}
        Which gaps these are. `holte`: those with one of the k smallest pancakes (Holte, Felner, Sharon, Sturtevant and
        Chen, AIJ 252, 2017). `alcazar`: those with one of the first k pancakes of the target, which is the goal, or in
        a backward search the start (Alcazar, Riddle and Barley, AAAI 2020). `siag`: the same, but a gap above the plate
        always counts (Siag and Shperberg, AIJ 348, 2025).
    """

    admissible = True
    consistent = True

    k: Annotated[int, Meta(ge=0, le=MAX_SIZE)] = 0
    definition: Literal["siag", "alcazar", "holte"] = "siag"

    def term(self, problem: Problem) -> Term:
        """Bind to the goal."""
        return self._bound(problem, tuple(range(problem.constants[SIZE])))

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the start."""
        return self._bound(problem, problem.unpack(problem.initial))

    def _bound(self, problem: Problem, target: PancakeStack) -> Term:
        left_out = range(self.k) if self.definition == "holte" else target[: self.k]
        gaps = _gaps(target, set(left_out), plate_counts=self.definition == "siag")
        assert isinstance(problem.world, Pancakes)
        value = {"unit": 1, "length": 2, "heavy": 0}[problem.world.costs]
        return Term(_KERNELS[layout_of(len(target))], np.array([len(target), value, *gaps], np.int64))


# Layout of `params`: number of pancakes, value of a gap (0: the smaller number plus 1), then for each pancake and the
# plate the set of those that make a gap.
STACK_SIZE, GAP_VALUE, GAPS = range(3)


def _gaps(target: PancakeStack, left_out: set[int], *, plate_counts: bool) -> list[int]:
    """Return for each pancake and the plate the set, as bits, of the neighbours with which it makes a gap."""
    plate = len(target)
    place = {pancake: number for number, pancake in enumerate((*target, plate))}

    def is_gap(one: int, other: int) -> bool:
        counts = {one, other}.isdisjoint(left_out) or (plate_counts and plate in (one, other))
        return abs(place[one] - place[other]) > 1 and counts

    every = range(plate + 1)
    return [sum(is_gap(one, other) << other for other in every) for one in every]


@helper
def value_of(params, one, other):
    """Return the value of two neighbours if they are a gap that counts, else 0."""
    value = params[GAP_VALUE]
    return ((params[GAPS + one] >> other) & 1) * (value if value > 0 else min(one, other) + 1)


def _kernel(layout: Layout) -> Kernel:
    pancake, per_word = layout.item, layout.per_word

    def gap(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        size = params[STACK_SIZE]
        words = (size + per_word - 1) // per_word
        for k in range(n):
            at = out_at + k * words
            if parent_h >= 0:  # the flip has separated one pair: the pancake that is on top now lay above `place`
                place = action[slot + k] + 2
                below = pancake(out, at, place) if place < size else size
                joined, separated = pancake(out, at, place - 1), pancake(out, at, 0)
                h[slot + k] += parent_h - value_of(params, separated, below) + value_of(params, joined, below)
            else:
                value, above = 0, pancake(out, at, 0)
                for place in range(1, size + 1):
                    below = pancake(out, at, place) if place < size else size
                    value += value_of(params, above, below)
                    above = below
                h[slot + k] += value
        return 0

    gap.__qualname__ = f"gap.{layout.name}"  # its own name in the disk cache
    return Kernel(gap, TERM)


_KERNELS = per_layout(_kernel)
