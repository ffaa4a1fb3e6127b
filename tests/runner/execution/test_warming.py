"""Searches and games before anything is measured: they run in each new worker, and count nowhere."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from typing import Any

import pytest

import runner
from algorithms.agents.interface import play
from algorithms.engine.search import Limiter, Limits
from runner.config.cell.schema import SearchParts
from runner.execution import game_attempt, search_attempt
from runner.execution.solver import Solver
from worlds.interface.instance import Instance


def solver_of(instance: Instance, algorithm: str) -> Solver:
    parts = SearchParts.of(instance.world.domain, algorithm, [], None, "sum").fitted([instance])
    assert parts.algorithm is not None
    return Solver(parts.algorithm, parts.stack, parts.weighting, Limits(nodes=50), parts.declared)


def test_a_search_runs_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = runner.load("npuzzle/random", size=3, count=1)[0]
    calls: list[int | None] = []

    def recorded(limits: Limits, *arguments: Any) -> Limiter:
        calls.append(limits.nodes)
        return Limiter(limits, *arguments)

    monkeypatch.setattr(search_attempt, "Limiter", recorded)
    attempt = solver_of(instance, "ucs").attempt(instance)
    assert attempt.warm()
    assert attempt.rehearse(lambda _: False)
    assert calls[0] == 1
    warm = attempt.result()
    assert calls[-1] == 50
    cold = solver_of(instance, "ucs").attempt(instance).result()
    assert (warm.status, warm.expanded, warm.generated) == (cold.status, cold.expanded, cold.generated)


def test_a_game_is_played_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = runner.load("wumpus/random", size=4, count=1)[0]
    limits: list[Limits] = []

    def recorded(game: Any, player: Any, bounds: Limits, is_stopped: Any) -> str:
        limits.append(bounds)
        return play(game, player, bounds, is_stopped)

    monkeypatch.setattr(game_attempt, "play", recorded)
    attempt = solver_of(instance, "climb_agent").attempt(instance)
    assert attempt.warm()
    assert attempt.rehearse(lambda _: False)
    assert [bounds.has_deadline for bounds in limits] == [True]
    warm = attempt.result()
    assert len(limits) == 2
    cold = solver_of(instance, "climb_agent").attempt(instance).result()
    assert (warm.status, warm.plan) == (cold.status, cold.plan)


def test_an_attempt_is_freed_with_its_nodes() -> None:
    """Without the garbage collector: `peak_bytes` of the next search would contain them."""
    gc.disable()
    try:
        instance = runner.load("npuzzle/random", size=3, count=1)[0]
        attempt = solver_of(instance, "ucs").attempt(instance)
        begin = partial(print, attempt)
        attempt.result(lambda _: False, begin, begin)
        freed = weakref.ref(attempt)
        del attempt, begin
        assert freed() is None
    finally:
        gc.enable()
