"""Stacks of heuristics whose values are added, maximised or combined otherwise, and their evaluation in the engine."""

from __future__ import annotations

import inspect
import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from heuristics.interface.combination import Combination
from heuristics.interface.heuristic import INFINITE_H, TERM, Heuristic, Term, is_dead_end
from runner.base import Incompatible, UserError, assignments, changed_parameters
from worlds.compile import ADDRESSES, MAX_COST, NEGATIVE_H, call, helper, kernel, raise_on_error
from worlds.interface import Instance, Problem, Words

MAX_TERMS = 8
TERMS = ADDRESSES
PARAMS = f"UniTuple(int64[::1], {MAX_TERMS})"

Combine = Literal["sum", "max"] | Combination
"""How the values of a stack combine."""


@dataclass(frozen=True)
class Stack:
    """Heuristics in the order of their listing, and how their values combine.

    Attributes
    ----------
    heuristics : tuple of Heuristic
    combine : {"sum", "max"} or Combination
    """

    heuristics: tuple[Heuristic, ...] = ()
    combine: Combine = "sum"

    def __str__(self) -> str:
        """Names joined by ``+``, with the parameters that are not at their defaults; ``none`` if empty."""
        if not self.heuristics:
            return "none"
        label = "+".join(map(_label, self.heuristics))
        if isinstance(self.combine, Combination):
            return f"{_label(self.combine)}({label})"
        return label if self.combine == "sum" or len(self.heuristics) == 1 else f"max({label})"

    @property
    def parts(self) -> tuple[Heuristic | Combination, ...]:
        """The heuristics, and what combines them other than the sum and the maximum."""
        combining = (self.combine,) if isinstance(self.combine, Combination) else ()
        return (*self.heuristics, *combining)

    @cached_property
    def name(self) -> str:
        """Name of the documented stack, if this is one; else the heuristics' names joined by ``+``. No parameters."""
        names = [heuristic.registered_name for heuristic in self.heuristics]
        if not names:
            return "none"
        if self.combine != "sum":
            combine = self.combine if self.combine == "max" else self.combine.registered_name
            return f"{combine}({'+'.join(names)})"
        return names[-1] if names == [*self.heuristics[-1].builds_on, names[-1]] else "+".join(names)

    @cached_property
    def admissible(self) -> bool | None:
        """Whether the stack never overestimates; None if unknown."""
        if isinstance(self.combine, Combination):
            return self.combine.admissible
        return self._holds([heuristic.admissible for heuristic in self.heuristics])

    @cached_property
    def consistent(self) -> bool | None:
        """Whether the stack is consistent; None if unknown."""
        if isinstance(self.combine, Combination):
            return self.combine.consistent
        if any(
            not h.stands_alone and (self.combine == "max" or not {*h.builds_on} <= self._names())
            for h in self.heuristics
        ):
            return None
        return self._holds([heuristic.consistent for heuristic in self.heuristics])

    @cached_property
    def safe(self) -> bool:
        """Whether only dead ends have infinite values."""
        return all(heuristic.safe for heuristic in self.heuristics)

    @property
    def prefers(self) -> bool:
        """Whether a heuristic prefers some successors to others."""
        return any(heuristic.prefers for heuristic in self.heuristics)

    @property
    def without_backward(self) -> tuple[str, ...]:
        """Names of the heuristics that have no estimate from the start."""
        return tuple(each.registered_name for each in self.heuristics if each not in self._with_backward)

    @property
    def _with_backward(self) -> tuple[Heuristic, ...]:
        """Heuristics with an estimate from the start. Combinations other than the sum and the maximum have none."""
        return tuple(
            each for each in self.heuristics if each.has_backward and not isinstance(self.combine, Combination)
        )

    def check_backward(self, subject: str) -> None:
        """Raise `Incompatible` if a heuristic has no estimate from the start, which the subject needs."""
        if self.without_backward:
            raise Incompatible(
                f"{subject} needs an estimate from the start, too; there is none of "
                f"{', '.join(self.without_backward)}; declare one by backward=... (0 everywhere is consistent)"
            )

    def _holds(self, declared: list[bool | None]) -> bool | None:
        """Return whether a declared property holds for the stack; None if unknown.

        A sum has the property if its heuristics belong to one documented stack and all have it. A maximum has it if
        all have it. A complete documented sum lacks it if one heuristic lacks it. Nothing else is known.
        """
        if all(declared) and (self.combine == "max" or self._is_of_one_stack()):
            return True
        is_documented = self.combine == "sum" and self._is_of_one_stack() and self._is_complete()
        return False if False in declared and is_documented else None

    def _is_of_one_stack(self) -> bool:
        names = self._names()
        return not names or any(names <= {h.registered_name, *h.builds_on} for h in self.heuristics)

    def _is_complete(self) -> bool:
        names = self._names()
        return any(names == {h.registered_name, *h.builds_on} for h in self.heuristics)

    def _names(self) -> set[str]:
        return {heuristic.registered_name for heuristic in self.heuristics}

    def build(self, instance: Instance, report: Callable[[str, float], None] = lambda *_: None) -> None:
        """Let every heuristic build the tables that instances of this kind share (`Heuristic.build`)."""
        for heuristic in self.heuristics:
            heuristic.build(instance, report)

    def prepare(self, problem: Problem) -> BoundStack:
        """Let every heuristic prepare the problem, then bind all terms to the result.

        Raises
        ------
        worlds.interface.Unsolvable
            If a heuristic proves that there is no solution.
        """
        for heuristic in self.heuristics:
            problem = heuristic.prepare(problem)
        if isinstance(self.combine, Combination):
            abstractions = [each for heuristic in self.heuristics for each in heuristic.abstractions(problem)]
            return BoundStack(self, problem, (_term(self.combine, self.combine.term(problem, abstractions)),))
        made = [(heuristic, heuristic.term(problem)) for heuristic in self.heuristics]
        terms = [_term(heuristic, term) for heuristic, term in made if term is not None]
        return BoundStack(self, problem, tuple(terms))

    def prepare_backward(self, problem: Problem) -> BoundStack:
        """Bind the terms that estimate the cost from the start. `problem` is what `prepare` returned.

        The stack of the result has the heuristics with such an estimate.
        """
        stack = Stack(self._with_backward, self.combine)
        made = [(heuristic, heuristic.backward_term(problem)) for heuristic in stack.heuristics]
        return BoundStack(stack, problem, tuple(_term(heuristic, term) for heuristic, term in made if term is not None))


