"""Instances of planning tasks, and the conversion of their states to the packed form and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from runner.base.errors import UserError, suggest
from worlds.compile.errors import raise_on_error
from worlds.compile.kernel import Kernel
from worlds.interface import Frame, Instance, OutOfTime, Problem, Replay, Unsolvable, Words
from worlds.pddl import rules
from worlds.pddl.conditions import atom_name
from worlds.pddl.definition import Definition
from worlds.pddl.lifted import Simulator, changed_predicates, objects_of
from worlds.pddl.packing import Packing, PlanningState
from worlds.pddl.search import MAX_APPLICABLE, applicable, expand, is_goal, world_of
from worlds.pddl.task import CostMode, Task, Values


def packed(definition: Definition, costs: CostMode, seconds: float | None = None) -> Packing:
    """Return the packed form of a definition, or raise what `Definition.task` raises."""
    outcome = last_outcome(definition, costs, seconds)
    if isinstance(outcome, Exception):
        raise outcome.with_traceback(None)
    return outcome


@lru_cache(maxsize=1)
def last_outcome(definition: Definition, costs: CostMode, seconds: float | None) -> Packing | Exception:
    """Return the packed form, or why there is none. The last one is kept: it may take minutes, and is needed again."""
    try:
        return Packing(definition.task(seconds).with_costs(costs))
    except (UserError, Unsolvable, OutOfTime, MemoryError) as failure:
        return failure


@dataclass(frozen=True)
class PlanningInstance(Instance):
    """A planning task.

    Attributes
    ----------
    definition : Definition
        Where the task comes from.
    costs : {"normal", "one", "plus_one"}
        What operators cost: as in the task, 1, or 1 more than in the task.
    id : str
        Name of the domain and name of the task, separated by ``#``, unique in its source.
    seed : None
    world : str
        Name of the source.
    seconds : float or None
        Limit of the time of the translation.
    """

    domain: ClassVar[str] = "pddl"

    definition: Definition
    costs: CostMode
    id: str
    seed: int | None = None
    world: str = domain
    seconds: float | None = field(default=None, repr=False, compare=False)

    def within(self, seconds: float | None) -> PlanningInstance:
        """Return this instance with a limit of the time of its translation."""
        return self if seconds == self.seconds else replace(self, seconds=seconds)

    @property
    def _packed(self) -> Packing:
        return packed(self.definition, self.costs, self.seconds)

    @property
    def task(self) -> Task:
        """The task in SAS+, with the costs of this instance."""
        return self._packed.task

    @cached_property
    def goal_facts(self) -> frozenset[str]:
        """Names of the facts that the goal requires, without negated ones."""
        atoms = (self.task.atoms[variable][value] for variable, value in self.task.goal)
        return frozenset(name for name in atoms if name is not None)

    @cached_property
    def static_facts(self) -> frozenset[str]:
        """Names of the facts that hold at the start and whose predicates no action changes."""
        domain, problem = self.definition.read()
        changed, atoms = changed_predicates(domain), Simulator(domain, problem).initial
        return frozenset(atom_name(atom) for atom in atoms if atom[0] not in changed)

    @cached_property
    def objects(self) -> dict[str, tuple[str, ...]]:
        """Names of the objects of each type, with those of its subtypes."""
        domain, problem = self.definition.read()
        objects = objects_of(domain, problem)
        return {each: tuple(objects.of_type([each])) for each in domain.types}

    def key(self) -> dict[str, Any]:
        """Return the id, digests of the files, and what operators cost."""
        return {"id": self.id, **self.definition.key(), "cost": self.costs}

    def variant(self) -> dict[str, Any]:
        """Return what operators cost, unless it is as in the task."""
        return {} if self.costs == "normal" else {"cost": self.costs}

    def problem(self) -> Problem:
        """Translate the task if necessary, and pack it.

        Raises
        ------
        worlds.interface.Unsolvable
            If the translator proves that the task has no solution.
        worlds.interface.OutOfTime
            If the translator is ended at its limit.
        """
        found = self._packed
        world = world_of(found)
        successors = int(world[MAX_APPLICABLE])
        return Problem(
            instance=self,
            world=world,
            initial=found.pack(found.task.initial),
            max_successors=max(1, successors),
            action_lengths=np.ones(max(1, successors), np.int64),
            expand=expand,
            is_goal=is_goal,
            unit_costs=found.task.has_unit_costs,
        )

    def state(self, description: Mapping[str, str] | Iterable[str]) -> Words:
        """Pack a state: a mapping from each variable to its value, or the facts that hold.

        Raises
        ------
        UserError
            If it is no state of the task.
        """
        found = self._packed
        if isinstance(description, Mapping):
            return found.pack(_from_mapping(found.task, description))
        return found.pack(_from_facts(found.task, set(description)))

    def describe(self, state: Words) -> PlanningState:
        """Return a packed state as a mapping from variables to values, with all `facts` that hold."""
        return PlanningState(self._packed, state)

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the names of the operators with their arguments, separated by blanks."""
        found, names = self._packed, []
        values = found.task.initial
        for action in actions:
            operator = found.task.operators[_applicable(problem, found.pack(values))[action]]
            names.append(operator.name)
            values = rules.apply(operator, values)
        return tuple(names)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan: tasks in PDDL by a simulator of PDDL, tasks in SAS+ by `worlds.pddl.rules`."""
        return self.definition.replay(plan, self.costs)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the facts that hold at the start, or after a plan, and the goal, as text."""
        from worlds.pddl.render import text

        return text(self.task, plan or ())

    def picture(self, plan: Sequence[str]) -> None:
        """Return no picture: tasks are shown as text."""

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the facts before and after each action."""
        from worlds.pddl.render import frames

        return frames(self.task, plan)


def _applicable(problem: Problem, state: Words) -> list[int]:
    """Return the numbers of the applicable operators, in order."""
    found = np.empty(problem.max_successors, np.int32)
    kernel: Kernel = applicable
    n = kernel.compiled(problem.world, state, 0, found, 0)
    raise_on_error(n)
    return sorted(found[:n].tolist())


def _from_mapping(task: Task, description: Mapping[str, str]) -> Values:
    unknown = next((name for name in description if name not in task.numbers), None)
    if unknown is not None:
        raise UserError(f"state: there is no variable '{unknown}'{suggest(unknown, task.names)}")
    values = []
    for name, facts in zip(task.names, task.facts, strict=True):
        if description.get(name) not in facts:
            given = f"got '{description[name]}'" if name in description else "it is missing"
            raise UserError(f"state: {name} has the values {', '.join(facts[:20])}; {given}")
        values.append(facts.index(description[name]))
    return tuple(values)


def _from_facts(task: Task, given: set[str]) -> Values:
    values, used = [], set()
    for name, facts, atoms in zip(task.names, task.facts, task.atoms, strict=True):
        true = [fact for fact in facts if fact in given]
        used.update(true)
        if len(true) > 1:
            raise UserError(f"state: {true[0]} and {true[1]} exclude each other")
        negative = next((number for number, atom in enumerate(atoms) if atom is None), None)
        if not true and negative is None:
            raise UserError(f"state: one of {', '.join(facts[:20])} must hold ({name})")
        values.append(facts.index(true[0]) if true else negative or 0)
    if unused := sorted(given - used):
        raise UserError(f"state: no variable has the fact '{unused[0]}'")
    return tuple(values)
