"""Compiled algorithm: enforced hill climbing, with the plans and counts of examples/enforced_hill_climbing.py.

python -m runner 'plugins=[runner.examples.compiled_hill_climbing]' algorithm=compiled_hill_climbing heuristic=manhattan
"""

from dataclasses import dataclass

import numpy as np

from algorithms.engine import (
    BUFFERS,
    FIELD_WORDS,
    HEURISTIC,
    STORE,
    WORLD,
    G,
    H,
    StepStatus,
    StoredSearch,
    child_depth,
    expand_node,
    find_or_insert,
    hash_state,
    move_forward,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from heuristics.interface import TERMS, evaluate
from runner import IS_GOAL, Metric, kernel, register
from runner.plugin import SearchAlgorithm
from worlds.compile import ADDRESS, call

NEXT_NODE = c.OWN


@register("algorithm", "compiled_hill_climbing")
@dataclass(frozen=True)
class CompiledHillClimbing(SearchAlgorithm):
    """Go to the nearest state with a smaller h, again and again (Hoffmann and Nebel 2001). Incomplete."""

    heuristic = "needed"
    metrics = (Metric("plateaus", meaning="states with a smaller h found"),)

    most: int = 1_000_000

    def start(self, stack, weighting):
        return HillClimbing(stack, self.most)


class HillClimbing(StoredSearch):
    """Hill climbing in progress. The node store holds the states of one plateau; its first node is the start of it."""

    def __init__(self, stack, most):
        super().__init__(stack)
        self._most, self._plan, self._total, self._plateaus = most, [], 0, 0
        self._store_root(self._root_h)

    def _begin(self, state, h):
        """Begin a plateau at a state."""
        self._nodes.clear()
        self._nodes.put(0, state, h)
        self._nodes.index(1)
        self._control[c.NODES], self._control[NEXT_NODE] = 1, 0

    def step(self, budget):
        """Run at most `budget` expansions."""
        control, nodes = self._control, self._nodes
        end = control[c.EXPANDED] + budget
        while True:
            if self._problem.recognises(nodes.state(0)):
                return StepStatus.SOLVED
            left = int(end - control[c.EXPANDED])
            status = status_of(
                climb.compiled(
                    *self._functions,
                    self._heuristic,
                    self._world,
                    nodes.arrays,
                    self._buffers,
                    control,
                    self._most,
                    left,
                )
            )
            if status != StepStatus.SOLVED:
                return status
            better = int(control[c.GOAL])
            self._plateaus += 1
            self._plan += nodes.path(better)
            self._total += nodes.field(better, G)
            self._begin(nodes.state(better), nodes.field(better, H))

    def path(self):
        return self._plan

    @property
    def cost(self):
        return self._total

    @property
    def measured(self):
        return {"plateaus": self._plateaus}


@kernel(f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {BUFFERS}, int64[::1], int64, int64)")
def climb(expand, is_goal, terms, heuristic, world_arrays, store, buffers, control, most, budget):
    """Search a plateau breadth-first, until a state has a smaller h than node 0 or is a goal."""
    params, count, maximum = heuristic
    states, fields, table = store
    constants, action_lengths = world_arrays
    out, out_cost, out_action, out_h, scratch, _ = buffers
    words, mask = control[c.WORDS], control[c.INDEX_MASK]
    stride = words + FIELD_WORDS  # words of a record; `fields` sees the same memory as int32
    width = 2 * stride
    for _ in range(budget):
        node, first = control[NEXT_NODE], control[c.NODES]
        if node == first or first >= most:
            return StepStatus.CUTOFF.value
        if first + control[c.MAX_SUCCESSORS] > states.size // stride:
            return StepStatus.OUT_OF_MEMORY.value
        at = node * stride + FIELD_WORDS
        g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            return n
        control[NEXT_NODE] += 1
        new = 0
        for k in range(n):
            hashed = hash_state(out, k * words, words)
            child = find_or_insert(table, states, words, mask, out, k * words, hashed, first + new)
            if child == first + new:  # the state is new
                set_path(fields, child * width, node, depth, g + out_cost[k], out_action[k])
                move_forward(out, out_action, k, new, words)
                new += 1
        control[c.NODES] += new
        control[c.EVALUATED] += new
        h = np.int64(fields[node * width + H])
        wrong = evaluate(
            terms, count, maximum, params, states, at, h, out, 0, out_action, out_h, scratch, 0, new
        )  # fmt: skip
        if wrong < 0:
            return wrong
        for k in range(new):
            fields[(first + k) * width + H] = out_h[k]
            if out_h[k] < fields[H] or call(IS_GOAL, is_goal, constants, out, k * words):
                control[c.GOAL] = first + k
                return StepStatus.SOLVED.value
    return StepStatus.RUNNING.value
