"""Admissible heuristics of nodes of a constraint tree: the cover of the dependencies between agents in conflict.

Agents depend on each other only if the cheapest paths that they have now are in conflict. A node gets its heuristic
when it is selected. If this raises its bound, the node is closed, and a copy below it is opened with the larger bound.
"""

from __future__ import annotations

import numpy as np

from algorithms.engine.search import StepStatus
from algorithms.mapf.conflicts import FIRST_PAIR, NUMBER
from algorithms.mapf.constraint_tree import BUDGET, FOCAL, HEURISTIC, SELECTED, add_node, open_node, push
from algorithms.mapf.constraints import BOUND, CONFLICTS, COST, IS_CLOSED, IS_GUIDED, KEY, collect_rows, find_versions
from algorithms.mapf.cover import COVER_ROWS, cover
from algorithms.mapf.dependencies import WEIGHT, joint_scratch, pair_weight, weight_slot, weight_table
from algorithms.mapf.diagrams import diagram_words
from algorithms.mapf.single_agent import NO_ROOM
from worlds.compile.kernel import helper, kernel

MAX_WEIGHT = 10
"""Largest weight of a pair of agents. The effort grows with its square."""
MAX_PAIRS = 20_000
"""Largest number of pairs of nodes of joint diagrams for a weight, about a millisecond."""
MAX_DIAGRAM_WORDS, MAX_JOINT_NODES, SLOTS = 1 << 21, 1 << 20, 1 << 14


def guide_arrays(is_used: bool, agents: int, cells: int, times: int, constraints: int) -> tuple[np.ndarray, ...]:
    """Return the arrays of heuristics; small ones if they are not used.

    They are the table of weights; the weights of a node, the scratch of `cover` and the versions of the agents, as
    rows; constraints; two diagrams; and the scratch of joint diagrams.
    """
    if not is_used:
        agents, cells, times, constraints = 1, 1, 1, 1
    words = min(diagram_words(cells, times), MAX_DIAGRAM_WORDS)
    return (
        weight_table(SLOTS if is_used else 1), np.zeros((agents + COVER_ROWS + 1, agents), np.int32),
        np.zeros((constraints, 3), np.int32), np.empty((2, words), np.int32),
        *joint_scratch(MAX_JOINT_NODES if is_used else 1, times),
    )  # fmt: skip


@helper
def node_heuristic(kind, graph, scratch, length, nodes, node, found, guide):
    """Return the heuristic of a node for the conflicts in `found`, or `NO_ROOM` if its constraints have no room.

    `length` has the costs of the paths of the node, which are cheapest under its constraints.
    """
    neighbours, distances, starts, goals = graph
    mark, raw, rows, row_first = scratch
    table, agent_rows, other_rows, diagrams, visited, stack = guide
    agents = length.size
    weights = agent_rows[:agents]
    versions = agent_rows[agents + COVER_ROWS]
    pairs_left = np.zeros(1, np.int64)
    weights[:] = 0
    find_versions(nodes, node, versions)
    conflicts = min(found[NUMBER], (found.size - FIRST_PAIR) // 2)
    for number in range(conflicts):
        one = found[FIRST_PAIR + 2 * number]
        two = found[FIRST_PAIR + 2 * number + 1]
        slot = weight_slot(table, one, two, versions[one], versions[two])
        if table[slot, WEIGHT] < 0:
            last = collect_rows(nodes, node, two, raw, other_rows, row_first)
            other_count = row_first[last + 1] if last >= 0 else 0
            last_of_one = collect_rows(nodes, node, one, raw, rows, row_first)
            count = row_first[last_of_one + 1] if last_of_one >= 0 else 0
            if last == NO_ROOM or last_of_one == NO_ROOM:
                return np.int64(NO_ROOM)
            pairs_left[0] = MAX_PAIRS
            table[slot, WEIGHT] = pair_weight(
                kind, neighbours, distances, one, two, starts, goals, rows, count, other_rows, other_count, length[one],
                length[two], MAX_WEIGHT, mark, diagrams[0], diagrams[1], visited, stack, pairs_left,
            )  # fmt: skip
        weights[one, two] = table[slot, WEIGHT]
        weights[two, one] = table[slot, WEIGHT]
    return np.int64(cover(weights, agents, agent_rows[agents:]))


@helper
def open_guided_copy(nodes, heaps, control, node, heuristic):
    """Close a node, and open a copy whose bound has the heuristic. A node keeps its bound while it is in a heap."""
    copy = add_node(nodes, control, node)
    bound = nodes[node, COST] + heuristic
    nodes[copy, COST], nodes[copy, BOUND], nodes[copy, KEY] = nodes[node, COST], bound, bound
    nodes[copy, CONFLICTS], nodes[copy, IS_GUIDED] = nodes[node, CONFLICTS], 1
    nodes[node, IS_CLOSED] = 1
    open_node(nodes, heaps, control, copy)


@kernel(
    "int64(int32[:, ::1], int32[:, ::1], int32[::1], int32[::1], "  # graph
    "int32[::1], int32[:, ::1], int32[:, ::1], int64[::1], int64[::1], int32[:, ::1], int32[:, ::1], "
    "int64[:, ::1], int32[:, ::1], int32[:, ::1], int32[:, ::1], uint8[::1], int32[:, ::1], "  # guide
    "int64[::1], int64[::1])"
)
def guide_node(
    neighbours, distances, starts, goals, mark, raw, rows, row_first, length, nodes, heaps,
    weight_table, weights, other_rows, diagrams, visited, stack, found, control,
):  # fmt: skip
    """Compute the heuristic of the selected node, and put it or its copy into the heaps."""
    graph = (neighbours, distances, starts, goals)
    scratch = (mark, raw, rows, row_first)
    guide = (weight_table, weights, other_rows, diagrams, visited, stack)
    node = control[SELECTED]
    heuristic = node_heuristic(control[HEURISTIC], graph, scratch, length, nodes, node, found, guide)
    nodes[node, IS_GUIDED] = 1 if heuristic != NO_ROOM else 0
    if heuristic != NO_ROOM and nodes[node, COST] + heuristic > nodes[node, BOUND]:
        open_guided_copy(nodes, heaps, control, node, heuristic)
        control[BUDGET] -= 1
    else:
        push(nodes, heaps, control, FOCAL, node)
    return StepStatus.OUT_OF_MEMORY.value if heuristic == NO_ROOM else StepStatus.RUNNING.value
