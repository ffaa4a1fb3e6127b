"""A checker for worlds: small named checks of what the engine and the validation of plans rely on."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from algorithms.engine.search import Limits
from runner.config import plugins, sections
from runner.config.schema import declared_of
from runner.execution.solver import Solver
from runner.registry import UserError
from worlds.interface import Instance, Problem, Source, Unsolvable, Words
from worlds.python_problem import PythonProblem
from worlds.python_world import PythonInstance


class WorldError(UserError):
    """A world breaks a promise; the message names the check, the instance and a state."""


@dataclass(frozen=True)
class Sample:
    """What the checks look at: an instance, its problem, and states near the start.

    Attributes
    ----------
    instance : Instance
    problem : Problem
    states : list of ndarray of uint64
        Distinct, the start first, in breadth-first order.
    expansions : int
        Limit for searches.
    """

    instance: Instance
    problem: Problem
    states: list[Words]
    expansions: int

    def fail(self, check: Any, message: str) -> WorldError:
        """An error of a check."""
        return WorldError(f"check_world: {check.__name__}: {self.instance.id}: {message}")

    def show(self, state: Words) -> str:
        """A state for a message."""
        return repr(self.problem.unpack(state))


def check_world(
    world: str | Source | Instance,
    *,
    instances: int = 3,
    states: int = 500,
    expansions: int = 20_000,
    **parameters: Any,
) -> list[str]:
    """Check that a world keeps what it promises to the engine.

    Parameters
    ----------
    world : str, Source or Instance
        Name of a registered source, a source (a world in plain Python is one), or one instance.
    instances, states, expansions : int
        How many instances are checked, how many states of each, and the limit for finding a goal.
    **parameters
        Of a source given by name.

    Returns
    -------
    list of str
        Names of the checks that were made.

    Raises
    ------
    WorldError
        For the first promise that is broken.
    """
    plugins.load_installed()
    checked = 0
    for instance in _instances(world, instances, parameters):
        with _named("packing and expanding", instance):
            try:
                problem = instance.problem()
            except Unsolvable:  # proven while packing: there is nothing to search
                continue
            checked += 1
            sample = Sample(instance, problem, list(islice(_breadth_first(problem), states)), expansions)
        for check in CHECKS:
            with _named(check.__name__, instance):
                check(sample)
    if not checked:
        raise WorldError(
            "check_world: every instance is proven unsolvable while it is packed; there is nothing to check"
        )
    return [check.__name__ for check in CHECKS]


@contextmanager
def _named(check: str, instance: Instance) -> Iterator[None]:
    """An exception of the world's own becomes an error that names the check and the instance, and its cause."""
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
    """The same state has the same successors in the same order, also for an instance that is packed anew."""
    again = sample.instance.problem()
    for state in sample.states:
        first = _steps(sample.problem, state)
        if first != _steps(sample.problem, state):
            raise sample.fail(successors_are_deterministic, f"two calls differ for {sample.show(state)}")
        if isinstance(again, PythonProblem):
            state = again.pack(sample.problem.unpack(state))
        if first != _steps(again, state):
            raise sample.fail(successors_are_deterministic, f"two problems differ for {sample.show(state)}")


def _steps(problem: Problem, state: Words) -> list[Any]:
    steps = problem.successors(state)
    if isinstance(problem, PythonProblem):
        return [(problem.unpack(successor), cost, action) for successor, cost, action in steps]
    return [(successor.tobytes(), cost, action) for successor, cost, action in steps]


def costs_are_valid(sample: Sample) -> None:
    """Costs are integers of at least 0, and 1 where `unit_costs` says so; every action code has a length."""
    for state in sample.states:
        for _, cost, action in sample.problem.successors(state):
            if cost < 0 or (sample.problem.unit_costs and cost != 1):
                expected = "1" if sample.problem.unit_costs else "at least 0"
                raise sample.fail(costs_are_valid, f"a step from {sample.show(state)} costs {cost}, not {expected}")
            if not 0 <= action < sample.problem.action_lengths.size:
                raise sample.fail(costs_are_valid, f"a step from {sample.show(state)} has the action code {action}")


def states_are_stable(sample: Sample) -> None:
    """Expanding a state does not change it; equal states of a world in plain Python have equal hashes."""
    for state in sample.states:
        value = sample.problem.unpack(state) if isinstance(sample.problem, PythonProblem) else state.tobytes()
        before, shown = hash(value), repr(value)
        sample.problem.successors(state)
        after = value if isinstance(sample.problem, PythonProblem) else state.tobytes()
        if hash(after) != before or repr(after) != shown or value != after:
            raise sample.fail(states_are_stable, f"expanding changed {shown}")


def goals_are_recognised(sample: Sample) -> None:
    """A goal that a search finds is one to the simulator too, and `goals` has all goals and nothing else."""
    problem = sample.problem
    listed = set()
    for at in range(0, 0 if problem.goals is None else problem.goals.size, problem.initial.size):
        assert problem.goals is not None
        goal = problem.goals[at : at + problem.initial.size].copy()
        listed.add(goal.tobytes())
        if not problem.recognises(goal):
            raise sample.fail(goals_are_recognised, f"is_goal does not know the goal {sample.show(goal)}")
    for state in sample.states:
        if problem.goals is not None and problem.recognises(state) and state.tobytes() not in listed:
            raise sample.fail(goals_are_recognised, f"the goal {sample.show(state)} is missing among goals")
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
    """Where there are predecessors, each step forward is one of them, and each of them is a step of the same name."""
    problem = sample.problem
    if problem.predecessors is None:
        return
    for state in sample.states[:100]:
        for successor, cost, _ in problem.successors(state):
            back = [(s.tobytes(), c) for s, c, _ in problem.successors(successor, backward=True)]
            if (state.tobytes(), cost) not in back:
                what = f"{sample.show(state)} is missing among the predecessors of {sample.show(successor)}"
                raise sample.fail(inverse_moves_are_inverse, f"{what} (cost {cost})")
        for predecessor, cost, _ in problem.successors(state, backward=True):
            forth = [(s.tobytes(), c) for s, c, _ in problem.successors(predecessor)]
            if (state.tobytes(), cost) not in forth:
                what = f"{sample.show(state)} is missing among the successors of {sample.show(predecessor)}"
                raise sample.fail(inverse_moves_are_inverse, f"{what} (cost {cost})")
        _check_names(sample, state)


def _check_names(sample: Sample, state: Words) -> None:
    """Going backwards, a step has the name of the action that leads forwards."""
    if not isinstance(sample.instance, PythonInstance):
        return
    rules, value = sample.instance.rules, sample.problem.unpack(state)
    for name, predecessor, cost in rules.predecessors(value):
        if (name, value, cost) not in list(rules.successors(predecessor)):
            what = f"no action {name!r} leads from {predecessor!r} to {value!r}"
            raise sample.fail(inverse_moves_are_inverse, f"{what}, as predecessors says")


def random_walks_replay(sample: Sample) -> None:
    """A walk along successors is possible in the simulator, by the names of its actions, at the same cost."""
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
            what = f"costs {cost} along successors, but {replayed} in the simulator; are its names unique?"
            raise sample.fail(random_walks_replay, f"the walk {' '.join(plan)} {what}")


CHECKS = (
    successors_are_deterministic,
    costs_are_valid,
    states_are_stable,
    goals_are_recognised,
    inverse_moves_are_inverse,
    random_walks_replay,
)
