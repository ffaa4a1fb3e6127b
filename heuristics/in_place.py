"""Moves that a depth-first search makes and undoes on one board, instead of writing out successors.

They suit worlds where one object (the mover) exchanges places with its neighbours on a board of cells and every step
costs 1, such as the blank of a sliding puzzle. A heuristic offers them with its term (`heuristics.interface.Term`) if
it can compute cheaply how such a move changes its value.
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
    """Helpers (`worlds.kernel.helper`) from which the engine makes a kernel.

    `board` is an array of int32, `params` the array of int64 of the `InPlace`. `frames` is an array of int32. It holds
    one frame per level of the search: the values that an estimate needs from its parent. The frame of a level begins
    at `frame`, and the next level's frame follows it.

    Attributes
    ----------
    name : str
        Name that distinguishes these moves from others.
    load : helper
        ``load(params, board, frames)`` fills the first frame.
    destination : helper
        ``destination(params, cell, move)`` returns the cell that the mover enters from `cell` by its move number 0,
        1, ..., or -1 after the last. Moves are in the order of the successors.
    estimate : helper
        ``estimate(params, board, frames, frame, h, cell, to)`` returns the heuristic value after the mover goes from
        `cell` to `to`, and fills the frame of the next level. `h` is the value before the move, and `board` the board
        before the move. The value is 0 at goals and positive elsewhere.
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
        Parameters of the helpers.
    board_of : callable
        ``board_of(problem, state)`` returns a packed state as an array of int32, and the cell of the mover.
    code_between : callable
        ``code_between(problem, cell, to)`` returns the code of the action that takes the mover from `cell` to `to`.
    frame_size : int
        Number of int32 in a frame.
    """

    moves: Moves
    params: NDArray[np.int64]
    board_of: Callable[[Problem, Words], tuple[NDArray[np.int32], int]]
    code_between: Callable[[Problem, int, int], int]
    frame_size: int = 0
