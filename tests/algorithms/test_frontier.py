"""Exploration of complete spaces: against sets of states, and against published numbers of states."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import runner
from algorithms import frontier
from algorithms.engine.search import StepStatus
from algorithms.frontier import Frontier, FrontierSearch
from heuristics.tables import verified
from runner.base.errors import UserError
from tests.loaded import family_of, kernels_of
from tests.naive.frontier import levels
from worlds.interface.instance import Instance
from worlds.topspin import TopSpin

SPACES: list[dict[str, Any]] = [
    *({"world": "pancake/random", "size": size} for size in (2, 3, 6, 7)),
    *({"world": "npuzzle/random", "size": size} for size in ("2x2", "2x3", "3x2")),
    *({"world": "hanoi/random", "disks": disks, "pegs": pegs} for disks, pegs in ((1, 3), (7, 3), (6, 4), (5, 5))),
    *({"world": "topspin/random", "tokens": n, "turnstile": k, "shuffle": "walk"} for n, k in ((7, 4), (7, 6))),
    {"world": "npuzzle/random", "size": "2x4", "goal": [3, 1, 0, 2, 4, 7, 6, 5]},
]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_levels_and_plans_are_those_of_sets_of_states(space: dict[str, Any]) -> None:
    (instance,) = runner.load(count=1, seed=3, **space)
    world, make = instance.world, kernels_of(instance.world).perfect_index
    assert make is not None
    expected = levels(world)
    assert runner.levels(instance)["states"].tolist() == list(map(len, expected))

    index, every = make(), [state for level in expected for state in level]
    numbers = {index.number(state) for state in every}
    assert len(numbers) == len(every)
    assert 0 <= min(numbers) <= max(numbers) < index.blocks * index.size

    search = FrontierSearch(instance.problem())
    while (status := search.step(1)) == StepStatus.RUNNING:  # in the smallest steps
        pass
    assert (status, search.levels) == (StepStatus.SOLVED, [*map(len, expected)])
    depth = {state: number for number, level in enumerate(expected) for state in level}
    for state in random.Random(1).sample(sorted(every), min(20, len(every))):
        other = family_of(world).starting_at(state)
        assert other is not None
        result = runner.solve(instance.with_world(other), "frontier")
        assert (result.status, result.valid, result.cost, result.bound) == ("solved", True, depth[state], 1)
        assert (result.radius, result.states) == (len(expected) - 1, len(expected[-1]))


# 8-puzzle: OEIS A089473, whose level 12 is 748 (a printed table has 749; the levels must add up to 9!/2).
EIGHT_PUZZLE = [
    *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110),
    *(23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
]
PANCAKES = [1, 10, 90, 809, 6429, 43891, 252737, 1174766, 4126515, 9981073, 14250471, 9123648, 956354, 6]
"""11 pancakes: OEIS A092113."""


@pytest.mark.parametrize(
    ("world", "size", "published"),
    [("npuzzle/random", 3, EIGHT_PUZZLE), pytest.param("pancake/random", 11, PANCAKES, marks=pytest.mark.long)],
)
def test_levels_are_the_published_ones(world: str, size: int, published: list[int]) -> None:
    (instance,) = runner.load(world, size=size, count=1)
    table = runner.levels(instance)
    assert table["states"].tolist() == published
    assert table["depth"].tolist() == [*range(len(published))]


@pytest.mark.long
def test_the_radius_of_the_11_puzzle_is_the_published_one() -> None:
    (instance,) = runner.load("npuzzle/random", size="3x4", count=1)
    table = runner.levels(instance)
    assert (len(table), table["states"].sum(), table["states"].iloc[-1]) == (54, 239_500_800, 18)


def test_a_depth_ends_the_exploration_and_the_start_may_lie_beyond_it() -> None:
    (instance,) = runner.load("pancake/random", size=7, count=1)
    depth, found = runner.solve(instance, "frontier").cost, list[int]()
    for last in range(9):
        result = runner.solve(instance, {"name": "frontier", "depth": last})
        assert result.status == ("cutoff" if depth is not None and last < depth else "solved")
        assert result.radius == (8 if last > 8 else None)
        found.append(result.states)
    assert found == runner.levels(instance)["states"].tolist() + [0] * (9 - len(runner.levels(instance)))


def test_worlds_without_numbers_and_unreachable_starts_are_told() -> None:
    for world in ("wumpus/static", "graph/martelli"):
        with pytest.raises(UserError, match="frontier needs a world"):
            Frontier().check(runner.load(world)[0])
    (large,) = runner.load("pancake/random", size=14, count=1)
    with pytest.raises(UserError, match="frontier needs a world that numbers all its states, at most 68"):
        runner.levels(large)


@pytest.mark.parametrize("ring", [(3, 2, 0, 1), (0, 1, 3, 2), (2, 5, 1, 0, 3, 4), (1, 3, 0, 2)])
def test_a_start_outside_of_the_space_is_unsolvable(ring: tuple[int, ...]) -> None:
    """The first two have an odd permutation, whose rank is that of an even one; the others are even, but apart."""
    instance = Instance(TopSpin(ring, 4), "ring")
    found = [runner.solve(instance, name) for name in ("frontier", "ucs")]
    assert [(result.status, result.error) for result in found] == [("unsolvable", None)] * 2


def undisturbed(instance: Instance, depth: int | None = None) -> tuple[object, ...]:
    search = FrontierSearch(instance.problem(), depth)
    return outcome(search)


def outcome(search: FrontierSearch) -> tuple[object, ...]:
    """Run an exploration to its end; return all that it gives."""
    while (status := search.step(50_000)) == StepStatus.RUNNING:
        pass
    return status, search.levels, search.counts, search.measured, search.path() if status == StepStatus.SOLVED else None


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of stored explorations, which are stored after each level."""
    monkeypatch.setattr(frontier, "folder_of", lambda kind: tmp_path / kind)
    monkeypatch.setattr(frontier, "SAVE_SECONDS", 0.0)
    return tmp_path / "frontier"


