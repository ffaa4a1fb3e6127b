"""The packed rules of the search, compared with the reference implementation."""

from __future__ import annotations

import heapq
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import runner
from runner.base.errors import UserError
from tests.caves import caves, instance, reachable, word
from worlds.wumpus import rules
from worlds.wumpus.rules import ACTIONS, Cave, Play
from worlds.wumpus.search import CARDINAL_ACTIONS, SQUARE_SHIFT, pack_square


def unpack(cave: Cave, state: int, cost: int = 0) -> Play:
    return replace(instance(cave).world.describe(word(state)), cost=cost)


def after(cave: Cave, play: Play, *actions: str) -> Play:
    play = copy(play)
    for action in actions:
        rules.act(cave, play, action)
    return play


def optimum_by_the_rules(cave: Cave) -> int | None:
    """Return the optimal cost by Dijkstra's algorithm over the six actions of the rules; None without a solution."""
    queue, seen, pushes = [(0, 0, rules.start(cave))], set(), 0
    while queue:
        cost, _, play = heapq.heappop(queue)
        key = (play.square, play.facing, play.has_gold, play.has_arrow, play.wumpus_alive, play.climbed_out)
        if key in seen:
            continue
        seen.add(key)
        if play.climbed_out and play.has_gold:
            return cost
        if not play.is_over:
            for action in ACTIONS:
                following = after(cave, play, action)
                if following.alive:
                    pushes += 1
                    heapq.heappush(queue, (following.cost, pushes, following))
    return None


@given(caves(4))
def test_unpruned_primitive_successors_are_the_six_actions(cave: Cave) -> None:
    problem = instance(cave, "primitive", "none").problem()
    for state in list(reachable(problem))[:300]:
        play = unpack(cave, state)
        found = [(unpack(cave, int(s[0]), cost), action) for s, cost, action in problem.successors(word(state))]
        expected = [] if play.is_over else [(after(cave, play, name), code) for code, name in enumerate(ACTIONS)]
        assert found == expected


@given(caves(4))
def test_effective_pruning_drops_exactly_the_actions_without_effect(cave: Cave) -> None:
    full, effective = (instance(cave, "primitive", pruning).problem() for pruning in ("none", "effective"))
    for state in list(reachable(full))[:300]:
        expected = [(int(s[0]), c, a) for s, c, a in full.successors(word(state)) if int(s[0]) != state]
        assert [(int(s[0]), c, a) for s, c, a in effective.successors(word(state))] == expected


@given(caves(5))
def test_cardinal_successors_equal_the_result_of_their_actions(cave: Cave) -> None:
    where = instance(cave)
    problem = where.problem()
    for state in list(reachable(problem))[:300]:
        for successor, cost, action in problem.successors(word(state)):
            play = after(cave, unpack(cave, state), *CARDINAL_ACTIONS[action])
            assert play == unpack(cave, int(successor[0]), cost)
            assert problem.action_lengths[action] == len(CARDINAL_ACTIONS[action])


def test_cardinal_successors_are_ordered_and_take_the_fewest_turns() -> None:
    cave = Cave((3, 3), (1, 1), "E", (0, 0), (1, 1), (1, 2))
    problem = instance(cave).problem()
    names = [CARDINAL_ACTIONS[action] for _, _, action in problem.successors(problem.initial)]
    assert names == [("RIGHT", "MOVE"), ("MOVE",), ("LEFT", "LEFT", "MOVE"), ("LEFT", "SHOOT")]


def test_best_pruning_keeps_only_turns_that_lead_to_a_safe_square() -> None:
    def actions(pits: set[tuple[int, int]], facing: str = "N") -> list[str]:
        problem = instance(Cave((3, 3), (1, 1), facing, (0, 0), (1, 1), None, frozenset(pits)), "primitive").problem()
        return [ACTIONS[action] for _, _, action in problem.successors(problem.initial)]

    west, east, south, north = (0, 1), (2, 1), (1, 0), (1, 2)
    assert actions(set()) == ["MOVE", "RIGHT", "LEFT"]
    assert actions({west}) == ["MOVE", "RIGHT"]
    assert actions({east}) == ["MOVE", "LEFT"]
    assert actions({west, east}) == ["MOVE", "RIGHT"]
    assert actions({west, east, south}) == ["MOVE"]
    assert actions({west, east, south, north}) == []


@given(caves(4))
def test_the_optimal_cost_is_the_same_by_the_rules_and_in_all_formulations(cave: Cave) -> None:
    expected = optimum_by_the_rules(cave)
    for formulation, pruning in (("cardinal", "best"), *(("primitive", p) for p in ("none", "effective", "best"))):
        assert runner.solve(instance(cave, formulation, pruning), "ucs").cost == expected, (formulation, pruning)


def test_gold_at_the_start_is_grabbed_without_a_move() -> None:
    cave = Cave((2, 2), (0, 0), "N", (0, 0), (0, 0))
    for formulation in ("cardinal", "primitive"):
        assert runner.solve(instance(cave, formulation), "ucs").plan == ("GRAB", "CLIMB")


def test_a_plan_that_costs_more_than_the_gold_is_no_solution() -> None:
    for gold, cost in ((498, 1000), (499, None)):
        result = runner.solve(instance(Cave((500, 1), (0, 0), "E", (gold, 0), (0, 0))), "ucs")
        assert result.cost == cost
        assert result.status == ("solved" if cost else "unsolvable")
        assert result.reward == (0 if cost else -1)
        assert cost or result.plan == ("CLIMB",)


def test_packed_states_are_described_again_and_invalid_ones_refused() -> None:
    where = instance(Cave((4, 4), (0, 0), "N", (3, 3), (0, 0), (2, 2)))
    state = int(where.world.state(location=(2, 3), facing="W", gold=True, wumpus=False)[0])
    assert unpack(where.world.cave, state) == Play((2, 3), "W", True, False, False)
    assert where.world.state(location=(0, 0), facing="N") == where.problem().initial
    wrong: list[Any] = [(4, 0), (1.5, 0)]
    for location in wrong:
        with pytest.raises(UserError, match="location"):
            where.world.state(location=location)
    with pytest.raises(UserError, match="facing"):
        where.world.state(location=(0, 0), facing="X")


def test_a_cave_of_a_million_squares_can_be_packed() -> None:
    where = instance(Cave((1000, 1000), (0, 0), "N", (999, 999), (0, 0)))
    assert int(where.world.state(location=(999, 999))[0]) >> SQUARE_SHIFT == pack_square((999, 999))
    assert where.problem().initial.dtype == np.uint64
