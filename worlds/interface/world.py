"""The interface of worlds: rules in plain Python, and the parts that a world may have in addition.

A world is one problem to solve. It is a frozen dataclass that derives from the classes of what it has:

- `World`: the rules, which is all that is required. They validate plans, and without kernels searches call them.
- `Kernels`: the same rules as kernels over packed states. Searches then use nothing else.
- `Looks`: pictures of states and of plans.
- `Family`: simpler worlds, other starts and files, for audits.
- `Playable`: games of agents that observe percepts only.
- `CostVectors`: several costs of each step.

`World.kernels`, `looks`, `family`, `playable` and `cost_vectors` are the world itself as the class of this part, or
None without it.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runner.base import TIME_LIMIT, Metric, Status, parameters_of
from worlds.compile import Kernel
from worlds.interface import plan_texts
from worlds.interface.game import Game
from worlds.interface.in_place import InPlaceProblem
from worlds.interface.numbering import Numbering
from worlds.interface.perfect_index import PerfectIndex
from worlds.interface.real_costs import CostScale, automatic_scale, step_costs, user_cost
from worlds.interface.replay import Replay, impossible
from worlds.interface.state_arrays import StateArrays

Words = NDArray[np.uint64]
"""A packed state."""
State = Any
"""A state: any hashable value. Worlds may annotate its type."""
Step = tuple[str, State, float]
"""Name of the action, the state it leads to (or comes from), and its cost."""
ActionName = str | tuple[str, ...]
"""Name of an action; of a macro-action, the names of its primitive actions."""

MAX_CODE = (1 << 15) - 1
"""Largest code of an action: codes are signed 16-bit integers."""
MAX_SCALE = 10**9
_SETTINGS = ("domain", "unit_costs", "cost_scale", "max_successors", "torus_size")
"""Properties that a field may take the place of."""
PARTS = ("kernels", "looks", "family", "playable", "cost_vectors")
"""Parts that a world may have."""
_STATES_FOR_SCALE = 100
_WORD = np.dtype(np.uint64)


class Unsolvable(Exception):
    """Proof, found while a world is prepared for a search, that it has no solution."""


class OutOfTime(Exception):
    """The time for packing a world is over (`Kernels.limited`). The message says what was still being done."""

    status = TIME_LIMIT.name


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


@dataclass(frozen=True)
class InputFile:
    """A file that programs read.

    Attributes
    ----------
    suffix : str
        Extension of the file's name, such as ".map".
    text : callable
        Function that returns its content, for a file that has to be written.
    path : Path or None
        Absolute path of a file of the user that has this content. It is used as it is, and not written.
    key : str or None
        Digest of the content, for a file that many instances share: it is written once, as the key with the suffix.
    """

    suffix: str
    text: Callable[[], str]
    path: Path | None = None
    key: str | None = None


class StateVariable(NamedTuple):
    """Place of a variable in packed states: its value is ``(state[word] >> shift) & mask``, below `values`."""

    word: int
    shift: int
    mask: int
    values: int


class World(ABC):
    """One problem to solve: a start, steps and goals. Fields of a subclass, a frozen dataclass, say which one it is.

    Required are `domain`, `initial`, `successors` and `is_goal`. A property may be a class attribute.

    Attributes
    ----------
    predecessors : callable or None
        ``predecessors(state)`` returns the steps to a state as (name of the action, predecessor, cost). The action is
        the one that leads from the predecessor to the state. Optional; a subclass defines a method.
    goals : callable or None
        ``goals()`` returns all goal states. Optional, together with `predecessors`: searches then go backwards, too.
    plan_formats : tuple of str
        Formats in which programs may write plans (`read_plan`).
    costs_add_up : bool
        Whether paths that end in no goal cost by `replay` what their steps cost. If not, the checks of a world compare
        the costs of plans alone.
    """

    predecessors: Callable[[State], Iterable[Step]] | None = None
    goals: Callable[[], Iterable[State]] | None = None
    plan_formats: tuple[str, ...] = ("names", "json")
    costs_add_up: bool = True

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Refuse a class whose field hides a method, a property or a part of worlds that the engine reads.

        Raises
        ------
        TypeError
        """
        super().__init_subclass__(**keywords)
        interface = [vars(base) for base in cls.__mro__[1:] if base.__module__ == World.__module__]
        for name, annotation in inspect.get_annotations(cls).items():
            inherited = [members[name] for members in interface if name in members]
            is_method = any(member is None or isinstance(member, FunctionType) for member in inherited)
            is_property = any(isinstance(member, property | cached_property) for member in inherited)
            is_hidden = is_property and name not in _SETTINGS and not str(annotation).startswith("ClassVar")
            if name in PARTS or is_hidden or (is_method and name != "state"):  # users alone call `state`
                raise TypeError(f"{cls.__name__}: {name} is a name of all worlds; call the field {name}_")

    @property
    @abstractmethod
    def domain(self) -> str:
        """Name of the domain: heuristics are registered for a domain."""

    # The rules.

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

    def step_of(self, state: State, action: str) -> tuple[State, float] | None:
        """Return the successor and the cost of an action; None if it is not possible. Default: by `successors`."""
        steps = ((after, cost) for name, after, cost in self.successors(state) if str(name) == action)
        return next(steps, None)

    @property
    def is_invertible(self) -> bool:
        """Whether the world has `predecessors` and `goals`."""
        return self.predecessors is not None and self.goals is not None

    @property
    def lacks_backward(self) -> str:
        """Methods and kernels that searches from the goals need and the world lacks, such as "goals"; empty if none."""
        kernel: object = self.kernels is None or self.kernels.predecessors_kernel
        given = {"predecessors": self.predecessors, "goals": self.goals, "predecessors_kernel": kernel}
        return ", ".join(name for name, part in given.items() if part is None)

    @property
    def unit_costs(self) -> bool:
        """Whether every step costs 1."""
        return False

    @property
    def cost_scale(self) -> CostScale:
        """Units of the engine in a cost of 1 (see `real_costs`); "auto": from the costs near the start."""
        return 1

    @cached_property
    def engine_scale(self) -> int:
        """Units of the engine in a cost of 1, as a number. Raises a ValueError if the declared scale is not allowed."""
        declared: object = self.cost_scale
        if declared == "auto":
            return automatic_scale(self._costs_near_start())
        if type(declared) is not int or not 0 < declared <= MAX_SCALE:
            raise ValueError(f"cost_scale must be an integer from 1 to {MAX_SCALE:,} or 'auto', not {declared!r}")
        return declared

    def user_cost(self, cost: int) -> float:
        """Return a cost of the engine in the user's units: an int if `engine_scale` is 1."""
        return user_cost(cost, self.engine_scale)

    @property
    def max_successors(self) -> int:
        """Upper bound of the number of successors and of predecessors of a state, at most 32,767."""
        return 1024

    # Texts and plans.

    def state(self, *values: Any, **keywords: Any) -> State:
        """Return a state described in the domain's terms, for `Problem.pack`. It may be packed already.

        A subclass chooses the parameters by which states are described. Default: the state itself.
        """
        (state,) = values
        return state

    def show(self, state: State) -> str:
        """Return a state as text, on one or several lines, as plans and pictures show it."""
        return str(state)

    def text_of(self, state: State) -> str:
        """Return a state as one line of text, in the words of the domain, for explanations."""
        return repr(state)

    def played(self, plan: Sequence[str]) -> tuple[list[State], int]:
        """Return the states of a plan, up to the first impossible action, and their cost in the engine's units."""
        engine_cost = step_costs(self.cost_scale, self.engine_scale)
        state = self.initial()
        states = [state]
        total = 0
        for action in plan:
            step = self.step_of(state, action)
            if step is None:
                break
            state, cost = step
            states.append(state)
            total += engine_cost(action, cost)
        return states, total

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play the actions of a plan by their names."""
        states, cost = self.played(plan)
        number = len(states)
        if number <= len(plan):
            allowed = (str(name) for name, _, _ in self.successors(states[-1]))
            return Replay(False, cost, failure=impossible(number, plan[number - 1], self.text_of(states[-1]), allowed))
        return Replay(bool(self.is_goal(states[-1])), cost)

    # What programs read and write.

    def inputs(self) -> Mapping[str, str | InputFile]:
        """Return the words and the files of this instance that the command of a program may name in braces.

        Called for every instance: files are not read, and texts are made only by `InputFile.text`. Default: none.
        """
        return {}

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the names of the actions of a plan that a program has written. Whether it is valid, `replay` tells.

        By default `names` are separated by white space or commas; one is on each line if the name of a step from the
        start has blanks or commas. `json` is a list of names.

        Parameters
        ----------
        text : str
        format : str
            One of `plan_formats`. A subclass that adds formats reads them, and leaves the others to this method.

        Raises
        ------
        ValueError
            If the text is no plan in this format. The message names the word and the line.
        UserError
            If the world has no such format.
        """
        if format not in self.plan_formats:
            raise plan_texts.unknown_format(self.domain, format, self.plan_formats)
        near_start = (str(name) for name, _, _ in self.successors(self.initial()))
        return tuple(plan_texts.names(text, format, near_start).items)

    # Identity and columns.

    def identity(self) -> dict[str, Any]:
        """Return everything that distinguishes this world, as JSON-compatible values. Part of the run's identity."""
        return parameters_of(self) if dataclasses.is_dataclass(self) else {}

    def variant(self) -> dict[str, Any]:
        """Return the parameters of the search in this domain that differ from the defaults, for the results."""
        return {}

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Metrics of this domain alone (see `measured` and `Game.measured`)."""
        return ()

    def measured(self, plan: Sequence[str] | None) -> Mapping[str, float | None]:
        """Return the values of the world's own `metrics` for the plan that a search has found (None: no plan)."""
        return {}

    @property
    def groups(self) -> Mapping[str, str]:
        """Texts by which results are grouped, such as the name of the map: columns of the rows of this domain.

        Reports count the coverage by the first one.
        """
        return {}

    def measured_at_end(self, plan: Sequence[str] | None, status: str) -> Mapping[str, float | None]:
        """Return the values of `metrics` for the end of a search and its plan. Default: those of the plan."""
        return self.measured(plan)

    # The parts.

    @property
    def kernels(self) -> Kernels | None:
        """The kernels; None: searches call the rules."""
        return None

    @property
    def looks(self) -> Looks | None:
        """The pictures."""
        return None

    @property
    def family(self) -> Family | None:
        """The related worlds."""
        return None

    @property
    def playable(self) -> Playable | None:
        """The world as one that agents play."""
        return None

    @property
    def cost_vectors(self) -> CostVectors | None:
        """The several costs of a step."""
        return None

    def _costs_near_start(self) -> Iterator[float]:
        """Yield the costs of the steps from the first states in breadth-first order."""
        start = self.initial()
        reached = {start}
        waiting = deque([start])
        for _ in range(_STATES_FOR_SCALE):
            if not waiting:
                return
            for _, state, cost in self.successors(waiting.popleft()):
                yield cost
                if state not in reached:
                    reached.add(state)
                    waiting.append(state)


