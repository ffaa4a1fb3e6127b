"""IDA* that changes one board in place (`worlds.interface.in_place`): `idastar` of `depth_first`.

It visits the same nodes as the search that writes out successors, with the cycle check "parent", several times as fast:

- A kernel is compiled for each world and heuristic, together with their functions.
- It carries the slack ``bound - f`` of a node instead of g and h. A child is within the bound if this is not negative.
- A move is one word of a table, and the moves that may follow it are consecutive words. So nothing is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.depth_first.factors import UNWEIGHTED, Factors
from algorithms.depth_first.prediction import predicted_expansions
from algorithms.engine import CompiledSearch, StepStatus, proven_ratio, status_of
from algorithms.engine import control as c
from heuristics.interface import BoundStack
from runner.base import Metric
from worlds.compile import Kernel, helper, named
from worlds.interface import Helper, InPlaceProblem, Move

NO_EXCESS = 1 << 60
MAX_BOUND = 1 << 16
"""Largest limit on f. There is room for paths of that length from the beginning."""
PREDICTED = Metric(
    "predicted", better="neither", aggregate="mean", is_main=False, meaning="expansions that the formula of Korf, Reid "
    "and Edelkamp (2001) predicts for an iteration with the bound `algorithm.f_limit`",
)  # fmt: skip

# A word of the table of moves, from the lowest bit on: where the move leads, the place of the first move that may
# follow, the entry for heuristics, and a bit that marks the last move of its sequence. The path has a word for each
# level: the position, and the place of the next move to try there.
_TO, _ONE = np.uint64(0xFF), np.uint64(1)
_FOLLOWING_SHIFT, _FOLLOWING = np.uint64(8), np.uint64(0xFFFFF)
_ENTRY_SHIFT, _ENTRY = np.uint64(28), np.uint64(0x7FFFFFFFF)
_LAST = np.uint64(1 << 63)
_UNUSED = np.uint64(2**64 - 1)

# Indices into the control array of a walk. EXCESS: by how much the smallest f beyond the bound exceeds it. IS_NEW:
# whether the start is still to be expanded. FRAME: size of a frame.
(
    DEPTH, NEXT_MOVE, POSITION, SLACK, BOUND, EXCESS, EXPANDED, GENERATED, IS_NEW, G_FACTOR, H_FACTOR, FRAME, SIZE,
) = range(13)  # fmt: skip


class Value(NamedTuple):
    """Value of a heuristic in place.

    Attributes
    ----------
    change : helper
        As in `InPlaceTerm`.
    tables : ndarray, or tuple of tables and int
    type : str
        Numba type of `tables`.
    frame : ndarray of int32
        As in `InPlaceTerm`.
    distribution : callable or None
        As in `InPlaceTerm`; None for several heuristics.
    """

    change: Helper
    tables: Any
    type: str
    frame: NDArray[np.int32]
    distribution: Callable[[], NDArray[np.float64]] | None = None


InPlace = tuple[InPlaceProblem, Value]


def in_place_of(stack: BoundStack, ranks: tuple[int, ...] = ()) -> InPlace | None:
    """Return a problem and its heuristic in place; None if the world or a term does not offer that.

    Also None if the value may be 0 at states that are no goals.

    Parameters
    ----------
    ranks : tuple of int
        Rank of each action, by which the moves are ordered; empty: in the order of the world.
    """
    make_problem = stack.problem.in_place
    terms = [make() for term in stack.bound_terms if (make := term.in_place) is not None]
    if make_problem is None or len(terms) < len(stack.bound_terms) or not any(term.separates_goals for term in terms):
        return None
    problem = make_problem()
    if ranks:
        problem = replace(problem, sequences=_ordered(problem.sequences, ranks))
    values = [
        Value(term.change, term.table, f"{term.table.dtype}[::1]", term.frame, term.distribution) for term in terms
    ]
    if not stack.maximum or len(terms) == 1:
        return problem, reduce(_added, values)
    at_start = [
        BoundStack(stack.stack, stack.problem, (term,)).evaluate(stack.problem.initial) for term in stack.bound_terms
    ]
    return problem, reduce(_larger, zip(values, map(int, at_start), strict=True))[0]


def _added(one: Value, other: Value) -> Value:
    return _joined(_sum(one.change, other.change), one, other, np.concatenate([one.frame, other.frame]), one.frame.size)


def _larger(first: tuple[Value, int], second: tuple[Value, int]) -> tuple[Value, int]:
    """Return the larger of two values, each given with its number at the start. The frames begin with these numbers."""
    (one, h), (other, other_h) = first, second
    frame = np.concatenate([[h, other_h], one.frame, other.frame]).astype(np.int32)
    return _joined(_maximum(one.change, other.change), one, other, frame, 2 + one.frame.size), max(h, other_h)


def _joined(change: Helper, one: Value, other: Value, frame: NDArray[np.int32], second: int) -> Value:
    return Value(change, (one.tables, other.tables, second), f"Tuple(({one.type}, {other.type}, int64))", frame)


@cache
def _sum(one: Helper, other: Helper) -> Helper:
    """Return the helper that adds two changes."""

    def change(tables, board, position, to, entry, frames, parent, child, enough):
        first, second, at = tables
        return one(first, board, position, to, entry, frames, parent, child, NO_EXCESS) + other(
            second, board, position, to, entry, frames, parent + at, child + at, NO_EXCESS
        )

    return helper(named(change, "sum", one, other))


@cache
def _maximum(one: Helper, other: Helper) -> Helper:
    """Return the helper that computes the change of the maximum of two values."""

    def change(tables, board, position, to, entry, frames, parent, child, enough):
        first, second, at = tables
        h, other_h = np.int64(frames[parent]), np.int64(frames[parent + 1])
        before = max(h, other_h)
        h += one(first, board, position, to, entry, frames, parent + 2, child + 2, NO_EXCESS)
        other_h += other(second, board, position, to, entry, frames, parent + at, child + at, NO_EXCESS)
        frames[child], frames[child + 1] = h, other_h
        return max(h, other_h) - before

    return helper(named(change, "max", one, other))


@lru_cache
def _ordered(sequences: tuple[tuple[Move, ...], ...], ranks: tuple[int, ...]) -> tuple[tuple[Move, ...], ...]:
    """Return the moves of each sequence by the ranks of their actions."""
    return tuple(tuple(sorted(sequence, key=lambda move: ranks[move.code])) for sequence in sequences)


@lru_cache
def _packed(sequences: tuple[tuple[Move, ...], ...]) -> tuple[NDArray[np.uint64], list[int], list[int]]:
    """Return the table of moves, the place of the first move of each sequence, and the action code of each move."""
    firsts = np.cumsum([0, *map(len, sequences)]).tolist()
    if firsts[-1] > _FOLLOWING or any(
        not sequence or not all(0 <= move.to <= _TO and 0 <= move.entry <= _ENTRY for move in sequence)
        for sequence in sequences
    ):
        raise ValueError("a sequence of moves in place is empty, or has too large a number")
    words = [
        move.to | firsts[move.following] << 8 | move.entry << 28 | (number == len(sequence) - 1) << 63
        for sequence in sequences
        for number, move in enumerate(sequence)
    ]
    return np.array(words, np.uint64), firsts, [move.code for sequence in sequences for move in sequence]


@cache
def _step(make: Helper, undo: Helper, change: Helper, tables_type: str, is_weighted: bool) -> Kernel:
    """Return the kernel that runs at most `budget` expansions of a walk. It returns EXHAUSTED at its end."""

    def step(tables, moves, board, frames, path, slacks, walk, budget):
        if walk[IS_NEW] != 0 and budget == 0:
            return StepStatus.RUNNING.value
        depth, following, position = np.uint64(walk[DEPTH]), np.uint64(walk[NEXT_MOVE]), np.uint64(walk[POSITION]) & _TO
        frame_size = walk[FRAME]
        slack, bound, excess = walk[SLACK], walk[BOUND], walk[EXCESS]
        g_factor, h_factor = (walk[G_FACTOR], walk[H_FACTOR]) if is_weighted else (np.int64(1), np.int64(1))
        generated, remaining = np.int64(0), np.int64(budget) - walk[IS_NEW]
        walk[IS_NEW] = 0
        status = StepStatus.RUNNING.value
        while True:
            move = moves[following]
            following += _ONE
            here, to = np.int64(position), np.int64(move & _TO)
            entry = np.int64((move >> _ENTRY_SHIFT) & _ENTRY)
            frame = np.int64(depth) * frame_size
            # Beyond the bound, only a new smallest excess counts.
            enough = slack if excess == 1 and not is_weighted else np.int64(NO_EXCESS)
            delta = change(tables, board, here, to, entry, frames, frame, frame + frame_size, enough)
            child_slack = slack - g_factor - (h_factor * delta if is_weighted else delta)
            generated += 1
            if child_slack < 0:
                excess = min(excess, -child_slack)
                while move >= _LAST:
                    if depth == 0:
                        status = StepStatus.EXHAUSTED.value
                        break
                    depth -= _ONE
                    word, slack = path[depth], slacks[depth]
                    before = word & _TO
                    undo(board, np.int64(before), np.int64(position))
                    position, following = before, word >> _FOLLOWING_SHIFT
                    move = moves[following - _ONE]
                if status == StepStatus.EXHAUSTED.value:
                    break
                continue
            if remaining == 0:  # the next step generates the child again
                following -= _ONE
                generated -= 1
                break
            path[depth], slacks[depth] = position | following << _FOLLOWING_SHIFT, slack
            depth += _ONE
            make(board, here, to)
            position, slack, following = np.uint64(to), child_slack, (move >> _FOLLOWING_SHIFT) & _FOLLOWING
            if slack == bound - np.int64(depth) * g_factor:  # h = 0
                status = StepStatus.SOLVED.value
                break
            remaining -= 1
        walk[DEPTH], walk[NEXT_MOVE], walk[POSITION], walk[SLACK] = depth, following, position, slack
        walk[EXCESS] = excess
        walk[EXPANDED] += budget - remaining
        walk[GENERATED] += generated
        return status

    named(step, "in_place_step.weighted" if is_weighted else "in_place_step", make, undo, change)
    arrays = f"{tables_type}, uint64[::1], uint8[::1], int32[::1], uint64[::1], int64[::1], int64[::1]"
    return Kernel(step, f"int64({arrays}, int64)", without_lock=True)


@dataclass(eq=False)
class Walk:
    """Depth-first search of the nodes within a bound on f: an iteration. It can stop after any expansion.

    The arrays are those of the kernel.
    """

    kernel: Kernel
    tables: Any
    moves: NDArray[np.uint64]
    codes: list[int]
    board: NDArray[np.uint8]
    frames: NDArray[np.int32]
    path: NDArray[np.uint64]
    slacks: NDArray[np.int64]
    control: NDArray[np.int64]
    status: StepStatus = StepStatus.RUNNING

    @classmethod
    def start(cls, problem: InPlaceProblem, value: Value, factors: Factors, root_h: int, bound: int) -> Walk:
        """Return the walk of an iteration."""
        moves, firsts, codes = _packed(problem.sequences)
        kernel = _step(problem.make, problem.undo, value.change, value.type, factors != UNWEIGHTED)
        levels, size = bound // factors.of_g + 1, value.frame.size  # no path within the bound is longer
        frames = np.zeros((levels + 1) * size, np.int32)
        frames[:size] = value.frame
        control = np.zeros(SIZE, np.int64)
        control[NEXT_MOVE], control[POSITION] = firsts[problem.first], problem.position
        control[BOUND], control[SLACK] = bound, bound - factors.of_h * root_h
        control[G_FACTOR], control[H_FACTOR], control[FRAME] = factors.of_g, factors.of_h, size
        control[EXCESS], control[IS_NEW] = NO_EXCESS, 1
        path, slacks = np.full(levels, _UNUSED), np.zeros(levels, np.int64)
        return cls(kernel, value.tables, moves, codes, problem.board.copy(), frames, path, slacks, control)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        arrays = self.board, self.frames, self.path, self.slacks, self.control
        self.status = status_of(self.kernel.compiled(self.tables, self.moves, *arrays, budget))
        return self.status

    def actions(self) -> list[int]:
        """Return the action codes from the start to the current node."""
        made = (self.path[: self.depth] >> _FOLLOWING_SHIFT) - _ONE
        return [self.codes[at] for at in made.tolist()]

    @property
    def expanded(self) -> int:
        """Expansions, with that of the start."""
        return int(self.control[EXPANDED])

    @property
    def generated(self) -> int:
        """Generated nodes."""
        return int(self.control[GENERATED])

    @property
    def excess(self) -> int:
        """By how much the smallest f beyond the bound exceeds it; `NO_EXCESS` if there was none."""
        return int(self.control[EXCESS])

    @property
    def depth(self) -> int:
        """Depth of the current node."""
        return int(self.control[DEPTH])

    @property
    def longest(self) -> int:
        """Number of moves of the longest path so far."""
        return int(np.count_nonzero(self.path != _UNUSED))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that it does not share."""
        return sum(array.nbytes for array in (self.board, self.frames, self.path, self.slacks))


