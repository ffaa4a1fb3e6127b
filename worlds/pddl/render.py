"""Tasks and plans as text. Facts are written as in PDDL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worlds.interface import Frame
from worlds.pddl import rules
from worlds.pddl.conditions import pddl_literal
from worlds.pddl.task import Fact, Task, Values


def text(task: Task, plan: Sequence[str] = ()) -> str:
    """Return the facts that hold after a plan, and the goal. A plan ends before an action that is not possible."""
    values = [task.initial, *(values for values, _ in rules.play(task, plan))][-1]
    return f"{_facts(task, values)}\ngoal: {_goal(task, values)}"


def frames(task: Task, plan: Sequence[str]) -> Iterator[Frame]:
    """Yield the state before and after each action of a plan."""
    yield Frame("start", text(task))
    for number, (action, (values, cost)) in enumerate(zip(plan, rules.play(task, plan), strict=False), 1):
        yield Frame(f"{number}. {action} (cost so far: {cost})", f"{_facts(task, values)}\ngoal: {_goal(task, values)}")


def _facts(task: Task, values: Values) -> str:
    return "\n".join(sorted(map(pddl_literal, task.true_facts(values)))) or "(no fact holds)"


def _goal(task: Task, values: Values) -> str:
    """Return the goal facts; those that hold are marked."""
    return ", ".join(
        f"{_goal_fact(task, (variable, value))}{' holds' if values[variable] == value else ''}"
        for variable, value in task.goal
    )


def _goal_fact(task: Task, fact: Fact) -> str:
    variable, value = fact
    return "(derived condition)" if task.is_artificial(fact) else pddl_literal(task.facts[variable][value])
