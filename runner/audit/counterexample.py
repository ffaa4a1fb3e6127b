"""A counterexample in words: the instance, the state as a picture, the values, and what is cheaper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from algorithms.engine.distances import INFINITY
from heuristics.stack import BoundStack
from runner import registry
from runner.audit.analysis import Analysis
from runner.audit.promises import Trial
from runner.audit.tally import Witness
from worlds.interface import Document, Instance


@dataclass(frozen=True)
class Counterexample:
    """An instance that violates a claim, as small as could be found.

    Attributes
    ----------
    check : str
        Name of the check.
    instance : Instance
    origin : str
        Name of the instance that it was made of.
    picture : str
        As text, with the state marked.
    draw : callable or None
        Draws the same on axes of matplotlib.
    lines : list of str
        What is wrong, with all values.
    h, exact : float
        Of the state; ``math.inf`` for infinity.
    """

    check: str
    instance: Instance
    origin: str
    picture: str
    draw: Callable[[Any], None] | None
    lines: list[str]
    h: float
    exact: float

    @property
    def document(self) -> Document | None:
        """The instance as a file."""
        return self.instance.document()


def describe(found: Witness, origin: Instance) -> Counterexample:
    """Say what a witness shows."""
    analysis, state = found.analysis, found.state
    plan, moment = _way_through(analysis, state)
    instance = analysis.instance
    if instance != origin:
        instance = replace(instance, id=f"{origin.id}-{found.check.name}")  # type: ignore[type-var]
    lines = [f"{found.check.claim}: violated", *(_of_search(found.subject) if isinstance(found.subject, Trial) else [])]
    if found.check.counted == "steps":
        lines += _of_step(found)
    elif not isinstance(found.subject, Trial):
        lines += _of_state(analysis, state)
    frame = next(islice(instance.frames(plan), moment, None))
    return Counterexample(
        check=found.check.name,
        instance=instance,
        origin=origin.id,
        picture=frame.text,
        draw=frame.draw,
        lines=lines,
        h=_value(int(analysis.h[state])),
        exact=_value(int(analysis.exact[state])),
    )


def _of_state(analysis: Analysis, state: int) -> list[str]:
    after = _cheapest(analysis, state)
    lines = [f"state: {_shown(analysis, state)}"]
    lines.append(f"h = {_text(int(analysis.h[state]))}, h* = {_text(int(analysis.exact[state]))}")
    lines += [f"cheapest from here: {' '.join(after)}"] if after else []
    if int(analysis.h[state]) != INFINITY:
        lines += _by_term(analysis, state)
    elif analysis.bound is None:
        lines.append("the preparation of the heuristic calls the instance unsolvable")
    return lines


def _of_step(found: Witness) -> list[str]:
    analysis, step = found.analysis, found.place
    searched, before = analysis.searched, found.state
    after = int(searched.target[step])
    lines = [
        f"from: {_shown(analysis, before)}, h = {_text(int(analysis.h[before]))}",
        f"by {_action(analysis, step)}, cost {int(searched.cost[step])}",
        f"to: {_shown(analysis, after)}, h = {_text(int(analysis.h[after]))}",
    ]
    lines += [f"before: {line}" for line in _by_term(analysis, before)]
    lines += [f"after: {line}" for line in _by_term(analysis, after)]
    if found.check.name == "path_independent":
        value = int(analysis.along_steps()[step])
        lines.append(f"computed from the value before, h = {_text(value)} after the step")
    return lines


def _of_search(trial: Trial) -> list[str]:
    result, analysis = trial.result, trial.analysis
    lines = [f"{result.algorithm}: {result.status}" + (f", cost {result.cost}" if result.cost is not None else "")]
    lines += [f"error: {result.error}"] if result.error else []
    lines += [f"bound: {result.bound:g}"] if result.bound is not None else []
    lines += [f"plan: {' '.join(result.plan)}"] if result.plan and result.cost is not None else []
    lines += [f"improvements: {', '.join(str(each.cost) for each in trial.improvements)}"] * bool(trial.improvements)
    cheapest = _cheapest(analysis, analysis.start)
    if analysis.optimum is None:
        return [*lines, "there is no solution"]
    return [*lines, f"cheapest plan, cost {analysis.optimum}: {' '.join(cheapest)}"]


def _way_through(analysis: Analysis, state: int) -> tuple[Sequence[str], int]:
    """A plan that leads through a state, and on to a goal if there is a way; and after how many actions it is there."""
    searched, instance = analysis.searched, analysis.instance
    way = instance.plan(searched.path(state), searched.problem)
    return (*way, *_cheapest(analysis, state)), len(way)


def _cheapest(analysis: Analysis, state: int) -> tuple[str, ...]:
    """The actions of a cheapest way from a state to a goal, by the rules of the world."""
    space, instance = analysis.space, analysis.instance
    number = int(space.find(analysis.searched.state(state))[0])
    prefix = space.path(number)
    whole = instance.plan([*prefix, *space.path_to_goal(number)], space.problem)
    return whole[len(instance.plan(prefix, space.problem)) :]


def _action(analysis: Analysis, step: int) -> str:
    searched, instance = analysis.searched, analysis.instance
    before = analysis.source(step)
    code = searched.problem.successors(searched.state(before))[step - int(searched.first[before])][2]
    prefix = searched.path(before)
    done = len(instance.plan(prefix, searched.problem))
    return " ".join(instance.plan([*prefix, code], searched.problem)[done:])


def _by_term(analysis: Analysis, state: int) -> list[str]:
    """The share of each term, where a stack has several."""
    bound = analysis.bound
    if bound is None or len(bound.stack.heuristics) < 2:
        return []
    packed, shares = analysis.searched.state(state), []
    for heuristic in bound.stack.heuristics:
        term = heuristic.term(bound.problem)
        if term is not None:
            value = BoundStack(bound.stack, bound.problem, (term,)).evaluate(packed)
            changed = registry.assignments(registry.changed(heuristic), ",")
            shares.append(f"{heuristic.registered_name}{f'({changed})' if changed else ''} {value:g}")
    return [f"h = {'the largest of ' if bound.maximum else ''}{(', ' if bound.maximum else ' + ').join(shares)}"]


def _shown(analysis: Analysis, state: int) -> str:
    searched = analysis.searched
    return repr(searched.problem.unpack(searched.state(state)))


def _text(value: int) -> str:
    return "infinite" if value == INFINITY else f"{value:,}"


def _value(value: int) -> float:
    return float("inf") if value == INFINITY else float(value)