class InPlaceSearch(CompiledSearch):
    """IDA* in progress, which does not undo the last move. It stores one path.

    Parameters
    ----------
    stack : BoundStack
    in_place : InPlace
        What `in_place_of` returns for the stack.
    factors : Factors
        Factors of g and h.
    f_limit : int or None
        Bound on f of the only iteration. Without one, f of the start is the first bound.
    """

    def __init__(
        self, stack: BoundStack, in_place: InPlace, factors: Factors = UNWEIGHTED, f_limit: int | None = None
    ) -> None:
        super().__init__(stack)
        self._in_place, self._factors, self._f_limit = in_place, factors, f_limit
        self._iterations_started = self._expanded_before = self._generated_before = self._longest = 0
        self._expanded = self._generated = 0  # in the walks that have ended
        self._begin(factors.of_h * self._root_h if f_limit is None else f_limit)
        self._peak_bytes = self._walk.nbytes

    def _begin(self, bound: int) -> None:
        """Start an iteration."""
        self._expanded_before, self._generated_before = self._expanded, self._generated
        self._iterations_started += 1
        self._bound_on_f, self._excess = bound, NO_EXCESS
        self._walk = Walk.start(*self._in_place, self._factors, self._root_h, bound)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions, in as many iterations as that takes."""
        if self._root_h == 0:
            self._is_solved = True
            return StepStatus.SOLVED
        if self._factors.of_h * self._root_h > self._bound_on_f:  # possible only with a limit on f
            return StepStatus.CUTOFF
        target = int(self._control[c.EXPANDED]) + budget
        while True:
            status = self._continue(target)
            if status == StepStatus.EXHAUSTED:
                self._finish()
            if status != StepStatus.EXHAUSTED or self._excess == NO_EXCESS:
                self._is_solved = status == StepStatus.SOLVED
                return status
            if self._f_limit is not None:
                return StepStatus.CUTOFF
            self._begin(self._bound_on_f + self._excess)
            if self._walk.nbytes > self._peak_bytes:
                return StepStatus.OUT_OF_MEMORY

    def _continue(self, target: int) -> StepStatus:
        """Search on in this iteration, and count up to `target` expansions in all."""
        control, walk = self._control, self._walk
        status = walk.step(target - self._expanded - walk.expanded)
        generated = self._generated + walk.generated
        control[c.EXPANDED] = self._expanded + walk.expanded
        control[c.GENERATED] = generated
        control[c.EVALUATED] = control[c.SIMULATED] = 1 + generated
        return status

    def _finish(self) -> None:
        """Add the counts of an iteration that has ended."""
        walk = self._walk
        self._expanded += walk.expanded
        self._generated += walk.generated
        self._excess, self._longest = min(self._excess, walk.excess), max(self._longest, walk.longest)

    def grow(self, memory_limit: int | None) -> bool:
        """Take the walk of a new iteration, for which alone the search allocates."""
        if memory_limit is not None and self._walk.nbytes > memory_limit:
            return False
        self._peak_bytes = self._walk.nbytes
        return True

    @property
    def _iterations(self) -> int:
        return self._iterations_started

    @property
    def _peak_nodes(self) -> int:
        return max(self._longest, self._walk.longest) + 1

    @property
    def _memory_bytes(self) -> int:
        return self._peak_bytes

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal."""
        return self._walk.actions()

    @property
    def cost(self) -> int:
        """Number of moves to the goal."""
        return self._walk.depth

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions of all iterations but the last."""
        return self._expanded_before if self._is_solved and self._f_limit is None else None

    @property
    def measured(self) -> dict[str, float | None]:
        """Nodes that all iterations but the last have generated; with a limit on f, the predicted expansions."""
        if self._f_limit is None:
            return {"generated_before_last_layer": self._generated_before if self._is_solved else None}
        problem, value = self._in_place
        if value.distribution is None or self._factors != UNWEIGHTED:
            return {}
        return {PREDICTED.name: predicted_expansions(problem, value.distribution(), self._f_limit)}

    @property
    def bound(self) -> float | None:
        """Proven bound under an admissible heuristic: the weight, at least 1.

        With a limit on f, it is the cost divided by h of the start.
        """
        if not self._stack.stack.admissible:
            return None
        return self._factors.suboptimality_bound if self._f_limit is None else proven_ratio(self.cost, self._root_h)

    def warm(self) -> None:
        """Compile or load the kernel."""
        _ = self._walk.kernel.compiled
