"""Instances, which sources yield, and problems, which the engine sees.

An instance is a world with a name. `Problem.of` packs the world into words and constants.
"""

from __future__ import annotations

import dataclasses
import operator
import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
from numpy.typing import NDArray

from runner.base import Incompatible, UserError
from worlds.compile import Kernel, raise_on_error, room_for
from worlds.interface.callbacks import Callbacks, expand_python, is_goal_python, predecessors_python
from worlds.interface.in_place import InPlaceProblem
from worlds.interface.numbering import Numbering
from worlds.interface.world import Document, Kernels, Looks, State, Unsolvable, Words, World

_NEEDS_LOOKS = "; derive the class of the world from runner.Looks, too"
__all__ = ["Instance", "Problem", "Unsolvable", "Words"]

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    AnyWorld = TypeVar("AnyWorld", bound=World, default=World, covariant=True)
else:
    from typing import TypeVar

    AnyWorld = TypeVar("AnyWorld")


@dataclass(frozen=True, eq=False)
class Problem:
    """An instance packed for the engine.

    Attributes
    ----------
    instance : Instance
        Instance whose world was packed.
    constants : ndarray of int64
        Everything that does not change during the search. Each domain has its own layout.
    initial : ndarray of uint64, shape (words,)
        Packed start state. `initial.size` is the number of words of every state.
    max_successors : int
        Upper bound of the number of successors of a state.
    action_lengths : ndarray of int64
        Number of primitive actions that an action code stands for, indexed by the code.
    expand, is_goal : Kernel
        Kernels of signature `worlds.compile.kernels.EXPAND` and `worlds.compile.kernels.IS_GOAL`.
    predecessors : Kernel or None
        Inverse of `expand`, of the same signature; None if moves cannot be inverted. It writes the states from which
        one step leads to this one (at most `max_successors`), with the cost and the action code of that step.
    goals : ndarray of uint64 or None
        All goal states, one after the other; None without `predecessors`.
    redundant_pairs : frozenset of (int, int)
        `Kernels.redundant_pairs`.
    in_place : callable or None
        `Kernels.in_place`.
    numbering : Numbering or None
        `Kernels.numbering`: with it, a search finds states by their numbers, not by their hashes.
    callbacks : Callbacks or None
        Rules in plain Python that the kernels call, and the numbers of the states. Their speed is unknown. None if the
        world has kernels of its own (`World.kernels`).
    call_seconds : float or None
        Limit of the processor time of each call of a heuristic in plain Python.
    cpu_seconds, memory_bytes : float or None, int or None
        Limits of the processor time and of the memory of a program that is a heuristic.
    rounds_up : bool
        Whether fractions that heuristics in plain Python give are rounded up, if costs are whole, instead of refused.
    heuristic_seconds : list of float
        One number: wall time inside of heuristics in Python so far, also in copies of the problem.
    program_seconds : list of float
        One number: processor time of programs that are heuristics, likewise.
    """

    instance: Instance
    constants: NDArray[np.int64]
    initial: Words
    max_successors: int
    action_lengths: NDArray[np.int64]
    expand: Kernel
    is_goal: Kernel
    predecessors: Kernel | None = None
    goals: Words | None = None
    redundant_pairs: frozenset[tuple[int, int]] = frozenset()
    in_place: Callable[[], InPlaceProblem] | None = None
    numbering: Numbering | None = None
    callbacks: Callbacks | None = None
    call_seconds: float | None = None
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    rounds_up: bool = False
    heuristic_seconds: list[float] = field(default_factory=lambda: [0.0], repr=False)
    program_seconds: list[float] = field(default_factory=lambda: [0.0], repr=False)

    @classmethod
    def of(cls, instance: Instance) -> Problem:
        """Pack the world of an instance for the engine.

        Raises
        ------
        Unsolvable
            If it is known to have no solution.
        OutOfTime
            If the limit of `Kernels.limited` is over.
        ValueError
            If a state cannot be packed, or a declaration of the world is wrong.
        """
        kernels = instance.world.kernels
        return cls._calling(instance) if kernels is None else cls._compiled(instance, kernels)

    @classmethod
    def _compiled(cls, instance: Instance, kernels: Kernels) -> Problem:
        world = instance.world
        reason = kernels.proof_of_unsolvability()
        if reason is not None:
            raise Unsolvable(reason)
        goals = None
        if kernels.predecessors_kernel is not None and world.goals is not None:
            goals = np.concatenate([kernels.packed(goal) for goal in world.goals()])
        lengths = kernels.action_lengths
        return cls(
            instance=instance,
            constants=_integers(kernels.constants()),
            initial=kernels.packed(world.initial()),
            max_successors=world.max_successors or lengths.size,
            action_lengths=lengths,
            expand=kernels.expand_kernel,
            is_goal=kernels.goal_kernel,
            predecessors=kernels.predecessors_kernel,
            goals=goals,
            redundant_pairs=kernels.redundant_pairs,
            in_place=kernels.in_place,
            numbering=kernels.numbering,
        )

    @classmethod
    def _calling(cls, instance: Instance) -> Problem:
        """Return the problem whose kernels call the rules."""
        world = instance.world
        callbacks = Callbacks(world)
        return cls(
            instance=instance,
            constants=callbacks.constants,
            initial=callbacks.initial,
            max_successors=world.max_successors,
            action_lengths=np.ones(world.max_successors, np.int64),
            expand=expand_python,
            is_goal=is_goal_python,
            predecessors=None if callbacks.goals is None else predecessors_python,
            goals=callbacks.goals,
            callbacks=callbacks,
        )

    @property
    def world(self) -> World:
        """The world of the instance."""
        return self.instance.world

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
        initial = self.unpack(self.initial)
        is_flat = isinstance(state, list) and not any(isinstance(each, list) for each in state)
        if is_flat and isinstance(initial, tuple):
            raise UserError(f"{state!r} is no state of {self.world.domain}: use a tuple, {tuple(state)!r}")
        if self.callbacks is not None:
            return np.array([self.callbacks.number(state)], np.uint64)
        try:
            words = self._kernels.packed(state)
        except TypeError as error:
            raise UserError(f"{state!r} is no state of {self.world.domain}: write it like {initial!r}") from error
        unpacked = self.unpack(words)
        if type(unpacked) is not type(state) or unpacked != state:
            raise UserError(f"{state!r} is no state of {self.world.domain}: packed and unpacked it is {unpacked!r}")
        return words

    def unpack(self, state: Words) -> State:
        """Return a packed state as heuristics in plain Python see it."""
        if self.callbacks is not None:
            return self.callbacks.states[int(state[0])]
        return self._kernels.describe(state)

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
            raise ValueError(f"this world has no {self.world.lacks_backward}")
        words = self.initial.size
        room = room_for(self.max_successors)
        out = np.empty(words * room, np.uint64)
        cost = np.empty(room, np.int32)
        action = np.empty(room, np.int16)
        n = kernel.compiled(self.constants, state, at, out, 0, cost, action, 0)
        raise_on_error(n)
        if n > self.max_successors:
            raise ValueError(f"{kernel.__name__} wrote {n} states; max_successors is {self.max_successors}")
        return [(out[k * words : (k + 1) * words], int(cost[k]), int(action[k])) for k in range(n)]

    def plan(self, actions: Sequence[int]) -> tuple[str, ...]:
        """Return the names of the primitive actions that the action codes of a path stand for."""
        if self.callbacks is None:
            return self._kernels.names_of(actions)
        state, names = self.world.initial(), []
        for code in actions:  # an index among the successors or, if negative, that of a name
            steps = list(self.world.successors(state))
            of_steps = [step[0] for step in steps]
            name = self.callbacks.names.states[-1 - code] if code < 0 else of_steps[code]
            if of_steps.count(name) > 1:
                raise ValueError(f"two steps from {state!r} have the name {name!r}")
            names.append(str(name))
            state = steps[of_steps.index(name)][1]
        return tuple(names)

    def name_of(self, state: State, code: int) -> str:
        """Return the name of an action code in a state, as `unpack` returns it.

        Raises
        ------
        LookupError, ValueError
            If there is no such action.
        """
        if self.callbacks is not None:
            names = dict(enumerate(str(step[0]) for step in self.world.successors(state)))
            return names[code]
        name = self._kernels.name_of(state, code)
        return " ".join(name) if isinstance(name, tuple) else name

    @property
    def _kernels(self) -> Kernels:
        kernels = self.world.kernels
        assert kernels is not None  # else there are callbacks
        return kernels


