"""Numbers of states: for worlds whose states are as few as the cells of a map."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.kernel import Kernel

NUMBER = "int64(int64[::1], uint64[::1], int64)"
"""``number(world, states, at)`` returns the number of the state at word offset `at` of `states`."""


@dataclass(frozen=True, eq=False)
class Numbering:
    """A number for each state. States that are often reached one after the other should have close numbers.

    Attributes
    ----------
    number : Kernel
        Kernel of signature `NUMBER`. Different states have different numbers.
    states : int
        All numbers are smaller than this.
    """

    number: Kernel
    states: int
