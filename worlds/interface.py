"""Interface between worlds and the search engine: instances, and problems packed into words.

Sources yield instances. An instance packs its world into a `Problem`, which is all that the engine sees.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
from numpy.typing import NDArray

from runner.base.errors import UserError
from runner.base.metric import Metric
from runner.base.parameters import yaml_name
from worlds.callbacks import Callbacks, expand_python, is_goal_python, predecessors_python
from worlds.compile.errors import raise_on_error
from worlds.compile.kernel import Kernel
from worlds.in_place import InPlaceProblem
from worlds.numbering import Numbering
from worlds.real_costs import user_cost
from worlds.world import Document, Frame, OutOfTime, Replay, State, Unsolvable, Words, World

__all__ = ["Document", "Frame", "Instance", "OutOfTime", "Problem", "Replay", "Unsolvable", "Words"]

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    AnyWorld = TypeVar("AnyWorld", bound=World, default=World, covariant=True)
else:
    from typing import TypeVar

    AnyWorld = TypeVar("AnyWorld")


@dataclass(frozen=True, eq=False)
class Problem:
    """An instance packed for the engine. The first seven attributes are required.

    Attributes
    ----------
    instance : Instance
        Instance that was packed.
    constants : ndarray of int64
        Everything that does not change during the search. Each domain has its own layout.
    initial : ndarray of uint64, shape (words,)
        Packed start state. `initial.size` is the number of words of every state.
    max_successors : int
        Upper bound of the number of successors of a state.
    action_lengths : ndarray of int64
        Number of primitive actions that an action code stands for, indexed by the code.
    expand, is_goal : Kernel
        Kernels of signature `worlds.compile.kernel.EXPAND` and `worlds.compile.kernel.IS_GOAL`.
    unit_costs : bool
        Whether every step costs 1.
    predecessors : Kernel or None
        Inverse of `expand`, of the same signature; None if moves cannot be inverted. It writes the states from which
        one step leads to this one (at most `max_successors`), with the cost and the action code of that step.
    goals : ndarray of uint64 or None
        All goal states, one after the other; None without `predecessors`.
    callbacks : Callbacks or None
        Rules in plain Python that the kernels call, and the numbers of the states. Their speed is unknown.
    redundant_pairs : frozenset of (int, int)
        Pairs of action codes that a path need not contain one after the other (`World.redundant_pairs`).
    in_place : callable or None
        Returns the problem for searches that change one board (`worlds.in_place`); None if the world offers none.
    numbering : Numbering or None
        Numbers of the states, if they are so few that a search may have a place for each. With real costs
        (`Instance.cost_scale`), best-first search with at most one heuristic then needs a quarter of the time or
        less. A kernel is compiled for each heuristic, in about four seconds, and kept on disk.
    call_seconds : float or None
        Limit of the processor time of each call of a heuristic in plain Python.
    """

    instance: Instance
    constants: NDArray[np.int64]
    initial: Words
    max_successors: int
    action_lengths: NDArray[np.int64]
    expand: Kernel
    is_goal: Kernel
    unit_costs: bool = False
    predecessors: Kernel | None = None
    goals: Words | None = None
    callbacks: Callbacks | None = None
    redundant_pairs: frozenset[tuple[int, int]] = frozenset()
    in_place: Callable[[], InPlaceProblem] | None = None
    numbering: Numbering | None = None
    call_seconds: float | None = None

    @property
    def calls_python(self) -> bool:
        """Whether the kernels call back into Python."""
        return self.callbacks is not None

    def pack(self, state: State) -> Words:
        """Pack a state. An array is packed already.

        Raises
        ------
        UserError
            If it is no state of the world: unpacked again, it is something else.
        """
        if isinstance(state, np.ndarray):
            return state
        if self.callbacks is not None:
            return np.array([self.callbacks.numbers.number(state)], np.uint64)
        words = self.instance.world.packed(state)
        unpacked = self.unpack(words)
        if type(unpacked) is not type(state) or unpacked != state:
            raise UserError(f"{state!r} is no state of {self.instance.domain}: packed and unpacked it is {unpacked!r}")
        return words

    def unpack(self, state: Words) -> State:
        """Return a packed state as heuristics in plain Python see it."""
        if self.callbacks is not None:
            return self.callbacks.numbers.states[int(state[0])]
        return self.instance.describe(state)

    def recognises(self, goal: Words) -> bool:
        """Return whether a packed state is a goal. For use in plain Python."""
        is_goal = bool(self.is_goal.compiled(self.constants, goal, 0))
        raise_on_error(0)
        return is_goal

    def successors(self, state: Words, *, backward: bool = False, at: int = 0) -> list[tuple[Words, int, int]]:
        """Return the successors (or predecessors) of a packed state as (state, cost, action code).

        The state begins at index `at` of the array. For use in plain Python. Raises a ValueError if there are more than
        `max_successors`.
        """
        kernel = self.predecessors if backward else self.expand
        if kernel is None:
            raise ValueError("this world has no predecessors")
        words = self.initial.size
        room = 2 * self.max_successors + 8  # a kernel that writes too many has not yet damaged other memory
        out = np.empty(words * room, np.uint64)
        cost = np.empty(room, np.int32)
        action = np.empty(room, np.int16)
        n = kernel.compiled(self.constants, state, at, out, 0, cost, action, 0)
        raise_on_error(n)
        if n > self.max_successors:
            raise ValueError(f"{kernel.__name__} wrote {n} states; max_successors is {self.max_successors}")
        return [(out[k * words : (k + 1) * words], int(cost[k]), int(action[k])) for k in range(n)]


@dataclass(frozen=True)
class Instance(Generic[AnyWorld]):
    """One problem to solve: a world with a name. It also has the attributes of its world, such as `cave`.

    Attributes
    ----------
    world : World
    id : str
        Name of the instance, unique in its source.
    seed : int or None
        Seed that alone makes a random instance again; None if the instance is not random.
    source : str
        Name of the source. Default: the domain.
    columns : tuple of str
        Fields of the world that are columns of the results.
    """

    world: AnyWorld
    id: str
    seed: int | None = None
    source: str = ""
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.source:
            object.__setattr__(self, "source", self.world.domain)

    if not TYPE_CHECKING:  # users write `instance.cave`; our own code names the world, and is checked

        def __getattr__(self, name: str) -> Any:
            """Return an attribute of the world."""
            if name.startswith("_") or name == "world":
                raise AttributeError(name)
            try:
                return getattr(self.world, name)
            except AttributeError:
                raise AttributeError(f"an instance of {self.world.domain} has no attribute '{name}'") from None

    def __hash__(self) -> int:
        return hash((self.source, self.id))  # worlds of users need not be hashable

    @property
    def domain(self) -> str:
        """Name of the domain."""
        return self.world.domain

    @property
    def cost_scale(self) -> int:
        """Cost in the engine that is a cost of 1 to the user (see `worlds.real_costs`)."""
        return self.world.engine_scale

    def user_cost(self, cost: int) -> float:
        """Return a cost of the engine in the user's units: an int if `cost_scale` is 1."""
        return user_cost(cost, self.cost_scale)

    # The packed side.

    def problem(self) -> Problem:
        """Pack the instance for the engine.

        Raises
        ------
        Unsolvable
            If it is known to have no solution.
        OutOfTime
            If the limit of `within` is over.
        ValueError
            If a state cannot be packed, or a declaration of the world is wrong.
        """
        rules = self.world
        if rules.expand_kernel is None:
            return self._calling_problem()
        reason = rules.proof_of_unsolvability()
        if reason is not None:
            raise Unsolvable(reason)
        assert rules.goal_kernel is not None
        backward = rules.predecessors_kernel
        goals = [] if backward is None else [rules.packed(goal) for goal in rules.goals()]
        lengths = rules.action_lengths
        return Problem(
            instance=self,
            constants=np.asarray(rules.constants(), np.int64),
            initial=rules.packed(rules.initial()),
            max_successors=rules.max_successors or lengths.size,
            action_lengths=lengths,
            expand=rules.expand_kernel,
            is_goal=rules.goal_kernel,
            unit_costs=rules.unit_costs,
            predecessors=backward,
            goals=None if backward is None else goals[0] if len(goals) == 1 else np.concatenate(goals),
            redundant_pairs=rules.redundant_pairs,
            in_place=rules.in_place,
            numbering=rules.numbering,
        )

    def _calling_problem(self) -> Problem:
        """Return the problem whose kernels call the rules."""
        callbacks = Callbacks.of(self.world)
        return Problem(
            instance=self,
            constants=callbacks.constants,
            initial=callbacks.initial,
            max_successors=self.world.max_successors,
            action_lengths=np.ones(self.world.max_successors, np.int64),
            expand=expand_python,
            is_goal=is_goal_python,
            unit_costs=self.world.unit_costs,
            predecessors=None if callbacks.goals is None else predecessors_python,
            goals=callbacks.goals,
            callbacks=callbacks,
        )

    def within(self, seconds: float | None) -> Instance:
        """Return this instance with a limit of the time of `problem`, which then raises `OutOfTime`."""
        rules = self.world.limited(seconds)
        return self if rules is self.world else self._with(rules, self.seed)

    def state(self, *values: Any, **keywords: Any) -> State:
        """Return a state described in the domain's terms, for `Problem.pack`. It may be packed already."""
        return self.world.state_of(*values, **keywords)

    def describe(self, state: Words) -> State:
        """Unpack a state, as heuristics in plain Python see it: the inverse of `state`."""
        return self.world.unpacked(state)

    # Plans.

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the names of the primitive actions that the action codes of a path stand for."""
        if problem.callbacks is None:
            return self.world.names_of(actions)
        state, names = self.world.initial(), []
        for code in actions:  # an index among the successors or, if negative, that of a name
            steps = list(self.world.successors(state))
            of_steps = [step[0] for step in steps]
            name = problem.callbacks.numbers.names[-1 - code] if code < 0 else of_steps[code]
            if of_steps.count(name) > 1:
                raise ValueError(f"two steps from {state!r} have the name {name!r}")
            names.append(str(name))
            state = steps[of_steps.index(name)][1]
        return tuple(names)

    def name_of(self, state: State, code: int, problem: Problem) -> str:
        """Return the name of an action code in a state, as `Problem.unpack` returns it.

        Raises
        ------
        LookupError, ValueError
            If there is no such action.
        """
        if problem.callbacks is not None:
            return str([step[0] for step in self.world.successors(state)][code])
        name = self.world.name_of(state, code)
        return " ".join(name) if isinstance(name, tuple) else name

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by the rules, independently of the search."""
        return self.world.replay(plan)

    # Identity and columns.

    def key(self) -> dict[str, Any]:
        """Return everything that distinguishes this instance, as JSON-compatible values. Part of the run's identity."""
        return {"id": self.id, **self.world.identity()}

    def variant(self) -> dict[str, Any]:
        """Return the parameters of the search in this domain that differ from the defaults, for the results."""
        return self.world.variant_of_search()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Metrics of the world, and the columns of fields that it does not declare itself."""
        own = self.world.metrics
        names = {metric.name for metric in own}
        return (*own, *(metric for metric in map(metric_of, self.columns) if metric.name not in names))

    def measured(self, plan: Sequence[str] | None, status: str) -> Mapping[str, float | None]:
        """Return the values of `metrics` for the end of a search and its plan (None: no plan)."""
        fields = {yaml_name(name): getattr(self.world, name) for name in self.columns}
        return {**fields, **self.world.measured_at_end(plan, status)}

    # Looks.

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the instance and the effect of a plan as text."""
        return self.world.render(plan)

    def show(self, state: State) -> str:
        """Return a state, as `Problem.unpack` returns it, as text."""
        return self.world.show(state)

    def locate(self, state: State) -> tuple[float, float] | None:
        """Return the position (x, y) of a state on the picture; None if states have no positions."""
        return self.world.locate(state)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the start and the moment after each action of a plan."""
        return self.world.frames(plan)

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None] | None:
        """Return a function that draws the instance and a plan on empty axes of matplotlib; None: only as text."""
        return self.world.picture(plan)

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from runner.base.drawing import draw_text, drawn

        return drawn(self.picture(()) or partial(draw_text, self.render()), (3.2, 3.2))

    # Audits and games.

    def smaller(self) -> Iterator[Instance]:
        """Yield instances that are one step simpler, the largest steps first, to shrink counterexamples."""
        return (self._with(rules) for rules in self.world.smaller())

    def starting_at(self, state: State) -> Instance | None:
        """Return the instance that starts in a state, as `Problem.unpack` returns it; None if there is none."""
        rules = self.world.starting_at(state)
        return None if rules is None else self._with(rules)

    def document(self) -> Document | None:
        """Return the instance as a file that can be loaded again; None for worlds without files."""
        return self.world.document(self.id)

    def online(self) -> Instance:
        """Return the instance as agents play it. Its start may differ from that of the search.

        Raises
        ------
        Incompatible
            If the instance cannot be played.
        """
        return self._with(self.world.as_played(self.id), self.seed)

    def _with(self, rules: World, seed: int | None = None) -> Instance:
        return Instance(rules, self.id, seed, self.source, self.columns)


def metric_of(field: str) -> Metric:
    """Return the declaration of the column of a field."""
    meaning = "parameter of the instance"
    return Metric(
        yaml_name(field), better="neither", aggregate="mean", digits=2, log=False, is_main=False, meaning=meaning
    )


def checked_instance(value: object) -> Instance:
    """Return an argument of the public API that must be an instance."""
    if isinstance(value, Instance):
        return value
    world = reprlib.repr(value) if isinstance(value, str) else "..."
    raise UserError(f"instance: expected one instance, such as runner.load({world})[0], got {reprlib.repr(value)}")
