"""Worlds in plain Python: three methods on hashable states, searched by the same engine."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

from runner.base.errors import UserError
from runner.base.metric import Metric
from runner.base.parameters import parameters_of, yaml_name
from worlds.interface import Frame, Instance, Problem, Replay, Words
from worlds.python_problem import PythonProblem, State, Step, scale_of
from worlds.python_source import PythonSource, metric_of
from worlds.real_costs import CostScale, step_costs
from worlds.refusal import impossible


class PythonWorld(PythonSource):
    """Base class of worlds in plain Python. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Three methods are required: `initial`, `successors` and `is_goal`. Everything else is optional. With the fields
    `count` and `seed` it has `count` instances, with the seeds `seed`, `seed` + 1, ...; `load` and `worlds` give other
    instances.

    Attributes
    ----------
    max_successors : int
        Upper bound of the number of successors and of predecessors of a state, at most 32,767.
    unit_costs : bool
        Whether every step costs 1.
    cost_scale : int or "auto"
        For costs that are no integers: the number of units of the engine in a cost of 1. The engine rounds costs up to
        its units. "auto" takes the least power of ten that suffices for the costs near the start.
    metrics : tuple of Metric
        Metrics whose values `measured` returns.
    extensions : tuple of str
        Extensions of the files that `load` reads from a folder.
    instance_class : type
        Class of the instances.
    """

    metrics: ClassVar[tuple[Metric, ...]] = ()
    max_successors: ClassVar[int] = 1024
    unit_costs: ClassVar[bool] = False
    cost_scale: ClassVar[CostScale] = 1
    instance_class: ClassVar[type[PythonInstance]]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.registered_name = cls.__name__  # until it is registered under another name

    @property
    def domain(self) -> str:
        """Name of the world: each one is a domain of its own."""
        return self.registered_name

    @abstractmethod
    def initial(self) -> State:
        """Return the start state."""

    @abstractmethod
    def successors(self, state: State) -> Iterable[Step]:
        """Return the steps from a state as (name of the action, successor, cost), in the same order every time.

        The names of a state's steps differ. Costs are integers of at least 0, or floats in a world with `cost_scale`.
        """

    @abstractmethod
    def is_goal(self, state: State) -> bool:
        """Return whether a state is a goal."""

    def predecessors(self, state: State) -> Iterable[Step]:
        """Return the steps to a state as (name of the action, predecessor, cost). Optional, together with `goals`.

        The action is the one that leads from the predecessor to the state.
        """
        raise NotImplementedError

    def goals(self) -> Iterable[State]:
        """Return all goal states. Optional, together with `predecessors`."""
        raise NotImplementedError

    def measured(self, plan: Sequence[str] | None) -> Mapping[str, float | None]:
        """Return the values of the world's own `metrics` for the plan that a search has found (None: no plan)."""
        return {}

    def show(self, state: State) -> str:
        """Return a state as text."""
        return str(state)

    def draw(self, state: State, axes: Any) -> None:
        """Draw a state on empty axes of matplotlib. Optional; without it, the text is the picture."""
        raise NotImplementedError

    def locate(self, state: State) -> tuple[float, float] | None:
        """Return the position (x, y) of a state in the coordinates of `draw`, as the middle of a cell of width 1.

        Optional. `python -m runner explore` then shows a search on the board; without positions, as a tree.
        """
        return None

    @property
    def has_drawings(self) -> bool:
        """Whether the world has the method `draw`."""
        return type(self).draw is not PythonWorld.draw

    @property
    def is_invertible(self) -> bool:
        """Whether the world has `predecessors` and `goals`."""
        return all(getattr(type(self), name) is not getattr(PythonWorld, name) for name in ("predecessors", "goals"))


