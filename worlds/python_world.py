"""Worlds in plain Python: three methods on hashable states, searched by the same engine.

The engine sees every state as one word, the number under which it was met first; its kernels call back.
"""

from __future__ import annotations

import dataclasses
import operator
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner import registry
from runner.registry import UserError
from worlds.interface import Instance, Problem, Replay, Source, Words
from worlds.kernel import CALLBACK_FAILED, EXPAND, IS_GOAL, call_python, failed_callbacks, helper, keep, kernel

State = Hashable
Step = tuple[str, State, int]
"""Name of the action, the state it leads to (or comes from), and its cost."""

LARGEST_CODE = (1 << 15) - 1
"""Codes of actions have 16 bits."""


class PythonWorld(Source):
    """Base of worlds in plain Python. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    With fields `count` and `seed` it stands for `count` instances, with the seeds `seed`, `seed` + 1, ...

    Attributes
    ----------
    max_successors : int
        No state has more successors or predecessors, at most 32,767.
    unit_costs : bool
        Every step costs 1.
    """

    max_successors: ClassVar[int] = 1024
    unit_costs: ClassVar[bool] = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.registered_name = cls.__name__  # until it is registered under another

    @property
    def domain(self) -> str:  # type: ignore[override]
        """Every such world is a domain of its own."""
        return self.registered_name

    @abstractmethod
    def initial(self) -> State:
        """The start state."""

    @abstractmethod
    def successors(self, state: State) -> Iterable[Step]:
        """The steps from a state, in the same order every time: (name of the action, successor, cost).

        Names differ within one state. Costs are integers of at least 0.
        """

    @abstractmethod
    def is_goal(self, state: State) -> bool:
        """Whether a state is a goal."""

    def predecessors(self, state: State) -> Iterable[Step]:
        """The steps that lead to a state: (name of the action, predecessor, cost). Optional; comes with `goals`.

        The name is that of the action which leads from the predecessor to the state.
        """
        raise NotImplementedError

    def goals(self) -> Iterable[State]:
        """All goal states, none left out. Optional."""
        raise NotImplementedError

    def show(self, state: State) -> str:
        """A state as text."""
        return str(state)

    @property
    def is_invertible(self) -> bool:
        """Whether `predecessors` and `goals` are there."""
        return all(getattr(type(self), name) is not getattr(PythonWorld, name) for name in ("predecessors", "goals"))

    def instances(self) -> Iterator[Instance]:
        """The world itself, or as many as `count` says."""
        if not (hasattr(self, "count") and hasattr(self, "seed")):
            yield PythonInstance(self, self.registered_name)
            return
        for seed in range(self.seed, self.seed + self.count):
            rules = dataclasses.replace(self, seed=seed, count=1)  # type: ignore[type-var]
            yield PythonInstance(rules, f"{self.registered_name}_{seed}", seed)

    def __len__(self) -> int:
        """Number of instances."""
        return int(getattr(self, "count", 1)) if hasattr(self, "seed") else 1


