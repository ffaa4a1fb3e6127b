"""IDA* in place with several threads. Cost, plan and counts are those of the search without threads.

Iterations that are expected to be long are split into subtrees (`split_iteration`), whose expansions are counted in the
order of the search. Threads report their counts from time to time. If the budget of a step ends between two reports,
this process searches the rest of the iteration alone, so that the limit of expansions is exact.
"""

from __future__ import annotations

from algorithms.engine import control as c
from algorithms.engine.factors import UNWEIGHTED, Factors
from algorithms.engine.in_place_search import InPlaceSearch
from algorithms.engine.in_place_walk import NO_EXCESS, NO_PATH, Walk
from algorithms.engine.search import Status
from algorithms.engine.split_iteration import SplitIteration, SubtreeProgress
from heuristics.stack import BoundStack

_MIN_EXPANSIONS = 500_000
_EXPANSIONS_PER_SUBTREE = 5_000
_SUBTREES_PER_THREAD = 512


class ParallelInPlaceSearch(InPlaceSearch):
    """IDA* in progress, in several threads.

    Parameters
    ----------
    threads : int
        Number of threads.
    min_expansions : int
        Split an iteration if the one before had at least this number of expansions.
    """

    def __init__(
        self, stack: BoundStack, threads: int, factors: Factors = UNWEIGHTED, min_expansions: int = _MIN_EXPANSIONS
    ) -> None:
        self._min_expansions, self._longest = min_expansions, 0
        super().__init__(stack, factors)
        self._walks = [Walk(self._in_place, factors, self._root_h) for _ in range(threads)]

    def _begin(self, bound: int) -> None:
        """Start an iteration."""
        last = int(self._control[c.EXPANDED]) - self._expanded_before if self._iterations_started else 0
        super()._begin(bound)
        self._is_split = last >= self._min_expansions
        self._wanted = max(1, last // _EXPANSIONS_PER_SUBTREE)
        self._split: SplitIteration | None = None
        self._least_excess = NO_EXCESS

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, in as many iterations as that takes."""
        self._expanded_before_step = int(self._control[c.EXPANDED])
        return super().step(budget)

    def _continue(self, budget: int) -> Status:
        """Run at most `budget` expansions of this iteration, and add to the counts."""
        if not self._is_split:
            return super()._continue(budget)
        if self._split is None:
            self._split_iteration()
        assert self._split is not None
        target = self._counted.expanded + budget
        status = self._count(target)
        if status == Status.RUNNING and not self._is_beyond:
            self._split.search(lambda: self._count(target) != Status.RUNNING or self._is_beyond)
            status = self._count(target)
        if status != Status.RUNNING:
            return status
        if self._is_beyond and self._control[c.EXPANDED] == self._expanded_before_step:
            self._leave_threads()  # one report of a thread is larger than the whole budget
            return super()._continue(budget)
        if self._counted.expanded == target:
            self._walk_to_count()
        return status

    def _split_iteration(self) -> None:
        self._walk.warm_for_threads()
        wanted = min(self._wanted, _SUBTREES_PER_THREAD * len(self._walks))
        self._split = SplitIteration(self._walk, self._walks, self._bound_on_f, wanted)
        self._finished = self._counted = SubtreeProgress()  # of the subtrees that have ended, and of the iteration
        self._subtree = self._published = 0  # the current subtree, and how much of its progress is counted

    def _count(self, target: int) -> Status:
        """Count what is finished, up to `target` expansions. `_is_beyond`: what comes next exceeds the target."""
        assert self._split is not None
        split, self._is_beyond = self._split, False
        while self._subtree < len(split.subtrees):
            subtree = split.subtrees[self._subtree]
            status = subtree.status  # read before the progress, because it is written after it
            if self._published < len(subtree.progress):
                progress = subtree.progress[self._published]
                if not self._reach(
                    subtree.expanded_before + progress.expanded, subtree.generated_before + progress.generated, target
                ):
                    return Status.RUNNING
                self._longest = max(self._longest, progress.longest)
                self._published += 1
            elif status == Status.SOLVED:
                if self._counted.expanded == target:  # the goal comes next, after the budget
                    return Status.RUNNING
                assert subtree.walk is not None
                self._walk = subtree.walk
                return status
            elif status == Status.EXHAUSTED:
                last = subtree.progress[-1]
                self._finished = SubtreeProgress(
                    self._finished.expanded + last.expanded, self._finished.generated + last.generated
                )
                self._least_excess = min(self._least_excess, subtree.excess)
                self._subtree, self._published = self._subtree + 1, 0
            else:
                return status
        is_reached = self._reach(split.above.expanded, split.above.generated, target)
        if is_reached and split.status == Status.SOLVED and self._counted.expanded == target:
            return Status.RUNNING
        return split.status if is_reached else Status.RUNNING

    def _reach(self, expanded: int, generated: int, target: int) -> bool:
        """Set the counts of the iteration, unless they exceed the target. The finished subtrees are added."""
        counted = SubtreeProgress(self._finished.expanded + expanded, self._finished.generated + generated)
        self._is_beyond = counted.expanded > target
        if not self._is_beyond:
            self._add(counted.expanded - self._counted.expanded, counted.generated - self._counted.generated)
            self._counted = counted
        return not self._is_beyond

    def _leave_threads(self) -> None:
        """Continue the iteration without threads, after the last expansion that is counted."""
        self._is_split = False
        self._least_excess = min(self._least_excess, self._walk.excess)
        self._longest = max(self._longest, self._walk.longest)
        self._walk = self._walk_to_count()

    def _walk_to_count(self) -> Walk:
        """Return a walk to the last expansion that is counted, and count what is generated before the next one."""
        assert self._split is not None
        split, counted = self._split, self._counted
        walk = Walk(self._in_place, self._factors, self._root_h)
        number, finished = self._subtree, self._finished
        if self._published == 0 and number > 0:
            number -= 1
            last = split.subtrees[number].progress[-1]
            finished = SubtreeProgress(finished.expanded - last.expanded, finished.generated - last.generated)
        expanded = generated = 0
        path = NO_PATH
        if counted.expanded > 0:
            subtree = split.subtrees[number]
            path = subtree.path
            expanded = finished.expanded + subtree.expanded_before + 1
            generated = finished.generated + subtree.generated_before
        walk.enter(self._bound_on_f, path, floor=0)
        walk.step(counted.expanded - expanded)
        self._add(0, generated + walk.generated - counted.generated)
        self._counted = SubtreeProgress(counted.expanded, generated + walk.generated)
        return walk

    @property
    def _excess(self) -> int:
        return min(self._least_excess, super()._excess)

    @property
    def _peak_nodes(self) -> int:
        return max(self._longest + 1, super()._peak_nodes)

    @property
    def _memory_bytes(self) -> int:
        return super()._memory_bytes + sum(walk.nbytes for walk in self._walks)

    def warm(self) -> None:
        """Compile or load the kernels."""
        super().warm()
        self._walk.warm_for_threads()
