"""Checks of compiled worlds: packed states and kernels against the rules in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import islice, zip_longest
from typing import Any

from runner.audits.outcome import NotApplicable
from runner.audits.sample import Sample
from runner.base.messages import plural
from worlds.compiled_world import CompiledInstance
from worlds.interface import Words
from worlds.real_costs import step_costs

_WALKS, _WALK_LENGTH, _WALK_INTERVAL = 5, 300, 5
_REASON = "is for worlds with kernels beside rules in plain Python"


def packing_is_inverse(sample: Sample) -> str:
    """Check that `pack` and `unpack` are inverse to each other, for the states of the kernels and of the rules."""
    if not isinstance(sample.instance, CompiledInstance):
        raise NotApplicable(_REASON)
    rules, problem, states = sample.instance.rules, sample.problem, _states(sample, sample.instance)
    for value, state in states:
        if len(rules.packed(value)) != len(state):
            violation = f"pack gives {len(rules.packed(value))} words for {value!r}, but {len(state)} for the start"
            raise sample.fail(packing_is_inverse, violation)
        if rules.packed(value).tolist() != state.tolist():
            violation = f"the kernels write {_words(state)}, but pack gives {_words(rules.packed(value))} for {value!r}"
            raise sample.fail(packing_is_inverse, violation)
        for _, successor, _ in rules.successors(value):
            if problem.unpack(rules.packed(successor)) != successor:
                violation = f"unpack(pack(state)) is {problem.unpack(rules.packed(successor))!r} for {successor!r}"
                raise sample.fail(packing_is_inverse, violation)
    return plural(len(states), "state")


def kernels_follow_the_rules(sample: Sample) -> str:
    """Check that the kernels give the steps of the rules in the same order, and the same goals."""
    if not isinstance(sample.instance, CompiledInstance):
        raise NotApplicable(_REASON)
    rules, problem, states = sample.instance.rules, sample.problem, _states(sample, sample.instance)
    compares_backward = problem.predecessors is not None and rules.is_invertible
    for value, state in states:
        if problem.recognises(state) != bool(rules.is_goal(value)):
            violation = f"goal_kernel is {problem.recognises(state)} for {value!r}, but is_goal is not"
            raise sample.fail(kernels_follow_the_rules, violation)
        _compare(sample, value, "expand_kernel", problem.successors(state), rules.successors(value))
        if compares_backward:
            steps = problem.successors(state, backward=True)
            _compare(sample, value, "predecessors_kernel", steps, rules.predecessors(value))
    return plural(len(states), "state")


def _states(sample: Sample, instance: CompiledInstance) -> list[tuple[Any, Words]]:
    """Return states of the sample and of random walks by the rules, from the start and the goals, with their words.

    The walks lead to states that kernels which are wrong never reach.
    """
    rules, problem, source = instance.rules, sample.problem, random.Random(0)
    found = [(problem.unpack(state), state) for state in sample.states]
    starts = [rules.initial()]
    if rules.is_invertible:
        starts += islice(rules.goals(), _WALKS)
    for start in starts:
        for _ in range(_WALKS):
            value = start
            for number in range(_WALK_LENGTH):
                steps = list(rules.successors(value))
                if not steps:
                    break
                value = source.choice(steps)[1]
                if number % _WALK_INTERVAL == 0:
                    found.append((value, rules.packed(value)))
    return found


def _compare(
    sample: Sample, value: Any, kernel: str, packed: Sequence[tuple[Words, int, int]], steps: Iterable[tuple[Any, ...]]
) -> None:
    """Check that a kernel gives the same steps as the method of the rules."""
    instance, problem = sample.instance, sample.problem
    assert isinstance(instance, CompiledInstance)
    method = "successors" if kernel == "expand_kernel" else "predecessors"
    found = [(instance.plan([code], problem)[0], problem.unpack(state), cost) for state, cost, code in packed]
    engine_cost = step_costs(instance.rules.cost_scale, instance.cost_scale)
    expected = [(str(name), state, engine_cost(name, cost)) for name, state, cost in steps]
    for number, (first, second) in enumerate(zip_longest(found, expected)):
        if first != second:
            violation = f"step {number} from {value!r}: {kernel} gives {first!r}, but {method} gives {second!r}"
            raise sample.fail(kernels_follow_the_rules, violation)


def _words(state: Words) -> str:
    return " ".join(f"{word:#x}" for word in state.tolist())


COMPILED_CHECKS = (packing_is_inverse, kernels_follow_the_rules)
