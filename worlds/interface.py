"""Interface between worlds and the search engine: instances, and problems packed into words.

A domain subclasses `Instance`; the engine sees the `Problem` that it packs. Most worlds need neither: `PythonWorld` and
`CompiledWorld` make both from rules and kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runner.base.errors import Incompatible
from runner.base.metric import Metric
from runner.base.status import Status
from worlds.compile.errors import raise_on_error
from worlds.compile.kernel import Kernel
from worlds.game import Game
from worlds.in_place import InPlaceProblem
from worlds.numbering import Numbering
from worlds.real_costs import user_cost

Words = NDArray[np.uint64]


class Unsolvable(Exception):
    """Proof, found while an instance is prepared for a search, that it has no solution."""


class OutOfTime(Exception):
    """The time for packing an instance is over (`Instance.within`). The message says what was still being done."""


@dataclass(frozen=True, eq=False)
class Problem:
    """An instance packed for the engine. The first seven attributes are required.

    Attributes
    ----------
    instance : Instance
        Instance that was packed.
    world : ndarray of int64
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
    calls_python : bool
        Whether the kernels call back into Python. Their speed is unknown then.
    in_place : callable or None
        Returns the problem for searches that change one board (`worlds.in_place`); None if the world offers none.
    numbering : Numbering or None
        Numbers of the states, if they are so few that a search may have a place for each. With real costs
        (`Instance.cost_scale`), best-first search with at most one heuristic then needs a quarter of the time or
        less. A kernel is compiled for each heuristic, in about four seconds, and kept on disk.
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
    in_place: Callable[[], InPlaceProblem] | None = None
    numbering: Numbering | None = None

    def pack(self, state: Any) -> Words:
        """Pack a state that `Instance.state` returned."""
        words: Words = state
        return words

    def unpack(self, state: Words) -> Any:
        """Return a packed state as heuristics in plain Python see it."""
        return self.instance.describe(state)

    def recognises(self, goal: Words) -> bool:
        """Return whether a packed state is a goal. For use in plain Python."""
        is_goal = bool(self.is_goal.compiled(self.world, goal, 0))
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
        n = kernel.compiled(self.world, state, at, out, 0, cost, action, 0)
        raise_on_error(n)
        if n > self.max_successors:
            raise ValueError(f"{kernel.__name__} wrote {n} states; max_successors is {self.max_successors}")
        return [(out[k * words : (k + 1) * words], int(cost[k]), int(action[k])) for k in range(n)]


@dataclass(frozen=True)
class Replay:
    """Result of playing a plan by the rules, independently of the search.

    Attributes
    ----------
    reaches_goal : bool
        Whether every action was possible and the last one reached the goal.
    cost : int
        Sum of the costs of the actions, in the integers of the engine.
    reward : int or None
        Score of the play; None in domains without a score.
    failure : str or None
        Description of the first action that was not possible, or that ended the play without the goal: its number, its
        name, the state before it, and what the rules say. None if there is none.
    """

    reaches_goal: bool
    cost: int
    reward: int | None = None
    failure: str | None = None


@dataclass(frozen=True)
class Frame:
    """One moment of a plan that is played.

    Attributes
    ----------
    caption : str
        One line that describes the last action.
    text : str
        The moment as text.
    draw : callable or None
        Function that draws the moment on empty axes of matplotlib; None if the text is its picture.
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
        Name of the source that reads the file, as its parameter `path`.
    suffix : str
        Extension of the file's name.
    text : str
        Content of the file.
    parameters : dict
        Parameters of the source other than `path`.
    """

    source: str
    suffix: str
    text: str
    parameters: dict[str, Any] = field(default_factory=dict)


