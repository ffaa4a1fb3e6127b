"""Resumable IDA* that changes one board in place (`worlds.in_place`).

It visits the same nodes as `depth_first_step` with the cycle check PARENT, several times as fast. The kernel in
`in_place_step` is compiled for each kind of moves and stack. The registered algorithm `idastar` in
`algorithms.depth_first` starts this search.
"""

from __future__ import annotations

from algorithms.engine import control as c
from algorithms.engine.compiled_search import CompiledSearch
from algorithms.engine.factors import UNWEIGHTED, Factors
from algorithms.engine.in_place_walk import NO_EXCESS, Walk
from algorithms.engine.search import Status
from heuristics.stack import BoundStack


class InPlaceSearch(CompiledSearch):
    """IDA* in progress, which does not undo the last move. It stores one path.

    Parameters
    ----------
    stack : BoundStack
        Stack whose `in_place` is not None.
    factors : Factors
        Factors of g and h.
    """

    def __init__(self, stack: BoundStack, factors: Factors = UNWEIGHTED) -> None:
        super().__init__(stack)
        assert stack.in_place is not None
        self._factors, self._in_place = factors, stack.in_place
        self._walk = Walk(self._in_place, factors, self._root_h)
        self._iterations_started = self._expanded_before = 0
        self._begin(factors.of_h * self._root_h)

    def _begin(self, bound: int) -> None:
        """Start an iteration."""
        self._walk.begin(bound)
        self._bound_on_f = bound
        self._iterations_started += 1
        self._expanded_before = int(self._control[c.EXPANDED])
        self._expands_root = True

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, in as many iterations as that takes."""
        if self._root_h == 0:
            self._is_solved = True
            return Status.SOLVED
        control = self._control
        while True:
            if self._expands_root:
                if budget <= 0:
                    return Status.RUNNING
                control[c.EXPANDED] += 1
                self._expands_root = False
                budget -= 1
            before = int(control[c.EXPANDED])
            status = self._continue(budget)
            budget -= int(control[c.EXPANDED]) - before
            if status != Status.EXHAUSTED:
                self._is_solved = status == Status.SOLVED
                return status
            if self._excess == NO_EXCESS:
                return Status.EXHAUSTED
            self._begin(self._bound_on_f + self._excess)

    def _continue(self, budget: int) -> Status:
        """Run at most `budget` expansions of this iteration, and add to the counts."""
        walk = self._walk
        expanded, generated = walk.expanded, walk.generated
        status = walk.step(budget)
        self._add(walk.expanded - expanded, walk.generated - generated)
        return status

    def _add(self, expanded: int, generated: int) -> None:
        control = self._control
        control[c.EXPANDED] += expanded
        for count in (c.GENERATED, c.EVALUATED, c.SIMULATED):
            control[count] += generated

    @property
    def _excess(self) -> int:
        """By how much the next bound exceeds the bound of the iteration that has ended."""
        return self._walk.excess

    def grow(self, memory_limit: int | None) -> bool:
        """Return False. A search in place allocates only when an iteration begins, one path."""
        return False

    @property
    def _iterations(self) -> int:
        return self._iterations_started

    @property
    def _peak_nodes(self) -> int:
        return self._walk.longest + 1

    @property
    def _memory_bytes(self) -> int:
        return self._walk.nbytes

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal."""
        return [] if self._root_h == 0 else self._walk.path()

    @property
    def cost(self) -> int:
        """Number of moves to the goal."""
        return 0 if self._root_h == 0 else self._walk.depth

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions of all iterations but the last."""
        return self._expanded_before if self._is_solved else None

    @property
    def bound(self) -> float | None:
        """Proven bound: the weight, at least 1, under an admissible heuristic."""
        return self._factors.suboptimality_bound if self._stack.stack.admissible else None

    def warm(self) -> None:
        """Compile or load the kernel."""
        self._walk.warm()
