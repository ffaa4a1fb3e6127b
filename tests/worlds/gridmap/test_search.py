"""Packed maps compared with the rules, state by state, and searches with the costs of optimal paths by the rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

import runner
from runner.base.errors import UserError
from tests.gridmaps import any_instance, any_maps, cells_of, costs_from, instance, successors
from worlds.gridmap.components import OBSTACLE
from worlds.gridmap.rules import MAX_SIDE, GridCell, GridMap
from worlds.gridmap.search import MOVES, pack, unpack

Steps = list[tuple[str, GridCell, int]]
MAPS = list(any_maps("packed", 120))


@pytest.mark.parametrize("diagonal", [True, False])
def test_successors_and_predecessors_are_those_of_the_rules(diagonal: bool) -> None:
    for grid in (each for each in MAPS if (each.diagonal is not None) == diagonal):
        cells = cells_of(grid)
        problem = instance(grid, cells[0], cells[-1]).problem()
        backward: dict[GridCell, Steps] = {cell: [] for cell in cells}
        for cell in cells:
            found: Steps = []
            for state, cost, action in problem.successors(pack(cell, cells[-1])):
                assert (state == pack(unpack(state), cells[-1])).all()  # the goal stays
                found.append((MOVES[action], unpack(state), cost))
            assert found == successors(grid, cell)
            for move, to, cost in found:
                backward[to].append((move, cell, cost))
        for cell in cells:
            before = problem.successors(pack(cell, cells[-1]), backward=True)
            assert sorted((MOVES[action], unpack(state), cost) for state, cost, action in before) == sorted(
                backward[cell]
            )


def test_goals_are_recognised() -> None:
    problem = instance(["..", ".."], (0, 0), (1, 1)).problem()
    assert [problem.recognises(pack(cell, (1, 1))) for cell in ((0, 0), (0, 1), (1, 0), (1, 1))] == [
        False, False, False, True,
    ]  # fmt: skip
    last = MAX_SIDE - 1
    assert unpack(pack((last, last - 1), (last, last))) == (last, last - 1)


def test_components_are_the_cells_that_can_be_reached() -> None:
    for grid in MAPS:
        labels = instance(grid).world.shared.components.reshape(grid.height, grid.width)
        seen: dict[int, int] = {}
        for x, y in cells_of(grid):
            reached = {(int(column), int(row)) for row, column in np.argwhere(labels == labels[y, x])}
            assert reached == set(costs_from(grid, (x, y)))
            seen.setdefault(int(labels[y, x]), len(seen))
        assert list(seen) == list(range(len(seen)))
        assert int((labels == OBSTACLE).sum()) == grid.width * grid.height - len(cells_of(grid))


@pytest.mark.parametrize("algorithm", ["ucs", "astar", "bidirectional"])
def test_optimal_costs_are_those_of_the_rules(algorithm: str) -> None:
    source = random.Random(algorithm)
    statuses = set()
    for _ in range(150):
        where = any_instance(source)
        optimum = costs_from(where.world.grid, where.world.start).get(where.world.goal)
        result = runner.solve(where, algorithm, "octile" if algorithm == "astar" else "none")
        statuses.add(result.status)
        assert result.error is None
        if optimum is None:
            assert (result.status, result.cost) == ("unsolvable", None)
        else:
            assert (result.status, result.valid) == ("solved", True)
            assert result.cost == where.world.user_cost(optimum)
    assert statuses == {"solved", "unsolvable"}


def test_a_wrong_plan_is_explained() -> None:
    where = instance(["..", "@."], (0, 0), (1, 1))
    assert where.world.replay(("E", "S")).reaches_goal
    assert not where.world.replay(("E",)).reaches_goal
    failure = where.world.replay(("E", "S", "W")).failure
    assert failure == "action 3, W: in the state (1, 1) the rules allow only N"


def test_states_are_passable_cells() -> None:
    where = instance(["..", "@."], (0, 0), (1, 1))
    assert where.world.describe(where.world.state(1, 0)) == (1, 0)
    for cell in ((0, 1), (2, 0), (-1, 0)):
        with pytest.raises(UserError, match="is not a passable cell of test"):
            where.world.state(*cell)


def test_all_problems_on_a_map_share_the_packed_map() -> None:
    first, second = runner.load("gridmap/static", problems=[1, 2])[:2]
    assert first.problem().constants is second.problem().constants


def test_four_directions_have_unit_costs_unless_there_are_weights() -> None:
    for weights, units in ((None, True), ({"S": 2}, False)):
        where = runner.load("gridmap/static", directions=4, weights=weights)[0]
        assert (where.world.unit_costs, where.world.engine_scale == 1) == (units, units)
    assert not runner.load("gridmap/static")[0].world.unit_costs
    assert GridMap("test", (".",), diagonal=None).has_unit_costs
