"""Checks of worlds: small functions that verify what the engine and the validation of plans rely on."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from algorithms.engine.search import Limits
from runner.audit.compiled_checks import COMPILED_CHECKS
from runner.config import plugins, sections
from runner.config.schema import declared_of
from runner.execution.solver import Solver
from runner.registry import UserError
from worlds.interface import Instance, Problem, Unsolvable, Words
from worlds.python_problem import PythonProblem
from worlds.python_world import PythonInstance
from worlds.sources import Source


class WorldError(UserError):
    """Violation of a check by a world. The message names the check, the instance and a state."""


@dataclass(frozen=True)
class Sample:
    """Input of the checks: an instance, its problem, and states near the start.

    Attributes
    ----------
    instance : Instance
    problem : Problem
    states : list of ndarray of uint64
        Distinct packed states in breadth-first order; the start is the first.
    expansions : int
        Maximum number of expansions of a search.
    """

    instance: Instance
    problem: Problem
    states: list[Words]
    expansions: int

    def fail(self, check: Any, message: str) -> WorldError:
        """Return the error of a check."""
        return WorldError(f"check_world: {check.__name__}: {self.instance.id}: {message}")

    def show(self, state: Words) -> str:
        """Return a state as text for a message."""
        return repr(self.problem.unpack(state))


def check_world(
    world: str | Source | Instance,
    *,
    instances: int = 3,
    states: int = 500,
    expansions: int = 20_000,
    **parameters: Any,
) -> list[str]:
    """Check that a world keeps its promises to the engine.

    Parameters
    ----------
    world : str, Source or Instance
        Name of a registered source, a source (a world in plain Python is one), or one instance.
    instances, states, expansions : int
        Maximum number of checked instances, of checked states per instance, and of expansions to find a goal.
    **parameters
        Parameters of the source if `world` is a name.

    Returns
    -------
    list of str
        Names of the checks.

    Raises
    ------
    WorldError
        At the first violation.
    """
    plugins.load_installed()
    checked = 0
    for instance in _instances(world, instances, parameters):
        with _named("packing and expanding", instance):
            try:
                problem = instance.problem()
            except Unsolvable:  # there is nothing to search
                continue
            checked += 1
            sample = Sample(instance, problem, list(islice(_breadth_first(problem), states)), expansions)
        for check in CHECKS:
            with _named(check.__name__, instance):
                check(sample)
    if not checked:
        raise WorldError(
            "check_world: nothing to check, because the world proves every instance unsolvable; choose other instances"
        )
    return [check.__name__ for check in CHECKS]


@contextmanager
def _named(check: str, instance: Instance) -> Iterator[None]:
    """Turn an exception of the world into a `WorldError` that names the check and the instance."""
    try:
        yield
    except WorldError:
        raise
    except Exception as error:
        raise WorldError(f"check_world: {check}: {instance.id}: {type(error).__name__}: {error}") from error


def _instances(world: str | Source | Instance, most: int, parameters: dict[str, Any]) -> Iterable[Instance]:
    if isinstance(world, Instance):
        return [world]
    source = sections.source_of({"name": world, **parameters}) if isinstance(world, str) else world
    source.check()
    return islice(source.instances(), most)


def _breadth_first(problem: Problem) -> Iterator[Words]:
    seen = {problem.initial.tobytes()}
    queue = deque([problem.initial])
    while queue:
        state = queue.popleft()
        yield state
        for successor, _, _ in problem.successors(state):
            if successor.tobytes() not in seen:
                seen.add(successor.tobytes())
                queue.append(successor)


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
                raise sample.fail(costs_are_valid, f"a step from {sample.show(state)} costs {cost}, not {expected}")
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


def goals_are_recognised(sample: Sample) -> None:
    """Check that `goals` contains exactly the goals, and that the simulator accepts the plan of a search."""
    problem = sample.problem
    goals = [] if problem.goals is None else list(problem.goals.reshape(-1, problem.initial.size))
    listed = {goal.tobytes() for goal in goals}
    for goal in goals:
        if not problem.recognises(goal):
            raise sample.fail(goals_are_recognised, f"is_goal is false for the goal {sample.show(goal)}")
    for state in sample.states:
        if problem.goals is not None and problem.recognises(state) and state.tobytes() not in listed:
            raise sample.fail(goals_are_recognised, f"the goal {sample.show(state)} is missing in goals")
    algorithm = sections.algorithm_of({"name": "ucs"})
    stack = sections.stack_of(sample.instance.domain, {})
    limits = Limits(nodes=sample.expansions)
    declared = declared_of(algorithm, stack, [sample.instance])
    result = Solver(algorithm, stack, None, limits, declared).solve(sample.instance)
    if result.status == "error":
        raise sample.fail(goals_are_recognised, f"searching failed: {result.error}")
    if result.valid is False:
        raise sample.fail(goals_are_recognised, f"the simulator does not accept the plan {' '.join(result.plan or ())}")


def inverse_moves_are_inverse(sample: Sample) -> None:
    """Check that predecessors, if the world has any, are exactly the steps of successors, with the same names."""
    problem = sample.problem
    if problem.predecessors is None:
        return
    for state in sample.states[:100]:
        for successor, cost, _ in problem.successors(state):
            back = [(s.tobytes(), c) for s, c, _ in problem.successors(successor, backward=True)]
            if (state.tobytes(), cost) not in back:
                violation = f"{sample.show(state)} is missing among the predecessors of {sample.show(successor)}"
                raise sample.fail(inverse_moves_are_inverse, f"{violation} (cost {cost})")
        for predecessor, cost, _ in problem.successors(state, backward=True):
            forth = [(s.tobytes(), c) for s, c, _ in problem.successors(predecessor)]
            if (state.tobytes(), cost) not in forth:
                violation = f"{sample.show(state)} is missing among the successors of {sample.show(predecessor)}"
                raise sample.fail(inverse_moves_are_inverse, f"{violation} (cost {cost})")
        _check_names(sample, state)


def _check_names(sample: Sample, state: Words) -> None:
    """Check that each predecessor has the name of the action that leads forward."""
    if not isinstance(sample.instance, PythonInstance):
        return
    rules, value = sample.instance.rules, sample.problem.unpack(state)
    for name, predecessor, cost in rules.predecessors(value):
        if (name, value, cost) not in list(rules.successors(predecessor)):
            violation = f"no action {name!r} leads from {predecessor!r} to {value!r}"
            raise sample.fail(inverse_moves_are_inverse, f"{violation}, but predecessors returns it")


def random_walks_replay(sample: Sample) -> None:
    """Check that the simulator accepts the action names of random walks, at the same cost."""
    source = random.Random(0)
    for _ in range(10):
        state, codes, cost = sample.problem.initial, [], 0
        for _ in range(30):
            steps = sample.problem.successors(state)
            if not steps:
                break
            state, step_cost, code = source.choice(steps)
            codes.append(code)
            cost += step_cost
        plan = sample.instance.plan(codes, sample.problem)
        replayed = sample.instance.replay(plan).cost
        if replayed != cost:
            violation = f"costs {cost} along successors, but {replayed} in the simulator; are the action names unique?"
            raise sample.fail(random_walks_replay, f"the walk {' '.join(plan)} {violation}")


CHECKS = (
    *COMPILED_CHECKS,
    successors_are_deterministic,
    costs_are_valid,
    states_are_stable,
    goals_are_recognised,
    inverse_moves_are_inverse,
    random_walks_replay,
)
