"""Kernels that break the rules of their signatures, and heuristics with such terms."""

# Kernels are typed by numba signatures.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from heuristics.interface.heuristic import TERM, Heuristic, Term
from worlds.compile.kernels import EXPAND, kernel
from worlds.interface.instance import Problem


@kernel(TERM)
def failing_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Fail at all states but the start."""
    return -7 if parent_h >= 0 else 0


@kernel(TERM)
def always_failing_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Fail at all states."""
    return -5


@kernel(TERM)
def negative_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add a negative value at all states but the start."""
    for k in range(n):
        h[slot + k] += -3 if parent_h >= 0 else 1
    return 0


@kernel(TERM)
def negative_elsewhere_term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add a negative value at all states of one word but one, also from scratch."""
    for k in range(n):
        h[slot + k] += 1 if np.int64(out[out_at + k]) == params[0] else -3
    return 0


@kernel(EXPAND)
def negative_cost_expand(constants, states, at, out, out_at, cost, action, slot):
    """Write one successor with a negative cost."""
    out[out_at] = states[at] + np.uint64(1)
    cost[slot] = -1
    action[slot] = 0
    return 1


class Failing(Heuristic):
    """Heuristic whose term fails at all states but the start."""

    registered_name = "failing"

    def term(self, problem: Problem) -> Term:
        return Term(failing_term, problem.constants)


class AlwaysFailing(Heuristic):
    """Heuristic whose term fails at all states."""

    registered_name = "always_failing"

    def term(self, problem: Problem) -> Term:
        return Term(always_failing_term, problem.constants)


class NegativeElsewhere(Heuristic):
    """Heuristic whose values are negative at all states but the start, also from scratch."""

    registered_name = "negative_elsewhere"

    def term(self, problem: Problem) -> Term:
        return Term(negative_elsewhere_term, problem.initial.view(np.int64))


class Negative(Heuristic):
    """Heuristic whose values are negative at all states but the start."""

    registered_name = "negative"

    def term(self, problem: Problem) -> Term:
        return Term(negative_term, problem.constants)
