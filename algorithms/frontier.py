"""Exploration of complete spaces with two bits per state over a perfect index (`worlds.interface.perfect_index`)."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from algorithms.breadth_first import STATES
from algorithms.engine import Counts, ResumableSearch, StepStatus
from algorithms.interface import ALGORITHMS, ExpansionOrder, SearchAlgorithm
from heuristics.interface import BoundStack, Weighting
from heuristics.tables import StoredTable, folder_of
from runner.base import Incompatible, Metric, UserError
from worlds.compile import ADDRESS, call, helper, kernel, trailing_zeros
from worlds.interface import MAX_STATES, NOWHERE, STEPS, Instance, PerfectIndex, Problem, State

# Layout of the control array: counts of states that are expanded, found and generated, and the next block of the level.
EXPANDED, FOUND, GENERATED, NEXT_BLOCK, SIZE = range(5)
SAVE_SECONDS = 60.0
"""Minimum number of seconds between two times that an exploration is stored."""
FORMAT = "search-runner frontier 1"

log = logging.getLogger(__name__)


@ALGORITHMS.register("frontier")
@dataclass(frozen=True)
class Frontier(SearchAlgorithm):
    """Breadth-first search of the complete space from the goals, with two bits per state: its depth modulo 3.

    It counts the states at each depth: `states` is their number at the last depth that was explored. So a sweep over
    `depth` has a row for each level, and `runner.levels` returns all of them. The start is one of the states; its
    plan descends from level to level. The n-puzzle, pancakes, TopSpin and Hanoi number all their states, up to 68
    billion. `expanded` counts states again that are expanded again: a state is not told from those three
    levels before. Source: D. Kunkle and G. Cooperman, "Twenty-six moves suffice for Rubik's cube", ISSAC 2007.

    Attributes
    ----------
    depth : int, optional
        Last depth to explore. Unless given, all.
    save : bool
        Store the exploration in the user's cache directory, at its end and after each level, at most once a minute;
        and continue the one that is stored there. So a sweep over `depth` explores each level once, and an exploration
        that was interrupted goes on. Counts and levels are those of an undisturbed one; times are those of the part
        that was explored this time.
    """

    without_effect = ("save",)

    heuristic = "ignored"
    optimal = "unit_costs"
    complete = True
    needs_unit_costs = True
    needs_inverse = True
    counts_levels = True
    metrics = (
        STATES,
        Metric("radius", better="neither", log_scale=False, meaning="largest distance of a state from the goals"),
    )

    depth: Annotated[int, Meta(ge=0, le=1000)] | None = None
    save: bool = False

    def check(self, instance: Instance) -> None:
        """Refuse worlds without numbers of states, and spaces that are too large."""
        _maker(instance)
        super().check(instance)

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the layers, from the goals."""
        return ExpansionOrder("layer by layer from the goals", "oldest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> FrontierSearch:
        """Start at the goals."""
        return FrontierSearch(stack.problem, self.depth, saves=self.save)


class Store:
    """Stored exploration of a space: a file with the control array of each level, the marked blocks, and the table.

    Parameters
    ----------
    index : PerfectIndex
    goals : set of int
        Numbers of the goals.

    Raises
    ------
    UserError
        If the digest of a kernel is not known.
    """

    def __init__(self, index: PerfectIndex, goals: set[int]) -> None:
        digest = hashlib.sha256(repr((index.blocks, index.size, sorted(goals))).encode())
        for code in (index.steps, expand_blocks):
            if code.digest is None:
                raise UserError(f"algorithm.save: the kernel {code.__name__} reads values whose content is not known")
            digest.update(code.digest.encode())
        for array in (index.data, index.maps):
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        self._key = digest.hexdigest()[:16]
        self._folder = folder_of("frontier")

    def save(self, depth: int, history: NDArray[np.int64], now: NDArray[np.uint8], table: NDArray[np.uint64]) -> None:
        """Store an exploration to a depth, and remove the one before.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        before = self._files()
        self._stored(depth, now, table).write(history, now, table)
        for other, file in before.items():
            if other < depth:
                file.unlink(missing_ok=True)

    def load(self, now: NDArray[np.uint8], table: NDArray[np.uint64]) -> NDArray[np.int64] | None:
        """Read the deepest exploration into arrays, and return the control array of each level; None without one."""
        for depth in sorted(self._files(), reverse=True):
            stored = self._stored(depth, now, table)
            with suppress(OSError):  # another process has stored a deeper one, and removed this
                if stored.is_valid(lambda *_: None, "exploration"):
                    content = stored.mapped(np.uint8, (stored.size,))
                    first, second = stored.size - now.nbytes - table.nbytes, stored.size - table.nbytes
                    now[:], table[:] = content[first:second], content[second:].view(np.uint64)
                    return content[:first].view(np.int64).reshape(depth + 1, SIZE).copy()
        return None

    def _files(self) -> dict[int, Path]:
        """Return the files by their depths."""
        files = self._folder.glob(f"{self._key}-*.levels")
        return {int(depth): file for file in files if (depth := file.stem.partition("-")[2]).isdecimal()}

    def _stored(self, depth: int, now: NDArray[np.uint8], table: NDArray[np.uint64]) -> StoredTable:
        size = 8 * SIZE * (depth + 1) + now.nbytes + table.nbytes
        file = self._folder / f"{self._key}-{depth}.levels"
        return StoredTable(file, {"format": FORMAT, "space": self._key, "depth": depth}, size)


def _maker(instance: Instance) -> Callable[[], PerfectIndex]:
    kernels = instance.world.kernels
    make = None if kernels is None else kernels.perfect_index
    if make is None:
        raise Incompatible(
            f"algorithm: frontier needs a world that numbers all its states, at most {MAX_STATES:,}; {instance.id} "
            f"({instance.world.domain}) does not"
        )
    return make


class FrontierSearch(ResumableSearch):
    """Exploration in progress.

    Parameters
    ----------
    problem : Problem
        Problem whose rules have a perfect index.
    depth : int, optional
        Last depth to explore.
    saves : bool
        Store the exploration, and continue a stored one.

    Attributes
    ----------
    levels : list of int
        Number of states at each depth so far.
    """

    first_budget = 1_000_000

    def __init__(self, problem: Problem, depth: int | None = None, *, saves: bool = False) -> None:
        self._depth, self._problem, self._index = depth, problem, _maker(problem.instance)()
        index = self._index
        self._words = -(-index.size // 32)
        self._table = np.zeros(index.blocks * self._words, np.uint64)
        self._now, self._following = np.zeros((2, index.blocks), np.uint8)
        self._scratch = np.empty(index.size, np.int64), np.empty(2 * index.max_steps, np.int64)
        self._control = np.zeros(SIZE, np.int64)
        self._is_complete = False
        self._steps = index.steps.address(STEPS)
        world = problem.world
        assert world.goals is not None  # as in every world with a perfect index
        goals = {index.number(goal) for goal in world.goals()}
        for goal in goals:
            block, rank = divmod(goal, index.size)
            self._table[block * self._words + rank // 32] |= np.uint64(1 << 2 * (rank % 32))
            self._now[block] = 1
            self._control[FOUND] += 1
        self.levels: list[int] = [int(self._control[FOUND])]
        self._history = [self._control.copy()]
        self._store = Store(index, goals) if saves else None
        self._saved_at, self._saved_depth = time.monotonic(), 0
        if self._store is not None:
            self._load(self._store)

    def step(self, budget: int) -> StepStatus:
        """Expand states, in as many levels as `budget` takes; at most a block more than that."""
        control, last = self._control, int(self._control[EXPANDED]) + budget
        while control[EXPANDED] < last:
            if self.levels[-1] == 0 or len(self.levels) - 1 == self._depth:
                return self._end()
            mark = (len(self.levels) - 1) % 3 + 1
            expand_blocks.compiled(
                self._steps, self._index.data, self._index.maps, self._table, self._words, mark, self._now,
                self._following, *self._scratch, control, last,
            )  # fmt: skip
            if control[NEXT_BLOCK] == self._index.blocks:
                control[NEXT_BLOCK] = 0
                self._now, self._following = self._following, self._now
                self.levels.append(int(control[FOUND]) - sum(self.levels))
                self._history.append(control.copy())
                if time.monotonic() - self._saved_at > SAVE_SECONDS:
                    self._save()
        return StepStatus.RUNNING

    def _end(self) -> StepStatus:
        """Leave out the empty level behind the last one, and return whether the start was found."""
        self._save()
        self._is_complete = self.levels[-1] == 0
        self.levels = [states for states in self.levels if states]
        is_found = self._mark(self._problem.world.initial()) != 0 and self.cost < len(self.levels)
        return StepStatus.SOLVED if is_found else StepStatus.EXHAUSTED if self._is_complete else StepStatus.CUTOFF

    def _save(self) -> None:
        """Store the complete levels, unless they are stored."""
        depth = len(self.levels) - 1
        if self._store is None or depth <= self._saved_depth:
            return
        try:
            self._store.save(depth, np.stack(self._history), self._now, self._table)
        except OSError as error:
            log.warning("frontier: the exploration cannot be stored: %s", error)
        self._saved_at, self._saved_depth = time.monotonic(), depth

    def _load(self, store: Store) -> None:
        """Continue the stored exploration. It may be deeper than this one; then only its levels count."""
        found = store.load(self._now, self._table)
        if found is None:
            return
        self._saved_depth = len(found) - 1
        self._history = list(found if self._depth is None else found[: self._depth + 1])
        self._control[:] = self._history[-1]
        self._control[NEXT_BLOCK] = 0  # as after every level, whatever the file says
        counts = [int(each[FOUND]) for each in self._history]
        self.levels = [after - before for before, after in pairwise([0, *counts])]

    def grow(self, memory_limit: int | None) -> bool:
        """Return False: the table has its size from the beginning."""
        return False

    @property
    def counts(self) -> Counts:
        """Counts so far."""
        control = self._control
        return Counts(
            expanded=int(control[EXPANDED]),
            generated=int(control[GENERATED]),
            iterations=len(self.levels),
            peak_nodes=int(control[FOUND]),
            memory_bytes=self._table.nbytes,
        )

    @property
    def measured(self) -> dict[str, float | None]:
        """Number of states of the last level; the radius, if the exploration is complete."""
        return {"states": self.levels[-1], "radius": len(self.levels) - 1 if self._is_complete else None}

    @property
    def initial_h(self) -> int:
        """0: there is no heuristic."""
        return 0

    @property
    def may_have_pruned(self) -> bool:
        """Whether states may have been ignored: none are."""
        return False

    @property
    def bound(self) -> float:
        """Proven bound: 1."""
        return 1.0

    @property
    def cost(self) -> int:
        """Number of steps of the path."""
        return len(self.path())

    def path(self) -> list[int]:
        """Return the action codes from the start to the nearest goal: each step leads to the level before."""
        rules = self._problem.world.kernels
        assert rules is not None  # they have the perfect index
        code_of = {name: code for code, name in enumerate(rules.action_names())}
        state, codes = rules.initial(), list[int]()
        while not rules.is_goal(state):
            wanted = (self._mark(state) - 2) % 3 + 1
            name, state = next(step[:2] for step in rules.successors(state) if self._mark(step[1]) == wanted)
            codes.append(code_of[name])
        return codes

    def _mark(self, state: State) -> int:
        """Return the depth of a state modulo 3, plus 1; 0 if it was not reached."""
        number = self._index.number(state)
        if number < 0:
            return 0
        block, rank = divmod(number, self._index.size)
        return int(self._table[block * self._words + rank // 32]) >> 2 * (rank % 32) & 3


@helper
def marked(word, mark):
    """Return the lower bit of each pair of bits that is a mark, from 0 to 3."""
    other = word ^ (np.uint64(0x5555555555555555) * np.uint64(mark))
    return ~(other | (other >> np.uint64(1))) & np.uint64(0x5555555555555555)


@kernel(
    f"int64({ADDRESS}, int64[::1], uint16[:, ::1], uint64[::1], int64, int64, uint8[::1], uint8[::1], "
    "int64[::1], int64[::1], int64[::1], int64)"
)
def expand_blocks(steps, data, maps, table, words, mark, now, following, ranks, out, control, last):
    """Expand the states with a mark, block by block, until `last` states are expanded or the level is complete."""
    next_mark = np.uint64(mark % 3 + 1)
    block = control[NEXT_BLOCK]
    while block < now.size and control[EXPANDED] < last:
        if now[block] != 0:
            now[block] = 0
            n = 0
            for i in range(words):
                left = marked(table[block * words + i], mark)
                while left != np.uint64(0):
                    ranks[n] = 32 * i + (trailing_zeros(left) >> 1)
                    left &= left - np.uint64(1)
                    n += 1
            control[EXPANDED] += n
            for k in range(call(STEPS, steps, data, block, out)):
                target, chosen, new = out[2 * k], out[2 * k + 1], 0
                for i in range(n):
                    rank = maps[chosen, ranks[i]]
                    if rank != NOWHERE:
                        control[GENERATED] += 1
                        at, shift = target * words + (rank >> 5), np.uint64(2 * (rank & 31))
                        if (table[at] >> shift) & np.uint64(3) == np.uint64(0):
                            table[at] |= next_mark << shift
                            new += 1
                if new != 0:
                    control[FOUND] += new
                    following[target] = 1
        block += 1
    control[NEXT_BLOCK] = block
    return 0
