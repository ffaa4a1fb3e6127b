"""Planning tasks: where they come from, what operators cost, and the conversion of states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError, suggest
from worlds.compile import raise_on_error
from worlds.interface import (
    Frame,
    InputFile,
    Instance,
    Kernels,
    Looks,
    OutOfTime,
    Replay,
    StateVariable,
    Step,
    Unsolvable,
    Words,
    plan_texts,
)
from worlds.pddl import plans, render, rules
from worlds.pddl.conditions import facts_text
from worlds.pddl.definition import Definition, SasDefinition
from worlds.pddl.fact_table import FactTable
from worlds.pddl.lifted import objects_of
from worlds.pddl.lifted_task import LiftedTask, changeable_facts
from worlds.pddl.packing import Packing, PlanningState
from worlds.pddl.search import MAX_APPLICABLE, applicable, constants_of, expand, is_goal
from worlds.pddl.states import PlanningStates, values_of
from worlds.pddl.task import CostMode, Operator, Task, Values


def packed(definition: Definition, costs: CostMode, seconds: float | None = None) -> Packing:
    """Return the packed form of a definition, or raise what `Definition.task` raises."""
    outcome = last_outcome(definition, costs, seconds)
    if isinstance(outcome, Exception):
        raise outcome.with_traceback(None)
    return outcome


@lru_cache(maxsize=2)
def last_outcome(definition: Definition, costs: CostMode, seconds: float | None) -> Packing | Exception:
    """Return the packed form, or why there is none. The last ones are kept, for a task and the same with unit costs."""
    try:
        return Packing(definition.task(seconds).with_costs(costs))
    except (UserError, Unsolvable, OutOfTime, MemoryError) as failure:
        return failure


@dataclass(frozen=True)
class PlanningWorld(Kernels, Looks):
    """A planning task. A state is a `PlanningState`.

    Attributes
    ----------
    definition : Definition
        Where the task comes from.
    costs : {"normal", "one", "plus_one"}
        What operators cost: as in the task, 1, or 1 more than in the task.
    seconds : float or None
        Limit of the time of the translation.
    """

    domain: ClassVar[str] = "pddl"
    expand_kernel = expand
    goal_kernel = is_goal
    plan_formats = ("names", "pddl", "ff", "json")

    definition: Definition
    costs: CostMode
    seconds: float | None = field(default=None, repr=False, compare=False)

    def limited(self, seconds: float | None) -> PlanningWorld:
        return self if seconds == self.seconds else replace(self, seconds=seconds)

    @property
    def _packed(self) -> Packing:
        return packed(self.definition, self.costs, self.seconds)

    @property
    def task(self) -> Task:
        """The task in SAS+, with the costs of this world. It is translated if necessary.

        Raises
        ------
        worlds.interface.Unsolvable
            If the translator proves that the task has no solution.
        worlds.interface.OutOfTime
            If the translator is ended at its limit.
        """
        return self._packed.task

    @cached_property
    def goal_facts(self) -> frozenset[str]:
        """Names of the facts that the goal requires, without negated ones and those that the translator derives."""
        atoms = (self.task.atoms[variable][value] for variable, value in self.task.goal)
        return frozenset(name for name in atoms if name is not None)

    @cached_property
    def static_facts(self) -> frozenset[str]:
        """Names of the facts that hold in all states, and are in none: see `LiftedTask`."""
        return self.lifted.static_facts

    @cached_property
    def objects(self) -> dict[str, tuple[str, ...]]:
        """Names of the objects of each type, with those of its subtypes."""
        domain, problem = self.definition.read()
        objects = objects_of(domain, problem)
        return {each: tuple(objects.of_type([each])) for each in domain.types}

    @property
    def split(self) -> str:
        """Split of a collection that the task is in, "training" or "testing", by a folder of this name; or empty."""
        return self.definition.place.split

    @property
    def difficulty(self) -> str:
        """Difficulty of the task, "easy", "medium" or "hard", by a folder of this name; or empty."""
        return self.definition.place.difficulty

    @cached_property
    def lifted(self) -> LiftedTask:
        """The task as its PDDL files define it: schemas, predicates, objects with types, static facts and the goal.

        Raises
        ------
        UserError
            If the task was read from a SAS+ file.
        worlds.interface.OutOfTime
            If the translator is ended at its limit.
        """
        domain, problem = self.definition.read()
        constant = frozenset[str]()
        with suppress(Unsolvable):  # else there are no states
            constant = changeable_facts(domain, problem) - self.task.fact_names
        if constant:
            constant -= self.definition.all_facts(self.seconds)
        return LiftedTask.of(domain, problem, constant)

    @cached_property
    def fact_table(self) -> FactTable:
        """Facts of `task` by number, with the numbers of their predicates and objects."""
        if isinstance(self.definition, SasDefinition):
            return FactTable.of(self._packed)
        return FactTable.of(self._packed, self.lifted.predicates, self.lifted.objects, self.static_facts)

    def identity(self) -> dict[str, Any]:
        return {**self.definition.key(), "cost": self.costs}

    def variant(self) -> dict[str, Any]:
        return {} if self.costs == "normal" else {"cost": self.costs}

    @property
    def unit_costs(self) -> bool:
        return self.task.has_unit_costs

    def with_unit_costs(self) -> PlanningWorld:
        """Return the task with actions that cost 1."""
        return self if self.unit_costs else replace(self, costs="one")

    def initial(self) -> PlanningState:
        return self._state(self.task.initial)

    def successors(self, state: PlanningState) -> Iterator[Step]:
        for operator, after in rules.successors(self.task, _values(state)):
            yield operator.name, self._state(after), operator.cost

    def is_goal(self, state: PlanningState) -> bool:
        return rules.is_goal(self.task, _values(state))

    def _state(self, values: Values) -> PlanningState:
        found = self._packed
        return PlanningState(found, found.pack(values))

    def constants(self) -> NDArray[np.int64]:
        return constants_of(self._packed)

    @property
    def action_lengths(self) -> NDArray[np.int64]:
        """Ones: a code is the index of an operator among those that are applicable in a state."""
        return np.ones(max(1, int(self.constants()[MAX_APPLICABLE])), np.int64)

    def state_variables(self) -> list[StateVariable]:
        """Return the variables of the task, in their order."""
        found = self._packed
        return [StateVariable(*place, len(facts)) for place, facts in zip(found.fields, found.task.facts, strict=True)]

    def pack(self, state: PlanningState) -> Words:
        return np.array(state.words, np.uint64)

    def unpack(self, words: Sequence[int]) -> PlanningState:
        return self.describe(np.array(words, np.uint64))

    def describe(self, state: Words) -> PlanningState:
        return PlanningState(self._packed, state)

    def describe_all(self, states: NDArray[np.uint64]) -> PlanningStates:
        return PlanningStates(self, states)

    def values_of(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        return values_of(self._packed, states)

    def state(self, description: Mapping[str, str] | Iterable[str]) -> Words:
        """Pack a state: a mapping from each variable to its value, or the facts that hold.

        Derived variables and facts may be left out: the axioms determine them.

        Raises
        ------
        UserError
            If it is no state of the task, such as one with a derived fact that does not hold in it.
        """
        found = self._packed
        if isinstance(description, Mapping):
            return found.pack(_from_mapping(found.task, description))
        return found.pack(_from_facts(found.task, set(description)))

    def name_of(self, state: PlanningState, code: int) -> str:
        return self._operator(self.pack(state), code).name

    def names_of(self, codes: Sequence[int]) -> tuple[str, ...]:
        names, values = [], self.task.initial
        for code in codes:
            operator = self._operator(self._packed.pack(values), code)
            names.append(operator.name)
            values = rules.successor(self.task, operator, values)
        return tuple(names)

    def _operator(self, state: Words, code: int) -> Operator:
        """Return the operator of a code: among the applicable ones, by number."""
        found = self._packed
        numbers = np.empty(max(1, int(constants_of(found)[MAX_APPLICABLE])), np.int32)
        n = applicable.compiled(constants_of(found), state, 0, numbers, 0)
        raise_on_error(n)
        number: int = np.sort(numbers[:n])[code]
        return found.task.operators[number]

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan: tasks in PDDL by a simulator of PDDL, tasks in SAS+ by `worlds.pddl.rules`."""
        return self.definition.replay(plan, self.costs)

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the files of the task. Their costs are those of the task, also where `costs` changes them."""
        return self.definition.inputs(self.seconds)

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the names of the operators of a plan. Each line of `names` is one; `ff` numbers them."""
        if format == "pddl":
            return plans.operators_in(text)
        if format == "ff":
            return plans.operators_of_ff(text)
        if format == "names":
            return tuple(plan_texts.lines(text).items)
        return super().read_plan(text, format)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the facts that hold at the start, or after a plan, and the goal, as text."""
        return render.text(self.task, plan or ())

    def text_of(self, state: PlanningState) -> str:
        """Return the facts that hold, as in PDDL."""
        return facts_text(state.facts)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        return render.frames(self.task, plan)


PlanningInstance = Instance[PlanningWorld]


def _values(state: PlanningState) -> Values:
    return _from_mapping(state.task, state)


def _from_mapping(task: Task, description: Mapping[str, str]) -> Values:
    unknown = next((name for name in description if name not in task.numbers), None)
    if unknown is not None:
        raise UserError(f"state: there is no variable '{unknown}'{suggest(unknown, task.names)}")
    values: list[int | None] = []
    for number, (name, facts) in enumerate(zip(task.names, task.facts, strict=True)):
        if number in task.defaults and name not in description:
            values.append(None)
            continue
        if description.get(name) not in facts:
            given = f"got '{description[name]}'" if name in description else "it is missing"
            raise UserError(f"state: {name} has the values {', '.join(facts[:20])}; {given}")
        values.append(facts.index(description[name]))
    return _evaluated(task, values)


def _from_facts(task: Task, given: set[str]) -> Values:
    values: list[int | None] = []
    used = set[str]()
    for number, (name, facts, atoms) in enumerate(zip(task.names, task.facts, task.atoms, strict=True)):
        true = [fact for fact in facts if fact in given]
        used.update(true)
        if len(true) > 1:
            raise UserError(f"state: {true[0]} and {true[1]} exclude each other")
        if number in task.defaults and not true:
            values.append(None)
            continue
        negative = next((value for value, atom in enumerate(atoms) if atom is None), None)
        if not true and negative is None:
            raise UserError(f"state: one of {', '.join(facts[:20])} must hold ({name})")
        values.append(facts.index(true[0]) if true else negative or 0)
    if unused := sorted(given - used):
        raise UserError(f"state: no variable has the fact '{unused[0]}'")
    return _evaluated(task, values)


def _evaluated(task: Task, given: Sequence[int | None]) -> Values:
    """Return the state with some values. Those of derived variables may be None; others are checked."""
    values = (task.initial[number] if value is None else value for number, value in enumerate(given))
    state = rules.evaluated(task, tuple(values))
    for facts, value, right in zip(task.facts, given, state, strict=True):
        if value is not None and value != right:
            raise UserError(f"state: '{facts[value]}' is derived and does not hold here, but '{facts[right]}' does")
    return state
