"""Random planning tasks, and instances of them, for tests."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from worlds.interface.instance import Instance, Words
from worlds.pddl import rules
from worlds.pddl.definition import SasDefinition
from worlds.pddl.packing import Packing
from worlds.pddl.sources import SUITES
from worlds.pddl.task import Axiom, Effect, Fact, Operator, Task, Values
from worlds.pddl.translator import PACKAGE
from worlds.pddl.world import PlanningInstance, PlanningWorld

SMALL = SUITES / "small"
DATA = Path(__file__).parent / "data" / "pddl"
COLLECTION = Path(__file__).parents[2] / "shared" / "data" / "pddl"
"""Tasks of International Planning Competitions with expected figures; not a part of the repository."""


def unpacked(packing: Packing, state: Words) -> Values:
    """Return the values of a packed state: the inverse of `Packing.pack`."""
    words: list[int] = state.tolist()
    return tuple((words[word] >> shift) & mask for word, shift, mask in packing.fields)


def _is_installed() -> bool:
    try:
        return bool(version(PACKAGE))
    except PackageNotFoundError:
        return False


needs_translator = pytest.mark.skipif(not _is_installed(), reason=f"needs the package {PACKAGE}")
needs_collection = pytest.mark.skipif(not COLLECTION.exists(), reason="needs tasks of the competitions")


def any_task(
    source: random.Random, variables: int = 4, conditional: bool = True, max_cost: int = 3, values: int = 4
) -> Task:
    """Return a random task."""
    sizes = [source.randint(1, values) for _ in range(variables)]
    operators = []
    for number in range(source.randint(1, 4 * variables)):
        chosen = source.sample(range(variables), source.randint(0, min(3, variables)))
        effects = [
            Effect(*_fact(source, sizes), _conditions(source, sizes) if conditional and source.random() < 0.3 else ())
            for _ in range(source.randint(1, 3))
        ]
        preconditions = tuple(sorted((variable, source.randrange(sizes[variable])) for variable in chosen))
        operators.append(Operator(f"act {number}", preconditions, tuple(effects), source.randint(0, max_cost)))
    goal = {variable: source.randrange(sizes[variable]) for variable in source.sample(range(variables), 2)}
    return Task(
        tuple(f"var{number}" for number in range(variables)),
        tuple(tuple(f"is({number}, {value})" for value in range(size)) for number, size in enumerate(sizes)),
        tuple(source.randrange(size) for size in sizes),
        tuple(sorted(goal.items())),
        tuple(operators),
    )


def with_axioms(source: random.Random, task: Task, derived: int = 6) -> Task:
    """Return a task with derived variables, which conditions and the goal of the task name."""
    ordinary = len(task.facts)
    sizes = [*map(len, task.facts), *[2] * derived]
    defaults = [source.randrange(2) for _ in range(derived)]
    layers = [*[-1] * ordinary, *sorted(source.randrange(3) for _ in range(derived))]
    axioms = []
    for variable in range(ordinary, ordinary + derived):
        allowed = [
            (other, value)
            for other, size in enumerate(sizes)
            for value in range(size)
            if layers[other] < layers[variable]
            or (layers[other] == layers[variable] and other != variable and value != defaults[other - ordinary])
        ]
        for _ in range(source.randint(0, 3)):
            conditions = tuple(sorted(dict(source.choices(allowed, k=source.randint(1, 3))).items()))
            axioms.append(Axiom(conditions, variable, 1 - defaults[variable - ordinary]))
    source.shuffle(axioms)

    def more(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        chosen = source.randrange(ordinary, len(sizes)), source.randrange(2)
        return (*facts, chosen) if source.random() < 0.2 else facts

    operators = (
        replace(
            each,
            preconditions=more(each.preconditions),
            effects=tuple(replace(effect, conditions=more(effect.conditions)) for effect in each.effects),
        )
        for each in task.operators
    )
    extended = replace(
        task,
        names=tuple(f"var{number}" for number in range(len(sizes))),
        facts=(*task.facts, *((f"is({each}, 0)", f"is({each}, 1)") for each in range(ordinary, len(sizes)))),
        initial=(*task.initial, *defaults),
        goal=more(task.goal),
        operators=tuple(operators),
        axioms=tuple(axioms),
        layers=tuple(layers),
    )
    return replace(extended, initial=rules.evaluated(extended, extended.initial))


def sas_text(task: Task) -> str:
    """Return a task as a SAS+ file. The axioms of the start are not evaluated there."""
    start = [task.defaults.get(variable, value) for variable, value in enumerate(task.initial)]
    layers = task.layers or (-1,) * len(task.names)
    lines: list[object] = ["begin_version", 3, "end_version", "begin_metric", 1, "end_metric", len(task.names)]
    for name, layer, facts in zip(task.names, layers, task.facts, strict=True):
        lines += ["begin_variable", name, layer, len(facts), *(f"Atom {fact}" for fact in facts), "end_variable"]
    lines += [0, "begin_state", *start, "end_state", "begin_goal", *_listed(task.goal), "end_goal", len(task.operators)]
    for operator in task.operators:
        lines += ["begin_operator", operator.name, *_listed(operator.preconditions), len(operator.effects)]
        for effect in operator.effects:
            conditions = [number for fact in effect.conditions for number in fact]
            numbers = [len(effect.conditions), *conditions, effect.variable, -1, effect.value]
            lines.append(" ".join(map(str, numbers)))
        lines += [operator.cost, "end_operator"]
    lines.append(len(task.axioms))
    for axiom in task.axioms:
        lines += ["begin_rule", *_listed(axiom.conditions)]
        lines += [f"{axiom.variable} {1 - axiom.value} {axiom.value}", "end_rule"]
    return "\n".join(map(str, lines))


def _listed(facts: tuple[Fact, ...]) -> list[object]:
    return [len(facts), *(f"{variable} {value}" for variable, value in facts)]


def layered_task(source: random.Random, variables: int = 14) -> Task:
    """Return a random task in which many facts have the same cost: two operators reach each from some before it."""
    operators = []
    for variable in range(variables):
        for number in range(2):
            needed = source.sample(range(variable), min(variable, source.randint(1, 3)))
            effects = tuple(Effect(each, 1) for each in dict.fromkeys((variable, source.randrange(variables))))
            preconditions = tuple((each, 1) for each in needed)
            operators.append(Operator(f"act {variable} {number}", preconditions, effects, source.randint(0, 3)))
    source.shuffle(operators)
    return Task(
        tuple(f"var{number}" for number in range(variables)),
        tuple((f"is({number}, 0)", f"is({number}, 1)") for number in range(variables)),
        (0,) * variables,
        tuple((each, 1) for each in sorted(source.sample(range(variables), variables // 2))),
        tuple(operators),
    )


def _fact(source: random.Random, sizes: list[int]) -> Fact:
    variable = source.randrange(len(sizes))
    return variable, source.randrange(sizes[variable])


def _conditions(source: random.Random, sizes: list[int]) -> tuple[Fact, ...]:
    return tuple(sorted(dict(_fact(source, sizes) for _ in range(2)).items()))


def instance(task: Task, name: str = "random#task") -> PlanningInstance:
    return Instance(PlanningWorld(SasDefinition(repr(task), task), "normal"), name)


def reachable(task: Task, most: int = 300) -> list[Values]:
    """Return reachable states in breadth-first order, at most a number of them."""
    found, queue = {task.initial: None}, deque([task.initial])
    while queue and len(found) < most:
        for _, after in rules.successors(task, queue.popleft()):
            if after not in found:
                found[after] = None
                queue.append(after)
    return list(found)