class Kernels(World):
    """World with kernels. Required are `expand_kernel`, `goal_kernel`, `pack`, `unpack` and `action_names`.

    The code of an action is its index in `action_names`. An action may be a macro-action: several primitive actions.

    Attributes
    ----------
    numbered_action : str
        Name of an action with {} for each of its one or two numbers, such as "flip {}", for worlds with the format
        `moves`: plans are the numbers alone.
    """

    numbered_action: ClassVar[str] = ""

    @property
    def kernels(self) -> Kernels:
        return self

    def successors(self, state: State) -> Iterable[Step]:
        """Return the steps from a state as (name of the action, successor, cost), in the same order every time.

        Default: those of `action_names` that `step_of` allows.
        """
        steps = ((str(name), self.step_of(state, str(name))) for name in self.action_names())
        return ((name, *step) for name, step in steps if step is not None)

    @property
    @abstractmethod
    def expand_kernel(self) -> Kernel:
        """`successors` as a kernel of signature `worlds.compile.kernels.EXPAND`."""

    @property
    @abstractmethod
    def goal_kernel(self) -> Kernel:
        """`is_goal` as a kernel of signature `worlds.compile.kernels.IS_GOAL`."""

    @property
    def predecessors_kernel(self) -> Kernel | None:
        """`predecessors` as a kernel of signature `worlds.compile.kernels.EXPAND`."""
        return None

    def constants(self) -> Sequence[int] | NDArray[np.int64]:
        """Return signed 64-bit integers for the kernels. An array is not copied."""
        return ()

    def action_names(self) -> Sequence[ActionName]:
        """Return the name of each action. Its index is the code that the kernels write.

        Default: none, in a world whose `name_of` gives other names in other states.
        """
        return ()

    @property
    def max_successors(self) -> int:
        """Upper bound of the number of successors and of predecessors of a state. 0: the number of actions."""
        return 0

    @property
    def action_lengths(self) -> NDArray[np.int64]:
        """Number of primitive actions of each action. Raises a ValueError if there are none or too many actions."""
        names = self.action_names()
        if not 0 < len(names) <= MAX_CODE + 1:
            raise ValueError(f"action_names: expected 1 to {MAX_CODE + 1:,} names, got {len(names)}")
        return np.array([len(name) if isinstance(name, tuple) else 1 for name in names], np.int64)

    def with_unit_costs(self) -> World | None:
        """Return the world in which every step costs 1, with the same packed states. None if there is none.

        Heuristics for the number of steps to a goal are those of this world.
        """
        return self if self.unit_costs else None

    def proof_of_unsolvability(self) -> str | None:
        """Return a reason why there is no solution, if that can be told without a search; else None."""
        return None

    def limited(self, seconds: float | None) -> World:
        """Return this world with a limit of the time for packing it. A world that needs long raises `OutOfTime`."""
        return self

    # States as words, and codes as names.

    @abstractmethod
    def pack(self, state: State) -> Sequence[int] | Words:
        """Return the words of a state: integers of at least 0 and below 2**64, the same number of them each time.

        Different states have different words. An array of uint64 is taken as it is.
        """

    @abstractmethod
    def unpack(self, words: Sequence[int]) -> State:
        """Return the state that words stand for: the inverse of `pack`."""

    def packed(self, state: State) -> Words:
        """Return the words of a state as an array. Raises a ValueError if `pack` returns anything else than words."""
        words = self.pack(state)
        if isinstance(words, np.ndarray) and words.dtype is _WORD:
            return words
        try:
            numbers = [operator.index(word) for word in words]
        except TypeError:
            numbers = []
        if not numbers or not 0 <= min(numbers) <= max(numbers) < 1 << 64:
            raise ValueError(f"pack: expected a list of integers from 0 to 2**64 - 1, got {words!r} for {state!r}")
        return np.array(numbers, np.uint64)

    def describe(self, state: Words) -> State:
        """Unpack an array of words: the state as heuristics in plain Python see it, the inverse of `state`."""
        return self.unpack(state.tolist())

    def describe_all(self, states: NDArray[np.uint64]) -> Sequence[State]:
        """Return the states of packed words, of shape (states, words), as a heuristic that takes batches sees them.

        Default: what `describe` returns, with arrays if there are `value_counts`; else as a list.
        """
        if self.first_values.size > 1:
            return StateArrays(self, states)
        return [self.describe(state) for state in states]

    def values_of(self, states: NDArray[np.uint64]) -> NDArray[np.int64] | None:
        """Return the values of the variables of packed states, of shape (states, variables), for models that learn.

        Default: those of `state_variables`; None without variables. The shape of `states` is (states, words).
        """
        if self.state_variables is None:
            return None
        word, shift, mask, _ = self._variables
        values: NDArray[np.int64] = (states[:, word.astype(np.intp)] >> shift & mask).astype(np.int64)
        return values

    @cached_property
    def _variables(self) -> NDArray[np.uint64]:
        return np.array(self.state_variables and self.state_variables(), np.uint64).T

    @property
    def value_counts(self) -> Sequence[int] | None:
        """Number of values of each variable of `values_of`, which are below it; None without variables."""
        return None if self.state_variables is None else [each.values for each in self.state_variables()]

    @cached_property
    def first_values(self) -> NDArray[np.int64]:
        """Number of the values of all variables before each one, and of all: columns of `StateArrays.one_hot`."""
        return np.cumsum([0, *(self.value_counts or ())])

    def name_of(self, state: State, code: int) -> ActionName:
        """Return the name of an action code in a state. By default it is the same in all states."""
        names = self.action_names()
        if not 0 <= code < len(names):
            raise ValueError(f"expand_kernel gave the action code {code}; action_names has 0 to {len(names) - 1}")
        return names[code]

    def plan_name(self, name: ActionName) -> ActionName:
        """Return how plans name an action. Actions that plans do not tell apart lead to different states."""
        return name

    def names_of(self, codes: Sequence[int]) -> tuple[str, ...]:
        """Return the names of the primitive actions that the codes of a path from the start stand for."""
        names = {code: self.plan_name(self.name_of(None, code)) for code in set(codes)}
        primitive: list[str] = []
        for code in codes:
            name = names[code]
            primitive += name if isinstance(name, tuple) else (name,)
        return tuple(primitive)

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the names of the actions of a plan that a program has written, as `World.read_plan`.

        If there are `action_names`, a plan consists of these, or of the primitive actions in them.
        """
        parts = (name if isinstance(name, tuple) else (str(name),) for name in self.action_names())
        names = dict.fromkeys(chain.from_iterable(parts))
        if format == "moves" and self.numbered_action:
            return plan_texts.known(plan_texts.numbered(text, self.numbered_action), names)
        if format not in World.plan_formats or not names:
            return super().read_plan(text, format)
        return plan_texts.known(plan_texts.names(text, format, names), names)

    # What makes some searches faster.

    @property
    def has_all_steps(self) -> bool:
        """Whether the kernels give all steps of the rules, one by one. Others leave out some, or join them."""
        return True

    @property
    def numbering(self) -> Numbering | None:
        """Numbers of the states, if they are few. See `worlds.interface.numbering`."""
        return None

    @property
    def redundant_pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs of action codes that paths need not contain, for depth-first searches that store one path.

        Some cheapest path to each state must contain no action of such a pair directly after the other one.
        """
        return frozenset()

    @property
    def in_place(self) -> Callable[[], InPlaceProblem] | None:
        """Function that returns the problem for searches on one board (`in_place`). Override it with a method."""
        return None

    @property
    def perfect_index(self) -> Callable[[], PerfectIndex] | None:
        """Function that returns numbers of all states, to explore the complete space. Override it with a method."""
        return None

    # What some searches need.

    @property
    def state_variables(self) -> Callable[[], Sequence[StateVariable]] | None:
        """Function that returns the variables in packed states, for novelty search. Override it with a method."""
        return None


