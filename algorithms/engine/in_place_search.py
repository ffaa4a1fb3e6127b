"""Resumable IDA* that changes one board in place (`heuristics.in_place`), and its kernel.

It visits the same nodes as `depth_first_step` with the cycle check PARENT, several times as fast, because a move writes
only the cells that it exchanges. The kernel is compiled for each kind of `Moves`. The registered algorithm `idastar` in
`algorithms.depth_first` starts this search.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled_search import CompiledSearch
from algorithms.engine.search import Status, status_of
from heuristics.in_place import InPlace, Moves
from heuristics.stack import BoundStack
from worlds.kernel import Kernel, borrowed

_FIRST_LEVELS = 128
_LEVEL_ARRAYS = 3


@cache
def in_place_step(moves: Moves) -> Kernel:
    """Return the kernel for a kind of moves. It runs at most `budget` expansions; EXHAUSTED ends an iteration."""
    destination_of, estimate, exchange = moves.destination, moves.estimate, moves.exchange

    def step(params, board, cells, tries, values, frames, frame_size, control, budget):
        params, board, cells, tries, values, frames, control = borrowed(
            (params, board, cells, tries, values, frames, control)
        )
        level, bound, next_bound = control[c.LEVEL], control[c.BOUND], control[c.NEXT_BOUND]
        levels = cells.size
        generated = expanded = np.int64(0)
        deepest = control[c.MAX_SLOTS]
        # the current level is held in variables, the levels above it in the arrays
        cell, h, move = np.int64(cells[level]), np.int64(values[level]), np.int64(tries[level])
        before = np.int64(cells[level - 1]) if level > 0 else np.int64(-1)
        status = Status.RUNNING.value
        while True:
            to = destination_of(params, cell, move)
            if to < 0:
                if level == 0:
                    status = Status.EXHAUSTED.value
                    break
                level -= 1
                exchange(params, board, cell, before)
                cell, h, move = before, np.int64(values[level]), np.int64(tries[level])
                before = np.int64(cells[level - 1]) if level > 0 else np.int64(-1)
                continue
            move += 1
            if to == before:
                continue
            generated += 1
            child = np.int64(estimate(params, board, frames, level * frame_size, h, cell, to))
            f = level + 1 + child
            if f > bound:
                next_bound = min(next_bound, f)
                continue
            is_full = level + 3 > levels  # the frames of the next level's children are needed too
            if is_full or expanded >= budget:
                status = Status.OUT_OF_MEMORY.value if is_full else Status.RUNNING.value
                move -= 1  # the next step repeats this move
                generated -= 1
                break
            tries[level] = move
            level += 1
            cells[level] = to
            deepest = max(deepest, level)
            if child == 0:
                status = Status.SOLVED.value
                break
            expanded += 1
            exchange(params, board, cell, to)
            before, cell, h, move = cell, to, child, np.int64(0)
            values[level] = h
        tries[level] = move
        control[c.LEVEL] = level
        control[c.MAX_SLOTS] = deepest
        control[c.NEXT_BOUND] = next_bound
        control[c.EXPANDED] += expanded
        control[c.GENERATED] += generated
        control[c.EVALUATED] += generated
        control[c.SIMULATED] += generated
        return status

    step.__qualname__ = f"in_place_step.{moves.name}"  # see `Kernel`
    arrays = "int64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]"
    return Kernel(step, f"int64({arrays}, int64, int64[::1], int64)")


@cache
def in_place_load(moves: Moves) -> Kernel:
    """Return the kernel that fills in the first frame."""
    load = moves.load

    def begin(params, board, frames):
        return load(params, board, frames)

    begin.__qualname__ = f"in_place_load.{moves.name}"
    return Kernel(begin, "int64(int64[::1], int32[::1], int32[::1])")


class InPlaceSearch(CompiledSearch):
    """IDA* in progress, which does not undo the last move. It stores one path.

    Parameters
    ----------
    stack : BoundStack
        Stack of one term, which has an `InPlace`.
    """

    def __init__(self, stack: BoundStack) -> None:
        super().__init__(stack)
        assert stack.in_place is not None
        self._moves: InPlace = stack.in_place
        self._step = in_place_step(self._moves.moves)
        self._board, cell = self._moves.board_of(self._problem, self._problem.initial)
        self._cells, self._tries, self._values = (np.zeros(_FIRST_LEVELS, np.int32) for _ in range(_LEVEL_ARRAYS))
        self._frames = np.zeros(_FIRST_LEVELS * self._moves.frame_size, np.int32)
        self._cells[0], self._values[0] = cell, self._root_h
        in_place_load(self._moves.moves).compiled(self._moves.params, self._board, self._frames)
        self._iterations_started = 0
        self._begin(self._root_h)

    def _begin(self, bound: int) -> None:
        """Start an iteration. The board is at the root."""
        self._iterations_started += 1
        self._expanded_before = int(self._control[c.EXPANDED])
        self._control[c.BOUND], self._control[c.NEXT_BOUND] = bound, c.NO_INCUMBENT
        self._control[c.LEVEL] = 0
        self._tries[0] = 0
        self._expands_root = True

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, in as many iterations as that takes."""
        control = self._control
        if self._root_h == 0:
            self._is_solved = True
            return Status.SOLVED
        while True:
            if self._expands_root:
                if budget <= 0:
                    return Status.RUNNING
                control[c.EXPANDED] += 1
                self._expands_root = False
                budget -= 1
            before = int(control[c.EXPANDED])
            code = self._step.compiled(
                self._moves.params, self._board, self._cells, self._tries, self._values, self._frames,
                self._moves.frame_size, control, budget,
            )  # fmt: skip
            budget -= int(control[c.EXPANDED]) - before
            status = status_of(code)
            if status != Status.EXHAUSTED:
                self._is_solved = status == Status.SOLVED
                return status
            if control[c.NEXT_BOUND] == c.NO_INCUMBENT:
                return Status.EXHAUSTED
            self._begin(int(control[c.NEXT_BOUND]))

    def grow(self, memory_limit: int | None) -> bool:
        """Double the number of levels."""
        arrays = (self._cells, self._tries, self._values, self._frames)
        if memory_limit is not None and self._memory_bytes + sum(array.nbytes for array in arrays) > memory_limit:
            return False
        doubled = [np.concatenate([array, np.zeros_like(array)]) for array in arrays]
        self._cells, self._tries, self._values, self._frames = doubled
        return True

    @property
    def _iterations(self) -> int:
        return self._iterations_started

    @property
    def _peak_nodes(self) -> int:
        return int(self._control[c.MAX_SLOTS]) + 1

    @property
    def _memory_bytes(self) -> int:
        return sum(array.nbytes for array in (self._board, self._cells, self._tries, self._values, self._frames))

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal."""
        cells = self._cells[: self.cost + 1].tolist()
        code = self._moves.code_between
        return [code(self._problem, cell, to) for cell, to in pairwise(cells)]

    @property
    def cost(self) -> int:
        """Number of moves to the goal."""
        return 0 if self._root_h == 0 else int(self._control[c.LEVEL])

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions of all iterations but the last."""
        return self._expanded_before if self._is_solved else None

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 under an admissible heuristic."""
        return 1.0 if self._stack.stack.admissible else None

    def warm(self) -> None:
        """Compile or load the kernel."""
        _ = self._step.compiled
