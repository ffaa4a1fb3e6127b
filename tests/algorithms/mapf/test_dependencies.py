"""Decision diagrams and dependencies of two agents agree with all paths of them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.mapf.dependencies import (
    CG,
    DG,
    WDG,
    WEIGHT,
    joint_scratch,
    pair_weight,
    weight_slot,
    weight_table,
)
from algorithms.mapf.diagrams import COMPLETE, COST, EMPTY, FIRST, NODE_WORDS, TOO_LARGE, diagram_words, mdd, only_cell
from tests.naive import mapf_dependencies as naive
from worlds.compile.kernel import kernel

LIMIT = 4
MAX_COST = 40
SHAPES = ((3, 3), (2, 4), (1, 6))


@kernel("int64(int32[:, ::1], int32[:, ::1], int64, int64, int64, int32[:, ::1], int64, int64, int32[::1], int32[::1])")
def fill(neighbours, distances, agent, start, goal, rows, count, cost, latest, diagram):  # type: ignore[no-untyped-def]
    return mdd(neighbours, distances, agent, start, goal, rows, count, cost, latest, diagram)


@kernel(
    "int64(int64, int32[:, ::1], int32[:, ::1], int32[::1], int32[::1], int32[:, ::1], int32[:, ::1], int64, int64, "
    "int64, int32[::1], int32[::1], int32[::1], uint8[::1], int32[:, ::1], int64[::1])"
)
def weigh(  # type: ignore[no-untyped-def]
    kind, neighbours, distances, starts, goals, rows_a, rows_b, cost_a, cost_b, limit,
    latest, diagram_a, diagram_b, visited, stack, budget,
):  # fmt: skip
    return pair_weight(
        kind, neighbours, distances, 0, 1, starts, goals, rows_a, rows_a.shape[0], rows_b, rows_b.shape[0],
        cost_a, cost_b, limit, latest, diagram_a, diagram_b, visited, stack, budget,
    )  # fmt: skip


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

    def rows(self, agent: int) -> NDArray[np.int32]:
        return np.array(self.constraints[agent], np.int32).reshape(-1, 3)

    def weight(self, kind: int, costs: tuple[int, int], *, limit: int = LIMIT, pairs: int = 10_000) -> int:
        cells = len(self.graph)
        words = diagram_words(cells, MAX_COST)
        return weigh.compiled(
            kind, self.neighbours, self.distances, np.array(self.starts, np.int32), np.array(self.goals, np.int32),
            self.rows(0), self.rows(1), *costs, limit, np.zeros(cells, np.int32), np.zeros(words, np.int32),
            np.zeros(words, np.int32), *joint_scratch(100_000, MAX_COST), np.array([pairs]),
        )  # fmt: skip


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
    """With one array for all of them, whose content is left from the diagram before."""
    latest, diagram = np.zeros(9, np.int32), np.zeros(diagram_words(9, 7), np.int32)
    sizes = []
    for each in PAIRS:
        for cost in range(7):
            paths = [*each.paths(0, cost)]
            result = fill.compiled(
                each.neighbours, each.distances, 0, each.starts[0], each.goals[0], each.rows(0), len(each.rows(0)),
                cost, latest, diagram,
            )  # fmt: skip
            assert result == (COMPLETE if paths else EMPTY)
            sizes.append(len(paths))
            if not paths:
                continue
            assert diagram[COST] == cost
            for time in range(cost + 1):
                cells = {path[time] for path in paths}
                layer = range(diagram[FIRST + time], diagram[FIRST + time + 1], NODE_WORDS)
                assert {diagram[node] for node in layer if diagram[node] >= 0} == cells
                assert only_cell(diagram, time) == (cells.pop() if len(cells) == 1 else -1)
                successors = {
                    (diagram[node], diagram[successor])
                    for node in layer
                    if diagram[node] >= 0
                    for successor in diagram[node + 1 : node + NODE_WORDS]
                    if successor >= 0
                }
                assert successors == {(path[time], path[time + 1]) for path in paths if time < cost}
    assert max(sizes) > 100


def test_a_diagram_that_does_not_fit_is_too_large() -> None:
    each = pair(3, 3, set(), (0, 1), (8, 7))
    latest = np.zeros(9, np.int32)
    results = [
        fill.compiled(each.neighbours, each.distances, 0, 0, 8, each.rows(0), 0, 4, latest, np.zeros(words, np.int32))
        for words in (5, 40, FIRST + 2 * 4 + 3 + NODE_WORDS * 9)
    ]
    assert results == [TOO_LARGE, TOO_LARGE, COMPLETE]


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
    table = weight_table(1)
    slot = weight_slot(table, 0, 1, 5, 7)
    assert table[slot, WEIGHT] == -1
    table[slot, WEIGHT] = 3
    assert table[weight_slot(table, 0, 1, 5, 7), WEIGHT] == 3
    for other in ((1, 0, 5, 7), (0, 1, 7, 5), (0, 2, 5, 7)):
        assert table[weight_slot(table, *other), WEIGHT] == -1
