"""Compiled worlds: the rules in plain Python, and the same rules as kernels over packed states.

The rules validate plans, show states and check the kernels. Searches use the kernels only.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.base.errors import UserError
from worlds.compile.kernel import EXPAND, IS_GOAL, Kernel
from worlds.in_place import InPlaceProblem
from worlds.interface import Problem, Words
from worlds.python_problem import MAX_CODE, State
from worlds.python_world import PythonInstance, PythonWorld


@dataclass(frozen=True, eq=False)
class CompiledProblem(Problem):
    """A problem of a compiled world. Its world packs and unpacks the states."""

    instance: CompiledInstance

    def pack(self, state: State) -> Words:
        """Pack a state.

        Raises
        ------
        UserError
            If it is no state of the world: unpacked again, it is something else.
        """
        words = self.instance.rules.packed(state)
        unpacked = self.unpack(words)
        if type(unpacked) is not type(state) or unpacked != state:
            raise UserError(f"{state!r} is no state of {self.instance.domain}: packed and unpacked it is {unpacked!r}")
        return words

    def unpack(self, state: Words) -> State:
        """Return the state of a packed state."""
        return self.instance.describe(state)


@dataclass(frozen=True, eq=False)
class CompiledInstance(PythonInstance):
    """Instance of a compiled world."""

    rules: CompiledWorld

    def problem(self) -> CompiledProblem:
        """Pack the world for the engine.

        Raises
        ------
        ValueError
            If a state cannot be packed, or there are too many actions.
        """
        rules = self.rules
        names = rules.action_names()
        if not 0 < len(names) <= MAX_CODE + 1:
            raise ValueError(f"action_names: expected 1 to {MAX_CODE + 1:,} names, got {len(names)}")
        return CompiledProblem(
            instance=self,
            world=np.array(rules.constants(), np.int64),
            initial=rules.packed(rules.initial()),
            max_successors=rules.max_successors or len(names),
            action_lengths=np.ones(len(names), np.int64),
            expand=rules.expand_kernel,
            is_goal=rules.goal_kernel,
            unit_costs=rules.unit_costs,
            predecessors=rules.predecessors_kernel,
            goals=np.concatenate([rules.packed(goal) for goal in rules.goals()]) if rules.predecessors_kernel else None,
            in_place=rules.in_place,
        )

    def describe(self, state: Words) -> State:
        """Return the state of a packed state."""
        return self.rules.unpack(state.tolist())

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the names of the actions."""
        names = self.rules.action_names()
        wrong = next((code for code in actions if not 0 <= code < len(names)), None)
        if wrong is not None:
            raise ValueError(f"expand_kernel gave the action code {wrong}; action_names has 0 to {len(names) - 1}")
        return tuple(names[code] for code in actions)


class CompiledWorld(PythonWorld):
    """Base class of compiled worlds. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Required are the rules (`initial`, `successors` and `is_goal`), the kernels `expand_kernel` and `goal_kernel`,
    `pack`, `unpack` and `action_names`. All else is optional, as in `PythonWorld`.

    Attributes
    ----------
    expand_kernel : Kernel
        `successors` as a kernel of signature `worlds.compile.kernel.EXPAND`.
    goal_kernel : Kernel
        `is_goal` as a kernel of signature `worlds.compile.kernel.IS_GOAL`.
    predecessors_kernel : Kernel or None
        `predecessors` as a kernel of signature `worlds.compile.kernel.EXPAND`. It needs the rules `predecessors` and
        `goals`.
    max_successors : int
        Upper bound of the number of successors and of predecessors of a state. 0: the number of actions.
    cost_scale : int
        Units of the kernels' costs in a cost of 1 of the rules.
    """

    expand_kernel: ClassVar[Kernel]
    goal_kernel: ClassVar[Kernel]
    predecessors_kernel: ClassVar[Kernel | None] = None
    max_successors: ClassVar[int] = 0
    instance_class: ClassVar[type[PythonInstance]] = CompiledInstance

    @abstractmethod
    def pack(self, state: State) -> Sequence[int]:
        """Return the words of a state: integers of at least 0 and below 2**64, the same number of them each time.

        Different states have different words.
        """

    @abstractmethod
    def unpack(self, words: Sequence[int]) -> State:
        """Return the state that words stand for: the inverse of `pack`."""

    @abstractmethod
    def action_names(self) -> Sequence[str]:
        """Return the name of each action. Its index is the code that the kernels write."""

    @property
    def in_place(self) -> Callable[[], InPlaceProblem] | None:
        """Function that returns the problem for searches that change one board (`worlds.in_place`); None without."""
        return None

    def constants(self) -> Sequence[int]:
        """Return numbers of 64 bits with a sign for the kernels: their array `world`."""
        return ()

    def packed(self, state: State) -> Words:
        """Return the words of a state as an array.

        Raises
        ------
        ValueError
            If `pack` returns anything else than words.
        """
        words = self.pack(state)
        try:
            numbers = [operator.index(word) for word in words]
        except TypeError:
            numbers = []
        if not numbers or not 0 <= min(numbers) <= max(numbers) < 1 << 64:
            raise ValueError(f"pack: expected a list of integers from 0 to 2**64 - 1, got {words!r} for {state!r}")
        return np.array(numbers, np.uint64)

    def check(self) -> None:
        """Check that the kernels are kernels, and make the instances as `PythonWorld.check`.

        Raises
        ------
        UserError
            If a kernel is missing or has another signature, `predecessors_kernel` has no rules, or `cost_scale` is
            no number.
        """
        needed = (("expand_kernel", EXPAND), ("goal_kernel", IS_GOAL))
        optional = (("predecessors_kernel", EXPAND),) if self.predecessors_kernel is not None else ()
        for name, signature in (*needed, *optional):
            given = getattr(self, name, None)
            if not isinstance(given, Kernel) or given.signature != signature:
                decorator = "@kernel(EXPAND)" if signature == EXPAND else "@kernel(IS_GOAL)"
                found = f"the kernel {given.__name__}" if isinstance(given, Kernel) else given or "nothing"
                raise UserError(
                    f"world '{self.registered_name}': {name}: expected a function marked with {decorator}, got {found}"
                )
        if self.cost_scale == "auto":
            raise UserError(
                f"world '{self.registered_name}': cost_scale: a compiled world needs a number, in whose units its "
                "kernels write costs"
            )
        if self.predecessors_kernel is not None and not self.is_invertible:
            raise UserError(
                f"world '{self.registered_name}': predecessors_kernel: needs the methods predecessors and goals, too"
            )
        super().check()
