"""Drawings of expansions: their order, against a slow search, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runner
from runner.registry import Incompatible
from tests.naive.expansion_order import expansion_order
from worlds.expansion_log import ROOM
from worlds.gridmap.instance import GridInstance

CASES = [
    ("astar", "octile"), ("ucs", ()), ("bfs", ()), ("jps", "octile"), ("bidirectional", "octile"),
    ("idastar", "octile"), ("anytime_astar", "octile"), ("beam", "octile"),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "heuristic"), CASES, ids=str)
def test_all_expansions_are_listed_from_the_start(algorithm: str, heuristic: str) -> None:
    for instance in runner.load("gridmap/random", size=6, count=8):
        assert isinstance(instance, GridInstance)
        positions = runner.draw_expansions(instance, algorithm, heuristic)
        assert len(positions) == runner.solve(instance, algorithm, heuristic).expanded
        assert instance.start in positions or not positions
        assert all(instance.grid.rows[y][x] not in "@T" for x, y in positions)


def test_the_order_is_that_of_the_search() -> None:
    for instance in runner.load("gridmap/static", problems=[8, 9]):
        assert isinstance(instance, GridInstance)
        positions = runner.draw_expansions(instance, "bfs")
        assert positions == expansion_order(instance)


def test_more_expansions_than_the_log_has_room_for() -> None:
    instance = runner.load("gridmap/random", size=150, kind="open", count=1)[0]
    result = runner.solve(instance, "ucs")
    assert result.expanded is not None
    assert result.expanded > 2 * ROOM
    positions = runner.draw_expansions(instance, "ucs")
    assert len(positions) == len(set(positions)) == result.expanded


def test_expansions_of_caves_are_squares() -> None:
    cave = runner.load("wumpus/static")[3]
    positions = runner.draw_expansions(cave, "astar", "flood_fill")
    assert positions[0] == (0, 0)
    assert len(positions) == runner.solve(cave, "astar", "flood_fill").expanded
    unsolvable = runner.load("wumpus/static")[6]
    assert runner.draw_expansions(unsolvable, "astar", "flood_fill") == []


def test_a_drawing_has_a_file_or_axes(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    instance = runner.load("gridmap/static", problems=[3])[1]
    runner.draw_expansions(instance, "astar", "octile", file=tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    axes = Figure().add_subplot()
    positions = runner.draw_expansions(instance, "astar", "octile", axes=axes)
    assert isinstance(instance, GridInstance)
    assert axes.get_xlim() == (-0.5, instance.grid.width - 0.5)
    order = np.asarray(axes.images[1].get_array())
    assert np.count_nonzero(~np.isnan(order)) == len(set(positions))
    assert np.nanmax(order) == len(positions)


def test_what_cannot_be_drawn_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid, puzzle = runner.load("gridmap/static")[0], runner.load("npuzzle/korf100")[0]
    with pytest.raises(runner.UserError, match="the states of npuzzle have no positions"):
        runner.draw_expansions(puzzle)
    with pytest.raises(Incompatible, match="random_agent is an agent, which expands no states"):
        runner.draw_expansions(runner.load("wumpus/static")[0], "random_agent")
    with pytest.raises(runner.UserError, match=r"file: expected a name that ends in .png, .svg or .pdf"):
        runner.draw_expansions(grid, file=tmp_path / "map.txt")
    with pytest.raises(runner.UserError, match="No such file or directory"):
        runner.draw_expansions(grid, file=tmp_path / "none" / "map.png")
    monkeypatch.setattr("runner.api.MAX_DRAWN", 3)
    with pytest.raises(runner.UserError, match="takes more than 3 expansions; choose a smaller instance"):
        runner.draw_expansions(runner.load("gridmap/static")[9], "ucs")
