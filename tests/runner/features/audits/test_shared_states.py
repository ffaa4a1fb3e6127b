"""States that instances share are checked once if their values do not differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

import runner
from algorithms.engine.search import Limits
from heuristics.interface.heuristic import Term
from heuristics.interface.python_heuristic import PythonHeuristic
from heuristics.interface.stack import Stack
from runner.features.audits import auditor
from runner.features.audits.audit_progress import Watcher
from runner.features.audits.finding import Finding
from runner.features.audits.request import AuditRequest
from runner.plugin import Supervision
from worlds.interface.instance import Instance, Problem
from worlds.interface.python_world import PythonWorld


@dataclass(frozen=True)
class ReadsGoal(PythonHeuristic):
    """Counts tiles that are not in place."""

    registered_name = "reads_goal"

    def value(self, state: Any, world: Any) -> float:
        goal = world.puzzle.goal
        return sum(tile not in (0, at) for tile, at in zip(state, goal, strict=True))


class ReadsNothing(ReadsGoal):
    def value(self, state: Any, world: Any) -> float:
        return 0


class ReadsStart(ReadsGoal):
    def value(self, state: Any, world: Any) -> float:
        return int(state == world.puzzle.board != world.puzzle.goal)


class ReadsPath(ReadsNothing):
    def term(self, problem: Problem) -> Term:
        return replace(super().term(problem), reads_path=True)


BOARDS = list(runner.load("npuzzle/random", size="2x3", count=3))


def found(
    stack: Stack, instances: Sequence[Instance], others: tuple[Stack, ...] = ()
) -> tuple[Finding[Any], list[str]]:
    """Return the finding of the last check of states, and what was announced."""
    lines: list[str] = []
    request = AuditRequest(
        instances, len(instances), "boards", None, stack, others=others, limits=Limits(), shrink=False
    )
    audit = auditor.run(request, Watcher(Supervision(announce=lines.append)))
    return [each for each in audit.findings if each.states is not None][-1], lines


@pytest.mark.parametrize(
    ("heuristic", "is_shared"),
    [(ReadsGoal, True), (ReadsStart, False), (ReadsPath, False)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_states_of_a_function_in_python_are_shared_unless_they_may_depend_on_the_start(
    heuristic: type[ReadsGoal], is_shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditor, "MIN_ANNOUNCED_SECONDS", -1.0)
    finding, lines = found(Stack((heuristic(),)), BOARDS)
    assert (finding.instances, finding.states) == (3, 360 if is_shared else 1080)
    assert len(lines) == (not is_shared)


def test_states_are_not_shared_if_a_heuristic_to_compare_with_reads_the_start() -> None:
    finding, _ = found(Stack(), BOARDS, (Stack((ReadsStart(),)),))
    assert (finding.check, finding.states, finding.violations) == ("dominates reads_goal", 1080, 3)


def test_boards_with_other_goals_are_not_shared() -> None:
    other = runner.load("npuzzle/random", size="2x3", count=1, goal="blank_first")[0]
    finding, lines = found(Stack((ReadsNothing(),)), [BOARDS[0], other])
    assert (finding.states, lines) == (720, [])


@dataclass(frozen=True)
class Ring(PythonWorld):
    """Walk around a ring to the number 0."""

    first: int = 1
    length: int = 6

    def initial(self) -> int:
        return self.first

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("up", (state + 1) % self.length, 1), ("down", (state - 1) % self.length, 1)]

    def is_goal(self, state: int) -> bool:
        return state == 0


@dataclass(frozen=True)
class TellingRing(Ring):
    def starting_at(self, state: int) -> TellingRing:
        return replace(self, first=state)


@pytest.mark.parametrize(("world", "states"), [(TellingRing, 6), (Ring, 12)])
def test_a_world_in_python_tells_by_starting_at_that_only_the_start_differs(
    world: Callable[[int], Ring], states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditor, "MIN_ANNOUNCED_SECONDS", -1.0)
    instances = [Instance(world(first), f"from {first}") for first in (2, 4)]
    finding, lines = found(Stack((ReadsNothing(),)), instances)
    assert (finding.instances, finding.states) == (2, states)
    assert [("starting_at" in line) for line in lines] == [True] * (states > 6)
