"""Numbers of states: for worlds whose states are as few as the cells of a map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worlds.compile import Kernel

NUMBER = "int64(int64[::1], uint64[::1], int64)"
"""``number(constants, states, at)`` returns the number of the state at word offset `at` of `states`."""


@dataclass(frozen=True, eq=False)
class Numbering:
    """A number for each state. Instances that differ only in start and goal should share one object.

    Attributes
    ----------
    number : Kernel
        Kernel of signature `NUMBER`. Different states of an instance have different numbers.
    states : int
        All numbers are smaller than this.
    spare : list
        Memory that searches leave to the next one.
    """

    number: Kernel
    states: int
    spare: list[Any] = field(default_factory=list, init=False, repr=False)
