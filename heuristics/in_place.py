"""Heuristics in place: the change of a value by a move, for searches that change one board (`worlds.in_place`).

A heuristic offers this with its term (`heuristics.interface.Term.in_place`). The terms of a stack are combined here, as
a sum or a maximum, into one helper from which the engine makes a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.compile.kernel import Kernel, helper
from worlds.in_place import InPlaceProblem, Moves

Helper = Callable[..., Any]

LOAD = "int64(int64[::1], uint8[::1], int64, int32[::1], int64)"
"""``load(params, board, position, frames, frame)`` fills the frame of the start, from the index `frame` on."""


@dataclass(frozen=True)
class Change:
    """How a heuristic computes the change of its value.

    `frames` is an array of int32 with one frame per level of the search: values that belong to a node, from which those
    of its children follow. Most heuristics need none.

    Attributes
    ----------
    name : str
        Name that distinguishes it from others.
    of_move : helper
        ``of_move(params, changes, board, frames, frame, following, position, move)`` returns how much a move from
        `position` changes the value, and fills the frame of the child, which begins at `following`. `frame` is where
        the parent's begins. `board` is the board before the move, `move` its word (`worlds.in_place`).
    load : Kernel or None
        Kernel of signature `LOAD`; None without frames.
    """

    name: str
    of_move: Helper
    load: Kernel | None = None


@dataclass(frozen=True, eq=False)
class InPlaceTerm:
    """Change of a heuristic's value, bound to one problem.

    Attributes
    ----------
    change : Change
    params : ndarray of int64
        Parameters that `of_move` may use.
    changes : ndarray of int8
        Table that `of_move` may use.
    frame_size : int
        Number of int32 in a frame.
    needs_inverse : bool
        Whether the board must be followed by its inverse.
    separates_goals : bool
        Whether the value is positive at every state that is no goal.
    """

    change: Change
    params: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    changes: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    frame_size: int = 0
    needs_inverse: bool = False
    separates_goals: bool = True


@dataclass(frozen=True)
class InPlaceKind:
    """Moves of a world, changes of the terms, and how their values combine. Each kind has kernels of its own."""

    moves: Moves
    changes: tuple[Change, ...]
    is_maximum: bool

    @property
    def name(self) -> str:
        """Name that distinguishes it from others."""
        names = ",".join(change.name for change in self.changes)
        return f"{self.moves.name}.{'max' if self.is_maximum else 'sum'}({names})"


class InPlaceStack:
    """Terms of a stack, bound to a problem in place.

    Parameters
    ----------
    problem : InPlaceProblem
    terms : sequence of InPlaceTerm
        At least one. Some term separates goals.
    values : sequence of int or None
        Value of each term at the start, for a maximum; None for a sum.

    Attributes
    ----------
    kind : InPlaceKind
    params : tuple of ndarray of int64
        Parameters of each term. Then the index of each term's part within a frame, and the size of a frame.
    changes : tuple of ndarray of int8
        Tables of each term.
    first_frame : ndarray of int32
        Frame of the start. In a maximum, the part of a term begins with its value.
    """

    def __init__(self, problem: InPlaceProblem, terms: list[InPlaceTerm], values: list[int] | None) -> None:
        self.problem = problem
        self.kind = InPlaceKind(problem.moves, tuple(term.change for term in terms), values is not None)
        own = 0 if values is None else 1
        parts = np.cumsum([0, *(own + term.frame_size for term in terms)])
        self.params = (*(term.params for term in terms), parts.astype(np.int64))
        self.changes = tuple(term.changes for term in terms)
        self.first_frame = np.zeros(parts[-1], np.int32)
        for number, (term, part) in enumerate(zip(terms, parts.tolist(), strict=False)):
            if values is not None:
                self.first_frame[part] = values[number]
            if term.change.load is not None:
                load = term.change.load.compiled
                load(term.params, problem.board, problem.position, self.first_frame, part + own)

    @property
    def frame_size(self) -> int:
        """Number of int32 in a frame."""
        return self.first_frame.size


@cache
def change_of(kind: InPlaceKind) -> Helper:
    """Return the helper that computes the change of the combined value.

    It takes the arguments of `Change.of_move`, with `params` and `changes` as the tuples of an `InPlaceStack`.
    """
    if not kind.is_maximum:
        return _combined(kind, len(kind.changes))
    maximum, terms = _combined(kind, len(kind.changes)), len(kind.changes)

    def change_of_maximum(params, changes, board, frames, frame, following, position, move):
        before = frames[frame]  # the first part begins with the value of the first term
        for term in range(1, terms):
            before = max(before, frames[frame + params[terms][term]])
        return maximum(params, changes, board, frames, frame, following, position, move) - before

    return _named(change_of_maximum, kind, terms)


def _combined(kind: InPlaceKind, count: int) -> Helper:
    """Return the helper that adds the changes of the first `count` terms, or takes the maximum of their new values."""
    term, terms, of_move = count - 1, len(kind.changes), kind.changes[count - 1].of_move

    def change_of_term(params, changes, board, frames, frame, following, position, move):
        part = params[terms][term]
        return of_move(params[term], changes[term], board, frames, frame + part, following + part, position, move)

    def new_value_of_term(params, changes, board, frames, frame, following, position, move):
        part = params[terms][term]
        value = np.int64(frames[frame + part]) + of_move(
            params[term], changes[term], board, frames, frame + part + 1, following + part + 1, position, move
        )
        frames[following + part] = value
        return value

    last = _named(new_value_of_term if kind.is_maximum else change_of_term, kind, count)
    if count == 1:
        return last
    others = _combined(kind, count - 1)

    def sum_of_changes(params, changes, board, frames, frame, following, position, move):
        return others(params, changes, board, frames, frame, following, position, move) + last(
            params, changes, board, frames, frame, following, position, move
        )

    def maximum_of_values(params, changes, board, frames, frame, following, position, move):
        return max(
            others(params, changes, board, frames, frame, following, position, move),
            last(params, changes, board, frames, frame, following, position, move),
        )

    return _named(maximum_of_values if kind.is_maximum else sum_of_changes, kind, count)


def _named(function: Helper, kind: InPlaceKind, count: int) -> Helper:
    """Mark a helper, under a name of its own, because the cache of kernels distinguishes helpers by their names."""
    function.__qualname__ = f"{function.__name__}.{kind.name}.{count}"
    return helper(function)