class Looks(World):
    """World with pictures, and with texts that show a plan. Everything is optional.

    Attributes
    ----------
    draw : callable or None
        ``draw(state, axes)`` draws a state on empty axes of matplotlib. Without it, the text is the picture.
    draw_path : callable or None
        ``draw_path(states, axes)`` draws the last of the states of a plan, and how the plan got there.
    locate : callable or None
        ``locate(state)`` returns the position (x, y) of a state in the coordinates of `draw`, as the middle of a cell
        of width 1; None if it has none. ``python -m runner explore`` then shows a search on the board; without
        positions, as a tree. Several states may have one position.
    """

    draw: Callable[[State, Any], None] | None = None
    draw_path: Callable[[Sequence[State], Any], None] | None = None
    locate: Callable[[State], tuple[float, float] | None] | None = None

    @property
    def torus_size(self) -> tuple[float, float] | None:
        """Width and height of a picture whose opposite edges are joined, from the origin on; None if they are not.

        Lines through the positions of states leave it at one edge and enter at the other.
        """
        return None

    @property
    def looks(self) -> Looks:
        return self

    def drawing_of(self, states: Sequence[State]) -> Callable[[Any], None] | None:
        """Return a function that draws the last of the states of a plan on empty axes; None without drawings."""
        if self.draw_path is not None:
            return partial(self.draw_path, states)
        return None if self.draw is None else partial(self.draw, states[-1])

    def caption(self, action: str, before: State, after: State) -> str:
        """Return the description of a step in the pictures of a plan. Default: the name of the action."""
        return action

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the start state, and each state of a plan after its action, as text.

        The action is on the line of a state that takes one line, and above a state that takes several.
        """
        texts = [self.show(state) for state in self.played(plan or ())[0]]
        between = "\n" if any("\n" in text for text in texts) else " "
        lines = [f"{action}:{between}{text}" for action, text in zip(plan or (), texts[1:], strict=False)]
        return "\n".join([texts[0], *lines])

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the start and the moment after each action of a plan."""
        states, _ = self.played(plan)
        for number, state in enumerate(states):
            caption = "start"
            if number:
                caption = f"{number}/{len(plan)}: {self.caption(plan[number - 1], states[number - 1], state)}"
            path = [state] if self.draw_path is None else states[: number + 1]
            yield Frame(caption, self.show(state), self.drawing_of(path))

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None] | None:
        """Return a function that draws the world and a plan on empty axes of matplotlib. Default: only the start."""
        return self.drawing_of([self.initial()])


