"""Searches that go back from the goals: MM, BAE*, NBS and reverse A*, with one node store and one to four open lists.

A state is stored once per direction (`algorithms.engine.twins`). A rule selects the next node
(`algorithms.engine.selection`). All rules share the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from algorithms.engine import control as c
from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.kernel_arguments import BUFFERS, HEURISTIC, WORLD, expansion_buffers, heuristic_of
from algorithms.engine.nodes import FIELD_WORDS, NEXT, PREVIOUS, STORE, G, H, child_depth, set_path
from algorithms.engine.open_list import (
    CLOSED,
    DEAD_END,
    MEETING,
    PENDING,
    QUEUE,
    WEIGHTED,
    OpenList,
    is_open,
    pop,
    priority,
    push,
)
from algorithms.engine.search import Expansion, Status, status_of
from algorithms.engine.selection import (
    BACKWARD,
    BALANCED,
    MIDDLE,
    PAIRS,
    UNREACHABLE_BOUND,
    WAITING,
    half_of_sum,
    list_of_node,
    raise_bound,
    select_list,
)
from algorithms.engine.successors import (
    ALWAYS,
    NEVER,
    add_pending,
    expand_node,
    hash_successors,
    move_forward,
    prune_pending,
    relax,
)
from algorithms.engine.twins import TwinNodes, direction_of, find_or_insert_twin, meet, note_of, set_note, twin_of
from algorithms.interface import ALGORITHMS, Algorithm, Optimal, SearchAlgorithm
from heuristics.interface import INFINITE_H
from heuristics.stack import TERMS, BoundStack, evaluate, unpack_terms
from heuristics.weighting import Weighting
from worlds.compile.errors import raise_on_error
from worlds.compile.kernel import EXPAND, as_index, cost_error, first_class, kernel, list_of
from worlds.compile.operations import borrowed


@dataclass(frozen=True)
class FromGoals(SearchAlgorithm):
    """Base of the algorithms of this file."""

    needs_inverse = True
    optimal: ClassVar[Optimal] = "admissible"
    complete = True


@ALGORITHMS.register("bidirectional")
@dataclass(frozen=True)
class Bidirectional(FromGoals):
    """MM, bidirectional heuristic search that meets in the middle (Holte, Felner, Sharon, Sturtevant and Chen 2017).

    Both directions expand the node with the smallest max(g + h, 2 g + e), where e is 1 if every step costs 1, else 0.
    The backward h estimates the cost from the start; it is 0 for heuristics without such an estimate. Among equals the
    smallest h comes first, then the newest node. The search ends when the best solution costs no more than the smallest
    priority, or when the open list of one direction is empty.

    Complete on finite spaces; optimal under an admissible heuristic. Proof: while the best solution costs more than the
    optimal cost C, each open list holds a node of an optimal path with its true distance from that end. The two
    distances and at least one step between the nodes sum to at most C, so one of the nodes has 2 g + e <= C. For both,
    g + h <= C. Closed nodes are reopened. It needs a world with goals and predecessors.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, MIDDLE, 0.5)


@ALGORITHMS.register("mm")
@dataclass(frozen=True)
class FractionalMeeting(FromGoals):
    """fMM: MM that meets at a fraction p of the optimal cost (Shaham, Felner, Chen and Sturtevant 2017).

    The priority is max(g + h, g / p + e) forward, and max(g + h, g / (1 - p) + e) backward. With p = 0.5 it is MM, and
    runs as `bidirectional`. Complete and optimal as MM is: of the two nodes of an optimal path, either the forward one
    has g <= p (C - e), or the backward one g <= (1 - p) (C - e).

    Attributes
    ----------
    fraction : float
        Share p of the cost that the forward search covers.
    """

    fraction: Annotated[float, Meta(gt=0, lt=1)] = 0.5

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return MM for 0.5."""
        return (Bidirectional() if self.fraction == 0.5 else self), weighting

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, MIDDLE, self.fraction)


@ALGORITHMS.register("bae")
@dataclass(frozen=True)
class BalancedError(FromGoals):
    """BAE*: bidirectional search by balanced errors (Sadhukhan 2013; Alcazar, Riddle and Barley 2020).

    A direction D expands its node with the smallest b = 2 g + h_D - h_O, where h_D estimates the cost that is left and
    h_O that from the root of D. Among equals the largest g comes first, then the newest node. The lower bound is half
    of the sum of the two smallest b, rounded up to an integer of the engine. The search ends when a solution costs no
    more, or when an open list is empty. Nodes that the other direction has expanded are dropped. If all steps cost 1,
    h_D is at least 1 outside of the target.

    Needs a consistent heuristic; then it is complete on finite spaces, and optimal: no b falls along a path, so nodes
    are expanded with the smallest g. Two nodes of an optimal path that both open lists hold have b that sum to at most
    2 C, because h_F and h_B change by no more than the cost of the path between them.

    `expanded_before_last_layer` follows the published counts (Siag and Shperberg 2025): expansions at which the lower
    bound of the nodes that are left open, without the node and its successors, is below the cost. It depends a little
    on ties.

    Attributes
    ----------
    side : {"alternate", "cardinality"}
        Direction of the next expansion: the other one (forward first), or the one with fewer open nodes.
    """

    needs_consistent = True
    reopen: ClassVar[bool] = False

    side: Literal["alternate", "cardinality"] = "alternate"

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return 1 for a consistent heuristic."""
        return 1.0 if admissible and consistent else None

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, BALANCED, is_alternating=self.side == "alternate")


