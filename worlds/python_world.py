"""Worlds in plain Python: three methods on hashable states, searched by the same engine."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from runner import registry
from runner.metric import Metric
from runner.registry import UserError
from worlds.interface import Frame, Instance, Problem, Replay, Source, Words
from worlds.python_problem import PythonProblem, State, Step


class PythonWorld(Source):
    """Base of worlds in plain Python. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    With fields `count` and `seed` it stands for `count` instances, with the seeds `seed`, `seed` + 1, ...

    Attributes
    ----------
    max_successors : int
        No state has more successors or predecessors, at most 32,767.
    unit_costs : bool
        Every step costs 1.
    metrics : tuple of Metric
        What `measured` gives.
    """

    metrics: ClassVar[tuple[Metric, ...]] = ()
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

    def measured(self, plan: Sequence[str] | None) -> Mapping[str, float | None]:
        """Values of the world's own `metrics`, by the plan that a search has found (None: none)."""
        return {}

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

    @property
    def metrics(self) -> tuple[Metric, ...]:  # type: ignore[override]
        """The world's."""
        return self.rules.metrics

    def measured(self, plan: Sequence[str] | None) -> Mapping[str, float | None]:
        """What the world measures."""
        return self.rules.measured(plan)

    def key(self) -> dict[str, Any]:
        """The world's parameters."""
        parameters: dict[str, Any] = registry.parameters(self.rules) if dataclasses.is_dataclass(self.rules) else {}
        return {"id": self.id, **parameters}

    def problem(self) -> Problem:
        """The world behind the engine's signatures."""
        return PythonProblem.of(self)

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

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Every state as the world shows it."""
        states, _ = self._walk(plan)
        for number, (action, state) in enumerate(zip(["start", *plan], states, strict=False)):
            caption = f"{number}/{len(plan)}: {action}" if number else "start"
            yield Frame(caption, self.rules.show(state))

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
