"""Heuristics for grid maps compared with slow twins, in all cells of random maps."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import runner
from heuristics.gridmap.pivot_table import UNREACHED, farthest_pivots, pivot_table
from runner.base.errors import Incompatible, UserError
from runner.config.cell import sections
from tests.gridmaps import any_maps, cells_of, costs_from, instance
from tests.registered import heuristics_without_files
from worlds.gridmap.rules import ROOT_2, GridCell, GridMap
from worlds.gridmap.world import GridInstance

Naive = Callable[[GridMap, GridCell, GridCell], float]
PIVOTS = 3


def least_costs(grid: GridMap) -> tuple[int, int]:
    """Return the least costs of a straight and of a diagonal step on the map."""
    costs = [grid.costs[grid.rows[y][x]] for x, y in cells_of(grid)]
    return min(straight for straight, _ in costs), min(diagonal for _, diagonal in costs)


def octile(grid: GridMap, cell: GridCell, goal: GridCell) -> int:
    straight, diagonal = least_costs(grid)
    dx, dy = abs(cell[0] - goal[0]), abs(cell[1] - goal[1])
    return min(diagonal * n + straight * (dx - n + dy - n) for n in range(min(dx, dy) + 1))


def manhattan(grid: GridMap, cell: GridCell, goal: GridCell) -> int:
    return least_costs(grid)[0] * (abs(cell[0] - goal[0]) + abs(cell[1] - goal[1]))


def euclidean(grid: GridMap, cell: GridCell, goal: GridCell) -> int:
    straight, diagonal = least_costs(grid)
    has_own_steps = grid.weights or grid.diagonal not in (None, ROOT_2)
    unit = min(straight, diagonal / ROOT_2) * (1 - 1e-12) if has_own_steps else straight
    return math.floor(unit * math.dist(cell, goal))


def pivots_of(grid: GridMap, count: int) -> list[dict[GridCell, int]]:
    """Return the distances from pivots: each is farthest from all before, the first from the first cell."""
    parts = [costs_from(grid, cell) for cell in cells_of(grid)]
    largest = max(parts, key=len)  # the first of several
    nearest, found = dict(largest), []
    for _ in range(count):
        pivot = max(sorted(nearest, key=lambda cell: (cell[1], cell[0])), key=nearest.__getitem__)
        found.append(costs_from(grid, pivot))
        nearest = {cell: min(each[cell] for each in found) for cell in largest}
    return found


def difference(distances: list[dict[GridCell, int]], cell: GridCell, goal: GridCell) -> float:
    values = [0.0]
    for each in distances:
        if (cell in each) != (goal in each):
            return math.inf
        if cell in each:
            values.append(abs(each[cell] - each[goal]))
    return max(values)


NAIVE: dict[str, Naive] = {"octile": octile, "manhattan": manhattan, "euclidean": euclidean}


def test_every_heuristic_is_compared() -> None:
    assert {*NAIVE, "differential"} == set(heuristics_without_files("gridmap"))


def value(where: GridInstance, entry: str | Mapping[str, Any], cell: GridCell) -> float:
    """Return a value in the units of the engine."""
    h = runner.heuristic(where, [entry])(where.world.state(*cell))
    return h if h == math.inf else round(h * where.world.engine_scale)


@pytest.mark.parametrize("name", NAIVE)
def test_values_are_equal_in_all_cells(name: str) -> None:
    compared = 0
    for grid in any_maps(name, 40):
        if name == "manhattan" and grid.diagonal is not None:
            continue
        goal = random.Random(str(grid.rows)).choice(cells_of(grid))
        where = instance(grid, goal, goal)
        h = runner.heuristic(where, [name])
        for cell in cells_of(grid):
            assert round(h(where.world.state(*cell)) * where.world.engine_scale) == NAIVE[name](grid, cell, goal)
            compared += 1
    assert compared > 150


@pytest.mark.parametrize("name", heuristics_without_files("gridmap"))
def test_values_from_the_start_are_those_of_the_reversed_problem(name: str) -> None:
    compared = 0
    for grid in any_maps(name, 40):
        if (name == "manhattan" and grid.diagonal is not None) or (name == "differential" and grid.weights):
            continue
        start, goal = random.Random(str(grid.rows)).choices(cells_of(grid), k=2)
        there, back = instance(grid, start, goal), instance(grid, goal, start)
        stack = sections.stack_of("gridmap", {"stack": [name]})
        backward, forward = stack.prepare_backward(there.problem()), stack.prepare(back.problem())
        for cell in cells_of(grid):
            assert backward.evaluate(there.world.state(*cell)) == forward.evaluate(back.world.state(*cell))
            compared += 1
    assert compared > 150


@pytest.mark.parametrize("given", [False, True], ids=["farthest", "given"])
def test_differential_values_are_equal_in_all_cells(given: bool) -> None:
    dead_ends = 0
    for grid in any_maps("differential", 30):
        if grid.weights:
            continue
        source = random.Random(str(grid.rows))
        cells = cells_of(grid)
        goal = source.choice(cells)
        chosen = [source.choice(cells) for _ in range(PIVOTS)]
        distances = [costs_from(grid, cell) for cell in chosen] if given else pivots_of(grid, PIVOTS)
        entry = {"name": "differential", "pivots": [list(cell) for cell in chosen] if given else PIVOTS}
        where = instance(grid, goal, goal)
        h = runner.heuristic(where, [entry])
        for cell in cells:
            expected = difference(distances, cell, goal)
            dead_ends += expected == math.inf
            assert h(where.world.state(*cell)) * where.world.engine_scale == pytest.approx(expected, abs=0.01)
    assert dead_ends > 20


def test_tables_are_the_distances_by_the_rules() -> None:
    for grid in any_maps("tables", 20):
        where = instance(grid)
        problem = where.problem()
        for table in (
            pivot_table(problem, PIVOTS, lambda *_: None),
            np.stack(farthest_pivots(problem, 2, lambda *_: None), 1),
        ):
            for column in table.T:
                pivot = int(column.argmin())
                costs = costs_from(grid, (pivot % grid.width, pivot // grid.width))
                expected = [costs.get((x, y), UNREACHED) for y in range(grid.height) for x in range(grid.width)]
                assert column.tolist() == expected


def test_heuristics_refuse_maps_that_do_not_suit_them() -> None:
    weighted = GridMap("test", ("..",), weights={".": 2.0})
    with pytest.raises(Incompatible, match="differential needs steps that cost the same in both directions"):
        runner.solve(instance(weighted), "astar", ["differential"])
    with pytest.raises(Incompatible, match="manhattan overestimates where diagonal steps are allowed; choose octile"):
        runner.solve(instance([".."]), "astar", ["manhattan"])
    for pivots, message in (
        ([[0, 0], [1, 0]], r"heuristic.pivots: \(1, 0\) is not a passable cell of test"),
        ([[0, 7]], r"heuristic.pivots: \(0, 7\) is not a passable cell of test"),
        ([[0]], r"heuristic.pivots: expected cells \[x, y\], got \[\[0\]\]"),
        ([], "heuristic.pivots: expected 1 to 64 cells, got 0"),
        (65, "pivots"),
    ):
        with pytest.raises(UserError, match=message):
            runner.solve(instance([".@"]), "astar", [{"name": "differential", "pivots": pivots}])


def test_octile_is_nowhere_below_euclidean_and_exact_on_open_maps() -> None:
    where = runner.load("gridmap/random", kind="open", size="40x30", count=1)[0]
    result = runner.solve(where, "astar", ["octile"])
    assert result.cost == result.initial_h
    for each in runner.load("gridmap/static"):
        octile_h, euclidean_h = (
            runner.heuristic(each, name)(each.problem().initial) for name in ("octile", "euclidean")
        )
        assert euclidean_h <= octile_h
