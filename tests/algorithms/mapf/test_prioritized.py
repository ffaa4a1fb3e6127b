"""Prioritized planning agrees with space-time A*, agent by agent, and its plans keep the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import runner
from algorithms.engine.search import StepStatus
from algorithms.mapf.prioritized import MAX_EXPANSIONS, PrioritizedPlanning, PrioritizedSearch
from heuristics.interface.stack import Stack
from runner.base.errors import Incompatible
from tests.algorithms.typed import search_algorithm
from tests.naive.mapf_prioritized import earliest_arrival, shuffled
from tests.naive.random_numbers import SplitMix64
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface.instance import Instance
from worlds.mapf.rules import Objective
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfInstance, MapfWorld

BLOCKED = (".....", "@@.@@")
"""The goal of the first agent is in the way of the second one."""
BLOCKED_ENDS = ((2, 1), (0, 0)), ((2, 0), (4, 0))


def team(
    rows: tuple[str, ...], starts: tuple[GridCell, ...], goals: tuple[GridCell, ...],
    objective: Objective = "sum_of_costs",
) -> MapfInstance:  # fmt: skip
    roadmap = Roadmap(SharedMap(GridMap("team", rows, diagonal=None)))
    return Instance(MapfWorld(roadmap, starts, goals, objective), "team")


def random_teams(seed: object, count: int, objective: Objective = "sum_of_costs") -> Iterator[MapfInstance]:
    """Yield teams on maps of up to 6x6 cells. Each agent alone can reach its goal."""
    source = random.Random(str(seed))
    while count > 0:
        width, height = source.randint(2, 6), source.randint(1, 6)
        rows = tuple("".join(source.choice(".....@") for _ in range(width)) for _ in range(height))
        cells = [(x, y) for y in range(height) for x in range(width) if rows[y][x] == "."]
        if len(cells) < 2:
            continue
        agents = source.randint(1, min(8, len(cells)))
        ends = tuple(source.sample(cells, agents)), tuple(source.sample(cells, agents))
        instance = team(rows, *ends, objective)
        if instance.world.proof_of_unsolvability() is None:
            yield instance
            count -= 1


def started(instance: MapfInstance, **parameters: Any) -> PrioritizedSearch:
    algorithm = search_algorithm("prioritized", **parameters)
    search = algorithm.start(Stack().prepare(instance.problem()), None)
    assert isinstance(search, PrioritizedSearch)
    return search


def step(search: PrioritizedSearch) -> StepStatus:
    """Plan for one agent."""
    status = search.step(1)
    while status == StepStatus.OUT_OF_MEMORY:
        assert search.grow(None)
        status = search.step(1)
    return status


def solved(instance: MapfInstance, **parameters: Any) -> Any:
    return runner.solve(instance, {"name": "prioritized", **parameters}, limits={"nodes": 100_000})


def test_each_agent_arrives_as_early_as_space_time_a_star_finds() -> None:
    outcomes = set[tuple[StepStatus, bool]]()
    for instance in random_teams("arrivals", 120):
        search = started(instance, order="given", restarts=2)
        neighbours, status = search.neighbours.tolist(), StepStatus.RUNNING
        while status == StepStatus.RUNNING:
            found_before = search.counts.generated
            status = step(search)
            has_found = search.counts.generated > found_before
            agents = search.order.tolist()[: search.planned - has_found]
            agent = int(search.order[len(agents)])
            reserved = [search.paths[each].tolist() for each in agents]
            arrival = int(search.arrivals(search.paths)[agent]) if has_found else None
            ends = int(search.starts[agent]), int(search.goals[agent])
            assert arrival == earliest_arrival(neighbours, *ends, reserved)
            outcomes.add((status, has_found))
    assert outcomes == {
        (StepStatus.RUNNING, True), (StepStatus.RUNNING, False), (StepStatus.SOLVED, True), (StepStatus.CUTOFF, False),
    }  # fmt: skip


@pytest.mark.parametrize("objective", ["sum_of_costs", "makespan"])
def test_plans_are_valid(objective: Objective) -> None:
    statuses = set()
    for instance in random_teams("plans", 100, objective):
        result = solved(instance)
        statuses.add(result.status)
        if result.status == "solved":
            replay = instance.world.replay(result.plan)
            assert (result.valid, replay.reaches_goal, replay.cost) == (True, True, result.cost)
            assert result.cost == result.measured[objective]
            assert result.expanded >= result.generated >= instance.world.agents
    assert statuses == {"solved", "cutoff"}


def test_an_exchange_in_a_corridor_is_a_cutoff_after_all_orders() -> None:
    corridor = team(("...",), ((0, 0), (2, 0)), ((2, 0), (0, 0)))
    result = solved(corridor, restarts=3)
    assert (result.status, result.expanded, result.generated) == ("cutoff", 8, 4)


def test_the_order_matters_and_an_agent_arrives_after_others_have_passed_its_goal() -> None:
    blocked = team(BLOCKED, *BLOCKED_ENDS)
    assert solved(blocked, order="given", restarts=0).status == "cutoff"
    longest = solved(blocked, order="longest", restarts=0)
    assert (longest.cost, longest.plan) == (7, ("wr", "wr", "ur", "wr"))
    assert solved(blocked, order="given", restarts=20).cost == 7


def test_random_orders_follow_from_the_seed() -> None:
    empty = team(("........",) * 2, tuple((x, 0) for x in range(8)), tuple((x, 1) for x in range(8)))
    for seed in range(5):
        search = started(empty, order="random", seed=seed)
        step(search)
        assert search.order.tolist() == shuffled(range(8), SplitMix64(seed))


def test_equal_distances_leave_the_given_order() -> None:
    pairs = team(("....",) * 3, ((0, 0), (0, 1), (0, 2)), ((1, 0), (3, 1), (1, 2)))
    assert started(pairs, order="longest").order.tolist() == [1, 0, 2]


def test_a_search_without_random_orders_does_not_depend_on_its_seed() -> None:
    fixed = PrioritizedPlanning("given", restarts=0, seed=5)
    assert fixed.effective(None) == (PrioritizedPlanning("given", restarts=0), None)
    drawn = PrioritizedPlanning("given", restarts=1, seed=5)
    assert drawn.effective(None) == (drawn, None)


def test_long_paths_grow_the_arrays_and_a_limit_of_memory_stops_that() -> None:
    row = team(("." * 200,), ((0, 0), (1, 0), (2, 0)), ((197, 0), (198, 0), (199, 0)))
    result = solved(row, order="given", restarts=0)
    assert (result.cost, result.valid, result.generated) == (3 * 197, True, 3)
    early = team(("." * 200, ".." + "@" * 198), ((0, 1), (0, 0)), ((1, 1), (199, 0)))
    assert solved(early, order="given", restarts=0).cost == 1 + 199
    at_first = started(row).counts.memory_bytes
    assert runner.solve(row, "prioritized", limits={"memory": at_first}).status == "memory_limit"


def test_a_step_ends_within_the_search_for_one_agent() -> None:
    """The first agent stays in the only door, and the second one looks for a way in the whole room."""
    size = 300
    rows = (*("." * size,) * size, "@" * 7 + "." + "@" * (size - 8), "." * size)
    door = team(rows, ((7, size), (0, 0)), ((7, size), (9, size + 1)))
    search = started(door, order="given", restarts=0)
    assert step(search) == StepStatus.RUNNING
    statuses = [step(search), step(search)]
    assert statuses == [StepStatus.RUNNING, StepStatus.CUTOFF]
    assert search.measured["low_level_expanded"] == size * size > MAX_EXPANSIONS
    assert (search.counts.expanded, search.counts.generated) == (2, 1)


def test_a_limit_of_nodes_counts_agents() -> None:
    pair = team(BLOCKED, *BLOCKED_ENDS)
    for nodes in (1, 2):
        result = runner.solve(pair, "prioritized", limits={"nodes": nodes})
        assert (result.status, result.expanded) == ("node_limit", nodes)
    assert runner.solve(pair, "prioritized", limits={"nodes": 3}).status == "solved"


def test_other_worlds_are_refused() -> None:
    with pytest.raises(Incompatible, match="several agents on a grid map"):
        runner.solve(runner.load("pancake/random", count=1)[0], "prioritized")
