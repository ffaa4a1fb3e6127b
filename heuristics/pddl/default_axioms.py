"""Axioms for the delete relaxation: those of a task, and others that give derived variables their default values.

A derived variable has its default value if each of its axioms has a condition that does not hold. In the relaxation,
conditions and their negations may both be true, so default values need axioms of their own. They take one other value
of a variable from each axiom. Variables whose axioms depend on each other have their default values unconditionally.
Source: Ivankovic and Haslum, "Optimal planning with axioms", IJCAI 2015.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worlds.pddl.axiom_order import groups_of
from worlds.pddl.task import Axiom, Fact, Task

MAX_ALTERNATIVES = 1 << 14
"""Largest number of axioms for one default value. If there were more, it is unconditional, too."""

_Facts = frozenset[Fact]


def all_axioms(task: Task) -> list[Axiom]:
    """Return the axioms of a task, and those for the default values that conditions name, directly or not."""
    own: dict[int, list[Axiom]] = {variable: [] for variable in task.defaults}
    for axiom in task.axioms:
        own[axiom.variable].append(axiom)
    recursive = {axiom.variable for group in groups_of(task) if group.is_recursive for axiom in group.rules}
    found = list(task.axioms)
    waiting = [fact for fact in _conditions(task) if task.defaults.get(fact[0]) == fact[1]]
    seen = set[Fact]()
    while waiting:
        variable, default = fact = waiting.pop()
        if fact in seen:
            continue
        seen.add(fact)
        alternatives = None if variable in recursive else _violations(task, own[variable])
        for conditions in [frozenset()] if alternatives is None else alternatives:
            found.append(Axiom(tuple(sorted(conditions)), variable, default))
            waiting += [each for each in conditions if task.defaults.get(each[0]) == each[1]]
    return found


def _conditions(task: Task) -> Iterator[Fact]:
    """Yield all facts in conditions of a task."""
    yield from task.goal
    for operator in task.operators:
        yield from sorted(operator.preconditions)
        for effect in operator.effects:
            yield from effect.conditions
    for axiom in task.axioms:
        yield from axiom.conditions


def _violations(task: Task, axioms: Sequence[Axiom]) -> set[_Facts] | None:
    """Return the smallest sets of facts that violate a condition of each axiom; None if there are too many.

    The sets for some axioms are extended for the next axiom. An extended set can only contain one that needs no
    extension. Source: Berge, "Hypergraphs", 1989, section 2.1.
    """
    found: set[_Facts] = {frozenset()}
    for axiom in axioms:
        others = {
            (variable, other)
            for variable, value in axiom.conditions
            for other in range(len(task.facts[variable]))
            if other != value
        }
        kept = {facts for facts in found if not facts.isdisjoint(others)}
        rest = found - kept
        found = set(kept)
        for fact in others:
            smaller = [facts for facts in kept if fact in facts]
            for facts in rest:
                extended = facts | {fact}
                is_consistent = all(variable != fact[0] for variable, _ in facts)
                if is_consistent and not any(each <= extended for each in smaller):
                    found.add(extended)
            if len(found) > MAX_ALTERNATIVES:
                return None
    return found