@dataclass(frozen=True)
class Instance(Generic[AnyWorld]):
    """One problem to solve: a world with a name. It also has the attributes of its world, such as `cave` or `render`.

    Attributes
    ----------
    world : World
    id : str
        Name of the instance, unique in its source.
    seed : int or None
        Seed that alone makes a random instance again; None if the instance is not random.
    source : str
        Name of the source. Default: the domain.
    """

    world: AnyWorld
    id: str
    seed: int | None = None
    source: str = ""

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
                if hasattr(type(self.world), name):
                    raise  # of a property of the world
                hint = _NEEDS_LOOKS if hasattr(Looks, name) else _places_of(name, self.world)
                raise AttributeError(f"an instance of {self.world.domain} has no attribute '{name}'{hint}") from None

    def __hash__(self) -> int:
        return hash((self.source, self.id))  # worlds of users need not be hashable

    def with_world(self, world: World, seed: int | None = None) -> Instance:
        """Return the instance of this name with another world, without a seed unless one makes that world."""
        return Instance(world, self.id, seed, self.source)

    def problem(self) -> Problem:
        """Pack the world for the engine: `Problem.of`."""
        return Problem.of(self)

    def key(self) -> dict[str, Any]:
        """Return everything that distinguishes this instance, as JSON-compatible values. Part of the run's identity."""
        return {"id": self.id, **self.world.identity()}

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from worlds.drawing import draw_text, drawn

        looks = looks_of(self.world)
        return drawn(looks.picture(()) or partial(draw_text, looks.render()), (3.2, 3.2))


