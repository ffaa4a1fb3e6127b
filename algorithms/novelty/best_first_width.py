"""Best-first width search for planning tasks (Lipovetzky and Geffner 2017): novel states first.

The node store is a queue, too: nodes are evaluated and inserted into the open list in the order in which they were
stored, so that an evaluation can wait until there is memory for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.engine import (
    BUFFERS,
    DEAD_END,
    FIELD_WORDS,
    PARENT,
    PREVIOUS,
    QUEUE,
    STORE,
    WEIGHTED,
    WORLD,
    G,
    GrowingArrays,
    H,
    OpenList,
    StepStatus,
    StoredSearch,
    ValuedNodes,
    capacity_within,
    child_depth,
    expand_node,
    find_or_insert,
    hash_successors,
    pop,
    push,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from algorithms.engine import control_open_list as q
from algorithms.engine import has_room as has_room_to_push
from algorithms.interface import ALGORITHMS, ExpansionOrder, SearchAlgorithm
from algorithms.novelty import control_entries as v
from algorithms.novelty.novelty import NODES, OPEN, PLANS, TABLE, NoveltyTable, class_of, fact_of, has_room, novelty_of
from heuristics.interface import INFINITE_H, BoundStack, Weighting
from heuristics.pddl.relaxation import GOALS, IS_GOAL_FACT, params_of
from heuristics.pddl.relaxed_facts import write_relaxed_facts
from runner.base import Incompatible
from worlds.compile import ADDRESS, IS_GOAL, as_index, call, helper, kernel
from worlds.interface import Instance
from worlds.pddl.world import PlanningWorld

OPEN_GOALS, ACHIEVED, PLAN, VALUES = range(4)
"""Values of a node: goal facts that do not hold; facts of the relaxed plan that were achieved; index of this plan in
`plans`, 0 if it is that of the node itself and not yet computed. `VALUES` is their number."""
PENDING_FACT, ACHIEVED_FACT = 1, 2
"""Marks of the facts of a relaxed plan."""

_FIRST_PLANS = 1024

PLANS_OF = "Tuple((int32[::1], int32[::1], int32[::1]))"
"""Numba type of the values of the nodes; relaxed plans, each its number of facts and then these; a mark of each fact,
for the node that was expanded last."""


@ALGORITHMS.register("bfws")
@dataclass(frozen=True)
class BestFirstWidth(SearchAlgorithm):
    """Best-first width search BFWS(f5): the smallest novelty first, then the fewest open goals, then the oldest.

    The novelty of a state is 1, 2 or 3 (any larger one): the size of the smallest tuple of facts that holds for the
    first time among the states with as many open goals #g and as many achieved facts #r. Open goals are goal facts that
    do not hold. #r counts the facts of a relaxed plan that the path has made true. This is the relaxed plan of `ff`,
    without the facts that held already, from the last state of the path with fewer open goals than the one before it,
    or else from the start. States keep the path on which they were generated first.

    Complete, because states without novelty are expanded at last; no bound on the cost. For planning tasks only. A
    state without a relaxed plan has no solution, and is not expanded. Each relaxed plan counts as an evaluation.
    Source: Lipovetzky and Geffner, "Best-first width search: exploration and exploitation in classical planning", AAAI
    2017.
    """

    heuristic = "ignored"
    complete = True

    def check(self, instance: Instance) -> None:
        """Refuse all but planning tasks."""
        if not isinstance(instance.world, PlanningWorld):
            raise Incompatible(
                f"algorithm: bfws searches planning tasks only, not {instance.world.domain}; "
                "choose a world such as pddl/file, or another algorithm such as greedy"
            )
        super().check(instance)

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the novelty."""
        return ExpansionOrder("the smallest novelty first, then the fewest open goals, then first in", "oldest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstWidthSearch:
        """Start at the start state."""
        return BestFirstWidthSearch(stack)


class BestFirstWidthSearch(StoredSearch):
    """Best-first width search in progress.

    Parameters
    ----------
    stack : BoundStack
        Stack for a planning task; its heuristics are ignored.
    """

    keeps = "first"

    def __init__(self, stack: BoundStack) -> None:
        super().__init__(stack, best_first_width_step)
        world = stack.problem.world
        assert isinstance(world, PlanningWorld)
        control = self._control
        self._params = params_of(stack.problem, "normal")
        self._store_root(0)
        control[q.PRIORITY] = WEIGHTED
        by_h = np.array([0, 1, 0, 1], np.float64)
        self._open = OpenList(control, by_h, self._nodes, "fifo")
        self._table = NoveltyTable(control, world.state_variables(), size=2)
        facts = int(control[v.FACTS])
        self._plans = GrowingArrays(_FIRST_PLANS, (np.int32, 1))
        self._marks = np.zeros(facts + 1, np.int32)
        control[v.PLANS_USED] = 1

    def _new_nodes(self, words: int, capacity: int) -> ValuedNodes:
        return ValuedNodes(words, capacity, VALUES)

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        assert isinstance(self._nodes, ValuedNodes)
        assert self._open is not None
        plans = self._nodes.values, *self._plans.views, self._marks
        code = best_first_width_step.compiled(
            *self._functions[:2], self._params, self._world, self._nodes.arrays, self._open.arrays, self._table.arrays,
            plans, self._buffers, self._control, budget,
        )  # fmt: skip
        return status_of(code)

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step."""
        control, nodes = self._control, self._nodes
        part, total = control[v.FULL_PART], self._memory_bytes
        if part == NODES:
            capacity = capacity_within(nodes, total - nodes.nbytes, memory_limit)
            if capacity > 0:
                nodes.grow(capacity, int(control[c.NODES]))
                control[c.INDEX_MASK] = nodes.index_mask
            return capacity > 0
        if part == OPEN:
            assert self._open is not None
            return self._open.grow(total - self._open.nbytes, memory_limit)
        if part == PLANS:
            if memory_limit is not None and total + self._plans.nbytes > memory_limit:
                return False
            self._plans.double()
            return True
        return self._table.grow(total - self._table.nbytes, memory_limit)

    @property
    def _memory_bytes(self) -> int:
        return super()._memory_bytes + self._table.nbytes + self._plans.nbytes


@helper
def evaluate_and_push(control, node, params, states, fields, width, queue, table, plans):
    """Evaluate the next stored node and insert it into the open list. If an array is full, return False."""
    values, _, marks = plans
    if not has_room(control, table):
        return False
    record, first = node * width, node * VALUES
    at = (record >> 1) + FIELD_WORDS
    parent = as_index(fields[record + PARENT])
    goals, achieved = params[GOALS], np.int64(0)
    for i in range(control[v.VARIABLES]):
        fact = as_index(fact_of(table[0], i, states, at))
        goals -= params[as_index(params[IS_GOAL_FACT]) + fact]
        achieved += marks[fact] == PENDING_FACT
    before = parent * VALUES
    plan = np.int64(0)
    if node == 0 or goals < values[before + OPEN_GOALS]:
        achieved = np.int64(0)
    else:
        achieved += values[before + ACHIEVED]
        plan = np.int64(values[before + PLAN])
    values[first + OPEN_GOALS] = goals
    values[first + ACHIEVED] = achieved
    values[first + PLAN] = plan
    is_like_parent = node > 0 and goals == values[before + OPEN_GOALS] and achieved == values[before + ACHIEVED]
    parent_at = np.int64(parent * (width >> 1) + FIELD_WORDS) if is_like_parent else np.int64(-1)
    novelty = novelty_of(control, class_of(control, goals, achieved, table), states, at, states, parent_at, table)
    fields[record + H] = novelty * (params[GOALS] + 1) + goals
    push(control, node, fields, width, queue)
    return True


@helper
def find_plan(control, node, params, states, at, plans):
    """Give a node its relaxed plan if it does not have one. Return False if there is none."""
    values, facts, _ = plans
    if values[node * VALUES + PLAN] != 0:
        return True
    control[c.EVALUATED] += 1
    first = as_index(control[v.PLANS_USED])
    count = write_relaxed_facts(params, states, at, facts, first + 1)
    if count < 0:
        return False
    facts[first] = count
    values[node * VALUES + PLAN] = first
    control[v.PLANS_USED] += count + 1
    return True


@helper
def mark_plan(control, node, states, fields, width, table, plans):
    """Mark the facts of the relaxed plan of a node, and those that were achieved on the path since it was made."""
    values, facts, marks = plans
    plan = as_index(values[node * VALUES + PLAN])
    marks[:] = 0
    for i in range(plan + 1, plan + 1 + facts[plan]):
        marks[as_index(facts[i])] = PENDING_FACT
    while values[node * VALUES + PLAN] == plan:
        at = node * (width >> 1) + FIELD_WORDS
        for i in range(control[v.VARIABLES]):
            fact = as_index(fact_of(table[0], i, states, at))
            if marks[fact] == PENDING_FACT:
                marks[fact] = ACHIEVED_FACT
        parent = as_index(fields[node * width + PARENT])
        if parent == node:
            break
        node = parent


@kernel(
    f"int64({ADDRESS}, {ADDRESS}, int64[::1], {WORLD}, {STORE}, {QUEUE}, {TABLE}, {PLANS_OF}, {BUFFERS}, int64[::1],"
    "int64)"
)
def best_first_width_step(
    expand, is_goal, params, world_arrays, store, queue, table, plans, buffers, control, budget
):  # fmt: skip
    """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error."""
    out, out_cost, out_action, _, _, _ = buffers
    states, fields, index = store
    constants, action_lengths = world_arrays
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, hashes = as_index(control[c.INDEX_MASK]), words * successors  # the hashes are behind the states in `out`
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    last = control[c.EXPANDED] + budget
    while True:
        while control[v.NEXT_NODE] < control[c.NODES]:
            if not has_room_to_push(control, queue, 1):
                control[v.FULL_PART] = OPEN
                return StepStatus.OUT_OF_MEMORY.value
            node = as_index(control[v.NEXT_NODE])
            if not evaluate_and_push(control, node, params, states, fields, width, queue, table, plans):
                return StepStatus.OUT_OF_MEMORY.value
            control[v.NEXT_NODE] += 1
        if control[c.EXPANDED] >= last:
            return StepStatus.RUNNING.value
        if control[c.NODES] + successors > capacity:
            control[v.FULL_PART] = NODES
            return StepStatus.OUT_OF_MEMORY.value
        if control[v.PLANS_USED] + control[v.FACTS] + 1 > plans[1].size:
            control[v.FULL_PART] = PLANS
            return StepStatus.OUT_OF_MEMORY.value
        popped = pop(control, fields, width, queue)
        if popped < 0:
            return StepStatus.EXHAUSTED.value
        node = as_index(popped)
        at = node * stride + FIELD_WORDS
        if call(IS_GOAL, is_goal, constants, states, at):
            control[c.GOAL] = node
            return StepStatus.SOLVED.value
        if not find_plan(control, node, params, states, at, plans):
            fields[node * width + H] = INFINITE_H
            fields[node * width + PREVIOUS] = DEAD_END
            last -= 1  # it takes as long as an expansion, and limits are checked between steps
            continue
        mark_plan(control, node, states, fields, width, table, plans)
        g, depth = np.int64(fields[node * width + G]), child_depth(fields, node * width)
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            return n
        hash_successors(out, n, words, hashes, index)
        for k in range(n):
            new = as_index(control[c.NODES])
            if find_or_insert(index, states, words, mask, out, k * words, out[hashes + k], new) == new:
                control[c.NODES] += 1
                set_path(fields, new * width, node, depth, g + out_cost[k], out_action[k])
