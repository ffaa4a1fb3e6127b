"""Iterated width: breadth-first search that keeps only novel states (Lipovetzky and Geffner 2012)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.engine import (
    BUFFERS,
    FIELD_WORDS,
    STORE,
    WORLD,
    Counts,
    G,
    StepStatus,
    StoredSearch,
    child_depth,
    expand_node,
    find_node,
    find_or_insert,
    hash_state,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS, Algorithm, ExpansionOrder, SearchAlgorithm
from algorithms.novelty import control_entries as v
from algorithms.novelty.novelty import TABLE, NoveltyTable, novelty_of
from heuristics.interface import BoundStack, Weighting
from runner.base import Incompatible
from worlds.compile import ADDRESS, IS_GOAL, as_index, call, kernel
from worlds.interface import Instance


@ALGORITHMS.register("iw")
@dataclass(frozen=True)
class IteratedWidth(SearchAlgorithm):
    """Iterated width IW(k): breadth-first search that prunes a state without a new tuple of at most k facts.

    A fact is a variable with one of its values; a tuple is new if no state generated before had all its facts. A state
    is tested when it is generated, before it may be pruned. With n facts, at most n^k states are expanded. Neither
    complete nor optimal: without a solution its status is `cutoff`, unless nothing was pruned. If the width of the
    problem is at most k, it finds a shortest plan (Lipovetzky and Geffner, "Width and serialization of classical
    planning problems", ECAI 2012). It needs a world whose states have variables, such as planning tasks.

    Attributes
    ----------
    k : {1, 2}
        Size of the tuples.
    iterated : bool
        Search with tuples of size 1 first, and then, if that finds no plan, with k.
    """

    heuristic = "ignored"

    k: Literal[1, 2] = 2
    iterated: bool = False

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm without iterations if there is only one."""
        return replace(self, iterated=self.iterated and self.k > 1), weighting

    def check(self, instance: Instance) -> None:
        """Refuse worlds whose states have no variables."""
        kernels = instance.world.kernels
        if kernels is None or kernels.state_variables is None:
            raise Incompatible(
                f"algorithm: iw needs states that consist of variables, and {instance.world.domain} declares none; "
                "choose a world such as pddl/file, or another algorithm such as bfs"
            )
        super().check(instance)

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return first in, first out."""
        first = ", first with tuples of 1 fact" if self.iterated and self.k > 1 else ""
        text = f"layer by layer: first in, first out, without states that have no new tuple of {self.k} facts{first}"
        return ExpansionOrder(text.replace(" 1 facts", " 1 fact"), "oldest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> IteratedWidthSearch:
        """Start at the start state."""
        return IteratedWidthSearch(stack, 1 if self.iterated else self.k, self.k)


class IteratedWidthSearch(StoredSearch):
    """Search for novel states in progress. The node store has those that were not pruned, in the order of the queue.

    Parameters
    ----------
    stack : BoundStack
        Stack for the problem to solve; its heuristics are ignored.
    first, last : int
        Size of the tuples in the first and the last iteration.
    """

    keeps = "first"

    def __init__(self, stack: BoundStack, first: int, last: int) -> None:
        super().__init__(stack, iterated_width_step)
        kernels = stack.problem.world.kernels
        assert kernels is not None
        assert kernels.state_variables is not None
        self._variables = kernels.state_variables()
        self._first, self._size, self._last, self._peak = first, first, last, 1
        self._begin()
        self._is_new, self._peak_bytes = False, self._memory_bytes

    def _begin(self) -> None:
        """Begin an iteration."""
        self._store_root(0)
        self._table = NoveltyTable(self._control, self._variables, self._size, is_single=True)
        self._control[v.NEXT_NODE] = self._control[v.HAS_PRUNED] = 0

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        code = iterated_width_step.compiled(
            *self._functions[:2], self._world, self._nodes.arrays, self._table.arrays, self._buffers, self._control,
            budget,
        )  # fmt: skip
        status = status_of(code)
        self._peak = self._peak_nodes
        if status != StepStatus.EXHAUSTED or not self._control[v.HAS_PRUNED]:
            return status
        if self._size == self._last:
            return StepStatus.CUTOFF
        self._size += 1
        self._begin()
        self._is_new = True
        return StepStatus.OUT_OF_MEMORY

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the node store; of a new iteration, take its first arrays."""
        is_first = memory_limit is None or self._memory_bytes <= memory_limit
        has_grown = is_first if self._is_new else super().grow(memory_limit)
        self._is_new = False
        if has_grown:
            self._peak_bytes = max(self._peak_bytes, self._memory_bytes)
        return has_grown

    @property
    def counts(self) -> Counts:
        """Counts so far; the bytes are the most of all iterations."""
        return replace(super().counts, memory_bytes=self._peak_bytes)

    @property
    def _iterations(self) -> int | None:
        return None if self._first == self._last else self._size - self._first + 1

    @property
    def _peak_nodes(self) -> int:
        return max(self._peak, int(self._control[c.NODES]))

    @property
    def _memory_bytes(self) -> int:
        return super()._memory_bytes + self._table.nbytes


@kernel(f"int64({ADDRESS}, {ADDRESS}, {WORLD}, {STORE}, {TABLE}, {BUFFERS}, int64[::1], int64)")
def iterated_width_step(expand, is_goal, world_arrays, store, table, buffers, control, budget):
    """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error."""
    out, out_cost, out_action, _, _, _ = buffers
    states, fields, index = store
    constants, action_lengths = world_arrays
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask = as_index(control[c.INDEX_MASK])
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    last = control[c.EXPANDED] + budget
    while control[c.EXPANDED] < last:
        node = as_index(control[v.NEXT_NODE])
        if node == control[c.NODES]:
            return StepStatus.EXHAUSTED.value
        if control[c.NODES] + successors > capacity:
            return StepStatus.OUT_OF_MEMORY.value
        at = node * stride + FIELD_WORDS
        if node == 0:
            if call(IS_GOAL, is_goal, constants, states, at):
                control[c.GOAL] = node
                return StepStatus.SOLVED.value
            novelty_of(control, 0, states, at, states, -1, table)
        g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            return n
        control[v.NEXT_NODE] += 1
        for k in range(n):
            hashed = hash_state(out, k * words, words)
            if find_node(index, states, words, mask, out, k * words, hashed) >= 0:
                continue
            reached = call(IS_GOAL, is_goal, constants, out, k * words)
            if not reached and novelty_of(control, 0, out, k * words, states, at, table) > control[v.SIZE]:
                control[v.HAS_PRUNED] = 1
                continue
            new = as_index(control[c.NODES])
            find_or_insert(index, states, words, mask, out, k * words, hashed, new)
            control[c.NODES] += 1
            set_path(fields, new * width, node, depth, g + out_cost[k], out_action[k])
            if reached:
                control[c.GOAL] = new
                return StepStatus.SOLVED.value
    return StepStatus.RUNNING.value
