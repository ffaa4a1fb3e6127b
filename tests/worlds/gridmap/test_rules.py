"""The rules of grid maps, on maps whose answers are known by hand."""

from __future__ import annotations

import math

import pytest

from tests.gridmaps import any_maps, cells_of, instance, successors
from worlds.gridmap import rules
from worlds.gridmap.rules import DIAGONAL, ROOT_2, STEP, STRAIGHT, GridCell, GridMap

ALL = list(STEP)


def moves(rows: list[str], cell: GridCell, *, diagonal: float | None = ROOT_2, **weights: float) -> list[str]:
    return [move for move, _, _ in successors(GridMap("test", tuple(rows), diagonal, weights), cell)]


def test_successors_come_in_the_documented_order() -> None:
    assert ALL == ["E", "W", "S", "N", "SE", "NE", "SW", "NW"]
    assert moves(["...", "...", "..."], (1, 1)) == ALL
    assert moves(["...", "...", "..."], (1, 1), diagonal=None) == ALL[:4]
    assert [rules.after((5, 5), move) for move in ALL[:4]] == [(6, 5), (4, 5), (5, 6), (5, 4)]


def test_the_edge_of_the_map_is_an_obstacle() -> None:
    assert moves(["..", ".."], (0, 0)) == ["E", "S", "SE"]
    assert moves(["."], (0, 0)) == []
    assert not rules.is_passable(GridMap("test", (".",)), (0, -1))


@pytest.mark.parametrize("corner", ["@", "O", "T", "W"])
def test_corners_are_not_cut(corner: str) -> None:
    assert moves([".a".replace("a", corner), ".."], (0, 0)) == ["S"]
    assert moves(["..", "a.".replace("a", corner)], (0, 0)) == ["E"]


def test_only_water_is_joined_with_water() -> None:
    """Water is passable, but there is no step between it and other terrain, also not diagonally past it."""
    assert moves(["WW", "WW"], (0, 0)) == ["E", "S", "SE"]
    assert moves(["W.", ".W"], (0, 0)) == []
    assert moves(["WW", "W."], (0, 0)) == ["E", "S"]
    assert moves([".S", "SG"], (0, 0)) == ["E", "S", "SE"]
    assert moves(["W.", ".."], (0, 0), W=2) == []


def test_trees_are_passable_with_a_weight_only() -> None:
    assert moves([".T"], (0, 0)) == []
    assert moves([".T"], (0, 0), T=2) == ["E"]
    assert moves(["@T"], (1, 0), T=2) == []


def test_costs_in_the_units_of_the_engine() -> None:
    assert abs(DIAGONAL / STRAIGHT - math.sqrt(2)) < 4e-10
    plain = GridMap("test", ("..", "SS"))
    assert [cost for _, _, cost in successors(plain, (0, 0))] == [STRAIGHT, STRAIGHT, DIAGONAL]
    whole = GridMap("test", ("..", "SS"), weights={"S": 3})
    assert [cost for _, _, cost in successors(whole, (0, 0))] == [STRAIGHT, 3 * STRAIGHT, 3 * DIAGONAL]
    assert [cost for _, _, cost in successors(whole, (0, 1))] == [3 * STRAIGHT, STRAIGHT, DIAGONAL]
    for weights in ({"S": 2.5}, {"S": 0.3, ".": 1.75}, {"S": 1 / 3}, {"S": 3.14159}, {"S": 0.001, ".": 999.999}):
        grid = GridMap("test", ("..", "SS"), weights=weights)
        for terrain, (straight, diagonal) in grid.costs.items():
            assert straight / grid.scale == pytest.approx(weights.get(terrain, 1), rel=1e-6)
            assert diagonal / straight == pytest.approx(math.sqrt(2), rel=3e-7)
    unit = GridMap("test", ("..", ".."), diagonal=None)
    assert (unit.scale, [cost for _, _, cost in successors(unit, (0, 0))]) == (1, [1, 1])
    own = {1.5: (2, 3), 1.4142136: (STRAIGHT, DIAGONAL), 1: (1, 1), 2: (1, 2), 1.001: (1000, 1001)}
    for cost, steps in own.items():
        assert GridMap("test", (".",), cost).costs["."] == steps
    both = GridMap("test", (".S",), 1.5, {"S": 0.7})
    assert (both.scale, both.costs["."], both.costs["S"]) == (20, (20, 30), (14, 21))


def test_plans_are_played_up_to_the_first_impossible_move() -> None:
    world = instance(("..", "@.")).world
    assert world.played(("E", "S")) == ([(0, 0), (1, 0), (1, 1)], 2 * STRAIGHT)
    assert world.played(("E", "E", "S")) == ([(0, 0), (1, 0)], STRAIGHT)
    with pytest.raises(ValueError, match="no move 'X'"):
        world.played(("X",))


def test_every_step_has_an_inverse() -> None:
    """The search expands backwards by this."""
    for grid in any_maps("inverse", 40):
        for cell in cells_of(grid):
            for _, to, _ in successors(grid, cell):
                assert cell in [back for _, back, _ in successors(grid, to)]
