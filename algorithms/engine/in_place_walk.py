"""Walk: one iteration of a depth-first search in place, or a part of it. It owns a board, a path and counts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import in_place_step as s
from algorithms.engine.factors import UNWEIGHTED, Factors
from algorithms.engine.search import Status, status_of
from heuristics.in_place import InPlaceStack

Path = NDArray[np.uint64]
NO_EXCESS = 1 << 60
NO_PATH: Path = np.zeros(0, np.uint64)
_NO_ROOTS = np.zeros((0, s.ROOT_PATH), np.uint64)
_UNUSED = np.uint64(2**64 - 1)
_FIRST_LEVELS = 64


class Walk:
    """Depth-first search of the nodes within a bound on f, below a root. It stops after any number of expansions.

    Parameters
    ----------
    stack : InPlaceStack
    factors : Factors
    root_h : int
        Heuristic value of the start.
    """

    def __init__(self, stack: InPlaceStack, factors: Factors, root_h: int) -> None:
        self._stack, self._factors, self._root_h = stack, factors, root_h
        is_weighted = factors != UNWEIGHTED
        self._step = s.in_place_step(stack.kind, is_weighted=is_weighted)
        self._split = s.in_place_step(stack.kind, is_weighted=is_weighted, is_split=True)
        self._follow = s.in_place_follow(stack.kind)
        self._board = stack.problem.board.copy()
        self._walk = np.zeros(s.WALK_SIZE, np.int64)
        self._allocate(_FIRST_LEVELS)

    def _allocate(self, levels: int) -> None:
        self._path, self._slacks = np.full(levels, _UNUSED), np.zeros(levels, np.int64)
        self._frames = np.zeros((levels + 1) * self._stack.frame_size, np.int32)
        self._frames[: self._stack.frame_size] = self._stack.first_frame
        problem = self._stack.problem
        self._arrays = (
            *(self._stack.params, self._stack.changes, problem.table, self._board),
            *(self._frames, self._path, self._slacks, self._walk),
        )

    def begin(self, bound: int) -> None:
        """Start an iteration. The board is at the start: it is when the search begins or an iteration has ended."""
        levels = bound // self._factors.of_g + 1  # no path within the bound is longer
        if levels > self._path.size:
            used = self.longest
            self._allocate(2 * levels)
            self._path[:used] = 0
        walk, problem = self._walk, self._stack.problem
        walk[:] = 0
        walk[s.NEXT_MOVE], walk[s.POSITION], walk[s.EXCESS] = problem.first, problem.position, NO_EXCESS
        walk[s.BOUND], walk[s.SLACK] = bound, bound - self._factors.of_h * self._root_h
        walk[s.G_FACTOR], walk[s.H_FACTOR] = self._factors.of_g, self._factors.of_h

    def enter(self, bound: int, path: Path, *, floor: int) -> None:
        """Start the part of an iteration that begins with the node at the end of a path, and ends at depth `floor`."""
        self._board[:] = self._stack.problem.board
        self.begin(bound)
        self._path[:] = _UNUSED
        self._path[: path.size] = path
        self._follow.compiled(*self._arrays, path.size)
        self._walk[s.FLOOR] = floor

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        return status_of(self._step.compiled(*self._arrays, _NO_ROOTS, budget))

    def split(self, depth: int, max_roots: int) -> tuple[Status, NDArray[np.uint64]]:
        """Run the iteration down to a depth, and return its status and the nodes at this depth that it would expand.

        Returns
        -------
        status : Status
            EXHAUSTED; SOLVED if a goal is above the depth; OUT_OF_MEMORY if there are more nodes than `max_roots`.
        roots : ndarray of uint64, shape (n, ROOT_PATH + depth)
            Records of the nodes, in the order of the search.
        """
        roots = np.zeros((max_roots, s.ROOT_PATH + depth), np.uint64)
        status = status_of(self._split.compiled(*self._arrays, roots, NO_EXCESS))
        return status, roots[: self._walk[s.ROOTS]]

    def warm(self) -> None:
        """Compile or load the kernel of `step`."""
        _ = self._step.compiled

    def warm_for_threads(self) -> None:
        """Compile or load the other kernels. Threads cannot do that."""
        _ = self._split.compiled, self._follow.compiled

    @property
    def expanded(self) -> int:
        """Expansions since the walk has begun, without that of its first node."""
        return int(self._walk[s.EXPANDED])

    @property
    def generated(self) -> int:
        """Generated nodes since the walk has begun."""
        return int(self._walk[s.GENERATED])

    @property
    def excess(self) -> int:
        """By how much the smallest f beyond the bound exceeds it; `NO_EXCESS` if there was none."""
        return int(self._walk[s.EXCESS])

    @property
    def depth(self) -> int:
        """Depth of the current node."""
        return int(self._walk[s.DEPTH])

    @property
    def longest(self) -> int:
        """Number of moves of the longest path so far."""
        return int(np.count_nonzero(self._path != _UNUSED))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in (self._board, self._frames, self._path, self._slacks))

    def path(self) -> list[int]:
        """Return the action codes from the start to the current node."""
        problem = self._stack.problem
        positions = [*s.position_in(self._path[: self.depth]).tolist(), int(self._walk[s.POSITION])]
        return [problem.code_of(here, to) for here, to in pairwise(positions)]
