"""Audits of heuristics and algorithms that break their declarations on purpose."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import runner
from algorithms.best_first.best_first import AStar, BestFirstSearch, UniformCost
from algorithms.engine.search import Limits, Search
from algorithms.spaces.state_space import StateSpace
from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Constant, Weighting
from runner.base.own_places import PACKAGES
from runner.base.parameters import parameters_of
from runner.config.cell import sections
from runner.features.audits.auditor import run
from runner.features.audits.finding import Audit, Counterexample, Finding
from runner.features.audits.request import AuditRequest, Shrink
from tests.caves import any_cave, instance
from tests.isolated import isolated
from tests.loaded import family_of
from tests.runner.features.audits import wrong
from tests.stacks import documented
from worlds.interface.instance import Instance, Problem, Unsolvable
from worlds.wumpus.rules import Cave
from worlds.wumpus.world import CaveWorld

SMALLEST = Cave((1, 1), (0, 0), "N", (0, 0), (0, 0))
"""Cave of one square, with hunter, exit and gold."""


COUNT = 12


def caves() -> list[Instance]:
    """Return caves with every single action, so that every state can be reached in the smallest cave."""
    source = random.Random(8)
    return [
        replace(
            instance(any_cave(source, source.randint(2, 4), source.randint(2, 4)), "primitive", "none"),
            id=f"cave {number}",
        )
        for number in range(COUNT)
    ]


def audited(
    heuristic: wrong.Wrong, instances: list[Instance] | None = None, shrink: Shrink = "any_size"
) -> Audit[Counterexample]:
    return run(AuditRequest(instances or caves(), COUNT, "caves", None, wrong.stack(heuristic), shrink=shrink))


def cave_of(found: Counterexample) -> Cave:
    assert isinstance(found.instance.world, CaveWorld)
    return found.instance.world.cave


@pytest.mark.parametrize(
    ("heuristic", "broken", "facing", "h", "h_star"),
    [
        (wrong.OffByOne(), ["admissible", "consistent"], "N", 2, 1),
        (wrong.InfiniteAtOneState(), ["admissible", "dead_ends", "consistent"], "W", float("inf"), 1),
        (wrong.InconsistentOverOneEdge(), ["consistent"], "S", 2, 2),
        (wrong.NotZeroAtGoals(), ["zero_at_goals", "admissible", "consistent"], "N", 1, 0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, wrong.Wrong) else None,
)
def test_a_broken_declaration_is_found_and_its_counterexample_is_simplified(
    heuristic: wrong.Wrong, broken: list[str], facing: str, h: float, h_star: float
) -> None:
    audit = audited(heuristic)
    assert [name for name in audit.broken if name != "admissible_at_start"] in (broken, broken[:-1])
    for found in audit.counterexamples[:1]:
        cave = cave_of(found)
        assert (cave.size, cave.wumpus, cave.pits, cave.blocks) == ((1, 1), None, frozenset(), frozenset())
        assert found.instance.id == f"{found.origin}-{found.check}"
        assert f") {facing}" in "\n".join(found.lines)
        assert (found.h, found.h_star) == (h, h_star)


def test_a_violation_at_the_start_is_simplified_to_one_at_the_start() -> None:
    audit = audited(wrong.OffByOneAtStart(), [*caves(), instance(SMALLEST)])
    assert "admissible_at_start" in audit.broken
    (found,) = [each for each in audit.counterexamples if each.check == "admissible_at_start"]
    assert cave_of(found) == SMALLEST
    assert (found.h, found.h_star) == (3, 2)
    assert "h = 3, h* = 2" in found.lines
    assert "optimal path: GRAB CLIMB" in found.lines


def test_the_picture_of_a_counterexample_has_an_optimal_path_from_the_state() -> None:
    cave = Cave((3, 2), (1, 0), "N", (2, 1), (0, 0))
    made = audited(wrong.Turned(), [instance(cave)], shrink=False)
    (found,) = [each for each in made.counterexamples if each.check == "admissible_at_start"]
    axes = Figure().add_subplot()
    assert found.draw is not None
    found.draw(axes)
    (picture,) = axes.child_axes
    assert picture.lines[-1].get_label() == "optimal path from the state"
    path = np.asarray(picture.lines[-1].get_xydata()).tolist()
    assert (path[0], path[-1]) == ([*cave.hunter], [*cave.exit])
    assert [*cave.gold] in path
    assert legend_of(axes) == {"exit", "gold", "hunter", "optimal path from the state"}


def legend_of(axes: Axes) -> set[str]:
    """Return the texts of the legends on axes."""
    return {text.get_text() for each in axes.get_children() if isinstance(each, Legend) for text in each.get_texts()}


def test_a_simplified_counterexample_names_its_origin_and_the_violation_there() -> None:
    given: dict[str, Any] = {
        "world": "npuzzle/random",
        "heuristic": ["manhattan", "misplaced"],
        "size": "2x3",
        "count": 1,
    }
    simplified, original = (
        next(each for each in runner.audit(shrink=shrink, **given).counterexamples if each.check == "admissible")
        for shrink in ("any_size", False)
    )
    assert simplified.lines[1] == f"in {original.instance.id}: {', '.join(original.lines[1:3])}"
    assert simplified.lines[-1] == f"simplified from {original.instance.id}: audit.shrink=false keeps the instances"
    assert not any("simplified" in line for line in original.lines)
    assert original.instance.id == original.origin


@pytest.mark.parametrize(("shrink", "size", "h", "h_star"), [(True, (2, 3), 2, 1), ("any_size", (2, 2), 20, 0)])
def test_a_counterexample_keeps_a_size_for_which_the_heuristic_was_made(
    shrink: Shrink, size: tuple[int, int], h: float, h_star: float
) -> None:
    boards = list(runner.load("npuzzle/random", size="2x3", count=2))
    found = audited(wrong.KnowsOneSize(), boards, shrink).counterexamples[0]
    assert (family_of(found.instance.world).dimensions, found.h, found.h_star) == (size, h, h_star)


def test_a_counterexample_is_an_instance_that_the_heuristic_accepts() -> None:
    """Its values exist in caves without a wumpus, too."""
    caves = list(runner.load("wumpus/random", size=4, count=5))
    found = audited(wrong.RefusesCavesWithoutWumpus(), caves).counterexamples[0]
    assert cave_of(found).wumpus is not None
    assert cave_of(found).pits == frozenset()


def test_a_value_that_changes_between_calls_is_found() -> None:
    audit = audited(wrong.Forgetful(), shrink=False)
    assert audit.broken == ["path_independent"]


def test_the_simplification_starts_at_the_violation_nearest_to_a_goal() -> None:
    """All boards of a puzzle have one state space, in which most states are further from the goal."""
    tiles: dict[str, Any] = {"world": "npuzzle/random", "size": "2x3", "count": 1}
    for shrink in (False, True, "any_size"):
        audit = runner.audit(heuristic=["manhattan", "misplaced"], shrink=shrink, **tiles)
        found = next(each for each in audit.counterexamples if each.check == "admissible")
        assert (found.h, found.h_star) == (2, 1)
    assert found.picture in ("1 .\n3 2", "1 2\n. 3")


class Hasty(AStar):
    """A* that weights h with 5 although it promises optimal plans."""

    registered_name = "hasty"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        return super().start(stack, Constant(5))


class GivesUp(UniformCost):
    """Search that reports every instance as unsolvable."""

    registered_name = "gives_up"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BestFirstSearch:
        problem = replace(stack.problem, initial=stack.problem.world.state(location=(0, 0), climbed_out=True))
        return super().start(BoundStack(stack.stack, problem, stack.bound_terms), weighting)


def test_a_plan_that_is_not_optimal_is_found() -> None:
    boards = runner.load("wumpus/random", size=5, count=60)
    request = AuditRequest(
        boards, 60, "caves", None, documented("pivots"), algorithm=Hasty(), limits=Limits(nodes=100_000)
    )
    audit = run(request)
    assert audit.broken == ["optimal"]
    (found,) = audit.counterexamples
    assert found.check == "optimal"
    again = run(replace(request, instances=[found.instance], shrink=False))
    assert again.broken == ["optimal"]
    text = "\n".join(found.lines)
    assert "hasty: solved, cost" in text
    assert "optimal plan, cost" in text


def test_a_plan_beyond_the_bound_of_a_priority_is_found() -> None:
    with isolated(PACKAGES):

        @runner.priority("boasting", bound=1.01)
        def boasting(g: float, h: float, w: float) -> float:
            return h

        audit = runner.audit(
            "npuzzle/random", "manhattan", "astar", {"name": "boasting"}, size="2x3", count=20, shrink=False
        )
    assert audit.broken == ["bounded"]


def test_a_false_proof_of_unsolvability_is_found() -> None:
    audit = run(AuditRequest(caves()[:5], 5, "caves", None, Stack(), algorithm=GivesUp(), shrink="any_size"))
    assert audit.broken == ["complete", "proofs"]
    for found in audit.counterexamples:
        assert cave_of(found).size == (1, 1)


def test_a_violation_of_an_undeclared_property_is_not_broken() -> None:
    """Greedy search promises no bound. The heuristic iterative_shift is not declared admissible."""
    audit = runner.audit("wumpus/random", "manhattan", "greedy", size=5, count=40)
    assert (audit.violated, audit.broken) == (["optimal"], [])
    audit = runner.audit("wumpus/all", "iterative_shift", pits=1)
    assert (audit.violated, audit.broken) == (["admissible", "consistent"], [])


@pytest.mark.long
def test_published_heuristics_overestimate_in_small_caves_with_one_pit() -> None:
    """In caves of six squares there is no violation if the hunter starts at the exit, as in the family."""
    expected = {("iterative_shift", False): (3, 3), ("iterative_shift", True): (2, 3), ("obstacle", True): (2, 3)}
    for (name, published), size in expected.items():
        stack = published_stack(name, published)
        small = runner.audit("wumpus/all", stack, size=[3, 2], mirrored="all")
        assert "admissible" not in small.violated
        audit = runner.audit("wumpus/random", stack, shrink="any_size", size=5, count=300)
        (found,) = [each for each in audit.counterexamples if each.check == "admissible"]
        cave = cave_of(found)
        assert cave.size == size, (name, published, cave)
        assert cave.hunter != cave.exit
        assert (cave.wumpus, len(cave.pits), cave.blocks) == (None, 1, frozenset())


def published_stack(name: str, published: bool) -> list[dict[str, Any]]:
    """Return the documented stack, with the parameter `as_published` of all heuristics that have it."""

    def entry(each: str) -> dict[str, Any]:
        has_versions = "as_published" in parameters_of(HEURISTICS.find(each, domain="wumpus"))
        return {"name": each, "as_published": published} if has_versions else {"name": each}

    return [entry(each) for each in sections.documented_stack("wumpus", name)]


def finding(audit: Audit[Counterexample], name: str) -> Finding[Counterexample]:
    return next(each for each in audit.findings if each.check == name)


def test_a_search_that_ended_at_a_limit_is_not_checked() -> None:
    """An anytime search that ended at a limit has a plan, but does not promise that it is optimal."""
    boards: dict[str, Any] = {"world": "npuzzle/random", "size": "2x3", "count": 20}
    audit = runner.audit(heuristic="manhattan", algorithm="anytime_astar", limits={"nodes": 400}, **boards)
    assert (audit.broken, audit.violated) == ([], ["optimal"])
    assert finding(audit, "bounded").instances > 0
    audit = runner.audit("npuzzle/all", algorithm="ids", limits={"nodes": 400}, size="2x3")
    found = finding(audit, "optimal")
    assert 0 < found.instances < 360
    cut_off = 360 - found.instances
    verdict = f"no violation in {found.instances} instances; in {cut_off} more the search ended at a limit"
    assert (found.outcome, found.verdict) == ("passed", verdict)
    audit = runner.audit("npuzzle/random", algorithm="bfs", limits={"nodes": 360}, size="2x3", count=1)
    assert finding(audit, "optimal").verdict == "no violation in 1 instance"


def test_an_algorithm_is_not_blamed_for_a_false_declaration_of_a_heuristic() -> None:
    """A* reports a bound of 1 because the heuristic is declared admissible, but it is not."""
    instances = runner.load("wumpus/random", size=5, count=20, formulation="primitive")
    audit = run(AuditRequest(instances, 20, "caves", None, wrong.stack(wrong.Turned()), AStar(), limits=Limits(100)))
    assert "admissible" in audit.broken
    assert "optimal" in audit.violated
    assert "optimal" not in audit.broken


def test_instances_of_several_domains_are_refused() -> None:
    mixed = [*runner.load("wumpus/static"), *runner.load("npuzzle/random", size=3, count=1)]
    with pytest.raises(runner.UserError, match="several domains"):
        runner.audit(mixed, "manhattan")
    with pytest.raises(runner.UserError, match="only a source given by name"):
        runner.audit(mixed[:1], "manhattan", size=3)


def test_statistics_of_accuracy() -> None:
    """A full pattern database equals h*. A value of 1 at goals gives a difference of -1."""
    board = runner.load("npuzzle/random", size=2, count=1)[0]
    full = {"name": "pattern_database", "partition": "3"}
    perfect = {each.name: each for each in runner.audit(board, [full]).statistics}
    assert (perfect["share of exact states"].value, perfect["largest h* - h"].value) == (1, 0)
    over = {each.name: each for each in audited(wrong.NotZeroAtGoals()).statistics}
    assert over["smallest h* - h"].value == -1
    assert over["share of dead ends recognised"].states > 0
    assert {each.instances for each in over.values()} == {COUNT}


def test_dominance_is_checked_in_states_that_both_stacks_leave_reachable() -> None:
    """States outside of the rectangle of `area_pruning` do not count."""
    caves = runner.load("wumpus/random", size=5, count=20)
    one, other = documented("manhattan"), documented("area_pruning")
    audit = runner.audit(caves, "manhattan", dominates="area_pruning")
    expected = outside = 0
    for cave in caves:
        bound = one.prepare(cave.problem())
        try:
            larger = other.prepare(bound.problem)
        except Unsolvable:
            expected += 1
            continue
        inside = {state.tobytes() for state in states_of(larger.problem)}
        for state in states_of(bound.problem):
            is_below = bound.evaluate(state) < larger.evaluate(state)
            expected += is_below and state.tobytes() in inside
            outside += is_below and state.tobytes() not in inside
    assert finding(audit, f"dominates {other}").violations == expected > 0
    assert outside > 0
    audit = runner.audit("wumpus/all", "manhattan", dominates=["pivots"], size=[3, 2])
    assert audit.violated == ["dominates manhattan+pivots"]


def states_of(problem: Problem) -> list[np.ndarray]:
    space = StateSpace(problem)
    return [space.state(number) for number in range(space.count)]
