"""What the search engine knows of a world: instances, and problems packed into words.

A domain subclasses `Instance`; the engine sees the `Problem` that it packs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.metric import Metric
from runner.registry import Incompatible
from runner.status import Status
from worlds.game import Game
from worlds.kernel import Kernel, raise_on_error

Words = NDArray[np.uint64]


class Unsolvable(Exception):
    """Raised while an instance is prepared for a search: a proof that it has no solution."""


@dataclass(frozen=True, eq=False)
class Problem:
    """An instance packed for the engine.

    Attributes
    ----------
    instance : Instance
        The instance that was packed.
    world : ndarray of int64
        Everything that does not change during the search, in a layout of the domain's own.
    initial : ndarray of uint64, shape (words,)
        The packed start state. `initial.size` is the number of words of every state.
    max_successors : int
        No state has more successors.
    action_lengths : ndarray of int64
        Number of primitive actions that an action code stands for, indexed by the code.
    expand, is_goal : Kernel
        Of signature `worlds.kernel.EXPAND` and `worlds.kernel.IS_GOAL`.
    unit_costs : bool
        Every step costs 1.
    predecessors : Kernel or None
        The inverse of `expand`, of the same signature, where moves can be inverted: it writes the states from which
        one step leads to this one, with the cost and the action code of that step. At most `max_successors`.
    goals : ndarray of uint64 or None
        All goal states, one after the other. Comes with `predecessors`.
    calls_python : bool
        The kernels call back into Python, so nothing is known of their speed.
    """

    instance: Instance
    world: NDArray[np.int64]
    initial: Words
    max_successors: int
    action_lengths: NDArray[np.int64]
    expand: Kernel
    is_goal: Kernel
    unit_costs: bool = False
    predecessors: Kernel | None = None
    goals: Words | None = None
    calls_python: bool = False

    def pack(self, state: Any) -> Words:
        """A state as the engine sees it, from what `Instance.state` gave."""
        return state  # type: ignore[no-any-return]

    def unpack(self, state: Words) -> Any:
        """A state as heuristics in plain Python see it."""
        return self.instance.describe(state)

    def recognises(self, goal: Words) -> bool:
        """Whether one packed state is a goal, for plain Python."""
        is_goal = bool(self.is_goal.compiled(self.world, goal, 0))
        raise_on_error(0)
        return is_goal

    def successors(self, state: Words, *, backward: bool = False) -> list[tuple[Words, int, int]]:
        """Successors (or predecessors) of one packed state as (state, cost, action code), for plain Python."""
        kernel = self.predecessors if backward else self.expand
        if kernel is None:
            raise ValueError("this world has no predecessors")
        words = self.initial.size
        out = np.empty(words * self.max_successors, np.uint64)
        cost = np.empty(self.max_successors, np.int32)
        action = np.empty(self.max_successors, np.int16)
        n = kernel.compiled(self.world, state, 0, out, 0, cost, action, 0)
        raise_on_error(n)
        return [(out[k * words : (k + 1) * words], int(cost[k]), int(action[k])) for k in range(n)]


@dataclass(frozen=True)
class Replay:
    """What the independent simulator says of a plan.

    Attributes
    ----------
    reaches_goal : bool
        Every action was possible and the last one reached the goal.
    cost : int
        Sum of the costs of the actions.
    reward : int or None
        Score of the play in domains that have one.
    """

    reaches_goal: bool
    cost: int
    reward: int | None = None


@dataclass(frozen=True)
class Frame:
    """One moment of a plan that is played.

    Attributes
    ----------
    caption : str
        One line: what has just happened.
    text : str
        The moment as text.
    draw : callable or None
        Draws the moment on empty axes of matplotlib; None: the text is its picture.
    """

    caption: str
    text: str
    draw: Callable[[Any], None] | None = None


@dataclass(frozen=True)
class Document:
    """An instance as a file.

    Attributes
    ----------
    source : str
        Name of the source that reads it, as `path`.
    suffix : str
        Of the file's name.
    text : str
    parameters : dict
        Of the source, beside `path`.
    """

    source: str
    suffix: str
    text: str
    parameters: dict[str, Any] = field(default_factory=dict)


class Instance(ABC):
    """One thing to solve. Subclasses are frozen dataclasses.

    Attributes
    ----------
    id : str
    seed : int or None
        The seed that alone makes this instance again, for random ones.
    world : str
        Name of the source that it comes from.
    metrics : tuple of Metric
        What is measured of instances of this domain (`measured`, `Game.measured`), beside what is of all.
    statuses : tuple of Status
        How games of this domain end (`Game.status`).
    """

    domain: ClassVar[str]
    metrics: ClassVar[tuple[Metric, ...]] = ()
    statuses: ClassVar[tuple[Status, ...]] = ()
    id: str
    seed: int | None
    world: str

    @abstractmethod
    def key(self) -> dict[str, Any]:
        """Everything that tells this instance from others, as JSON-compatible values. Part of the run's identity."""

    def measured(self, plan: Sequence[str] | None) -> Mapping[str, float | None]:
        """Values of the domain's own metrics, by the plan that a search has found (None: none)."""
        return {}

    def variant(self) -> dict[str, Any]:
        """How the instance is searched where that is not the default, for the results."""
        return {}

    @abstractmethod
    def problem(self) -> Problem:
        """Pack the instance for the engine."""

    @abstractmethod
    def state(self, **keywords: Any) -> Words:
        """Pack one state that is described in the domain's own words."""

    @abstractmethod
    def describe(self, state: Words) -> Any:
        """Unpack a state: the inverse of `state`, as heuristics in plain Python see it."""

    @abstractmethod
    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Names of the primitive actions that a path of action codes stands for."""

    @abstractmethod
    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by the rules, independently of the search."""

    @abstractmethod
    def render(self, plan: Sequence[str] | None = None) -> str:
        """The instance, and what a plan does in it, as text."""

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """The moments of a plan: the start, and what is after each action. Unless overridden, start and end only."""
        yield Frame("start", self.render())
        yield Frame(f"{len(plan)} actions", self.render(plan))

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None] | None:
        """Draws the instance, and what a plan does in it, on empty axes of matplotlib. Unless overridden, the start."""
        return next(iter(self.frames(plan))).draw

    def smaller(self) -> Iterator[Instance]:
        """Instances that are a step simpler, the largest steps first: counterexamples are made small by these.

        No sequence of such steps goes on for ever. Unless overridden, there are none.
        """
        yield from ()

    def starting_at(self, state: Words) -> Instance | None:
        """The instance that begins in a state, where there is such an instance. Unless overridden, there is none."""
        return None

    def document(self) -> Document | None:
        """The instance as a file that loads again; None for worlds without files."""
        return None

    def online(self) -> Instance:
        """The instance as agents play it, which may begin otherwise than the search does.

        Raises
        ------
        Incompatible
            If it cannot be played.
        """
        raise Incompatible(
            f"agents play games of percepts, and {self.domain} has none; choose a world such as wumpus/random"
        )

    def game(self) -> Game:
        """A new game of an instance that `online` gave."""
        raise NotImplementedError

    def accepts_cost(self, cost: int) -> bool:
        """Whether a plan of this cost counts as a solution."""
        return True

    def fallback_plan(self) -> tuple[str, ...] | None:
        """What to do in an instance that has no solution; None where that means nothing."""
        return None


