"""World that is handed in, in the process of the submission: it answers with steps between numbers of states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from worlds.interface import ActionName, Instance, InternedStates, Problem, Unsolvable, step_costs

NumberedStep = tuple[str, int, int]
"""Name of an action, number of the state that it leads to (or comes from), and its cost in the engine's units."""
Look = tuple[bool, list[NumberedStep] | None]
"""Whether a state is a goal, and its steps if it is none."""


class Start(msgspec.Struct, frozen=True):
    """Instance of a submitted world.

    Attributes
    ----------
    id : str
    max_successors : int
    unit_costs : bool
    initial : int or None
        Number of the start; None if the world proves that there is no solution.
    goals : list of int or None
        Numbers of all goals, if searches can go backwards.
    """

    id: str
    max_successors: int = 1
    unit_costs: bool = False
    initial: int | None = None
    goals: list[int] | None = None


class NumberedWorld:
    """World of the submission whose states are numbered in the order in which they first occur.

    With kernels, steps and goals are theirs, and the rules play actions.

    Parameters
    ----------
    instance : Instance

    """

    def __init__(self, instance: Instance) -> None:
        self._rules, self._instance = instance.world, instance
        self._kernels = instance.world.kernels
        self._problem: Problem | None = None
        self._cost = step_costs(instance.world.cost_scale, instance.world.engine_scale)
        self._numbers = InternedStates()
        self._parts: dict[str, ActionName] = {}

    def start(self) -> Start:
        """Return the start and the goals."""
        rules = self._rules
        if self._kernels is not None:
            try:
                self._problem = Problem.of(self._instance)
            except Unsolvable:
                return Start(self._instance.id)
        problem = self._problem
        goals = None
        if rules.is_invertible and rules.goals is not None and (problem is None or problem.predecessors):
            goals = list(rules.goals())
        return Start(
            self._instance.id,
            rules.max_successors if problem is None else problem.max_successors,
            rules.unit_costs,
            self._number(rules.initial()),
            None if goals is None else [self._number(goal) for goal in goals],
        )

    def look(self, numbers: Sequence[int]) -> list[Look]:
        """Return what there is to know about several states."""
        return [(True, None) if self._is_goal(number) else (False, self.steps(number, False)) for number in numbers]

    def steps(self, number: int, backward: bool) -> list[NumberedStep]:
        """Return the steps from a state, or those to it.

        Raises
        ------
        ValueError
            If the state has changed.
        """
        rules, problem, state = self._rules, self._problem, self._numbers.states[number]
        if problem is None or self._kernels is None:
            steps = (rules.predecessors if backward and rules.predecessors is not None else rules.successors)(state)
            found = [(str(name), self._number(after), self._cost(name, cost)) for name, after, cost in steps]
            if self._numbers.of.get(state) != number:
                raise ValueError(f"expanding changed {state!r}")
            return found
        words, found = self._words(number), []
        value = problem.unpack(words)
        for after, cost, code in problem.successors(words, backward=backward):
            name = self._kernels.name_of(problem.unpack(after) if backward else value, code)
            text = " ".join(name) if isinstance(name, tuple) else name
            self._parts[text] = name
            found.append((text, self._numbers.number(after.tobytes()), cost))
        return found

    def play(self, number: int, action: str) -> tuple[int, int] | None:
        """Return the state after an action by the rules, and its cost; None if it is not possible."""
        state = self._numbers.states[number] if self._problem is None else self._problem.unpack(self._words(number))
        parts, total = self._parts.get(action, action), 0
        for part in (parts,) if isinstance(parts, str) else parts:
            step = self._rules.step_of(state, part)
            if step is None:
                return None
            state = step[0]
            total += self._cost(part, step[1])
        return self._number(state), total

    def _is_goal(self, number: int) -> bool:
        if self._problem is None:
            return bool(self._rules.is_goal(self._numbers.states[number]))
        return self._problem.recognises(self._words(number))

    def _number(self, state: Any) -> int:
        """Return the number of a state of the rules."""
        if self._kernels is None or self._problem is None:
            return self._numbers.number(state)
        return self._numbers.number(self._kernels.packed(state).tobytes())

    def _words(self, number: int) -> Any:
        return np.frombuffer(self._numbers.states[number], np.uint64).copy()
