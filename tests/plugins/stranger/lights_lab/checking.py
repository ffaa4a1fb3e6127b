"""Checks: of heuristics, algorithms and worlds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runner.plugin import NotApplicable, Violation, check


@check("heuristic", "small", "h <= 4 at every state", counted="states")
def above_4(analysis: Any) -> Iterator[Violation]:
    """Yield the states with a larger value."""
    for state, h in enumerate(analysis.h):
        if h > 4:
            yield Violation(f"h is {h}", state)


@check("algorithm", "short_plans", "a plan has at most ten steps")
def long_plans(trial: Any) -> Iterator[Violation]:
    """Yield a plan that is longer."""
    if trial.result.plan is not None and len(trial.result.plan) > 10:
        yield Violation(f"a plan of {len(trial.result.plan)} steps")


@check("world", "few_steps", "at most sixteen steps lead from a state")
def many_steps(sample: Any) -> Iterator[Violation]:
    """Yield the states from which more lead."""
    if len(sample.states) < 2:
        raise NotApplicable("the world has one state")
    for state in sample.states:
        if len(sample.problem.successors(state)) > 16:
            yield Violation(f"more than 16 steps lead from {sample.show(state)}")
