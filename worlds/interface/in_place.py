"""Interface of worlds and heuristics to depth-first search that changes one board in place
(`algorithms.depth_first.in_place`).

Such a search makes a move on the board and undoes it later, instead of writing out successors. That suits worlds in
which every step costs 1 and a move changes few cells, such as sliding puzzles and other permutation puzzles. The value
of the heuristic is not computed from scratch, but from its change by the move.

The functions below are marked with `worlds.compile.kernels.helper`. All numbers that they take are int64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Helper = Callable[..., Any]
"""Function that kernels call, marked with `helper`."""


class Move(NamedTuple):
    """A move.

    Attributes
    ----------
    to : int
        Position to which it leads, from 0 to 255.
    following : int
        Number of the sequence of moves that may follow. It leaves out the move that undoes this one, and those that
        are redundant after it (`worlds.interface.world.Kernels.redundant_pairs`).
    code : int
        Action code.
    entry : int
        Index that heuristics may use for their tables, from 0 to 2^34.
    """

    to: int
    following: int
    code: int
    entry: int = 0


@dataclass(frozen=True, eq=False)
class InPlaceProblem:
    """A problem whose board is changed in place.

    A position is a small number that the search keeps with the board: for example the cell of the blank, or the last
    move.

    Attributes
    ----------
    make : helper
        ``make(board, position, to)`` makes the move that leads from a position to another.
    undo : helper
        ``undo(board, position, to)`` undoes this move.
    board : ndarray of uint8
        Board of the start, in the layout of the world.
    position : int
        Position of the start.
    sequences : tuple of tuple of Move
        Sequences of moves, each in the order of the successors and not empty. They have fewer than 2^20 moves in all.
    first : int
        Number of the sequence at the start.
    """

    make: Helper
    undo: Helper
    board: NDArray[np.uint8]
    position: int
    sequences: tuple[tuple[Move, ...], ...]
    first: int


@dataclass(frozen=True, eq=False)
class InPlaceTerm:
    """Change of a heuristic's value by a move, bound to one problem (`heuristics.interface.Term.in_place`).

    The values are finite.

    Attributes
    ----------
    change : helper
        ``change(table, board, position, to, entry, frames, parent, child, enough)`` returns how much the move from a
        position to another changes the value. `board` is the board before the move, `entry` that of the `Move`. It may
        change the board if it restores it. A change of at least `enough` leads beyond the bound; then any other number
        that is at least `enough` will do, and the frame of the child is not read.
    table : ndarray
        Array that `change` may use.
    frame : ndarray of int32
        Values of the start from which those of its children follow; most heuristics need none. `frames` has such a
        frame for each level of the search. That of the parent begins at `parent`; `change` writes that of the child,
        from `child` on.
    separates_goals : bool
        Whether the value is positive at every state that is no goal. The search knows goals by it.
    distribution : callable, optional
        Returns the share of all states with each value, an array of float64, if it is known.
    keepalive : any
        Arrays whose addresses are in `table`, kept for as long as the term is.
    """

    change: Helper
    table: NDArray[Any] = field(default_factory=lambda: np.zeros(1, np.int64))
    frame: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    separates_goals: bool = True
    distribution: Callable[[], NDArray[np.float64]] | None = None
    keepalive: Any = None
