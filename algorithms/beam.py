"""Beam search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from algorithms.engine import (
    BUFFERS,
    FIELD_WORDS,
    HEURISTIC,
    PARENT,
    STORE,
    WORLD,
    CompiledSearch,
    Expansion,
    G,
    H,
    Nodes,
    StepStatus,
    capacity_within,
    child_depth,
    copy_state,
    expand_node,
    expansion_buffers,
    find_node,
    find_or_insert,
    hash_state,
    move_forward,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS, ExpansionOrder, Formula, SearchAlgorithm
from heuristics.interface import INFINITE_H, TERMS, BoundStack, Weighting, evaluate
from worlds.compile import ADDRESS, IS_GOAL, as_index, call, kernel

NEXT_NODE, LAYER_END, CANDIDATES, CANDIDATE_MASK = range(c.OWN, c.OWN + 4)
"""Entries of the control array: next node to expand, and where its layer ends; candidates for the next layer, and the
index mask of their store."""


@ALGORITHMS.register("beam")
@dataclass(frozen=True)
class Beam(SearchAlgorithm):
    """Beam search: breadth-first search that expands only the `width` best states of each layer.

    A layer is the states at the same number of moves. A state that was expanded before is left out; one that was pruned
    may be generated again. A state is tested when it is generated, and the first goal is the solution. Neither complete
    nor optimal: without a solution its status is `cutoff`, unless nothing was ever pruned.

    Attributes
    ----------
    width : int
        Maximum number of states of a layer that are expanded.
    order : {"f", "h"}
        Order of the states of a layer: smallest g + h first, or smallest h; among equals, those generated first.
    """

    heuristic = "needed"

    width: Annotated[int, Meta(ge=1, le=1 << 30)] = 100
    order: Literal["f", "h"] = "f"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the layers."""
        text = f"layer by layer, at most {self.width:,} nodes of each, the smallest {{f}} first"
        return ExpansionOrder(text, "layers", Formula(of_g=self.order == "f"))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BeamSearch:
        """Start with the start state as the first layer."""
        return BeamSearch(stack, self.width, self.order == "f")