@dataclass(frozen=True, eq=False)
class PythonInstance(Instance):
    """Instance of a world in plain Python.

    Attributes
    ----------
    rules : PythonWorld
        World with the seed of this instance.
    id : str
        Name of the instance, unique in its world.
    seed : int or None
        Seed of the instance; None in worlds without seeds.
    columns : tuple of str
        Parameters of the world that are columns of the results.
    world : str
        Name of the world.
    """

    rules: PythonWorld
    id: str
    seed: int | None = None
    columns: tuple[str, ...] = ()
    world: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "world", self.rules.registered_name)

    @property
    def domain(self) -> str:
        """Domain of the world."""
        return self.rules.domain

    @cached_property
    def cost_scale(self) -> int:
        """Number of units of the engine in a cost of 1."""
        return scale_of(self.rules)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Metrics of the world, and the columns of parameters that it does not declare itself."""
        own = self.rules.metrics
        names = {metric.name for metric in own}
        return (*own, *(metric for metric in map(metric_of, self.columns) if metric.name not in names))

    def measured(self, plan: Sequence[str] | None, status: str) -> Mapping[str, float | None]:
        """Return the values of the columns of parameters, and of the world's own metrics."""
        parameters = {yaml_name(name): getattr(self.rules, name) for name in self.columns}
        return {**parameters, **self.rules.measured(plan)}

    def key(self) -> dict[str, Any]:
        """Return the id and the parameters of the world, without the path of files that have been read and a sample."""
        parameters: dict[str, Any] = parameters_of(self.rules) if dataclasses.is_dataclass(self.rules) else {}
        left_out = ("path", *self.rules.of_sample) if self.rules.loads_files else ()
        return {"id": self.id, **{name: value for name, value in parameters.items() if name not in left_out}}

    def problem(self) -> Problem:
        """Pack the world for the engine."""
        return PythonProblem.of(self, self.rules)

    def state(self, value: State) -> State:
        """Return the state itself, which `Problem.pack` packs."""
        return value

    def describe(self, state: Words) -> State:
        """Raise an error: each problem numbers the states in its own way. Use `Problem.unpack`."""
        raise UserError("describe: states of a world in plain Python are unpacked by their problem")

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the names of the actions. A code is an index among the successors or, if negative, that of a name."""
        assert isinstance(problem, PythonProblem)
        state, names = self.rules.initial(), []
        for code in actions:
            steps = list(self.rules.successors(state))
            of_steps = [step[0] for step in steps]
            name = problem.numbers.names[-1 - code] if code < 0 else of_steps[code]
            if of_steps.count(name) > 1:
                raise ValueError(f"two steps from {state!r} have the name {name!r}")
            names.append(str(name))
            state = steps[of_steps.index(name)][1]
        return tuple(names)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play the actions of a plan by their names."""
        states, cost = self._walk(plan)
        number = len(states)
        if number <= len(plan):
            allowed = (str(name) for name, _, _ in self.rules.successors(states[-1]))
            return Replay(False, cost, failure=impossible(number, plan[number - 1], states[-1], allowed))
        return Replay(bool(self.rules.is_goal(states[-1])), cost)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the start state, and each state of a plan after its action, as text.

        The action is on the line of a state that takes one line, and above a state that takes several.
        """
        states, _ = self._walk(plan or ())
        texts = [self.rules.show(state) for state in states]
        between = "\n" if any("\n" in text for text in texts) else " "
        lines = [f"{action}:{between}{text}" for action, text in zip(plan or (), texts[1:], strict=False)]
        return "\n".join([texts[0], *lines])

    def show(self, state: State) -> str:
        """Return a state as the world shows it."""
        return self.rules.show(state)

    def locate(self, state: State) -> tuple[float, float] | None:
        """Return the position that the world gives a state."""
        return self.rules.locate(state)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield every state of a plan as the world shows and draws it."""
        states, _ = self._walk(plan)
        for number, (action, state) in enumerate(zip(["start", *plan], states, strict=False)):
            caption = f"{number}/{len(plan)}: {action}" if number else "start"
            draw = partial(self.rules.draw, state) if self.rules.has_drawings else None
            yield Frame(caption, self.rules.show(state), draw)

    def _walk(self, plan: Sequence[str]) -> tuple[list[State], int]:
        """Return the states of a plan, up to the first impossible action, and their cost."""
        states, cost = [self.rules.initial()], 0
        engine_cost = step_costs(self.rules.cost_scale, self.cost_scale)
        for action in plan:
            step = next((step for step in self.rules.successors(states[-1]) if str(step[0]) == action), None)
            if step is None:
                break
            states.append(step[1])
            cost += engine_cost(action, step[2])
        return states, cost


PythonWorld.instance_class = PythonInstance