class Source(ABC):
    """Where instances come from. Subclasses are frozen dataclasses whose fields are the parameters in YAML."""

    registered_name: ClassVar[str]
    domain: ClassVar[str]

    @abstractmethod
    def instances(self) -> Iterator[Instance]:
        """Yield the instances, in the same order every time."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of instances."""

    def part(self, numbers: range) -> Iterator[Instance]:
        """The instances with these numbers, from 0. Unless overridden, those before are made, too."""
        return islice(self.instances(), numbers.start, numbers.stop)

    def check(self) -> None:  # noqa: B027
        """Raise `runner.registry.UserError` if an instance cannot be had, before anything runs."""

    @property
    def reads_files(self) -> bool:
        """Whether instances come from files of the user's: unless overridden, if a parameter `path` says which."""
        return hasattr(self, "path")

    @property
    def exhaustive(self) -> str | None:
        """What the instances are all of, in words, if they are all that there are of something."""
        return None

    def samples(self) -> Iterator[Instance]:
        """One instance of every kind that heuristics and algorithms may treat differently; the first if all are alike.

        What does not go with one of them is refused before anything runs.
        """
        yield from islice(self.instances(), 1)


class IndependentSource(Source):
    """A source that can make any of its instances without those before it."""

    @abstractmethod
    def instance(self, number: int) -> Instance:
        """The instance with a number, from 0."""

    def instances(self) -> Iterator[Instance]:
        """Yield the instances by number."""
        return self.part(range(len(self)))

    def part(self, numbers: range) -> Iterator[Instance]:
        """The instances with these numbers, and no others are made."""
        return map(self.instance, numbers)
