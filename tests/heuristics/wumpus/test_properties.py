"""Declared properties compared with exact distances, and published claims that do not hold."""

from __future__ import annotations

import itertools
import math
import random
from functools import cache

import runner
from algorithms.spaces.distances import INFINITY
from algorithms.spaces.state_space import StateSpace
from heuristics.interface.stack import Stack
from tests.caves import any_cave, instance, published_kind
from tests.declared import violations
from tests.sampling import covering
from tests.stacks import COMPLETE, WUMPUS, by_hand, documented
from worlds.interface.instance import Unsolvable
from worlds.wumpus.rules import Cave


def stacks() -> list[Stack]:
    """Return the stacks with a declared property: all combinations within one documented stack, and further ones."""
    found = {}
    for name in WUMPUS:
        chain = [heuristic.registered_name for heuristic in documented(name).heuristics]
        for size in range(1, len(chain) + 1):
            for names in itertools.combinations(chain, size):
                for combine in ("sum", "max"):
                    stack = by_hand(list(names), combine)
                    if stack.admissible or stack.consistent:
                        found[str(stack)] = stack
    for name in ("smart_manhattan", "best_neighbour_smart_manhattan"):
        corrected = by_hand([{"name": name, "corrected": True}])
        found[str(corrected)] = corrected
    combined = by_hand(["manhattan", *COMPLETE], "max")
    assert combined.consistent
    return [*found.values(), combined]


@cache
def spaces(formulation: str) -> list[StateSpace]:
    source = random.Random(11)
    general = [any_cave(source, source.randint(1, 4), source.randint(2, 4)) for _ in range(60)]
    caves = general + [published_kind(source, source.randint(2, 5)) for _ in range(40)]
    return [StateSpace(instance(cave, formulation, "effective").problem()) for cave in caves]


@covering({"formulation": ["cardinal", "primitive"], "stack": stacks()})
def test_declared_properties_hold(stack: Stack, formulation: str) -> None:
    for space in spaces(formulation):
        try:
            bound = stack.prepare(space.problem)
        except Unsolvable:
            assert space.distance[0] == INFINITY
            continue
        too_large, drops = violations(bound, space)
        assert too_large == 0 or not stack.admissible, space.problem.world
        assert drops == 0 or not stack.consistent, space.problem.world
    assert sum(len(space.target) for space in spaces(formulation)) > 1000


def test_dead_ends_are_infinite_and_goals_are_zero() -> None:
    where = instance(published_kind(random.Random(1), 4))
    bound = by_hand(["manhattan", "pivots"]).prepare(where.problem())
    assert bound.evaluate(where.world.state(location=(0, 0), gold=True, climbed_out=True)) == 0
    assert bound.evaluate(where.world.state(location=(0, 0), gold=False, climbed_out=True)) == math.inf


def test_heuristics_published_as_admissible_overestimate() -> None:
    """The document calls its heuristics admissible. They overestimate in these caves of nine squares."""
    shift = Cave((3, 3), (0, 0), "N", (0, 1), (0, 0), (1, 1), frozenset({(1, 1)}))
    obstacle = Cave((3, 3), (0, 0), "N", (1, 2), (0, 0), (0, 2), frozenset({(1, 1)}))
    for cave, name, as_published, is_too_large in (
        (shift, "iterative_shift", False, True),
        (shift, "iterative_shift", True, True),
        (obstacle, "obstacle", True, True),
        (obstacle, "obstacle", False, False),
    ):
        problem = instance(cave).problem()
        bound = documented(name, as_published=as_published).prepare(problem)
        assert (violations(bound, StateSpace(problem))[0] > 0) == is_too_large


def test_area_pruning_may_lose_optimal_plans_but_keeps_caves_solvable() -> None:
    w6 = runner.load("wumpus/static")[5]
    assert runner.solve(w6, heuristic="flood_fill").cost == 29
    assert runner.solve(w6, heuristic="area_pruning").cost == 31
    source = random.Random(9)
    for _ in range(80):
        where = instance(any_cave(source, source.randint(2, 6), source.randint(2, 6)))
        assert runner.solve(where, "ucs").status == runner.solve(where, heuristic=["manhattan", "area_pruning"]).status