@ALGORITHMS.register("nbs")
@dataclass(frozen=True)
class NearOptimal(FromGoals):
    """NBS: near-optimal bidirectional search (Chen, Holte, Zilles and Sturtevant 2017).

    It expands both nodes of a pair (u, v) with the smallest lower bound max(f(u), f(v), g(u) + g(v) + e), where e is 1
    if every step costs 1, else 0. Each direction keeps the nodes whose f may exceed the lower bound waiting in the
    order of f, and the others ready in the order of g; among equals the smallest h comes first, then the newest. The
    search ends when a solution costs no more than the lower bound, or when one direction has no open node.

    Complete on finite spaces; optimal under an admissible heuristic, because while the best solution costs more than
    C, both directions hold a node of an optimal path, and the bound of this pair is at most C. Closed nodes are
    reopened. Under a consistent heuristic it expands at most twice as many nodes below C as the least that any such
    algorithm needs.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, PAIRS)


@ALGORITHMS.register("reverse_astar")
@dataclass(frozen=True)
class ReverseAStar(FromGoals):
    """A* from the goals to the start, over predecessors, with the heuristic that estimates the cost from the start.

    The smallest g + h comes first, then the smallest h, then the newest node. The plan is given forward. Complete, and
    optimal under an admissible heuristic, as A* is on the reversed graph. Closed nodes are reopened.
    """

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at every goal."""
        return BidirectionalSearch(stack, BACKWARD)


