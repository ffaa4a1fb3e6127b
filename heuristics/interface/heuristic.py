"""Base of heuristics: registered dataclasses that may prepare a problem and bind compiled terms to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import Metric, PartRegistry, changed_parameters, check_declared
from worlds.compile import MAX_COST, Kernel, helper
from worlds.interface import InPlaceTerm, Instance, Problem

TERM = "int64(int64[::1], uint64[::1], int64, int64, uint64[::1], int64, int16[::1], int64[::1], int64, int64)"
"""``term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n)`` estimates `n` states: at most
`Problem.max_successors`, or any number if `parent_h` is negative. It adds its estimates to `h` from index `slot` on.
The states lie in `out` from word offset `out_at` on. Their parent is the state at word offset `parent_at` of `states`,
and `action`, from index `slot` on, holds the codes of the actions that lead to them. `parent_h` is the term's own
value at the parent, or negative if the states must be evaluated from scratch. Returns 0, or a negative number on an
error."""

PREFERRED = "int64(int64[::1], uint64[::1], int64, int16[::1], int64)"
"""``preferred(params, states, at, marks, slot)`` finds the preferred (helpful) successors of the state at word offset
`at` of `states`. It sets ``marks[slot + k] = 1`` for the k-th successor if that is preferred, and leaves all other
marks as they are. `params` are those of the term. Returns 0, or a negative number on an error."""

UNREACHABLE = (1 << 46) + 1
"""A term adds this for a dead end: a state from which no goal can be reached. It may be added to other values, as an
int up to 100,000 times, as a float up to 128 times: `is_dead_end` recognises such sums, because the 1 tells them from
powers of two."""

_MAX_FINITE_PART = 1 << 36  # more than the values of eight terms, 2^30 each
_MAX_SUM = 100_000 * UNREACHABLE + _MAX_FINITE_PART

INFINITE_H = MAX_COST + 1
"""Heuristic value of a dead end as the engine stores it, in 32 bits. Finite values stop at `MAX_COST`: this keeps a
heuristic admissible, and consistent, because the engine finds no plan that costs more."""


@helper
def is_dead_end(value):
    """Tell whether a value stands for a dead end: infinity, or a sum with `UNREACHABLE`.

    All other numbers are finite, however large. Such a sum is a multiple of `UNREACHABLE` and finite values that are
    small beside it. The usual large numbers, such as powers of 2 and of 10 and the largest integer, are none.
    """
    return value == np.inf or (UNREACHABLE <= value < _MAX_SUM and value % UNREACHABLE < _MAX_FINITE_PART)


@dataclass(frozen=True, eq=False)
class Term:
    """A compiled term bound to one problem: a kernel of signature `TERM` and its `params` array.

    Attributes
    ----------
    kernel : Kernel
    params : ndarray of int64
    calls_python : bool
        Whether the kernel calls back into Python, so that its speed is unknown.
    preferred : Kernel or None
        Kernel of signature `PREFERRED` with the same `params`; None if no successor is preferred to others.
    in_place : callable or None
        Returns the change of the value by a move, for depth-first searches that change one board
        (`worlds.interface.in_place`). Other searches never call it.
    reads_path : bool
        Whether the values of a function in Python may differ between paths to a state.
    keepalive : object
        Objects that must live as long as the term: a function that the kernel calls, or memory whose address it has.
    """

    kernel: Kernel
    params: NDArray[np.int64]
    calls_python: bool = False
    preferred: Kernel | None = None
    in_place: Callable[[], InPlaceTerm] | None = None
    reads_path: bool = False
    keepalive: Any = None


class Heuristic:
    """Base of all heuristics. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    builds_on : tuple of str
        Names of the heuristics before it in its documented stack. Empty if it has no such stack.
    stands_alone : bool
        Whether it is consistent without the heuristics that it builds on, provided that it is consistent with them.
    admissible, consistent : bool or None
        Properties of the heuristic as a part of a sum; None if unknown. A sum of heuristics of one documented stack is
        admissible if all of them are, and likewise consistent. May depend on parameters.
    safe : bool
        Whether only dead ends have infinite values. By default, if it is admissible.
    prefers : bool
        Whether its terms mark preferred successors (`Term.preferred`). May depend on parameters.
    metrics : tuple of Metric
        Metrics whose values `measured` returns.
    texts : tuple of str
        Columns of texts that `measured` returns, too.
    """

    registered_name: ClassVar[str]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_declared(cls, {"admissible": bool | None, "consistent": bool | None, "safe": bool, "prefers": bool})

    builds_on: ClassVar[tuple[str, ...]] = ()
    stands_alone: ClassVar[bool] = True
    metrics: ClassVar[tuple[Metric, ...]] = ()
    texts: ClassVar[tuple[str, ...]] = ()

    @property
    def admissible(self) -> bool | None:
        """Whether sums with this heuristic never overestimate, and its preparation leaves an optimal solution."""
        return None

    @property
    def consistent(self) -> bool | None:
        """Whether sums with this heuristic never drop by more than the cost of a step, and are 0 at goals."""
        return None

    @property
    def safe(self) -> bool:
        """Whether only dead ends have infinite values. Otherwise a search that finds no plan is no proof."""
        return self.admissible is True

    @property
    def prefers(self) -> bool:
        """Whether some successors are preferred to others."""
        return False

    def identity(self) -> dict[str, Any]:
        """Return what determines the values, as JSON-compatible values: parameters that are not at their defaults."""
        return changed_parameters(self)

    def cell_key(self) -> dict[str, Any]:
        """Return what determines the cell of a sweep: `identity`, but files by their names, since they may change."""
        return self.identity()

    def measured(self, problem: Problem) -> Mapping[str, float | str | None]:
        """Return the values of `metrics` and `texts` after a search. `problem` is what `prepare` returned."""
        return {}

    def code_parts(self) -> Iterable[Path | str]:
        """Return further files and texts whose change makes older rows stale, such as a program."""
        return ()

    def close(self) -> None:
        """End what terms have started, such as a program. It starts again when it is needed."""

    def check(self, instance: Instance) -> None:
        """Raise `runner.UserError` if the heuristic does not support the instance."""

    def build(self, instance: Instance, report: Callable[[str, float], None]) -> None:
        """Build the tables that instances of this kind share, before anything is measured.

        Tables that are not built here are built when a term is bound.

        Parameters
        ----------
        instance : Instance
        report : callable
            Called with a description of the work and the share of it that is done (0 to 1).
        """

    def prepare(self, problem: Problem) -> Problem:
        """Return the problem or a smaller one, or raise `worlds.interface.Unsolvable`. Called before `term`."""
        return problem

    def term(self, problem: Problem) -> Term | None:
        """Bind the term to a prepared problem. Return None for a heuristic that only prepares."""
        return None

    @property
    def has_abstractions(self) -> bool:
        """Whether it has `abstractions`."""
        return type(self).abstractions is not Heuristic.abstractions

    def abstractions(self, problem: Problem) -> Sequence[Any]:
        """Return the abstractions of the problem for a combination that divides costs among them, instead of a term.

        They are of the type that combinations of the domain expect.
        """
        raise NotImplementedError

    @property
    def has_backward(self) -> bool:
        """Whether it has a `backward_term`."""
        return type(self).backward_term is not Heuristic.backward_term

    def backward_term(self, problem: Problem) -> Term | None:
        """Bind a term that estimates the cost from the start to a state, for searches that go back from the goals.

        It is admissible, consistent and safe if `term` is. None if there is no such estimate.
        """
        return None


HEURISTICS: PartRegistry[Heuristic] = PartRegistry("heuristic", Heuristic)
