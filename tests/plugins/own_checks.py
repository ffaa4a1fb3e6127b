"""Checks of heuristics, algorithms and worlds that find violations in each way that there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runner.plugin import NotApplicable, Violation, check


@check("heuristic", "at_most_4", "h <= 4 at every state", counted="states")
def above_4(analysis: Any) -> Any:
    return np.flatnonzero(analysis.h > 4)


@check("heuristic", "start_is_even", declared=lambda _: None)
def start_is_odd(analysis: Any) -> None:
    """The start has an even h."""
    if analysis.h[analysis.start] % 2:
        raise Violation(f"h is {analysis.h[analysis.start]} at the start")


@check("algorithm", "expands_nothing", "no state is expanded")
def expands(trial: Any) -> Iterator[Violation]:
    if trial.result.expanded:
        yield Violation(f"it expands {trial.result.expanded} of {trial.analysis.states} states")


@check("world", "has_two_steps")
def other_steps(sample: Any) -> Iterator[Violation]:
    for state in sample.states:
        steps = len(sample.problem.successors(state))
        if steps != 2:
            yield Violation(f"{steps} steps lead from {sample.show(state)}")


@check("world", "is_hexagonal")
def never(sample: Any) -> None:
    raise NotApplicable("the world has no hexagons")


@check("world", "has_states")
def states(sample: Any) -> str:
    return f"{len(sample.states)} states in all"
