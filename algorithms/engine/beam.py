"""Beam search: breadth-first search that keeps only the most promising nodes of every layer."""

from __future__ import annotations

import numpy as np

from algorithms.engine import control as c
from algorithms.engine.compiled import BUFFERS, CompiledSearch, expansion_buffers
from algorithms.engine.nodes import (
    FIELD_WORDS,
    MOVE,
    PARENT,
    G,
    H,
    Nodes,
    capacity_within,
    copy_state,
    enter,
    find_slot,
    hash_state,
    node_in,
)
from algorithms.engine.search import Status
from heuristics.interface import UNREACHABLE
from heuristics.stack import PARAMS, TERMS, BoundStack, evaluate, unpack_terms
from worlds.kernel import EXPAND, IS_GOAL, borrowed, cost_error, kernel, list_of


class BeamSearch(CompiledSearch):
    """A resumable beam search. It stores the nodes that were kept, and the candidates for the next layer.

    Parameters
    ----------
    stack : BoundStack
    width : int
        Nodes kept of a layer: those of the smallest priority, the ones that were generated first among equals.
    by_f : bool
        The priority is g + h instead of h.
    """

    def __init__(self, stack: BoundStack, width: int, by_f: bool) -> None:
        super().__init__(stack)
        words, successors = self._problem.initial.size, self._problem.max_successors
        self._width, self._by_f = width, by_f
        self._kept, self._candidates = Nodes(words), Nodes(words, max(1024, 2 * successors))
        self._buffers = expansion_buffers(words, successors)
        self._layers, self._peak, self._has_dropped = 1, 1, False
        self._candidates.put(0, self._problem.initial, self._root_h)
        self._control[c.CANDIDATES] = 1
        self._is_chosen = False
        self._order = np.zeros(1 if self._root_h < UNREACHABLE else 0, np.int64)
        self._goal_at_start = self._problem.recognises(self._problem.initial)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions, in as many layers as that takes."""
        if self._goal_at_start:
            self._control[c.GOAL] = 0
            return Status.SOLVED
        control = self._control
        before = int(control[c.EXPANDED])
        while True:
            if not self._is_chosen:
                if control[c.NODES] + self._order.size > self._kept.capacity:
                    return Status.OUT_OF_MEMORY
                self._begin_layer()
            status = self._run_kernel(budget - int(control[c.EXPANDED]) + before)
            if status != Status.LAYER_DONE:
                return status
            self._choose()
            if self._order.size == 0:
                return Status.CUTOFF if self._has_dropped else Status.EXHAUSTED
            self._layers += 1

    def _run_kernel(self, budget: int) -> Status:
        kept, candidates, problem = self._kept, self._candidates, self._problem
        return beam_step.compiled(  # type: ignore[no-any-return]
            *self._kernels, problem.world, problem.action_lengths, (kept.states, candidates.states),
            (kept.fields, candidates.fields, kept.table, candidates.table), self._buffers, self._control, budget,
        )  # fmt: skip

    def _choose(self) -> None:
        """Order the candidates and drop what is too many."""
        count = int(self._control[c.CANDIDATES])
        h = self._candidates.column(H, 0, count)
        alive = np.flatnonzero(h < UNREACHABLE)
        priority = h[alive] + (self._candidates.column(G, 0, count)[alive] if self._by_f else 0)
        order = alive[np.argsort(priority, kind="stable")]
        self._has_dropped = self._has_dropped or order.size > self._width
        self._order = order[: self._width]
        self._is_chosen = False
        self._peak = max(self._peak, int(self._control[c.NODES]) + count)

    def _begin_layer(self) -> None:
        """Move the chosen candidates into the store of kept nodes."""
        kept, candidates, control = self._kept, self._candidates, self._control
        admit.compiled(
            self._order, candidates.states, kept.states, kept.table, kept.words, kept.index_mask, int(control[c.NODES])
        )
        control[c.HEAD] = control[c.NODES]
        control[c.NODES] += self._order.size
        control[c.LAYER_END] = control[c.NODES]
        control[c.INDEX_MASK] = kept.index_mask
        control[c.CANDIDATE_MASK] = candidates.index_mask
        control[c.CANDIDATES] = 0
        candidates.clear()
        self._is_chosen = True

    def grow(self, memory_limit: int | None) -> bool:
        """Make room for what the last step lacked: kept nodes or candidates."""
        control = self._control
        store, other = (self._candidates, self._kept) if self._is_chosen else (self._kept, self._candidates)
        capacity = capacity_within(store, other.nbytes, memory_limit)
        if capacity > 0:
            store.grow(capacity, int(control[c.CANDIDATES if self._is_chosen else c.NODES]))
            control[c.INDEX_MASK], control[c.CANDIDATE_MASK] = self._kept.index_mask, self._candidates.index_mask
        return capacity > 0

    @property
    def _iterations(self) -> int:
        return self._layers

    @property
    def _peak_nodes(self) -> int:
        return max(self._peak, int(self._control[c.NODES] + self._control[c.CANDIDATES]))

    @property
    def _memory_bytes(self) -> int:
        return self._kept.nbytes + self._candidates.nbytes

    def path(self) -> list[int]:
        """Action codes from the start to the goal, which is a candidate."""
        if self._goal_at_start:
            return []
        goal = int(self._control[c.GOAL])
        return [*self._kept.path(self._candidates.field(goal, PARENT)), self._candidates.action(goal)]

    @property
    def cost(self) -> int:
        """Cost of the path to the goal."""
        return 0 if self._goal_at_start else self._candidates.field(int(self._control[c.GOAL]), G)


@kernel(
    f"int64({list_of(EXPAND)}, {list_of(IS_GOAL)}, {TERMS}, {PARAMS}, int64[::1], int64[::1],"
    f"UniTuple(uint64[::1], 2), UniTuple(int32[::1], 4), {BUFFERS}, int64[::1], int64)"
)
def beam_step(
    expand_list, is_goal_list, term_list, params, world, action_lengths, both_states, stores, buffers, control, budget
):
    """Expand at most `budget` nodes of a layer; LAYER_DONE when all are."""
    expand, is_goal, terms = expand_list[0], is_goal_list[0], unpack_terms(term_list)
    out, out_cost, out_action, out_h, scratch, _ = borrowed(buffers)
    states, candidate_states = borrowed(both_states)
    fields, candidate_fields, table, candidate_table = borrowed(stores)
    params = borrowed(params)
    control, world, action_lengths = borrowed((control, world, action_lengths))
    words, successors = control[c.WORDS], control[c.MAX_SUCCESSORS]
    mask, candidate_mask = control[c.INDEX_MASK], control[c.CANDIDATE_MASK]
    count, maximum = control[c.TERM_COUNT], control[c.MAXIMUM] != 0
    stride = words + FIELD_WORDS
    width = 2 * stride
    capacity = candidate_states.size // stride
    expanded = 0
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        node = control[c.HEAD]
        if node == control[c.LAYER_END]:
            status = Status.LAYER_DONE.value
            break
        if expanded >= budget:
            break
        if control[c.CANDIDATES] + successors > capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        at = node * stride + FIELD_WORDS
        n = expand(world, states, at, out, 0, out_cost, out_action, 0)
        if n < 0:
            status = n
            break
        control[c.HEAD] += 1
        expanded += 1
        control[c.GENERATED] += n
        g = np.int64(fields[node * width + G])
        first = control[c.CANDIDATES]
        new = 0
        for k in range(n):
            cost = g + out_cost[k]
            wrong = cost_error(out_cost[k], cost)
            if wrong < 0:
                status = wrong
                break
            control[c.SIMULATED] += action_lengths[out_action[k]]
            hashed = hash_state(out, k * words, words)
            if node_in(table, find_slot(table, states, words, mask, out, k * words, hashed), mask) >= 0:
                continue
            slot = find_slot(candidate_table, candidate_states, words, candidate_mask, out, k * words, hashed)
            candidate = node_in(candidate_table, slot, candidate_mask)
            if candidate < 0:
                candidate = first + new
                enter(candidate_table, slot, candidate_mask, candidate, hashed)
                copy_state(out, k * words, candidate_states, candidate * stride + FIELD_WORDS, words)
                copy_state(out, k * words, out, new * words, words)
                out_action[new] = out_action[k]
                new += 1
            elif cost >= candidate_fields[candidate * width + G]:
                continue
            candidate_fields[candidate * width + G] = cost
            candidate_fields[candidate * width + PARENT] = node
            candidate_fields[candidate * width + MOVE] = np.int64(out_action[k]) & 0xFFFF
        if status < 0:
            break
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(
            terms, count, maximum, params,
            states, at, np.int64(fields[node * width + H]), out, 0, out_action, out_h, scratch, 0, new,
        )  # fmt: skip
        if failure < 0:
            status = failure
            break
        control[c.CANDIDATES] += new
        for k in range(new):
            candidate_fields[(first + k) * width + H] = out_h[k]
            if status == Status.RUNNING.value and is_goal(world, out, k * words):
                control[c.GOAL] = first + k
                status = Status.SOLVED.value
    control[c.EXPANDED] += expanded
    return status


@kernel("int64(int64[::1], uint64[::1], uint64[::1], int32[::1], int64, int64, int64)")
def admit(order, candidates, kept, table, words, index_mask, first):
    """Append the records of candidates to the kept nodes, in the given order."""
    stride = words + FIELD_WORDS
    for k in range(order.size):
        at = (first + k) * stride
        copy_state(candidates, order[k] * stride, kept, at, stride)
        hashed = hash_state(kept, at + FIELD_WORDS, words)
        slot = find_slot(table, kept, words, index_mask, kept, at + FIELD_WORDS, hashed)
        enter(table, slot, index_mask, first + k, hashed)
    return 0