@dataclass(frozen=True, eq=False)
class PythonInstance(Instance):
    """One world in plain Python.

    Attributes
    ----------
    rules : PythonWorld
    id : str
    seed : int or None
    """

    rules: PythonWorld
    id: str
    seed: int | None = None

    @property
    def domain(self) -> str:  # type: ignore[override]
        """The world's name."""
        return self.rules.domain

    @property
    def world(self) -> str:  # type: ignore[override]
        """The world's name."""
        return self.rules.registered_name

    def key(self) -> dict[str, Any]:
        """The world's parameters."""
        parameters: dict[str, Any] = registry.parameters(self.rules) if dataclasses.is_dataclass(self.rules) else {}
        return {"id": self.id, **parameters}

    def problem(self) -> Problem:
        """The world behind the engine's signatures."""
        return PythonProblem.of(self, StateNumbers())

    def state(self, value: State) -> State:  # type: ignore[override]
        """The state itself; `Problem.pack` makes words of it."""
        return value

    def describe(self, state: Words) -> State:
        """Refused: every problem numbers its states anew; see `Problem.unpack`."""
        raise UserError("describe: states of a world in plain Python are unpacked by their problem")

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Names of the actions: a code is an index among the successors, or a name met by predecessors."""
        assert isinstance(problem, PythonProblem)
        state, names = self.rules.initial(), []
        for code in actions:
            steps = list(self.rules.successors(state))
            if code < 0:
                name = problem.numbers.names[-1 - code]
                code = [step[0] for step in steps].index(name)
            names.append(str(steps[code][0]))
            state = steps[code][1]
        return tuple(names)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Take the actions by their names, one after the other."""
        states, cost = self._walk(plan)
        return Replay(len(states) == len(plan) + 1 and bool(self.rules.is_goal(states[-1])), cost)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """The start state, and every state of a plan after its action."""
        states, _ = self._walk(plan or ())
        lines = [self.rules.show(states[0])]
        lines += [f"{action}: {self.rules.show(state)}" for action, state in zip(plan or (), states[1:], strict=False)]
        return "\n".join(lines)

    def _walk(self, plan: Sequence[str]) -> tuple[list[State], int]:
        """The states that a plan goes through, as far as it is possible, and what that costs."""
        states, cost = [self.rules.initial()], 0
        for action in plan:
            step = next((step for step in self.rules.successors(states[-1]) if str(step[0]) == action), None)
            if step is None:
                break
            states.append(step[1])
            cost += step[2]
        return states, cost


class StateNumbers:
    """Numbers for states, and for names of actions that lead backwards, in the order in which they are met."""

    def __init__(self) -> None:
        self.of: dict[State, int] = {}
        self.states: list[State] = []
        self.names: list[str] = []
        self._name_numbers: dict[str, int] = {}

    def number(self, state: State) -> int:
        """The number of a state."""
        number = self.of.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def name_number(self, name: str) -> int:
        """The number of an action's name."""
        number = self._name_numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            if number > LARGEST_CODE:
                raise ValueError(f"predecessors: more than {LARGEST_CODE + 1:,} different names of actions")
            self.names.append(name)
        return number


# Layout of Problem.world: addresses of the callbacks, the most steps, whether all cost 1, whether a goal test was
# interrupted, and what the last callback wrote of its steps: numbers of states from STEPS on, then costs, then codes of
# actions.
EXPAND_ADDRESS, IS_GOAL_ADDRESS, PREDECESSORS_ADDRESS, MOST, UNIT, INTERRUPTED, STEPS = range(7)


@dataclass(frozen=True, eq=False)
class PythonProblem(Problem):
    """A problem whose kernels call back. It keeps the callbacks and the numbers of states alive.

    Attributes
    ----------
    numbers : StateNumbers
    callbacks : tuple
    """

    numbers: StateNumbers = dataclasses.field(default_factory=StateNumbers)
    callbacks: tuple[Any, ...] = ()

    @classmethod
    def of(cls, instance: PythonInstance, numbers: StateNumbers) -> PythonProblem:
        """Pack an instance."""
        failed_callbacks.clear()  # of a search that was given up
        rules = instance.rules
        most = rules.max_successors
        if type(most) is not int or not 0 < most <= LARGEST_CODE:
            raise ValueError(f"max_successors must be an integer from 1 to {LARGEST_CODE:,}, not {most!r}")
        world = np.zeros(STEPS + 3 * most, np.int64)
        world[MOST], world[UNIT] = most, rules.unit_costs
        callbacks = [
            _steps_callback(rules.successors, numbers, world, named=False),
            _goal_callback(rules.is_goal, numbers),
        ]
        goals = None
        if rules.is_invertible:
            callbacks.append(_steps_callback(rules.predecessors, numbers, world, named=True))
        initial = np.array([numbers.number(rules.initial())], np.uint64)
        if rules.is_invertible:
            goals = np.array([numbers.number(goal) for goal in rules.goals()], np.uint64)
        for index, callback in enumerate(callbacks):
            world[index] = id(callback)
        return cls(
            instance=instance,
            world=world,
            initial=initial,
            max_successors=most,
            action_lengths=np.ones(most, np.int64),
            expand=expand_python,
            is_goal=is_goal_python,
            unit_costs=rules.unit_costs,
            predecessors=predecessors_python if rules.is_invertible else None,
            goals=goals,
            calls_python=True,
            numbers=numbers,
            callbacks=tuple(callbacks),
        )

    def pack(self, state: State) -> Words:
        """The number of a state."""
        return np.array([self.numbers.number(state)], np.uint64)

    def unpack(self, state: Words) -> State:
        """The state with a number."""
        return self.numbers.states[int(state[0])]


