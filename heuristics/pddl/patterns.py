"""Choice of patterns: those that a user names, one by the causal graph, and all small ones that are of interest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from heuristics.pddl.projection import Pattern
from runner.base import Unsupported, UserError, suggest
from worlds.pddl.task import Task


def given_patterns(task: Task, patterns: Sequence[Sequence[int | str]], max_states: int) -> list[Pattern]:
    """Return patterns whose variables a user names, each once.

    Raises
    ------
    UserError
        If there is no such variable.
    Unsupported
        If a pattern has too many abstract states.
    """
    found: dict[Pattern, None] = {}
    for number, variables in enumerate(patterns):
        where = f"heuristic.patterns[{number}]"
        pattern = tuple(sorted({_variable(task, each, where) for each in variables}))
        if not pattern:
            raise UserError(f"{where}: expected variables, got an empty list")
        states = abstract_states(task, pattern)
        if states > max_states:
            raise Unsupported(f"{where}: it has {states:,} abstract states; heuristic.max_states allows {max_states:,}")
        found[pattern] = None
    return list(found)


def _variable(task: Task, given: int | str, where: str) -> int:
    if isinstance(given, int) and 0 <= given < len(task.names):
        return given
    if isinstance(given, str) and given in task.numbers:
        return task.numbers[given]
    hint = suggest(given, task.names) if isinstance(given, str) else ""
    raise UserError(f"{where}: no variable {given!r}; the task has variables 0 to {len(task.names) - 1}{hint}")


def abstract_states(task: Task, pattern: Sequence[int]) -> int:
    """Return the number of abstract states of a pattern."""
    return prod(len(task.facts[variable]) for variable in pattern)


def predecessors(task: Task) -> list[set[int]]:
    """Return for each variable the others on which a change of it depends: those of preconditions and conditions."""
    found: list[set[int]] = [set() for _ in task.names]
    for operator in task.operators:
        for effect in operator.effects:
            found[effect.variable].update(variable for variable, _ in (*operator.preconditions, *effect.conditions))
    for variable, others in enumerate(found):
        others.discard(variable)
    return found


def changed_together(task: Task) -> list[set[int]]:
    """Return for each variable those that an operator changes with it, and itself if an operator changes it."""
    found: list[set[int]] = [set() for _ in task.names]
    for operator in task.operators:
        changed = {effect.variable for effect in operator.effects}
        for variable in changed:
            found[variable] |= changed
    return found


def greedy_pattern(task: Task, max_states: int) -> Pattern:
    """Return the pattern of goal variables and of those on which they depend, until the next one does not fit.

    Goal variables come first, then the variables on which a change of a chosen one depends. Of several, the one with
    the largest number comes first, which the translator puts closest to the goal.
    """
    needed, goals = predecessors(task), {variable for variable, _ in task.goal}
    chosen, causes, states = set[int](), set[int](), 1
    while candidates := (goals or causes) - chosen:
        variable = max(candidates)
        states *= len(task.facts[variable])
        if states > max_states:
            break
        goals.discard(variable)
        chosen.add(variable)
        causes |= needed[variable]
    return tuple(sorted(chosen))


def systematic_patterns(task: Task, size: int, max_states: int) -> list[Pattern]:
    """Return the interesting patterns of at most `size` variables that are not too large, the smallest first.

    A pattern is interesting if the causal graph connects its variables, and leads from each of them to a goal variable
    of the pattern along preconditions. Source: Pommerening, Röger and Helmert, "Getting the most out of pattern
    databases for classical planning", IJCAI 2013.
    """
    needed, together = predecessors(task), changed_together(task)
    leading = _grown({(variable,) for variable, _ in task.goal}, size, lambda pattern: _with_causes(pattern, needed))

    around = [needed[each] | together[each] for each in range(len(needed))]
    for variable, causes in enumerate(needed):
        for cause in causes:
            around[cause].add(variable)
    containing: list[list[Pattern]] = [[] for _ in needed]
    for each in sorted(leading):
        for variable in each:
            containing[variable].append(each)

    def joined(pattern: Pattern) -> Iterator[Pattern]:
        for neighbour in set.union(*(around[variable] for variable in pattern)).difference(pattern):
            for other in containing[neighbour]:
                if len(pattern) + len(other) <= size and not set(pattern).intersection(other):
                    yield tuple(sorted(pattern + other))

    found = _grown(leading, size, joined)
    return sorted(
        (each for each in found if abstract_states(task, each) <= max_states), key=lambda each: (len(each), each)
    )


def _with_causes(pattern: Pattern, needed: Sequence[set[int]]) -> Iterator[Pattern]:
    for cause in set.union(*(needed[each] for each in pattern)) - {*pattern}:
        yield tuple(sorted((*pattern, cause)))


def _grown(patterns: set[Pattern], size: int, larger: Callable[[Pattern], Iterator[Pattern]]) -> set[Pattern]:
    """Return patterns and all that grow from them, up to a number of variables."""
    found, waiting = set(patterns), list(patterns)
    while waiting:
        for each in larger(waiting.pop()):
            if len(each) <= size and each not in found:
                found.add(each)
                waiting.append(each)
    return found
