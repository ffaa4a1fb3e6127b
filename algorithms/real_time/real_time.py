"""Real-time search: an agent that moves after every local search, and learns better heuristic values on the way.

A local search is A* from the state of the agent. It ends after `lookahead` expansions, or when it takes a goal from the
open list. The agent then walks to the best open state, which is the first of the open list, and the next local search
begins there. Its plan is the trajectory of the agent, and `cost` the cost of the trajectory.

Before the walk it learns: the values of closed states rise. No value falls, so the heuristic need not be consistent.
Learned values replace those of the heuristic: `H` in the node store, which keeps all nodes. A local search records its
steps, whose targets are all nodes that it has reached. After it these have no path again (`G` is infinite), and are
PRUNED, so that the next local search finds them as if they were new.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from algorithms.engine import (
    ALWAYS,
    BUFFERS,
    CLOSED,
    DEAD_END,
    FIELD_WORDS,
    HEAD,
    HEURISTIC,
    MOVE,
    NEXT,
    PARENT,
    PARTS,
    PENDING,
    PREVIOUS,
    PRUNED,
    QUEUE,
    STORE,
    WORLD,
    Expansion,
    G,
    GrowingArrays,
    H,
    OpenList,
    StepStatus,
    StoredSearch,
    add_pending,
    child_depth,
    expand_node,
    find_or_insert,
    first_node,
    has_root,
    hash_successors,
    insert_entry,
    move_forward,
    pop,
    prune_pending,
    push,
    relax,
    set_path,
    status_of,
)
from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine import control_open_list as q
from algorithms.interface import ALGORITHMS, ExpansionOrder, SearchAlgorithm
from algorithms.real_time import control_entries as r
from heuristics.interface import INFINITE_H, TERMS, BoundStack, Weighting, evaluate
from runner.base import Metric
from worlds.compile import ADDRESS, IS_GOAL, MAX_COST, as_index, call, compile_seconds, helper, kernel

LOCAL = "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], int64[::1]))"
"""Numba type of the steps of a local search: source, target, cost, and the next step to the same target; and a heap."""


@dataclass(frozen=True)
class RealTime(SearchAlgorithm):
    """Base of real-time algorithms: the parameter that they share.

    Attributes
    ----------
    lookahead : int
        Number of expansions of a local search.
    """

    metrics = (
        Metric("agent_moves", log_scale=False, is_main=False, meaning="number of moves of the agent"),
        Metric(
            "expansions_per_move",
            aggregate="mean",
            digits=2,
            meaning="expansions of a real-time search divided by the moves of its agent",
        ),
        Metric(
            "largest_expansions_per_move",
            aggregate="mean",
            digits=1,
            is_main=False,
            meaning="largest number of expansions between two moves of a real-time search",
        ),
        Metric(
            "first_move_seconds",
            "s",
            aggregate="mean",
            digits=6,
            is_main=False,
            meaning="wall time of a real-time search until its first move is known. The preparation of the heuristics "
            "is not included",
        ),
    )
    learns_distances: ClassVar[bool]

    lookahead: Annotated[int, Meta(ge=1, le=1 << 30)] = 100

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g + h from the state of the agent."""
        return ExpansionOrder()

    def start(self, stack: BoundStack, weighting: Weighting | None) -> RealTimeSearch:
        """Start with the agent at the start."""
        return RealTimeSearch(stack, self.lookahead, self.learns_distances)


@ALGORITHMS.register("lss_lrta")
@dataclass(frozen=True)
class LocalSearchSpace(RealTime):
    """LSS-LRTA*: learn distances to the frontier of the local search (Koenig and Sun 2009).

    After each local search, the value of a closed state becomes the smallest cost of a path over closed states to an
    open one, plus the value there, unless it is larger already (Dijkstra). The agent walks to the best open state
    without looking ahead again. With a lookahead of 1, it is LRTA* (Korf 1990).

    The agent reaches a goal if every state that it can reach has a path to a goal and a finite heuristic value, and all
    steps cost more than 0. Proof: a value is at most the cost to a goal plus the largest heuristic value. As long as
    none rises, it falls along each walk by its cost at least. Where steps cannot be undone, the agent may enter a dead
    end, so the algorithm is not complete; the status is then `cutoff`. If no goal can be reached and a local search
    does not expand all states, the agent moves on until a limit stops it.

    Under an admissible heuristic, learned values never overestimate. The trajectory has no bound. A state is tested
    when it is taken from the open list. Among equals the smallest h comes first, then the newest node; closed states of
    a local search are reopened.
    """

    learns_distances = True


