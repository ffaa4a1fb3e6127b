"""Names that people type instead of valid ones, and ranges where one value is expected."""

from __future__ import annotations

import pytest

from runner.base import own_packages
from runner.base.errors import UserError, nearest, range_hint
from runner.config.cell.registries import REGISTRIES
from worlds.interface.sources import SOURCES

own_packages.load()


@pytest.mark.parametrize(
    ("kind", "typed", "expected"),
    [
        ("algorithm", "gbfs", ["greedy"]),
        ("algorithm", "best_first", ["greedy"]),
        ("algorithm", "Greedy-Best-First-Search", ["greedy"]),
        ("algorithm", "dijkstra", ["ucs"]),
        ("algorithm", "uniform cost search", ["ucs"]),
        ("algorithm", "BFS", ["bfs"]),
        ("algorithm", "breadth_first_search", ["bfs"]),
        ("algorithm", "depth-first", ["dfs"]),
        ("algorithm", "a*", ["astar"]),
        ("algorithm", "A", ["astar"]),
        ("algorithm", "ida*", ["idastar"]),
        ("algorithm", "IDA", ["idastar"]),
        ("algorithm", "wa*", ["weighted_astar"]),
        ("algorithm", "Weighted A*", ["weighted_astar"]),
        ("algorithm", "astr", ["astar"]),
        ("algorithm", "sudoku", []),
        ("world", "wumpus", ["wumpus/static", "wumpus/random"]),
        ("world", "NPuzzle", ["npuzzle/random"]),
        ("world", "pddl", ["pddl/static"]),
        ("world", "wumpus/sttic", ["wumpus/static"]),
        ("world", "", []),
    ],
)
def test_the_nearest_names_are_what_was_meant(kind: str, typed: str, expected: list[str]) -> None:
    assert nearest(typed, REGISTRIES[kind].names()) == expected


def test_a_domain_without_preferred_worlds_has_all_its_worlds() -> None:
    assert nearest("mine", ["mine/b", "mine/a", "other/a"]) == ["mine/b", "mine/a"]


def test_an_alias_is_suggested_only_where_its_name_is_valid() -> None:
    assert nearest("gbfs", ["bfs", "dfs"]) == ["bfs"]


@pytest.mark.parametrize("typed", ["4..20", "4-20", "4...20", "4:20", "4 - 20"])
def test_a_range_is_written_in_the_grammar_of_hydra(typed: str) -> None:
    assert range_hint("world.size", typed) == "; for a range, write 'world.size=range(4,21)' with -m"


@pytest.mark.parametrize("value", ["4x20", "-4", "1.5", 4, None, [4, 20], "a-b"])
def test_other_values_are_no_ranges(value: object) -> None:
    assert range_hint("world.size", value) == ""


@pytest.mark.parametrize("world", ["wumpus/random", "gridmap/random", "npuzzle/random"])
@pytest.mark.parametrize("key", ["size", "count"])
def test_worlds_suggest_a_sweep_for_a_range(world: str, key: str) -> None:
    with pytest.raises(UserError, match=rf"got (str|'4..20'); for a range, write 'world.{key}=range\(4,21\)'"):
        SOURCES.build(world, {key: "4..20"}).check()
