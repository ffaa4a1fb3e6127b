"""`check_world` accepts every registered world, and detects every kind of mistake."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from runner.examples.pancake import Pancake

import runner
from runner.config.cell import sections
from runner.features.audits.checker import WorldError, check_world, run_checks
from runner.features.audits.checks import checks_of
from runner.features.audits.checks.world import PACKING
from tests.domains import DOMAINS, SMALL
from tests.graphs import Graph
from worlds.interface.python_world import PythonWorld
from worlds.interface.world import Step

LIMITS = ("instances", "states", "expansions")


@pytest.mark.parametrize(
    ("world", "limits"),
    [
        *((domain.start, (1, 60, 2_000)) for domain in DOMAINS.values()),
        *(pytest.param(world, (3, 500, 50_000), marks=pytest.mark.long) for world in sorted(SMALL)),
    ],
)
def test_every_registered_world_passes(world: str, limits: tuple[int, ...]) -> None:
    """The short tests have one source of each domain: the worlds of the others are of the same class."""
    source = sections.source_of({"name": world, **SMALL[world]})
    found = check_world(source, **dict(zip(LIMITS, limits, strict=True)))
    assert [each.check for each in found] == [PACKING, *(check.name for check in checks_of("world"))]
    assert all(each.outcome in ("passed", "not checked") for each in found)


def test_variants_examples_and_instances_pass() -> None:
    for pruning in ("none", "effective", "best"):
        check_world("wumpus/random", formulation="primitive", pruning=pruning, size=4)
    check_world("pancake", size=5)
    check_world(Pancake(4))
    check_world(next(iter(Pancake(4).instances())))
    check_world(runner.load("npuzzle/random", size="2x3")[0].world, states=60)
    check_world(Graph(((0, 1, 2), (1, 0, 0), (1, 2, 3)), (2,)))


@dataclass(frozen=True)
class Faulty(PythonWorld):
    """Line from 0 to 4, with at most one fault."""

    fault: str = ""
    counter: Iterator[int] = field(default_factory=itertools.count)

    def initial(self) -> Hashable:
        return Mutable() if self.fault == "mutable" else 0

    def successors(self, state: Hashable) -> list[Step]:
        if isinstance(state, Mutable):
            state.value += 1
            return []
        assert isinstance(state, int)
        if self.fault == "random":
            return [("a", next(self.counter) + 1, 1)]
        if self.fault == "costs":
            return [("a", 1, -1)]
        if self.fault == "unit":
            return [("a", 1, 2)]
        if self.fault == "names":
            return [("a", state + 1, 1), ("a", state + 2, 5)] if state < 4 else []
        return [("a", state + 1, 1)] if state < 4 else []

    def is_goal(self, state: Hashable) -> bool:
        return state == 4 if self.fault != "goal" else state == 3

    def predecessors(self, state: Hashable) -> list[Step]:
        assert isinstance(state, int)
        if self.fault == "missing":
            return []
        if self.fault == "undo":
            return [("b", state - 1, 1)] if state > 0 else []
        if self.fault == "extra":
            return [("a", state - 1, 1), ("a", state + 1, 1)]
        if self.fault == "names":
            return [("a", state - k, cost) for k, cost in ((1, 1), (2, 5)) if 0 <= state - k < 4]
        return [("a", state - 1, 1)] if state > 0 else []

    def goals(self) -> list[Hashable]:
        if self.fault == "raise":
            raise LookupError("of the user's")
        return [] if self.fault == "no goals" else [4]


class Unit(Faulty):
    unit_costs = True


class Mutable:
    """State that `successors` changes."""

    value = 0

    def __hash__(self) -> int:
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mutable) and self.value == other.value


def test_a_world_without_faults_passes() -> None:
    check_world(Faulty())


@pytest.mark.parametrize(
    ("world", "check"),
    [
        (Faulty("random"), "successors_are_deterministic"),
        (Faulty("costs"), "packing and expanding: .* action 'a' costs -1; costs are at least 0"),
        (Unit("unit"), "action 'a' costs 2 in a world with unit_costs"),
        (Faulty("mutable"), "states_are_stable"),
        (Faulty("goal"), "goals_are_recognised: .* is_goal is false for the goal 4"),
        (Faulty("missing"), "inverse_moves_are_inverse: .* missing among the predecessors"),
        (Faulty("extra"), "inverse_moves_are_inverse: .* missing among the successors"),
        (Faulty("undo"), "inverse_moves_are_inverse: .* no action 'b' leads from 0 to 1"),
        (Faulty("no goals"), "goals_are_recognised: .* the goal 4 is missing in goals"),
        (Faulty("raise"), "packing and expanding: Faulty: LookupError: of the user's"),
        (Faulty("names"), "action_names_are_unique: .* 2 successors of 0 have the action name 'a'"),
    ],
    ids=lambda value: getattr(value, "fault", None),
)
def test_each_fault_is_found_by_the_check_for_it(world: Faulty, check: str) -> None:
    with pytest.raises(WorldError, match=check):
        check_world(world)


def test_an_exception_of_the_world_is_the_cause_of_the_error() -> None:
    with pytest.raises(WorldError) as raised:
        check_world(Faulty("raise"))
    assert isinstance(raised.value.__cause__, LookupError)
    (first, *others) = run_checks(Faulty("raise").instances())
    assert (first.outcome, first.traceback.splitlines()[-1]) == ("failed", "LookupError: of the user's")
    assert {(each.outcome, each.verdict) for each in others} == {("not checked", f"{PACKING} failed")}


def test_an_unknown_name_is_a_user_error() -> None:
    with pytest.raises(runner.UserError, match="did you mean 'wumpus/random'"):
        check_world("wumpus/randm")
    with pytest.raises(runner.UserError, match=r"instance: expected one instance, such as .*, got 3"):
        check_world(3)  # type: ignore[arg-type]


def test_the_numbers_of_objects_are_added_up() -> None:
    worlds = [Graph(((0, 1, 1),), goals).instance() for goals in ((1,), (1, 0))]
    verdicts = {each.check: each.verdict for each in run_checks(worlds)}
    assert verdicts["goals_are_recognised"] == "3 goals of 2 instances"
    assert verdicts["plans_replay"] == "a plan of uniform-cost search of each of 2 instances"


def test_worlds_that_lack_a_part_of_a_search_backward_are_told_apart() -> None:
    class NoGoals(Faulty):
        goals = None  # type: ignore[assignment]

    found = {each.check: each.verdict for each in check_world(NoGoals())}
    assert found["inverse_moves_are_inverse"] == found["goals_are_recognised"] == "the world has no goals"


def test_a_document_that_is_none_is_refused_before_the_audit() -> None:
    class Written(Graph):
        def document(self, name: str) -> Any:
            return name

    with pytest.raises(runner.UserError, match=r"Written.document\(\) returned 'Written'; expected a runner"):
        runner.audit(Written(((0, 1, 2),), (1,)), algorithm="ucs", workers=0)