class Family(World):
    """World with related worlds and files. Audits need them."""

    @property
    def family(self) -> Family:
        return self

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Size for which a heuristic may have been made: sides of a board, number of disks. Default: unknown, the same
        for all. Audits simplify counterexamples to sizes that occur in their instances.
        """
        return ()

    def smaller(self) -> Iterator[World]:
        """Yield worlds that are one step simpler, the largest steps first, to shrink counterexamples.

        Every sequence of such steps must end. Default: no worlds.
        """
        yield from ()

    def starting_at(self, state: State) -> World | None:
        """Return the world that starts in a state; None (the default) if there is no such world."""
        return None

    def document(self, name: str) -> Document | None:
        """Return an instance of this name as a file that can be loaded again; None for worlds without files."""
        return None


class Playable(World):
    """World that agents can play as a game of percepts, and whose plans have scores."""

    @property
    def playable(self) -> Playable:
        return self

    @property
    def statuses(self) -> tuple[Status, ...]:
        """Statuses with which games end (see `Game.status`)."""
        return ()

    @abstractmethod
    def as_played(self, name: str) -> World:
        """Return the world as agents play it, whose start may differ from that of the search.

        Raises `Incompatible`, with the name of the instance, if it cannot be played.
        """

    @abstractmethod
    def new_game(self) -> Game:
        """Start a new game in a world that `as_played` returned."""

    def accepts_cost(self, cost: int) -> bool:
        """Return whether a plan of this cost counts as a solution."""
        return True

    def fallback_plan(self) -> tuple[str, ...] | None:
        """Return the plan for an instance without solution; None in domains where there is no such plan."""
        return None


class CostVectors(World):
    """World in which every step has several costs, integers of at least 0. That of the rules is the first one."""

    @property
    def cost_vectors(self) -> CostVectors:
        return self

    @abstractmethod
    def cost_vector(self, plan: Sequence[str]) -> tuple[int, ...]:
        """Return the sums of the costs of a plan that `replay` accepts, by the rules."""

    @abstractmethod
    def reference(self) -> tuple[int, ...] | None:
        """Return the point up to which a front dominates (its hypervolume); None if there is none, without a path."""