class BidirectionalSearch(StoredSearch):
    """Search in progress, from the start and from all goals.

    Parameters
    ----------
    stack : BoundStack
        Stack for a problem with `predecessors` and `goals`.
    rule : int
        Rule that selects the next node.
    fraction : float
        Share of the cost that the forward search of MM covers.
    is_alternating : bool
        Whether BAE* alternates between the directions.
    """

    def __init__(self, stack: BoundStack, rule: int, fraction: float = 0.5, is_alternating: bool = True) -> None:
        super().__init__(stack, bidirectional_step)
        problem = self._problem
        assert problem.predecessors is not None
        assert problem.goals is not None
        words = problem.initial.size
        self._rule = rule
        self._backward = stack.stack.prepare_backward(problem)
        goals = [problem.goals[at : at + words] for at in range(0, problem.goals.size, words)]
        goals = list({goal.tobytes(): goal for goal in goals}.values())
        self._roots = 1 + len(goals)
        self._nodes: TwinNodes = TwinNodes(words, max(1024, 2 * problem.max_successors, 2 * self._roots))
        self._buffers = expansion_buffers(words, max(problem.max_successors, self._roots))
        self._heuristics = (self._heuristic, heuristic_of(self._backward))
        control = self._control
        control[c.NODES] = self._roots
        control[c.INDEX_MASK] = self._nodes.index_mask
        control[c.RULE], control[c.ALTERNATE] = rule, is_alternating
        control[c.MIN_STEP_COST] = 1 if problem.unit_costs else 0
        control[c.BEST_COST] = c.NO_INCUMBENT
        control[c.LOWER_BOUND] = -1
        self._count_roots(len(goals))
        self._put_roots(goals)
        self._make_queues(fraction)
        self._expands = first_class((problem.expand, problem.predecessors))

    def _count_roots(self, goals: int) -> None:
        """Count the evaluations of the roots."""
        has_forward, has_backward = bool(self._heuristic[1]), bool(self._backward.kernels)
        evaluated = has_forward + goals * has_backward
        if self._rule == BALANCED:
            evaluated += has_backward + goals * has_forward
        self._control[c.EVALUATED] = goals * has_backward if self._rule == BACKWARD else evaluated

    def _make_queues(self, fraction: float) -> None:
        """Make the open lists. Unused places repeat the first."""
        middle, ties = (1 / fraction, 1 / (1 - fraction), 0.0, 0.0), "low_h"
        by_f, by_g, by_b = (1.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (2.0, 1.0, 0.0, 0.0)
        weights = {
            MIDDLE: [middle], BACKWARD: [by_f], BALANCED: [by_b, by_b], PAIRS: [by_f, by_g, by_f, by_g],
        }[self._rule]  # fmt: skip
        if self._rule == BALANCED:
            ties = "low_difference"
        has_buckets = self._problem.instance.cost_scale == 1  # else most keys differ
        self._controls = np.zeros((4, c.SIZE), np.int64)
        self._queues: list[OpenList] = []
        for number, each in enumerate(weights):
            control = self._controls[number]
            control[c.WORDS], control[c.MIN_STEP_COST] = self._control[c.WORDS], self._control[c.MIN_STEP_COST]
            control[c.PRIORITY] = MEETING if self._rule == MIDDLE else WEIGHTED
            control[c.PUSHES] = number << 29  # so that no entry of another list looks fresh
            queue = OpenList(control, np.array(each, np.float64), self._nodes, ties, has_buckets=has_buckets)
            self._queues.append(queue)

    def _put_roots(self, goals: list[np.ndarray]) -> None:
        """Store the start as node 0 and the goals after it, and make those that are not dead ends pending."""
        control, nodes, pending = self._control, self._nodes, self._buffers[-1]
        start = self._problem.initial
        for node, (state, direction) in enumerate([(start, 0), *((goal, 1) for goal in goals)]):
            h = min(self._backward.evaluate(state), INFINITE_H) if direction else self._root_h
            note = 0
            if self._rule == BALANCED and h < INFINITE_H:
                note = int(h)
                other = (self._stack if direction else self._backward).evaluate(state)
                h = h - int(other) if other < INFINITE_H else INFINITE_H
            nodes.put_root(node, state, int(h), direction, note)
            is_open = h < INFINITE_H and (direction or self._rule != BACKWARD)
            nodes.column(PREVIOUS, node, node + 1)[:] = PENDING if is_open else DEAD_END
            if is_open:
                pending[control[c.PENDING]] = node
                control[c.PENDING] += 1
            if direction and (state == start).all():
                control[c.BEST_COST] = 0
                control[c.MEETING_BACKWARD] = node
                nodes.join(0, node)
        if self._rule == BACKWARD:
            control[c.OPEN_FORWARD] = 1  # never empty: the start waits for the other direction
        nodes.index(self._roots)

    def step(self, budget: int) -> Status:
        """Run at most `budget` expansions."""
        queues = [queue.arrays for queue in self._queues]
        code = bidirectional_step.compiled(
            self._expands, self._functions[2], self._backward.terms, self._heuristics, self._world,
            self._nodes.arrays, (*queues, *queues[:1] * (4 - len(queues))), self._controls, self._buffers,
            self._control, budget,
        )  # fmt: skip
        status = status_of(code)
        if status == Status.SOLVED:  # only both halves together may cost too much
            raise_on_error(cost_error(0, self.cost))
            self._is_solved = True
        return status

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step: an open list or the node store."""
        control = self._control
        if control[c.PUSHED] < control[c.PENDING]:
            queue: OpenList = self._queues[int(control[c.FULL_QUEUE])]
            return queue.grow(self._memory_bytes - queue.nbytes, memory_limit)
        return super().grow(memory_limit)

    @property
    def _memory_bytes(self) -> int:
        return self._nodes.nbytes + sum(queue.nbytes for queue in self._queues)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        return self._expansion_in(self._nodes, self._nodes.is_backward(int(self._control[c.EXPANDED_NODE])))

    def path(self) -> list[int]:
        """Return the action codes from the start to the meeting, and from there to the goal."""
        forward, backward = (int(self._control[name]) for name in (c.MEETING_FORWARD, c.MEETING_BACKWARD))
        return self._nodes.path(forward) + self._nodes.path(backward)[::-1]

    @property
    def cost(self) -> int:
        """Cost of the best solution."""
        control = self._control
        if not control[c.REOPENED]:
            return int(control[c.BEST_COST])
        forward, backward = int(control[c.MEETING_FORWARD]), int(control[c.MEETING_BACKWARD])
        return self._path_cost(forward) + self._path_cost(backward, backward=True)

    @property
    def bound(self) -> float | None:
        """Proven bound: 1 under an admissible heuristic."""
        return 1.0 if self._stack.stack.admissible else None

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions before the lower bound reaches the cost; None if the heuristic is not declared admissible."""
        if not self._is_solved or not self._stack.stack.admissible:
            return None
        control, cost = self._control, self.cost
        if self._rule == BACKWARD:
            return self._queues[0].popped_below_last()
        if self._rule == BALANCED:
            used = int(control[c.NODES])
            is_closed = self._nodes.column(PREVIOUS, 0, used) == CLOSED
            return int((is_closed & (self._nodes.column(NEXT, 0, used) < cost)).sum())
        return int(control[c.EXPANDED_BELOW] if control[c.LOWER_BOUND] >= cost else control[c.EXPANDED])


@kernel(
    f"int64({list_of(EXPAND)}, {TERMS}, {TERMS}, UniTuple({HEURISTIC}, 2), {WORLD}, {STORE}, UniTuple({QUEUE}, 4),"
    f"int64[:, ::1], {BUFFERS}, int64[::1], int64)"
)
def bidirectional_step(
    expand_list,
    forward_list,
    backward_list,
    heuristics,
    world_arrays,
    store,
    queues,
    controls,
    buffers,
    control,
    budget,
):
    """Run at most `budget` expansions; return a `Status`, or a negative number on an error.

    The note of a node is the list that it is in (NBS), or its h in the own direction (BAE*, where `H` is the difference
    of both values).
    """
    expands = (expand_list[0], expand_list[1])
    forward_terms, backward_terms = unpack_terms(forward_list), unpack_terms(backward_list)
    (forward_params, forward_count, maximum), (backward_params, backward_count, _) = heuristics
    forward_params, backward_params = borrowed(forward_params), borrowed(backward_params)
    states, fields, table = borrowed(store)
    world, action_lengths = borrowed(world_arrays)
    queues, controls = borrowed(queues), borrowed(controls)
    buffers, control = borrowed(buffers), borrowed(control)
    out, out_cost, out_action, out_h, scratch, pending = buffers
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    mask, hashes = as_index(control[c.INDEX_MASK]), words * successors  # the hashes are behind the states in `out`
    stride = words + FIELD_WORDS + 1
    width, capacity = 2 * stride, states.size // stride
    rule, smallest_step = control[c.RULE], control[c.MIN_STEP_COST]
    last_expansion = control[c.EXPANDED] + budget
    status = Status.RUNNING.value
    while status == Status.RUNNING.value:
        while control[c.PUSHED] < control[c.PENDING]:
            node = as_index(pending[control[c.PUSHED]])
            number = list_of_node(rule, fields, node * width, width)
            if not push(controls[number], node, fields, width, queues[number]):
                control[c.FULL_QUEUE] = number
                status = Status.OUT_OF_MEMORY.value
                break
            control[c.OPEN_FORWARD + direction_of(fields, node * width, width)] += 1
            control[c.PUSHED] += 1
        if status == Status.OUT_OF_MEMORY.value or control[c.EXPANDED] >= last_expansion:
            break
        if control[c.NODES] + successors > capacity:
            status = Status.OUT_OF_MEMORY.value
            break
        if control[c.OPEN_FORWARD] == 0 or control[c.OPEN_BACKWARD] == 0:
            is_solved = control[c.BEST_COST] != c.NO_INCUMBENT and rule != BACKWARD
            status = Status.SOLVED.value if is_solved else Status.EXHAUSTED.value
            break
        number = select_list(rule, control, controls, queues, pending, fields, width)
        if number < 0:  # a node changes its list
            continue
        if rule in (BALANCED, PAIRS) and control[c.LOWER_BOUND] >= control[c.BEST_COST]:
            status = Status.SOLVED.value
            break
        node = as_index(pop(controls[number], fields, width, queues[number]))  # there is one
        record, at = node * width, node * stride + FIELD_WORDS
        direction = direction_of(fields, record, width)
        if rule == MIDDLE:
            least = priority(controls[0], queues[0][3], fields, record)
            if least >= control[c.BEST_COST]:
                raise_bound(control, control[c.BEST_COST])
                status = Status.SOLVED.value
                break
            raise_bound(control, np.int64(np.ceil(least)))
        elif rule == BACKWARD and control[c.BEST_COST] != c.NO_INCUMBENT and node == control[c.MEETING_BACKWARD]:
            status = Status.SOLVED.value
            break
        control[c.OPEN_FORWARD + direction] -= 1
        if rule == BALANCED:
            fields[record + NEXT] = min(half_of_sum(controls, queues, fields, width), UNREACHABLE_BOUND)
            twin = twin_of(fields, record, width)
            if twin >= 0 and fields[as_index(twin) * width + PREVIOUS] == CLOSED:
                fields[record + NEXT] = UNREACHABLE_BOUND
                continue
        control[c.NEXT_SIDE] = 1 - direction
        g, depth = np.int64(fields[record + G]), child_depth(fields, record)
        expand = expands[direction]
        n = expand_node(expand, control, node, world, action_lengths, states, at, g, out, out_cost, out_action)
        if n < 0:
            status = n
            break
        hash_successors(out, n, words, hashes, table)
        first = as_index(control[c.NODES])
        new = 0
        waiting = 0
        for k in range(n):
            cost = g + out_cost[k]
            child = find_or_insert_twin(
                table, states, fields, words, mask, out, k * words, out[hashes + k], first + new, direction
            )
            if child == first + new:
                move_forward(out, out_action, k, new, words)
                new += 1
            else:
                if cost >= fields[child * width + G]:  # most often: `relax` would find out, but needs the list
                    continue
                was_open = is_open(np.int64(fields[child * width + PREVIOUS]))
                queue = queues[list_of_node(rule, fields, child * width, width)]
                reopen = NEVER if rule == BALANCED else ALWAYS
                after = relax(control, child, cost, reopen, pending, waiting, fields, width, queue)
                if after < 0:
                    continue
                waiting = after
                if was_open:
                    control[c.OPEN_FORWARD + direction] -= 1
                if rule == PAIRS:
                    set_note(fields, child * width, width, direction, WAITING)
            set_path(fields, child * width, node, depth, cost, out_action[k])
            waiting = add_pending(pending, waiting, child, fields, width)
            other = twin_of(fields, child * width, width)
            if other >= 0:
                meet(control, fields, child, as_index(other), cost, direction, width)
        parent_h = note_of(fields, record, width) if rule == BALANCED else np.int64(fields[record + H])
        for side in range(2 if rule == BALANCED else 1):  # h in the own direction, then in the other
            backward = direction != side
            count = backward_count if backward else forward_count
            if count > 0:
                control[c.EVALUATED] += new
            failure = evaluate(
                backward_terms if backward else forward_terms, count, maximum,
                backward_params if backward else forward_params,
                states, at, parent_h, out, 0, out_action, out_h, scratch, 0, new,
            )  # fmt: skip
            if failure < 0:
                status = failure
                break
            for k in range(new):
                record = (first + k) * width
                if side == 0:
                    fields[record + H] = out_h[k]
                elif out_h[k] == INFINITE_H or fields[record + H] == INFINITE_H:
                    fields[record + H] = INFINITE_H
                else:
                    h = np.int64(fields[record + H])
                    set_note(fields, record, width, direction, h)
                    if h < smallest_step:
                        twin = twin_of(fields, record, width)
                        if twin < 0 or fields[as_index(twin) * width + G] > 0:  # not the target
                            h = smallest_step
                    fields[record + H] = h - out_h[k]
            parent_h = np.int64(-1)  # actions of the other direction may have other codes
        if status < 0:
            break
        control[c.NODES] += new
        control[c.PENDING] = prune_pending(pending, waiting, fields, width, c.NO_INCUMBENT, 0)
        control[c.PUSHED] = 0
    return status