def test_an_interrupted_exploration_continues_and_a_deeper_one_answers_for_all_depths(kept: Path) -> None:
    """Whatever is stored, the outcome is that of an undisturbed exploration. There is one file for each space."""
    (instance,) = runner.load("npuzzle/random", size="2x4", count=1, seed=2)
    problem = instance.problem()
    first = FrontierSearch(problem, saves=True)
    while len(first.levels) < 12:
        assert first.step(100) == StepStatus.RUNNING
    (file,) = kept.iterdir()
    following = FrontierSearch(problem, saves=True)
    assert following.levels == first.levels[: len(following.levels)]
    assert len(following.levels) >= 11
    assert outcome(following) == undisturbed(instance)
    for depth in (0, 3, 11, 20, 21, 35, 36, 37, None):
        assert outcome(FrontierSearch(problem, depth, saves=True)) == undisturbed(instance, depth)
    assert not file.exists()
    assert len([*kept.iterdir()]) == 1
    (other,) = runner.load("npuzzle/random", size="2x4", count=1, goal="blank_first")
    assert FrontierSearch(other.problem(), saves=True).levels == [1]


def test_a_stored_exploration_that_is_corrupt_is_made_again(kept: Path) -> None:
    (instance,) = runner.load("pancake/random", size=7, count=1)
    expected = outcome(FrontierSearch(instance.problem(), saves=True))
    (file,) = kept.iterdir()
    content = bytearray(file.read_bytes())
    content[-5] ^= 1
    verified().clear()
    file.write_bytes(content)
    search = FrontierSearch(instance.problem(), saves=True)
    assert search.levels == [1]
    assert outcome(search) == expected
    file.unlink()
    kept.rmdir()
    kept.write_text("no folder")  # an exploration that cannot be stored has its outcome, too
    assert outcome(FrontierSearch(instance.problem(), saves=True)) == expected
