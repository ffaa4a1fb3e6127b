"""Checks of worlds: small functions that verify what the engine and the validation of plans rely on.

A check takes a `Sample`. It raises `sample.fail(check, message)` for a violation, or `NotApplicable` with the reason.
It returns a short text about what it has looked at; None stands for all states of the sample.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from algorithms.best_first import UniformCost
from algorithms.engine.search import SOLVED, UNSOLVABLE, Limits, run
from heuristics.stack import Stack
from runner.audits.compiled_checks import COMPILED_CHECKS
from runner.audits.outcome import NotApplicable
from runner.audits.sample import Sample
from runner.base.messages import plural
from runner.execution.solver import violation, wrong_cost
from worlds.interface import Problem, Words
from worlds.python_problem import PythonProblem
from worlds.python_world import PythonInstance

Check = Callable[[Sample], str | None]

_INVERTED = 100
"""Maximum number of states whose predecessors are checked."""
_WALKS, _WALK_LENGTH = 10, 30


def successors_are_deterministic(sample: Sample) -> None:
    """Check that a state has the same successors in the same order, also in a second problem of the same instance."""
    second = sample.instance.problem()
    for state in sample.states:
        first = _steps(sample.problem, state)
        if first != _steps(sample.problem, state):
            raise sample.fail(successors_are_deterministic, f"two calls of successors differ for {sample.show(state)}")
        if isinstance(second, PythonProblem):
            state = second.pack(sample.problem.unpack(state))
        if first != _steps(second, state):
            violation = f"two problems of one instance differ in the successors of {sample.show(state)}"
            raise sample.fail(successors_are_deterministic, violation)


def _steps(problem: Problem, state: Words) -> list[Any]:
    steps = problem.successors(state)
    if isinstance(problem, PythonProblem):
        return [(problem.unpack(successor), cost, action) for successor, cost, action in steps]
    return [(successor.tobytes(), cost, action) for successor, cost, action in steps]


def costs_are_valid(sample: Sample) -> None:
    """Check that costs are not negative, and 1 if `unit_costs` is declared, and that every action code has a length."""
    for state in sample.states:
        for _, cost, action in sample.problem.successors(state):
            if cost < 0 or (sample.problem.unit_costs and cost != 1):
                expected = "1" if sample.problem.unit_costs else "at least 0"
                raise sample.fail(
                    costs_are_valid, f"a step from {sample.show(state)} costs {sample.cost(cost)}, not {expected}"
                )
            if not 0 <= action < sample.problem.action_lengths.size:
                allowed = f"0 to {sample.problem.action_lengths.size - 1}"
                violation = f"a step from {sample.show(state)} has the action code {action}, not one of {allowed}"
                raise sample.fail(costs_are_valid, violation)


def states_are_stable(sample: Sample) -> None:
    """Check that expanding a state changes neither the state nor its hash."""
    for state in sample.states:
        value = sample.problem.unpack(state) if isinstance(sample.problem, PythonProblem) else state.tobytes()
        before, shown = hash(value), repr(value)
        sample.problem.successors(state)
        after = value if isinstance(sample.problem, PythonProblem) else state.tobytes()
        if hash(after) != before or repr(after) != shown or value != after:
            raise sample.fail(states_are_stable, f"expanding changed {shown}")


def action_names_are_unique(sample: Sample) -> None:
    """Check that no two successors of a state have the same action name: a plan is replayed by its names."""
    for state, path in zip(sample.states, sample.paths, strict=True):
        found = Counter(_names(sample, state, path))
        name, count = max(found.items(), key=lambda item: item[1], default=("", 0))
        if count > 1:
            problem = f"{count} successors of {sample.show(state)} have the action name '{name}'; give each its own"
            raise sample.fail(action_names_are_unique, problem)


def _names(sample: Sample, state: Words, path: tuple[int, ...]) -> list[str]:
    """Return the names of the actions of a state. An action code may stand for several names."""
    if isinstance(sample.instance, PythonInstance):
        return [str(step[0]) for step in sample.instance.rules.successors(sample.problem.unpack(state))]
    plan, before = sample.instance.plan, len(sample.instance.plan(path, sample.problem))
    codes = [code for _, _, code in sample.problem.successors(state)]
    return [" ".join(plan((*path, code), sample.problem)[before:]) for code in codes]


def goals_are_recognised(sample: Sample) -> str:
    """Check that `goals` contains exactly the goals."""
    problem = sample.problem
    if problem.goals is None:
        raise NotApplicable("the world does not list its goals")
    goals = list(problem.goals.reshape(-1, problem.initial.size))
    listed = {goal.tobytes() for goal in goals}
    for goal in goals:
        if not problem.recognises(goal):
            raise sample.fail(goals_are_recognised, f"is_goal is false for the goal {sample.show(goal)}")
    for state in sample.states:
        if problem.recognises(state) and state.tobytes() not in listed:
            raise sample.fail(goals_are_recognised, f"the goal {sample.show(state)} is missing in goals")
    return f"{plural(len(goals), 'goal')}"


def plans_replay(sample: Sample) -> str:
    """Check that the rules accept the plan of a search, at the same cost."""
    search = UniformCost().start(Stack().prepare(sample.problem), None)
    status = run(search, Limits(nodes=sample.expansions))
    if status != SOLVED:
        why = "no goal can be reached" if status == UNSOLVABLE else f"no goal within {sample.expansions:,} expansions"
        raise NotApplicable(why)
    codes = search.path()
    plan = sample.instance.plan(codes, sample.problem)
    failure = violation(sample.instance, sample.problem, codes, search.cost, sample.instance.replay(plan))
    if failure is not None:
        raise sample.fail(plans_replay, f"the plan {' '.join(plan)} is not valid: {failure}")
    return "a plan of uniform-cost search"


def inverse_moves_are_inverse(sample: Sample) -> str:
    """Check that predecessors are exactly the steps of successors, with the same names."""
    problem = sample.problem
    if problem.predecessors is None:
        raise NotApplicable("the world has no predecessors")
    for state in sample.states[:_INVERTED]:
        for successor, cost, _ in problem.successors(state):
            back = [(s.tobytes(), c) for s, c, _ in problem.successors(successor, backward=True)]
            if (state.tobytes(), cost) not in back:
                violation = f"{sample.show(state)} is missing among the predecessors of {sample.show(successor)}"
                raise sample.fail(inverse_moves_are_inverse, f"{violation} (cost {sample.cost(cost)})")
        for predecessor, cost, _ in problem.successors(state, backward=True):
            forth = [(s.tobytes(), c) for s, c, _ in problem.successors(predecessor)]
            if (state.tobytes(), cost) not in forth:
                violation = f"{sample.show(state)} is missing among the successors of {sample.show(predecessor)}"
                raise sample.fail(inverse_moves_are_inverse, f"{violation} (cost {sample.cost(cost)})")
        _check_names(sample, state)
    return f"up to {_INVERTED} states"


def _check_names(sample: Sample, state: Words) -> None:
    """Check that each predecessor has the name of the action that leads forward."""
    if not isinstance(sample.instance, PythonInstance):
        return
    rules, value = sample.instance.rules, sample.problem.unpack(state)
    for name, predecessor, cost in rules.predecessors(value):
        if (name, value, cost) not in list(rules.successors(predecessor)):
            violation = f"no action {name!r} leads from {predecessor!r} to {value!r}"
            raise sample.fail(inverse_moves_are_inverse, f"{violation}, but predecessors returns it")


def random_walks_replay(sample: Sample) -> str:
    """Check that the rules accept the action names of random walks, at the same cost."""
    source, instance, problem = random.Random(0), sample.instance, sample.problem
    for _ in range(_WALKS):
        state, codes, cost = problem.initial, [], 0
        for _ in range(_WALK_LENGTH):
            steps = problem.successors(state)
            if not steps:
                break
            state, step_cost, code = source.choice(steps)
            codes.append(code)
            cost += step_cost
        plan = instance.plan(codes, problem)
        replay = instance.replay(plan)
        if replay.cost != cost:
            failure = replay.failure or wrong_cost(instance, problem, codes)
            failure = failure or f"it costs {sample.cost(replay.cost)} by the rules, {sample.cost(cost)} by the kernel"
            raise sample.fail(random_walks_replay, f"the walk {' '.join(plan)} is not valid: {failure}")
    return f"{_WALKS} walks of up to {_WALK_LENGTH} steps"


CHECKS: tuple[Check, ...] = (
    states_are_stable,  # first: states that change mislead the other checks
    *COMPILED_CHECKS,
    successors_are_deterministic,
    costs_are_valid,
    action_names_are_unique,
    goals_are_recognised,
    plans_replay,
    inverse_moves_are_inverse,
    random_walks_replay,
)
