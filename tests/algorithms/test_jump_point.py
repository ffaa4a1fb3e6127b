"""Jump point search: its jump points against naive ones, its costs against those of A*, and what it refuses."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import runner
from algorithms.best_first.best_first import AStar, Ties, UniformCost
from algorithms.engine.search import Limits, Search, StepStatus
from algorithms.jump_point import JumpPoint, expand_jump_points, jump_point_map
from heuristics.interface.python_heuristic import PythonHeuristic
from heuristics.interface.stack import BoundStack, Stack
from runner.base.errors import Incompatible
from runner.base.own_places import ROOT
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.jump_point_problems import grid_problems
from tests.loaded import load
from tests.naive import jump_points as naive
from worlds.gridmap.rules import STEP, step_cost
from worlds.gridmap.search import MOVES, pack, unpack
from worlds.gridmap.world import GridInstance, GridWorld
from worlds.interface.instance import Problem

MAPS = ROOT / "runner" / "features" / "atlas" / "sturtevant2012_maps"
TIES: tuple[Ties, ...] = ("low_h", "low_h_fifo", "high_h", "fifo", "lifo")


def stack(*names: str) -> Stack:
    return sections.stack_of("gridmap", {"stack": list(names), "combine": "max"})


def unnumbered(instance: GridInstance) -> Problem:
    """Return the problem for the kernel of all worlds, which is compiled already."""
    return replace(instance.problem(), numbering=None)


def finish(search: Search, bound: BoundStack) -> dict[str, Any]:
    """Run a search to its end, check its plan by the rules, and return its outcome."""
    status = run(search, Limits())
    if status != "solved":
        return {"status": status, "cost": None}
    replay = bound.problem.world.replay(bound.problem.plan(search.path()))
    assert (replay.reaches_goal, replay.cost) == (True, search.cost)
    return {"status": status, "cost": search.cost}


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("preprocess", [False, True])
def test_jump_points_equal_the_naive_ones(preprocess: bool, count: int) -> None:
    """The same jump points in the same order, from the start and after every possible move."""
    compared = 0
    for _, instance in grid_problems("jump points", count):
        grid, (x, y), goal = instance.world.grid, instance.world.start, instance.world.goal
        world = jump_point_map(instance.world.shared, preprocess)
        arrivals = [move for move, (dx, dy) in STEP.items() if step_cost(grid, (x - dx, y - dy), move) is not None]
        for last in (None, *arrivals):
            depth_and_action = 0 if last is None else 1 << 16 | MOVES.index(last)  # as in the record of a node
            record = np.array([0, depth_and_action << 32, 0, pack((x, y), goal)[0]], np.uint64)
            out, cost, action = np.zeros(8, np.uint64), np.zeros(8, np.int32), np.zeros(8, np.int16)
            n = expand_jump_points.compiled(world, record, 3, out, 0, cost, action, 0)
            found = [(unpack(out[k:]), int(cost[k]), MOVES[action[k]]) for k in range(n)]
            assert found == list(naive.jump_points(grid, (x, y), last, goal)), (grid.rows, (x, y), last)
            compared += n
    assert compared > 3 * count


@pytest.mark.parametrize("ties", TIES)
def test_costs_equal_those_of_other_searches(ties: Ties) -> None:
    """Costs and statuses are those of A* and UCS. With preprocessing, the counts are the same, too."""
    unsolvable = at_goal = 0
    for source, instance in grid_problems(ties, 60):
        names = source.choice([(), ("octile",), ("euclidean",), ("octile", "differential")])
        bound, plain = (stack(*names).prepare(each) for each in (instance.problem(), unnumbered(instance)))
        expected = finish(source.choice([AStar(), UniformCost()]).start(plain, None), plain)
        search = JumpPoint(ties).start(bound, None)
        assert finish(search, bound) == expected, (instance.world.grid.rows, instance.world.start, instance.world.goal)
        preprocessed = JumpPoint(ties, preprocess=True).start(bound, None)
        assert finish(preprocessed, bound) == expected
        assert preprocessed.counts == search.counts
        unsolvable += expected["status"] == "unsolvable"
        at_goal += expected["cost"] == 0
    assert unsolvable > 4
    assert at_goal > 0


@dataclass(frozen=True)
class Erratic(PythonHeuristic):
    """A share of the octile distance that differs from cell to cell: admissible, but not consistent."""

    registered_name = "erratic"
    admissible = True
    consistent = False

    def value(self, state: Any, world: GridWorld) -> float:
        """Return the share."""
        (x, y), (goal_x, goal_y) = state, world.goal
        assert world.grid.diagonal is not None
        across, down = abs(x - goal_x), abs(y - goal_y)
        octile = max(across, down) + (world.grid.diagonal - 1) * min(across, down)
        return octile * random.Random(7 * x + 1000 * y).choice([0, 0.3, 0.9])


def test_it_is_optimal_under_an_inconsistent_heuristic() -> None:
    reopened = 0
    for _, instance in grid_problems("inconsistent", 120):
        bound, plain = (Stack((Erratic(),)).prepare(each) for each in (instance.problem(), unnumbered(instance)))
        search = JumpPoint().start(bound, None)
        assert finish(search, bound) == finish(AStar().start(plain, None), plain)
        reopened += search.counts.reopened
    assert reopened > 8


@cache
def large_problem() -> GridInstance:
    """Return a problem whose jump points do not fit into the first node store."""
    return max(load(GridWorld, "gridmap/random", size=300, density=0.35, count=4), key=_distance)


def _distance(instance: GridInstance) -> int:
    return sum(abs(a - b) for a, b in zip(instance.world.start, instance.world.goal, strict=True))


def test_the_length_of_steps_has_no_effect_and_memory_grows() -> None:
    bound = stack().prepare(large_problem().problem())
    whole = JumpPoint().start(bound, None)
    expected = finish(whole, bound)
    assert expected["status"] == "solved"
    stepped = JumpPoint().start(bound, None)
    before, grown = stepped.counts.memory_bytes, 0
    while (status := stepped.step(1)) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
        if status == StepStatus.OUT_OF_MEMORY:
            assert stepped.grow(None)
            grown += 1
    assert grown > 2
    assert (status, stepped.cost, stepped.path()) == (StepStatus.SOLVED, whole.cost, whole.path())
    assert stepped.counts == whole.counts
    assert stepped.counts.memory_bytes > before
    assert stepped.expanded_before_last_layer == whole.expanded_before_last_layer
    assert 0 < (whole.expanded_before_last_layer or 0) <= whole.counts.expanded


@pytest.mark.parametrize(
    ("reopen", "heuristic", "bound"),
    [(True, "octile", 1), (False, "octile", 1), (True, None, 1), (True, "erratic", 1), (False, "erratic", None)],
)
def test_the_bound_is_1_if_it_is_proven(reopen: bool, heuristic: str | None, bound: float | None) -> None:
    chosen = Stack((Erratic(),)) if heuristic == "erratic" else stack(*([heuristic] if heuristic else []))
    bound_stack = chosen.prepare(large_problem().problem())
    algorithm = JumpPoint(reopen=reopen)
    search = algorithm.start(bound_stack, None)
    assert run(search, Limits()) == "solved"
    declared = {"admissible": bool(chosen.admissible), "consistent": bool(chosen.consistent)}
    assert search.bound == algorithm.promised_bound(None, unit_costs=False, **declared) == bound


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("wumpus/static", {}, "searches grid maps only, not wumpus; choose a world such as gridmap/random"),
        ("gridmap/random", {"directions": 4}, "needs diagonal moves; set world.directions=8, or"),
        ("gridmap/random", {"weights": {"S": 2}}, "needs the same costs in all cells; leave out world.weights"),
        (
            "gridmap/random",
            {"diagonal": 2},
            "needs diagonal steps that cost more than one straight step and less than two",
        ),
    ],
)
def test_other_worlds_are_refused(world: str, parameters: dict[str, Any], message: str) -> None:
    instance = runner.load(world, **parameters)[0]
    with pytest.raises(Incompatible) as refusal:
        runner.solve(instance, "jps")
    assert str(refusal.value).startswith(f"algorithm: jps {message}")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("preprocess", [False, True])
@pytest.mark.parametrize("name", ["arena", "den312d"])
def test_published_lengths(name: str, preprocess: bool) -> None:
    file = MAPS / f"{name}.map.scen"
    if not file.exists():
        pytest.skip("the map is not here")
    for instance in runner.load("gridmap/scenario", path=str(file))[::15]:
        result = runner.solve(instance, {"name": "jps", "preprocess": preprocess}, "octile")
        assert (result.status, result.valid, result.measured["agrees"]) == ("solved", True, True)
