"""Decision diagrams and dependencies of two agents agree with all paths of them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.mapf.node_heuristics import (
    CG,
    COLUMNS,
    DG,
    WDG,
    WEIGHT,
    fill_diagram,
    only_cell,
    pair_weight,
    weight_slot,
)
from algorithms.mapf.single_agent import (
    GRAPH,
    LAYER_CELL,
    LINKED_ROWS,
    LINKS,
    LOW,
    NO_PATH,
    NO_ROOM,
    ROW_FIELDS,
    STATE,
    Low,
    State,
    TeamGraph,
)
from tests.naive import mapf_dependencies as naive
from worlds.compile.kernels import kernel

LIMIT = 4
MAX_COST = 40
SHAPES = ((3, 3), (2, 4), (1, 6))


@kernel(f"int64({GRAPH}, {STATE}, {LOW}, int64, int64)")
def fill(graph, state, low, agent, cost):  # type: ignore[no-untyped-def]
    return fill_diagram(TeamGraph(*graph), State(*state), Low(*low), agent, cost)


@kernel(f"int64({LOW}, int64, int64)")
def only(low, cost, time):  # type: ignore[no-untyped-def]
    return only_cell(Low(*low), cost, time)


@kernel(f"int64(int64, {GRAPH}, {STATE}, {LOW}, {LOW}, int64, uint8[::1], int32[:, ::1], int64)")
def weigh(kind, graph, state, low_a, low_b, limit, visited, stack, budget):  # type: ignore[no-untyped-def]
    return pair_weight(
        kind, TeamGraph(*graph), State(*state), Low(*low_a), Low(*low_b), 0, 1, limit, visited, stack, budget
    )


class Pair(NamedTuple):
    """Two agents on a small map, and constraints of each."""

    graph: naive.Graph
    neighbours: NDArray[np.int32]
    distances: NDArray[np.int32]
    starts: tuple[int, int]
    goals: tuple[int, int]
    constraints: tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]

    def cheapest(self, agent: int) -> int | None:
        """Return the cost of the cheapest path of one agent, or None if it is large."""
        for cost in range(7):
            if next(self.paths(agent, cost), None):
                return cost
        return None

    def paths(self, agent: int, cost: int) -> Any:
        return naive.paths(self.graph, self.starts[agent], self.goals[agent], self.constraints[agent], cost)

    def arrays(self, costs: tuple[int, int] = (0, 0)) -> tuple[Any, Any]:
        """Return what kernels take as graph and state."""
        starts, goals = np.array(self.starts, np.int32), np.array(self.goals, np.int32)
        graph = TeamGraph(self.neighbours, self.distances, starts, goals, np.full(len(self.graph), -1, np.int32))
        nobody = np.zeros((1, 1), np.int32)
        state = State(nobody, np.zeros((1, 1), np.uint8), np.array(costs), np.zeros(2, np.int64), nobody)
        return tuple(graph), tuple(state)

    def low(self, agent: int, nodes: int = 9 * MAX_COST) -> Any:
        """Return scratch with the constraints of an agent."""
        constraints = self.constraints[agent]
        rows, heads = np.zeros((len(constraints) + 1, ROW_FIELDS), np.int32), np.full(MAX_COST, -1, np.int32)
        for number, (time, *constraint) in enumerate(constraints):
            rows[number] = *constraint, heads[time]
            heads[time] = number
        layers, mark = np.zeros((LINKED_ROWS, nodes), np.int32), np.zeros(len(self.graph), np.int32)
        return tuple(Low(layers, np.zeros(MAX_COST, np.int64), mark, rows, heads, np.zeros(2, np.int64)))

    def weight(self, kind: int, costs: tuple[int, int], *, limit: int = LIMIT, pairs: int = 10_000) -> int:
        scratch = np.empty(100_000, np.uint8), np.empty((25 * MAX_COST, 4), np.int32)
        return weigh.compiled(kind, *self.arrays(costs), self.low(0), self.low(1), limit, *scratch, pairs)


def table_of(width: int, height: int, walls: set[int]) -> NDArray[np.int32]:
    """Return the neighbours of the cells that are no walls; walls have numbers, but no neighbours."""
    table = np.full((width * height, 4), -1, np.int32)
    for cell in {*range(width * height)} - walls:
        y, x = divmod(cell, width)
        for move, (dx, dy) in enumerate(((0, -1), (0, 1), (-1, 0), (1, 0))):
            to = (y + dy) * width + x + dx
            if 0 <= x + dx < width and 0 <= y + dy < height and to not in walls:
                table[cell, move] = to
    return table


def distances_of(graph: naive.Graph, goal: int) -> list[int]:
    distances = [-1] * len(graph)
    distances[goal] = 0
    queue = [goal]
    for cell in queue:
        for to in graph[cell]:
            if distances[to] < 0:
                distances[to] = distances[cell] + 1
                queue.append(to)
    return distances


def pair(
    width: int, height: int, walls: set[int], starts: tuple[int, int], goals: tuple[int, int], *constraints: Any
) -> Pair:
    neighbours = table_of(width, height, walls)
    graph = [[int(to) for to in row if to >= 0] for row in neighbours]
    distances = np.array([distances_of(graph, goal) for goal in goals], np.int32)
    return Pair(graph, neighbours, distances, starts, goals, constraints or ([], []))


def random_pair(seed: int) -> Pair:
    numbers = random.Random(seed)
    width, height = numbers.choice(SHAPES)
    cells = [*range(width * height)]
    walls = set(numbers.sample(cells, numbers.randrange(3))) if height > 1 else set()
    free = sorted({*cells} - walls)
    table = table_of(width, height, walls)

    def constraint() -> tuple[int, int, int]:
        time = numbers.randrange(1, 6)
        cell = numbers.choice(free)
        steps = [int(to) for to in table[cell] if to >= 0]
        kind = numbers.choice([-1, -1, -1, -2, *steps])
        return time, cell, kind

    rows = [sorted(constraint() for _ in range(numbers.choice((0, 0, 1, 2, 3, 4)))) for _ in range(2)]
    first, second = numbers.sample(free, 2)
    goal, other_goal = numbers.sample(free, 2)
    return pair(width, height, walls, (first, second), (goal, other_goal), *rows)


PAIRS = [random_pair(seed) for seed in range(400)]
SOLVABLE = [
    (each, (first, second))
    for each in PAIRS
    if (first := each.cheapest(0)) is not None and (second := each.cheapest(1)) is not None
]


def test_diagrams_have_the_steps_of_all_paths() -> None:
    """With the constraints, and what is left in the layers from the diagram before."""
    sizes = []
    for each in PAIRS[:160]:
        low = each.low(0)
        layers, first = low[0], low[1]
        for cost in range(7):
            paths = [*each.paths(0, cost)]
            assert fill.compiled(*each.arrays(), low, 0, cost) == (cost if paths else NO_PATH)
            sizes.append(len(paths))
            if not paths:
                continue
            for time in range(cost + 1):
                cells = {path[time] for path in paths}
                assert only.compiled(low, cost, time) == (cells.pop() if len(cells) == 1 else -1)
                successors = {
                    (layers[LAYER_CELL, node], layers[LAYER_CELL, successor])
                    for node in range(first[time], first[time + 1])
                    for successor in layers[LINKS:, node]
                    if time < cost and successor >= 0
                }
                assert successors == {(path[time], path[time + 1]) for path in paths if time < cost}
    assert max(sizes) > 100


def test_a_diagram_that_does_not_fit_has_no_room() -> None:
    each = pair(3, 3, set(), (0, 1), (8, 7))
    results = [fill.compiled(*each.arrays(), each.low(0, nodes), 0, 4) for nodes in (1, 8, 9)]
    assert results == [NO_ROOM, NO_ROOM, 4]


def test_weights_agree_with_all_pairs_of_paths() -> None:
    found = []
    for each, costs in SOLVABLE:
        first, second = [*each.paths(0, costs[0])], [*each.paths(1, costs[1])]
        cheapest = naive.cheapest_pair(each.graph, each.starts, each.goals, each.constraints, sum(costs) + LIMIT)
        weights = (
            naive.have_cardinal_conflict(first, second),
            all(naive.are_in_conflict(a, b) for a in first for b in second),
            cheapest - sum(costs),
        )
        assert tuple(each.weight(kind, costs) for kind in (CG, DG, WDG)) == weights
        found.append(weights)
    assert {*found} >= {(0, 0, 0), (1, 1, 1), (1, 1, LIMIT), (0, 1, 1), (1, 1, 2)}


def test_an_exchange_in_a_corridor_reaches_each_limit() -> None:
    each = pair(4, 1, set(), (0, 3), (3, 0))
    assert [each.weight(WDG, (3, 3), limit=limit) for limit in range(12)] == [*range(12)]


def test_without_enough_pairs_the_weight_is_a_lower_bound() -> None:
    each = pair(4, 1, set(), (0, 3), (3, 0))
    weights = [each.weight(WDG, (3, 3), limit=8, pairs=pairs) for pairs in range(2000)]
    assert weights == sorted(weights)
    assert {*weights} == {*range(9)}


def test_the_table_of_weights_keeps_the_last_pair_of_a_slot() -> None:
    table = np.full((1, COLUMNS), -1, np.int64)
    slot = weight_slot(table, 0, 1, 5, 7)
    assert table[slot, WEIGHT] == -1
    table[slot, WEIGHT] = 3
    assert table[weight_slot(table, 0, 1, 5, 7), WEIGHT] == 3
    for other in ((1, 0, 5, 7), (0, 1, 7, 5), (0, 2, 5, 7)):
        assert table[weight_slot(table, *other), WEIGHT] == -1