def _steps_callback(
    steps: Callable[[State], Iterable[Step]], numbers: StateNumbers, world: NDArray[np.int64], named: bool
) -> Callable[[int], int]:
    of, states, most, unit = numbers.of, numbers.states, int(world[MOST]), bool(world[UNIT])
    shared = memoryview(world)  # type: ignore[arg-type]
    written, costs, codes = (shared[STEPS + k * most : STEPS + (k + 1) * most] for k in range(3))

    def write(number: int) -> int:
        """Write every step; returns how many there are."""
        if failed_callbacks:
            return CALLBACK_FAILED
        try:
            at = -1
            for at, (name, state, cost) in enumerate(steps(states[number])):
                known = of.get(state)
                if known is None:
                    known = of[state] = len(states)
                    states.append(state)
                if at == most:
                    raise ValueError(f"a state has more than max_successors = {most} steps: {states[number]!r}")
                written[at] = known
                if not unit or cost != 1:
                    costs[at] = _checked_cost(cost, unit)
                if named:
                    codes[at] = -1 - numbers.name_number(name)
            return at + 1
        except BaseException as exception:
            return keep(exception)

    return write


def _checked_cost(cost: Any, unit: bool) -> int:
    if unit:
        raise ValueError(f"a step costs {cost!r} in a world with unit_costs")
    return max(-1, min(operator.index(cost), 1 << 40))


def _goal_callback(is_goal: Callable[[State], bool], numbers: StateNumbers) -> Any:
    states = numbers.states

    def test(number: int) -> int:
        """1 for a goal. The signature has no room for an error: it is kept, and the next expansion hands it on."""
        try:
            return 1 if is_goal(states[number]) else 0
        except BaseException as exception:
            keep(exception)
            return 0

    return test


@helper
def cost_of(world, step):
    """Cost of a step that a callback wrote, as far as it fits; the engine refuses what is negative or too large."""
    if world[UNIT] != 0:
        return np.int64(1)
    return max(-1, min(world[STEPS + world[MOST] + step], (1 << 31) - 1))


@kernel(EXPAND)
def expand_python(world, states, at, out, out_at, cost, action, slot):
    """Call the world's `successors`; an action's code is its index."""
    if world[INTERRUPTED] != 0:
        return CALLBACK_FAILED
    n = call_python(world[EXPAND_ADDRESS], np.int64(states[at]))
    for k in range(n):
        out[out_at + k] = np.uint64(world[STEPS + k])
        cost[slot + k] = cost_of(world, k)
        action[slot + k] = k
    return n


@kernel(EXPAND)
def predecessors_python(world, states, at, out, out_at, cost, action, slot):
    """Call the world's `predecessors`; an action's code is that of its name, negative."""
    n = call_python(world[PREDECESSORS_ADDRESS], np.int64(states[at]))
    for k in range(n):
        out[out_at + k] = np.uint64(world[STEPS + k])
        cost[slot + k] = cost_of(world, k)
        action[slot + k] = world[STEPS + 2 * world[MOST] + k]
    return n


@kernel(IS_GOAL)
def is_goal_python(world, states, at):
    """Call the world's `is_goal`."""
    outcome = call_python(world[IS_GOAL_ADDRESS], np.int64(states[at]))
    if outcome == CALLBACK_FAILED:  # the signature has no room for that: the next expansion hands it on
        world[INTERRUPTED] = 1
    return outcome == 1
