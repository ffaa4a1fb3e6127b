"""How a depth-first search may change one board in place, and back, instead of writing out successors.

Of use in worlds where something moves about on a board of cells and exchanges places with what it meets, such as the
blank of a sliding puzzle, and every step costs 1. A heuristic that can say cheaply what such a move does to its value
offers it with its term (`heuristics.interface.Term`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.interface import Problem, Words

Helper = Callable[..., Any]


@dataclass(frozen=True)
class Moves:
    """Helpers (`worlds.kernel.helper`) of which a kernel of the engine is made.

    `board` is an array of int32, `params` the array of int64 of the `InPlace`. Whatever else an estimate remembers of
    its parents lies in `frames`, an array of int32: the frame of a level begins at `frame`, that of the next level
    behind it.

    Attributes
    ----------
    name : str
        Tells these from other moves.
    load : helper
        ``load(params, board, frames)`` fills in the first frame.
    destination : helper
        ``destination(params, cell, move)``: the cell that the mover enters by its move number 0, 1, ..., or -1 after
        the last. In the order of the successors.
    estimate : helper
        ``estimate(params, board, frames, frame, h, cell, to)``: the heuristic value after the mover has gone from
        `cell` to `to`, where it is `h` before. The board is as before the move. Fills in the frame of the next level.
        Is 0 at goals, and nowhere else.
    exchange : helper
        ``exchange(params, board, cell, to)`` moves the mover from `cell` to `to`.
    """

    name: str
    load: Helper
    destination: Helper
    estimate: Helper
    exchange: Helper


@dataclass(frozen=True, eq=False)
class InPlace:
    """Moves bound to one problem.

    Attributes
    ----------
    moves : Moves
    params : ndarray of int64
    board_of : callable
        ``board_of(problem, state)``: a packed state as an array of int32, and the cell of the mover.
    code_between : callable
        ``code_between(problem, cell, to)``: the code of the action that takes the mover from a cell to another.
    frame_size : int
        Number of int32 of a frame.
    """

    moves: Moves
    params: NDArray[np.int64]
    board_of: Callable[[Problem, Words], tuple[NDArray[np.int32], int]]
    code_between: Callable[[Problem, int, int], int]
    frame_size: int = 0
