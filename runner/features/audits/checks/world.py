"""Checks of worlds: small functions that verify what the engine and the validation of plans rely on.

A check takes a `Sample` (`runner.features.audits.checks.registration`).
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import Any

from algorithms.engine import Limiter, Limits
from algorithms.interface import declaring
from heuristics.interface import Stack
from runner.base import SOLVED, UNSOLVABLE, plural
from runner.features.audits.checks.registration import Check, NotApplicable, Violation, check
from worlds.interface import Instance, Kernels, Problem, Unsolvable, Words, plan_violation, step_costs

PACKING = "packing and expanding"
"""Name of the first check of an instance."""
MAX_INVERTED = 100
"""Maximum number of states whose predecessors are checked."""
_WALKS, _WALK_LENGTH = 10, 30
_RULE_WALKS, _RULE_WALK_LENGTH, _RULE_WALK_INTERVAL = 5, 300, 5


@dataclass
class Sample:
    """Input of the checks: an instance, its problem, and states near the start.

    Attributes
    ----------
    instance : Instance
    max_states : int
        Maximum number of states.
    expansions : int
        Maximum number of expansions of a search.
    problem : Problem
    states : list of ndarray of uint64
        Distinct packed states in breadth-first order; the start is the first.
    """

    instance: Instance
    max_states: int
    expansions: int
    problem: Problem = field(init=False, repr=False)
    states: list[Words] = field(init=False, repr=False)

    start = 0
    """Number of the start state."""

    def collect(self) -> None:
        """Pack the instance, and collect the states."""
        self.problem = self.instance.problem()
        self.states = list(islice(_breadth_first(self.problem), self.max_states))

    @property
    def is_complete(self) -> bool:
        """Whether the states have been collected."""
        return "states" in vars(self)

    def size(self, counted: str) -> int:  # noqa: ARG002
        """Return the number of states."""
        return len(self.states)

    def cost(self, cost: int) -> float:
        """Return a cost of the engine in the units of the user."""
        return self.instance.world.user_cost(cost)

    def show(self, state: Words) -> str:
        """Return a state as text for a message."""
        return repr(self.problem.unpack(state))


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


def packs_and_expands(sample: Sample) -> None:
    """Check that an instance can be packed and its states can be expanded."""
    try:
        sample.collect()
    except Unsolvable:
        raise NotApplicable("the world proves every instance unsolvable") from None


PACKS = Check(
    PACKING, "Check that an instance can be packed and its states can be expanded", "instances",
    packs_and_expands, lambda _: True, "there are no instances", kind="world",
)  # fmt: skip
"""First check of an instance, which collects the states for the others."""


@check("world", "states_are_stable")  # early: states that change mislead the other checks
def states_are_stable(sample: Sample) -> None:
    """Check that expanding a state changes neither the state nor its hash."""
    for state in sample.states:
        value = sample.problem.unpack(state) if sample.problem.calls_python else state.tobytes()
        before, shown = hash(value), repr(value)
        sample.problem.successors(state)
        after = value if sample.problem.calls_python else state.tobytes()
        if hash(after) != before or repr(after) != shown or value != after:
            raise Violation(f"expanding changed {shown}")


@check("world", "packing_is_inverse")
def packing_is_inverse(sample: Sample) -> str:
    """Check that `pack` and `unpack` are inverse to each other, for the states of the kernels and of the rules."""
    kernels, problem = _kernels(sample), sample.problem
    states = _states(sample, kernels)
    for value, state in states:
        packed = kernels.packed(value)
        if len(packed) != len(state):
            raise Violation(f"pack gives {len(packed)} words for {value!r}, but {len(state)} for the start")
        if packed.tolist() != state.tolist():
            raise Violation(f"the kernels write {_words(state)}, but pack gives {_words(packed)} for {value!r}")
        for _, successor, _ in kernels.successors(value):
            unpacked = problem.unpack(kernels.packed(successor))
            if unpacked != successor:
                raise Violation(f"unpack(pack(state)) is {unpacked!r} for {successor!r}")
    return plural(len(states), "state")


@check("world", "kernels_follow_the_rules")
def kernels_follow_the_rules(sample: Sample) -> str:
    """Check that the kernels give the steps of the rules in the same order, and the same goals."""
    rules, problem = _kernels(sample), sample.problem
    states = _states(sample, rules)
    predecessors = rules.predecessors if problem.predecessors is not None and rules.is_invertible else None
    for value, state in states:
        if problem.recognises(state) != bool(rules.is_goal(value)):
            raise Violation(f"goal_kernel is {problem.recognises(state)} for {value!r}, but is_goal is not")
        if rules.has_all_steps:
            _compare(sample, value, "expand_kernel", problem.successors(state), rules.successors(value))
        else:
            _play(sample, value, problem.successors(state))
        if predecessors is not None:
            steps = problem.successors(state, backward=True)
            _compare(sample, value, "predecessors_kernel", steps, predecessors(value))
    return plural(len(states), "state")


def _kernels(sample: Sample) -> Kernels:
    kernels = sample.instance.world.kernels
    if kernels is None:
        raise NotApplicable("is for worlds with kernels beside rules in plain Python")
    return kernels


def _states(sample: Sample, rules: Kernels) -> list[tuple[Any, Words]]:
    """Return states of the sample and of random walks by the rules, from the start and the goals, with their words.

    The walks lead to states that kernels which are wrong never reach.
    """
    problem = sample.problem
    source = random.Random(0)
    found = [(problem.unpack(state), state) for state in sample.states]
    starts = [rules.initial()]
    if rules.is_invertible and rules.goals is not None:
        starts += islice(rules.goals(), _RULE_WALKS)
    for start in starts:
        for _ in range(_RULE_WALKS):
            value = start
            for number in range(_RULE_WALK_LENGTH):
                steps = list(rules.successors(value))
                if not steps:
                    break
                value = source.choice(steps)[1]
                if number % _RULE_WALK_INTERVAL == 0:
                    found.append((value, rules.packed(value)))
    return found


def _compare(
    sample: Sample, value: Any, kernel: str, packed: Sequence[tuple[Words, int, int]], steps: Iterable[tuple[Any, ...]]
) -> None:
    """Check that a kernel gives the same steps as the method of the rules."""
    rules, problem = _kernels(sample), sample.problem
    method = "successors" if kernel == "expand_kernel" else "predecessors"
    others = [(problem.unpack(state), cost, code) for state, cost, code in packed]
    is_forward = method == "successors"  # a name belongs to the state from which the action leads
    found = [(rules.name_of(value if is_forward else other, code), other, cost) for other, cost, code in others]
    engine_cost = step_costs(rules.cost_scale, rules.engine_scale)
    expected = [(str(name), state, engine_cost(name, cost)) for name, state, cost in steps]
    for number, (first, second) in enumerate(zip_longest(found, expected)):
        if first != second:
            raise Violation(f"step {number} from {value!r}: {kernel} gives {first!r}, but {method} gives {second!r}")


def _play(sample: Sample, start: Any, packed: Sequence[tuple[Words, int, int]]) -> None:
    """Check that the rules play each action of a kernel, which may be a macro-action, with the same result."""
    rules = _kernels(sample)
    engine_cost = step_costs(rules.cost_scale, rules.engine_scale)
    for after, cost, code in packed:
        name = rules.name_of(start, code)
        value, total = start, 0
        for action in name if isinstance(name, tuple) else (name,):
            step = rules.step_of(value, action)
            if step is None:
                raise Violation(f"{name!r} from {start!r}: the rules do not allow {action!r} in {value!r}")
            value, total = step[0], total + engine_cost(action, step[1])
        if (value, total) != (sample.problem.unpack(after), cost):
            found, expected = (sample.problem.unpack(after), cost), (value, total)
            raise Violation(f"{name!r} from {start!r}: expand_kernel gives {found!r}, but the rules give {expected!r}")


def _words(state: Words) -> str:
    return " ".join(f"{word:#x}" for word in state.tolist())


@check("world", "successors_are_deterministic")
def successors_are_deterministic(sample: Sample) -> None:
    """Check that a state has the same successors in the same order, also in a second problem of the same instance."""
    second = sample.instance.problem()
    for state in sample.states:
        first = _steps(sample.problem, state)
        if first != _steps(sample.problem, state):
            raise Violation(f"two calls of successors differ for {sample.show(state)}")
        if second.calls_python:
            state = second.pack(sample.problem.unpack(state))
        if first != _steps(second, state):
            raise Violation(f"two problems of one instance differ in the successors of {sample.show(state)}")


def _steps(problem: Problem, state: Words) -> list[Any]:
    steps = problem.successors(state)
    if problem.calls_python:
        return [(problem.unpack(successor), cost, action) for successor, cost, action in steps]
    return [(successor.tobytes(), cost, action) for successor, cost, action in steps]


@check("world", "costs_are_valid")
def costs_are_valid(sample: Sample) -> None:
    """Check that costs are not negative, and 1 if `unit_costs` is declared, and that every action code has a length."""
    for state in sample.states:
        for _, cost, action in sample.problem.successors(state):
            if cost < 0 or (sample.problem.world.unit_costs and cost != 1):
                expected = "1" if sample.problem.world.unit_costs else "at least 0"
                raise Violation(f"a step from {sample.show(state)} costs {sample.cost(cost)}, not {expected}")
            if not 0 <= action < sample.problem.action_lengths.size:
                allowed = f"0 to {sample.problem.action_lengths.size - 1}"
                raise Violation(f"a step from {sample.show(state)} has the action code {action}, not one of {allowed}")


@check("world", "action_names_are_unique")
def action_names_are_unique(sample: Sample) -> None:
    """Check that no two successors of a state have the same action name: a plan is replayed by its names."""
    for state in sample.states:
        found = Counter(_names(sample, state))
        name, count = max(found.items(), key=lambda item: item[1], default=("", 0))
        if count > 1:
            successors = f"{count} successors of {sample.show(state)}"
            raise Violation(f"{successors} have the action name '{name}'; give each its own")


def _names(sample: Sample, state: Words) -> list[str]:
    """Return the names of the actions of a state. An action code may stand for several names."""
    world, value = sample.instance.world, sample.problem.unpack(state)
    if world.kernels is None:
        return [str(step[0]) for step in world.successors(value)]
    names = [world.kernels.name_of(value, code) for _, _, code in sample.problem.successors(state)]
    return [" ".join(name) if isinstance(name, tuple) else name for name in names]


@check("world", "goals_are_recognised")
def goals_are_recognised(sample: Sample) -> str:
    """Check that `goals` contains exactly the goals."""
    problem = sample.problem
    if problem.goals is None:
        raise NotApplicable(f"the world has no {problem.world.lacks_backward}")
    goals = list(problem.goals.reshape(-1, problem.initial.size))
    listed = {goal.tobytes() for goal in goals}
    for goal in goals:
        if not problem.recognises(goal):
            raise Violation(f"is_goal is false for the goal {sample.show(goal)}")
    for state in sample.states:
        if problem.recognises(state) and state.tobytes() not in listed:
            raise Violation(f"the goal {sample.show(state)} is missing in goals")
    return f"{plural(len(goals), 'goal')}"


@check("world", "plans_replay")
def plans_replay(sample: Sample) -> str:
    """Check that the rules accept the plan of a search, at the same cost."""
    blind = declaring(heuristic="ignored", optimal="always")()
    search = blind.start(Stack().prepare(sample.problem), None)
    status = search.run(Limiter(Limits(nodes=sample.expansions)))
    if status != SOLVED.name:
        within = f"no goal within {sample.expansions:,} expansions"
        raise NotApplicable("no goal can be reached" if status == UNSOLVABLE.name else within)
    codes = search.path()
    plan = sample.problem.plan(codes)
    failure = plan_violation(sample.instance, sample.problem, codes, search.cost, sample.instance.world.replay(plan))
    if failure is not None:
        raise Violation(f"the plan {' '.join(plan)} is not valid: {failure}")
    return "a plan of uniform-cost search"


@check("world", "inverse_moves_are_inverse")
def inverse_moves_are_inverse(sample: Sample) -> str:
    """Check that predecessors are exactly the steps of successors, with the same names."""
    problem = sample.problem
    if problem.predecessors is None:
        raise NotApplicable(f"the world has no {problem.world.lacks_backward}")
    for state in sample.states[:MAX_INVERTED]:
        for backward, method in ((False, "predecessors"), (True, "successors")):
            for other, cost, _ in problem.successors(state, backward=backward):
                back = [(s.tobytes(), c) for s, c, _ in problem.successors(other, backward=not backward)]
                if (state.tobytes(), cost) not in back:
                    step = f"the {method} of {sample.show(other)} (cost {sample.cost(cost)})"
                    raise Violation(f"{sample.show(state)} is missing among {step}")
        _check_names(sample, state)
    return f"up to {MAX_INVERTED} states"


def _check_names(sample: Sample, state: Words) -> None:
    """Check that each predecessor has the name of the action that leads forward."""
    rules, value = sample.instance.world, sample.problem.unpack(state)
    assert rules.predecessors is not None
    for name, predecessor, cost in rules.predecessors(value):
        if (name, value, cost) not in list(rules.successors(predecessor)):
            raise Violation(f"no action {name!r} leads from {predecessor!r} to {value!r}, but predecessors returns it")


@check("world", "random_walks_replay")
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
        plan = problem.plan(codes)
        replay = instance.world.replay(plan)
        expected = cost if instance.world.costs_add_up else replay.cost
        failure = plan_violation(instance, problem, codes, expected, replay, needs_goal=False)
        if failure is not None:
            raise Violation(f"the walk {' '.join(plan)} is not valid: {failure}")
    return f"{_WALKS} walks of up to {_WALK_LENGTH} steps"