def _places_of(name: str, world: World) -> str:
    """Return the end of a message about a missing attribute: the parts of the world, and the one that is meant."""
    has: list[str] = []
    for each in _fields(world):
        parts = _fields(getattr(world, each))
        has += [f"world.{each}.{inner}" for inner in parts] or [f"world.{each}"]
    kinds = (property, cached_property)
    own = [key for key, each in vars(type(world)).items() if isinstance(each, kinds) and not key.startswith("_")]
    has += [f"world.{each}" for each in own if not any(hasattr(base, each) for base in type(world).__mro__[1:])]
    meant = next((each for each in has if each.endswith(f".{name}")), "")
    return f"{f'; did you mean {meant}?' if meant else ';'} it has {', '.join(has)}" if has else ""


def _fields(part: Any) -> list[str]:
    return [each.name for each in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else []


def _integers(constants: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return constants as an array. Raises a ValueError for anything else than integers of 64 bits."""
    if isinstance(constants, np.ndarray) and constants.dtype == np.int64:
        return constants
    try:
        return np.array([operator.index(number) for number in constants], np.int64)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"constants: expected integers from -2**63 to 2**63 - 1: {error}") from None


def looks_of(world: World) -> Looks:
    """Return the pictures of a world.

    Raises
    ------
    UserError
        If it has none.
    """
    if world.looks is None:
        raise UserError(f"{world.domain} has no pictures{_NEEDS_LOOKS}")
    return world.looks


def document_of(instance: Instance) -> Document | None:
    """Return an instance as a file; None if it has none. Raise `UserError` if its `document` is anything else."""
    family = instance.world.family
    document: object = None if family is None else family.document(instance.id)
    if document is None or isinstance(document, Document):
        return document
    name = f"{type(family).__name__}.document"
    raise UserError(f"{name}() returned {reprlib.repr(document)}; expected a runner.plugin.Document, or None")


def as_played(instance: Instance) -> Instance:
    """Return an instance as agents play it. Its start may differ from that of the search.

    Raises
    ------
    Incompatible
        If it cannot be played.
    """
    game = instance.world.playable
    if game is None:
        domain = instance.world.domain
        raise Incompatible(
            f"agents play games of percepts, and {domain} has none; choose a world such as wumpus/random"
        )
    return instance.with_world(game.as_played(instance.id), instance.seed)


def checked_instance(value: object) -> Instance:
    """Return an argument of the public API that must be an instance."""
    if isinstance(value, Instance):
        return value
    world = reprlib.repr(value) if isinstance(value, str) else "..."
    raise UserError(f"instance: expected one instance, such as runner.load({world})[0], got {reprlib.repr(value)}")