class Instance(ABC):
    """One problem to solve. Subclasses are frozen dataclasses; `domain`, `metrics` and `statuses` are class attributes.

    Required are the three attributes below, `domain`, `key`, `problem`, `state`, `describe`, `plan`, `replay` and
    `render`. Everything else has a default.

    Attributes
    ----------
    id : str
        Name of the instance, unique in its source.
    seed : int or None
        Seed that alone makes a random instance again; None if the instance is not random.
    world : str
        Name of the source.
    """

    id: str
    seed: int | None
    world: str

    @property
    @abstractmethod
    def domain(self) -> str:
        """Name of the domain."""

    @property
    def cost_scale(self) -> int:
        """Cost in the engine that is a cost of 1 to the user (see `worlds.real_costs`)."""
        return 1

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Metrics of this domain alone (see `measured` and `Game.measured`)."""
        return ()

    @property
    def statuses(self) -> tuple[Status, ...]:
        """Statuses with which games of this domain end (see `Game.status`)."""
        return ()

    @abstractmethod
    def key(self) -> dict[str, Any]:
        """Return everything that distinguishes this instance, as JSON-compatible values. Part of the run's identity."""

    def measured(self, plan: Sequence[str] | None, status: str) -> Mapping[str, float | None]:
        """Return the values of the domain's own metrics for the end of a search and its plan (None: no plan)."""
        return {}

    def variant(self) -> dict[str, Any]:
        """Return the parameters of the search in this domain that differ from the defaults, for the results."""
        return {}

    @abstractmethod
    def problem(self) -> Problem:
        """Pack the instance for the engine."""

    @abstractmethod
    def state(self, *values: Any, **keywords: Any) -> Any:
        """Return a state described in the domain's terms, for `Problem.pack`. Compiled domains pack it already."""

    @abstractmethod
    def describe(self, state: Words) -> Any:
        """Unpack a state, as heuristics in plain Python see it: the inverse of `state`."""

    @abstractmethod
    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the names of the primitive actions that the action codes of a path stand for."""

    @abstractmethod
    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by the rules, independently of the search."""

    @abstractmethod
    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the instance and the effect of a plan as text."""

    def show(self, state: Any) -> str:
        """Return a state, as `Problem.unpack` returns it, as text. Default: its `str`."""
        return str(state)

    def locate(self, state: Any) -> tuple[float, float] | None:
        """Return the position (x, y) of a state in the coordinates of `picture`, as the middle of a cell of width 1.

        The state is what `Problem.unpack` returns. Several states may have one position. None (the default): states
        have no positions, and the explorer shows the search as a tree.
        """
        return None

    @property
    def torus(self) -> tuple[float, float] | None:
        """Width and height of a picture whose opposite edges are joined, from the origin on; None if they are not.

        Lines through the positions of states leave it at one edge and enter at the other.
        """
        return None

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the start and the moment after each action of a plan. Default: the start and the end only."""
        yield Frame("start", self.render())
        yield Frame(f"{len(plan)} actions", self.render(plan))

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None] | None:
        """Return a function that draws the instance and a plan on empty axes of matplotlib. Default: only the start."""
        return next(iter(self.frames(plan))).draw

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from runner.base.drawing import draw_text, drawn

        return drawn(self.picture(()) or partial(draw_text, self.render()), (3.2, 3.2))

    def smaller(self) -> Iterator[Instance]:
        """Yield instances that are one step simpler, the largest steps first, to shrink counterexamples.

        Every sequence of such steps must end. Default: no instances.
        """
        yield from ()

    def starting_at(self, state: Words) -> Instance | None:
        """Return the instance that starts in a state; None (the default) if there is no such instance."""
        return None

    def document(self) -> Document | None:
        """Return the instance as a file that can be loaded again; None for worlds without files."""
        return None

    def within(self, seconds: float | None) -> Instance:
        """Return this instance with a limit of the time of `problem`, which then raises `OutOfTime`. Default: no limit.

        Worlds whose `problem` runs another program implement this.
        """
        return self

    def online(self) -> Instance:
        """Return the instance as agents play it. Its start may differ from that of the search.

        Raises
        ------
        Incompatible
            If the instance cannot be played.
        """
        raise Incompatible(
            f"agents play games of percepts, and {self.domain} has none; choose a world such as wumpus/random"
        )

    def game(self) -> Game:
        """Start a new game of an instance that `online` returned."""
        raise NotImplementedError

    def user_cost(self, cost: int) -> float:
        """Return a cost of the engine in the user's units: an int if `cost_scale` is 1."""
        return user_cost(cost, self.cost_scale)

    def accepts_cost(self, cost: int) -> bool:
        """Return whether a plan of this cost counts as a solution."""
        return True

    def fallback_plan(self) -> tuple[str, ...] | None:
        """Return the plan for an instance without solution; None in domains where there is no such plan."""
        return None
