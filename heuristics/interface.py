"""What a heuristic is: a registered dataclass that may prepare the problem and binds compiled terms to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from heuristics.in_place import InPlace
from runner.metric import Metric
from worlds.interface import Instance, Problem
from worlds.kernel import Kernel

TERM = "int64(int64[::1], uint64[::1], int64, int64, uint64[::1], int64, int16[::1], int32[::1], int64, int64)"
"""``term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n)`` adds its estimate for each of `n`
states (at most `Problem.max_successors`) to `h` from index `slot` on. The states lie in `out` from word offset `out_at`
on and were reached by `action` (from index `slot` on) from the state at offset `parent_at` of `states`. `parent_h` is
the term's own value there, or negative: evaluate from scratch. Returns 0, or a negative number on an error."""

UNREACHABLE = 1 << 27
"""A term adds this to say that no goal can be reached from a state."""


@dataclass(frozen=True, eq=False)
class Term:
    """A compiled term bound to one problem: a kernel of signature `TERM` and its `params` array.

    `calls_python` says that the kernel calls back into Python, so nothing is known of its speed. `in_place` makes a
    cheaper way to the same values for depth-first searches (`heuristics.in_place`); others need not pay for it. `keeps`
    holds what must live as long as the term: a function that the kernel calls, or memory whose address it has been
    given.
    """

    kernel: Kernel
    params: NDArray[np.int64]
    calls_python: bool = False
    in_place: Callable[[], InPlace] | None = None
    keeps: Any = None


class Heuristic:
    """Base of all heuristics. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    builds_on : tuple of str
        Names of the heuristics before it in its documented stack; empty for one that stands alone.
    stands_alone : bool
        Whether it is consistent (if it is) also without the heuristics that it builds on.
    admissible, consistent : bool or None
        What the heuristic contributes to a sum; None if unknown. Any sum of heuristics of one documented stack that
        are all admissible is admissible, and likewise for consistent. May be properties that depend on parameters.
    metrics : tuple of Metric
        What `measured` gives.
    """

    registered_name: ClassVar[str]
    builds_on: ClassVar[tuple[str, ...]] = ()
    stands_alone: ClassVar[bool] = True
    metrics: ClassVar[tuple[Metric, ...]] = ()

    @property
    def admissible(self) -> bool | None:
        """Whether sums of such heuristics never overestimate, and prune no optimal solution."""
        return None

    @property
    def consistent(self) -> bool | None:
        """Whether sums of such heuristics never drop by more than the cost of a step, and are 0 at goals."""
        return None

    def measured(self, problem: Problem) -> Mapping[str, float | None]:
        """Return the values of the heuristic's own `metrics`, after the search of a problem that `prepare` returned."""
        return {}

    def check(self, instance: Instance) -> None:
        """Raise `runner.registry.UserError` for an instance that the heuristic is not made for."""

    def build(self, instance: Instance, report: Callable[[str, float], None]) -> None:
        """Make what takes long and serves all such instances, before anything is measured.

        `report` is called with what is being done and the share of it that is done. What was not built here is built
        when a term is bound.
        """

    def prepare(self, problem: Problem) -> Problem:
        """Shrink the problem, or raise `worlds.interface.Unsolvable`. Called before any term is bound."""
        return problem

    def term(self, problem: Problem) -> Term | None:
        """Bind the term to a (prepared) problem; None for a heuristic that only prepares."""
        return None

    def backward_term(self, problem: Problem) -> Term | None:
        """Bind a term that estimates the cost from the start to a state, for searching backwards; None: no estimate."""
        return None