class BoundStack:
    """The compiled terms of a stack for one (prepared) problem.

    Parameters
    ----------
    stack : Stack
    problem : Problem
        Problem after the preparation by all heuristics.
    bound_terms : tuple of Term

    Attributes
    ----------
    kernels : tuple of Kernel
        Kernels of the terms.
    params : tuple of ndarray of int64
        Parameters of the terms, padded to `MAX_TERMS`.
    calls_python : bool
        Whether a term calls back into Python.
    """

    def __init__(self, stack: Stack, problem: Problem, bound_terms: tuple[Term, ...]) -> None:
        self.stack, self.problem, self.bound_terms = stack, problem, bound_terms
        self.kernels = tuple([term.kernel for term in bound_terms])
        self.params = (*[term.params for term in bound_terms], *_PADDING[len(bound_terms) :])
        self.calls_python = any(term.calls_python for term in bound_terms)

    @property
    def maximum(self) -> bool:
        """Whether values combine by maximum instead of by sum."""
        return self.stack.combine == "max"

    @cached_property
    def terms(self) -> NDArray[np.int64]:
        """Addresses of the kernels."""
        return np.array([kernel.address(TERM) for kernel in self.kernels], np.int64)

    def evaluate(self, state: Words) -> float:
        """Return the stack's value at one packed state, evaluated from scratch; ``math.inf`` for a dead end.

        Raises
        ------
        UserError
            If `state` is not an array of uint64 with as many words as a state has.
        worlds.compile.errors.KernelError
            If a term reports an error, or the value is negative.
        """
        shape = self.problem.initial.shape
        if not isinstance(state, np.ndarray) or state.dtype != np.uint64 or state.shape != shape:
            parameters = ", ".join(inspect.signature(self.problem.world.state).parameters)
            raise UserError(
                f"h: expected a state as instance.state({parameters}) returns it, got {reprlib.repr(state)}"
            )
        h, scratch, action = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int16)
        status = evaluate_one.compiled(
            self.terms, len(self.kernels), self.maximum, self.params, state, action, h, scratch
        )
        raise_on_error(status)
        return int(h[0]) if h[0] < INFINITE_H else math.inf


@helper
def evaluate(terms, count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, slot, n):
    """Write the values of `n` states by the first `count` terms, as `evaluate_range`."""
    return evaluate_range(
        terms, 0, count, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, slot, n
    )


@helper
def evaluate_range(
    terms, begin, end, maximum, params, states, parent_at, parent_h, out, out_at, action, h, scratch, slot, n
):
    """Write the values of `n` states, as `stored_h` returns them, to `h` from index `slot` on. `scratch` is as long.

    `terms` has the addresses of kernels; those from `begin` to `end` (excluded) are used. A term gets the parent's
    value only if it is the only one, because the values of single terms are not stored.
    """
    for k in range(slot, slot + n):
        h[k] = 0
    if end - begin != 1:
        parent_h = -1
    for i in range(begin, end):
        if maximum and i > begin:
            for k in range(slot, slot + n):
                scratch[k] = 0
            status = call(TERM, terms[i], params[i], states, parent_at, parent_h, out, out_at, action, scratch, slot, n)
            for k in range(slot, slot + n):
                h[k] = max(h[k], scratch[k])
        else:
            status = call(TERM, terms[i], params[i], states, parent_at, parent_h, out, out_at, action, h, slot, n)
        if status < 0:
            return status
    return store_values(h, slot, n)


@helper
def store_values(h, slot, n):
    """Replace sums of `n` values by what the engine stores. Return 0, or a negative number if one is negative."""
    for k in range(slot, slot + n):
        if h[k] < 0:
            return NEGATIVE_H
        h[k] = stored_h(h[k])
    return 0


@helper
def stored_h(total):
    """Return what the engine stores for a sum of values: at most `MAX_COST`, or `INFINITE_H` for a dead end."""
    if total > MAX_COST:
        return np.int64(INFINITE_H if is_dead_end(total) else MAX_COST)
    return total


@kernel(f"int64({TERMS}, int64, boolean, {PARAMS}, uint64[::1], int16[::1], int64[::1], int64[::1])")
def evaluate_one(terms, count, maximum, params, state, action, h, scratch):
    """Write the value of one state to `h[0]`."""
    return evaluate(terms, count, maximum, params, state, 0, -1, state, 0, action, h, scratch, 0, 1)


_PADDING = (np.zeros(1, np.int64),) * MAX_TERMS


def _term(part: Heuristic | Combination, made: object) -> Term:
    """Return what the method `term` of a heuristic or of a combination has made."""
    if not isinstance(made, Term):
        raise TypeError(f"the method term of '{part.registered_name}' returned {reprlib.repr(made)}; expected a Term")
    return made


def _label(part: Heuristic | Combination) -> str:
    changed = changed_parameters(part)
    return part.registered_name + (f"({assignments(changed, ',')})" if changed else "")