@ALGORITHMS.register("rtaa")
@dataclass(frozen=True)
class RealTimeAdaptiveAStar(RealTime):
    """RTAA*: learn f of the best open state, less g (Koenig and Likhachev 2006).

    After each local search, the value of a closed state becomes f of the best open state less its own g, unless it is
    larger already. This takes less time than the distances of `lss_lrta`, and such values are never larger. All else is
    the same: where it reaches a goal, and that learned values never overestimate under an admissible heuristic. Proof:
    an optimal path from a closed state s leaves the closed states at an open state t, so h_star(s) is at least
    g(t) - g(s) + h(t), and f of t is no smaller than that of the best one.
    """

    learns_distances = False


class RealTimeSearch(StoredSearch):
    """Real-time search in progress.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    lookahead : int
        Number of expansions of a local search.
    learns_distances : bool
        Whether to learn distances to the frontier, or differences of f.
    """

    _open: OpenList

    def __init__(self, stack: BoundStack, lookahead: int, learns_distances: bool) -> None:
        super().__init__(stack, real_time_step)
        self._began, self._first_move_seconds = _now(), float("nan")
        self._store_root(self._root_h)
        control, nodes = self._control, self._nodes
        control[r.LOOKAHEAD], control[r.LEARN_DISTANCE] = lookahead, learns_distances
        control[b.TO_PUSH] = 0 if self._initial_h is None else 1
        nodes.fields[PREVIOUS] = DEAD_END if self._initial_h is None else PENDING
        self._buffers[-1][0] = 0
        self._open = OpenList(control, np.array([1.0, 1.0, 0.0, 1.0]), nodes, "low_h", has_buckets=False)
        steps, heap = max(256, self._problem.max_successors), 2 * PARTS if learns_distances else 0
        self._local = GrowingArrays(steps, *[(np.int32, 1)] * 4, (np.int64, heap))
        self._walk = GrowingArrays(256, (np.int16, 1))

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions. The first step does not go beyond the first walk, whose time it notes."""
        control = self._control
        if not control[r.WALKS]:
            budget = min(budget, int(control[r.LOOKAHEAD] - control[c.EXPANDED]))
        code = real_time_step.compiled(
            *self._functions, self._heuristic, self._world, self._nodes.arrays, self._open.arrays, self._local.views,
            self._walk.views[0], self._buffers, control, budget,
        )  # fmt: skip
        if control[r.WALKS] and np.isnan(self._first_move_seconds):
            self._first_move_seconds = _now() - self._began
        return status_of(code)

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step."""
        control = self._control
        for arrays, needed in (
            (self._local, control[r.STEPS] + control[c.MAX_SUCCESSORS]),
            (self._walk, control[r.MOVES] + control[r.LOCAL_EXPANDED]),
        ):
            if needed > arrays.length:
                if memory_limit is not None and self._memory_bytes + arrays.nbytes > memory_limit:
                    return False
                arrays.double()
                return True
        return super().grow(memory_limit)

    @property
    def _memory_bytes(self) -> int:
        return super()._memory_bytes + self._local.nbytes + self._walk.nbytes

    @property
    def _iterations(self) -> int:
        return int(self._control[r.WALKS] + (self._control[r.LOCAL_EXPANDED] > 0))

    def expansion(self) -> Expansion:
        """Return the expansion of the last step. If it ends a local search: also the values of all nodes in it."""
        nodes, (sources, targets, *_), steps = self._nodes, self._local.views, self._control[r.LEARNED_STEPS]
        reached = np.unique(np.concatenate([sources[: min(1, steps)], targets[:steps]])).tolist()
        learned = [(nodes.state(node), nodes.field(node, H)) for node in reached]
        return super().expansion()._replace(g=int(self._control[r.EXPANDED_G]), learned=learned)

    def path(self) -> list[int]:
        """Return the action codes of the trajectory."""
        codes: list[int] = self._walk.views[0][: self._control[r.MOVES]].tolist()
        return codes

    @property
    def cost(self) -> int:
        """Cost of the trajectory."""
        return int(self._control[r.TRAVELLED])

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Moves of the agent, expansions for each, and the time of the first one."""
        control = self._control
        moves = int(control[r.MOVES])
        if not moves:
            return {"agent_moves": 0}
        return {
            "agent_moves": moves,
            "expansions_per_move": int(control[c.EXPANDED]) / moves,
            "largest_expansions_per_move": int(control[r.LARGEST_LOCAL]),
            "first_move_seconds": self._first_move_seconds,
        }


def _now() -> float:
    return time.perf_counter() - compile_seconds()[0]


@kernel(
    f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {STORE}, {QUEUE}, {LOCAL},"
    f"int16[::1], {BUFFERS}, int64[::1], int64)"
)
def real_time_step(
    expand, is_goal, terms, heuristic, world_arrays, store, queue, local, walk, buffers, control, budget
):
    """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error."""
    params, count, maximum = heuristic
    states, fields, table = store
    constants, action_lengths = world_arrays
    sources, targets, costs = local[0], local[1], local[2]
    out, out_cost, out_action, out_h, scratch, pending = buffers
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, hashes = as_index(control[c.INDEX_MASK]), words * successors  # the hashes are behind the states in `out`
    stride = words + FIELD_WORDS
    width, capacity = 2 * stride, states.size // stride
    last = control[c.EXPANDED] + budget
    status = StepStatus.RUNNING.value
    while status == StepStatus.RUNNING.value:
        pushed, waiting = control[b.PUSHED], control[b.TO_PUSH]
        while pushed < waiting and push(control, as_index(pending[pushed]), fields, width, queue):
            pushed += 1
        control[b.PUSHED] = pushed
        if (
            pushed < waiting
            or control[c.NODES] + successors > capacity
            or control[r.STEPS] + successors > sources.size
            or control[r.MOVES] + control[r.LOCAL_EXPANDED] > walk.size
        ):
            status = StepStatus.OUT_OF_MEMORY.value
            break
        node = first_node(control, fields, width, queue)
        if node < 0:  # a proof, if the start is among the states that this local search has expanded
            status = StepStatus.EXHAUSTED.value if fields[G] < INFINITE_H else StepStatus.CUTOFF.value
            break
        node = as_index(node)
        record, at = node * width, node * stride + FIELD_WORDS
        is_at_goal = call(IS_GOAL, is_goal, constants, states, at)
        if is_at_goal and node == control[r.AGENT]:
            status = StepStatus.SOLVED.value
            break
        if is_at_goal or control[r.LOCAL_EXPANDED] == control[r.LOOKAHEAD]:
            link_steps(control, fields, width, local)
            walk_to(control, node, fields, width, local, walk)
            learn(control, node, fields, width, local)
            begin_at(control, node, fields, width, pending)
            continue
        if control[c.EXPANDED] >= last:
            break
        pop(control, fields, width, queue)
        g = np.int64(fields[record + G])
        control[r.EXPANDED_G] = g
        n = expand_node(expand, control, node, constants, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            status = n
            break
        hash_successors(out, n, words, hashes, table)
        first, depth, steps = as_index(control[c.NODES]), child_depth(fields, record), as_index(control[r.STEPS])
        new = 0
        waiting = 0
        for k in range(n):
            cost = g + out_cost[k]
            child = find_or_insert(table, states, words, mask, out, k * words, out[hashes + k], first + new)
            sources[steps + k], targets[steps + k], costs[steps + k] = node, child, out_cost[k]
            if child == first + new:
                move_forward(out, out_action, k, new, words)
                new += 1
            else:
                after = relax(control, child, cost, ALWAYS, pending, waiting, fields, width, queue)
                if after < 0:
                    continue
                waiting = after
            set_path(fields, child * width, node, depth, cost, out_action[k])
            waiting = add_pending(pending, waiting, child, fields, width)
        if count > 0:
            control[c.EVALUATED] += new
        failure = evaluate(  # the parent's value may be a learned one, so no value can follow from it
            terms, count, maximum, params, states, at, -1, out, 0, out_action, out_h, scratch, 0, new
        )
        if failure < 0:
            status = failure
            break
        for k in range(new):
            fields[(first + k) * width + H] = out_h[k]
        control[c.NODES] += new
        control[r.STEPS] += n
        control[r.LOCAL_EXPANDED] += 1
        control[r.LEARNED_STEPS] = 0
        control[b.TO_PUSH] = prune_pending(pending, waiting, fields, width, c.NO_INCUMBENT, 0)
        control[b.PUSHED] = 0
    return status


@helper
def link_steps(control, fields, width, local):
    """Join the steps to each node in a list that begins at its `NEXT`."""
    _, targets, _, links, _ = local
    fields[control[r.AGENT] * width + NEXT] = -1
    for step in range(control[r.STEPS]):
        fields[targets[step] * width + NEXT] = -1
    for step in range(control[r.STEPS]):
        record = targets[step] * width
        links[step] = fields[record + NEXT]
        fields[record + NEXT] = step


@helper
def walk_to(control, node, fields, width, local, walk):
    """Append the path of the local search to a node to the walk of the agent."""
    sources, _, costs, links, _ = local
    agent, length, at = control[r.AGENT], 0, node
    while at != agent:
        length += 1
        at = np.int64(fields[at * width + PARENT])
    control[r.MOVES] += length
    last, at = control[r.MOVES], node
    while at != agent:
        last -= 1
        parent = np.int64(fields[at * width + PARENT])
        walk[last] = np.int64(fields[at * width + MOVE]) & 0xFFFF
        cheapest, step = np.int64(INFINITE_H), np.int64(fields[at * width + NEXT])
        while step >= 0:  # of several steps from the parent, the path has the cheapest
            if sources[step] == parent:
                cheapest = min(cheapest, np.int64(costs[step]))
            step = np.int64(links[step])
        control[r.TRAVELLED] += cheapest
        at = parent
    control[r.WALKS] += 1
    control[r.LARGEST_LOCAL] = max(control[r.LARGEST_LOCAL], control[r.LOCAL_EXPANDED])


@helper
def learn(control, best, fields, width, local):
    """Raise the values of all closed nodes, and make all nodes of the local search fresh."""
    targets, is_distance = local[1], control[r.LEARN_DISTANCE] != 0
    f = np.int64(fields[best * width + G]) + np.int64(fields[best * width + H])
    if is_distance:
        find_distances(control, fields, width, local)
    for step in range(-1, control[r.STEPS]):
        record = (control[r.AGENT] if step < 0 else np.int64(targets[step])) * width
        link = np.int64(fields[record + PREVIOUS])
        if link in (DEAD_END, PRUNED):
            continue
        fields[record + PREVIOUS] = PRUNED
        if link == CLOSED:
            g = np.int64(fields[record + G])
            value = max(np.int64(fields[record + H]), g if is_distance else min(f - g, np.int64(MAX_COST)))
            fields[record + H] = value
            if value == INFINITE_H:
                fields[record + PREVIOUS] = DEAD_END
        fields[record + G] = INFINITE_H


@helper
def find_distances(control, fields, width, local):
    """Write to `G` of each closed node the smallest cost of a path to an open node plus h there; INFINITE_H if none."""
    sources, targets, costs, links, heap = local
    control[q.HEAP_SIZE] = control[q.IS_ROOT_VACANT] = 0
    fields[control[r.AGENT] * width + G] = INFINITE_H
    for step in range(control[r.STEPS]):
        node = np.int64(targets[step])
        record = node * width
        if fields[record + PREVIOUS] == CLOSED:
            fields[record + G] = INFINITE_H
        elif fields[record + PREVIOUS] == HEAD:
            fields[record + PREVIOUS] = PENDING
            fields[record + G] = fields[record + H]
            insert_entry(control, heap, np.int64(fields[record + H]), np.int64(0), node)
    while has_root(control, heap):
        distance, node = heap[0], heap[2]
        control[q.IS_ROOT_VACANT] = 1
        if distance != fields[node * width + G]:
            continue
        before = np.int64(fields[node * width + NEXT])
        while before >= 0:
            source = np.int64(sources[before])
            longer = min(distance + costs[before], np.int64(MAX_COST))
            if fields[source * width + PREVIOUS] == CLOSED and longer < fields[source * width + G]:
                fields[source * width + G] = longer
                insert_entry(control, heap, longer, np.int64(0), source)
            before = np.int64(links[before])


@helper
def begin_at(control, node, fields, width, pending):
    """Begin a local search with the agent at a node."""
    set_path(fields, node * width, node, 0, 0, 0)
    fields[node * width + PREVIOUS] = PENDING
    pending[0] = node
    control[r.AGENT], control[b.TO_PUSH], control[b.PUSHED] = node, 1, 0
    control[r.LEARNED_STEPS] = control[r.STEPS]
    control[r.STEPS] = control[r.LOCAL_EXPANDED] = 0
    control[q.HEAP_SIZE] = control[q.IS_ROOT_VACANT] = 0