class BeamSearch(CompiledSearch):
    """Beam search in progress. One store holds the selected nodes of all layers, one the candidates for the next layer.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    width : int
        Number of candidates to select for a layer: those with the smallest priority; among equals, those generated
        first.
    by_f : bool
        Whether the priority is g + h; otherwise it is h.
    """

    def __init__(self, stack: BoundStack, width: int, by_f: bool) -> None:
        super().__init__(stack, beam_step)
        words, successors = self._problem.initial.size, self._problem.max_successors
        self._width, self._by_f = width, by_f
        self._selected, self._candidates = Nodes(words), Nodes(words, max(1024, 2 * successors))
        self._buffers = expansion_buffers(words, successors)
        self._layers, self._peak, self._has_pruned = 1, 1, False
        self._candidates.put(0, self._problem.initial, self._root_h)
        self._control[CANDIDATES] = 1
        self._layer_has_begun = False
        self._order = np.zeros(1 if self._root_h < INFINITE_H else 0, np.int64)
        self._goal_at_start = self._problem.recognises(self._problem.initial)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions, in as many layers as that takes."""
        if self._goal_at_start:
            self._control[c.GOAL] = 0
            return StepStatus.SOLVED
        control = self._control
        before = int(control[c.EXPANDED])
        while True:
            if not self._layer_has_begun:
                if control[c.NODES] + self._order.size > self._selected.capacity:
                    return StepStatus.OUT_OF_MEMORY
                self._begin_layer()
            status = self._run_kernel(budget - int(control[c.EXPANDED]) + before)
            if status != StepStatus.LAYER_DONE:
                return status
            self._select()
            if self._order.size == 0:
                return StepStatus.CUTOFF if self._has_pruned else StepStatus.EXHAUSTED
            self._layers += 1

    def _run_kernel(self, budget: int) -> StepStatus:
        code = beam_step.compiled(
            *self._functions, self._heuristic, self._world, self._selected.arrays, self._candidates.arrays,
            self._buffers, self._control, budget,
        )  # fmt: skip
        return status_of(code)

    def _select(self) -> None:
        """Select the best candidates, at most `width`."""
        count = int(self._control[CANDIDATES])
        h = self._candidates.column(H, 0, count)
        usable = np.flatnonzero(h < INFINITE_H)
        priority = h[usable].astype(np.int64) + (self._candidates.column(G, 0, count)[usable] if self._by_f else 0)
        order = usable[np.argsort(priority, kind="stable")]
        self._has_pruned = self._has_pruned or order.size > self._width
        self._order = order[: self._width]
        self._layer_has_begun = False
        self._peak = max(self._peak, int(self._control[c.NODES]) + count)

    def _begin_layer(self) -> None:
        """Append the selected candidates to the store of selected nodes, and empty the store of candidates."""
        selected, candidates, control = self._selected, self._candidates, self._control
        append_candidates.compiled(
            self._order, candidates.states, selected.states, selected.table, selected.words, selected.index_mask,
            int(control[c.NODES]),
        )  # fmt: skip
        control[NEXT_NODE] = control[c.NODES]
        control[c.NODES] += self._order.size
        control[LAYER_END] = control[c.NODES]
        control[c.INDEX_MASK] = selected.index_mask
        control[CANDIDATE_MASK] = candidates.index_mask
        control[CANDIDATES] = 0
        candidates.clear()
        self._layer_has_begun = True

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        return self._expansion_in(self._selected)

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the store that was full in the last step."""
        control = self._control
        store, other = (
            (self._candidates, self._selected) if self._layer_has_begun else (self._selected, self._candidates)
        )
        capacity = capacity_within(store, other.nbytes, memory_limit)
        if capacity > 0:
            store.grow(capacity, int(control[CANDIDATES if self._layer_has_begun else c.NODES]))
            control[c.INDEX_MASK] = self._selected.index_mask
            control[CANDIDATE_MASK] = self._candidates.index_mask
        return capacity > 0

    @property
    def _iterations(self) -> int:
        return self._layers

    @property
    def _peak_nodes(self) -> int:
        return max(self._peak, int(self._control[c.NODES] + self._control[CANDIDATES]))

    @property
    def _memory_bytes(self) -> int:
        return self._selected.nbytes + self._candidates.nbytes

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal, which is a candidate."""
        if self._goal_at_start:
            return []
        goal = int(self._control[c.GOAL])
        return [*self._selected.path(self._candidates.field(goal, PARENT)), self._candidates.action(goal)]

    @property
    def cost(self) -> int:
        """Cost of the path to the goal."""
        return 0 if self._goal_at_start else self._candidates.field(int(self._control[c.GOAL]), G)


@kernel(f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {STORE}, {BUFFERS}, int64[::1], int64)")
def beam_step(expand, is_goal, terms, heuristic, world_arrays, selected, candidates, buffers, control, budget):
    """Expand at most `budget` nodes of a layer; return LAYER_DONE after the last, or a negative number on an error."""
    params, count, maximum = heuristic
    states, fields, table = selected
    candidate_states, candidate_fields, candidate_table = candidates
    constants, action_lengths = world_arrays
    out, out_cost, out_action, out_h, scratch, _ = buffers
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, candidate_mask = as_index(control[c.INDEX_MASK]), as_index(control[CANDIDATE_MASK])
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, candidate_states.size // stride
    last = control[c.EXPANDED] + budget
    status = StepStatus.RUNNING.value
    while status == StepStatus.RUNNING.value:
        node = as_index(control[NEXT_NODE])
        if node == control[LAYER_END]:
            status = StepStatus.LAYER_DONE.value
            break
        if control[c.EXPANDED] >= last:
            break
        if control[CANDIDATES] + successors > capacity:
            status = StepStatus.OUT_OF_MEMORY.value
            break
        at = node * stride + FIELD_WORDS
        g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            status = n
            break
        control[NEXT_NODE] += 1
        first = as_index(control[CANDIDATES])
        new = 0
        for k in range(n):
            cost = g + out_cost[k]
            hashed = hash_state(out, k * words, words)
            if find_node(table, states, words, mask, out, k * words, hashed) >= 0:
                continue
            child = find_or_insert(
                candidate_table, candidate_states, words, candidate_mask, out, k * words, hashed, first + new
            )
            if child == first + new:
                move_forward(out, out_action, k, new, words)
                new += 1
            elif cost >= candidate_fields[child * width + G]:
                continue
            set_path(candidate_fields, child * width, node, depth, cost, out_action[k])
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            terms, count, maximum, params,
            states, at, np.int64(fields[node * width + H]), out, 0, out_action, out_h, scratch, 0, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        control[CANDIDATES] += new
        for k in range(new):
            candidate_fields[(first + k) * width + H] = out_h[k]
        for k in range(new):
            if call(IS_GOAL, is_goal, constants, out, k * words):
                control[c.GOAL] = first + k
                status = StepStatus.SOLVED.value
                break
    return status


@kernel("int64(int64[::1], uint64[::1], uint64[::1], int32[::1], int64, int64, int64)")
def append_candidates(order, candidates, selected, table, words, index_mask, first):
    """Append the records of candidates, in the given order, to the selected nodes."""
    stride = words + FIELD_WORDS
    for k in range(order.size):
        at, node = order[k] * stride, first + k
        hashed = hash_state(candidates, at + FIELD_WORDS, words)
        find_or_insert(table, selected, words, index_mask, candidates, at + FIELD_WORDS, hashed, node)
        copy_state(candidates, at, selected, node * stride, FIELD_WORDS)
    return 0
