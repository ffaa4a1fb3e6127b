"""A counterexample in words: the instance, the state as a picture, the values, and what is cheaper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from algorithms.engine.distances import FAR
from heuristics.stack import BoundStack
from runner import registry
from runner.audit.examination import Examination
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
    examination, state = found.examination, found.state
    plan, moment = _way_through(examination, state)
    instance = examination.instance
    if instance != origin:
        instance = replace(instance, id=f"{origin.id}-{found.check.name}")  # type: ignore[type-var]
    lines = [f"{found.check.claim}: violated", *(_of_search(found.subject) if isinstance(found.subject, Trial) else [])]
    if found.check.counted == "steps":
        lines += _of_step(found)
    elif not isinstance(found.subject, Trial):
        lines += _of_state(examination, state)
    frame = next(islice(instance.frames(plan), moment, None))
    return Counterexample(
        check=found.check.name,
        instance=instance,
        origin=origin.id,
        picture=frame.text,
        draw=frame.draw,
        lines=lines,
        h=_value(int(examination.h[state])),
        exact=_value(int(examination.exact[state])),
    )


def _of_state(examination: Examination, state: int) -> list[str]:
    after = _cheapest(examination, state)
    lines = [f"state: {_shown(examination, state)}"]
    lines.append(f"h = {_text(int(examination.h[state]))}, h* = {_text(int(examination.exact[state]))}")
    lines += [f"cheapest from here: {' '.join(after)}"] if after else []
    if int(examination.h[state]) != FAR:
        lines += _by_term(examination, state)
    elif examination.bound is None:
        lines.append("the preparation of the heuristic calls the instance unsolvable")
    return lines


def _of_step(found: Witness) -> list[str]:
    examination, step = found.examination, found.place
    searched, before = examination.searched, found.state
    after = int(searched.target[step])
    lines = [
        f"from: {_shown(examination, before)}, h = {_text(int(examination.h[before]))}",
        f"by {_action(examination, step)}, cost {int(searched.cost[step])}",
        f"to: {_shown(examination, after)}, h = {_text(int(examination.h[after]))}",
    ]
    lines += [f"before: {line}" for line in _by_term(examination, before)]
    lines += [f"after: {line}" for line in _by_term(examination, after)]
    if found.check.name == "same_value":
        value = int(examination.along_steps()[step])
        lines.append(f"computed from the value before, h = {_text(value)} after the step")
    return lines


def _of_search(trial: Trial) -> list[str]:
    result, examination = trial.result, trial.examination
    lines = [f"{result.algorithm}: {result.status}" + (f", cost {result.cost}" if result.cost is not None else "")]
    lines += [f"error: {result.error}"] if result.error else []
    lines += [f"bound: {result.bound:g}"] if result.bound is not None else []
    lines += [f"plan: {' '.join(result.plan)}"] if result.plan and result.cost is not None else []
    lines += [f"improvements: {', '.join(str(each.cost) for each in trial.improvements)}"] * bool(trial.improvements)
    cheapest = _cheapest(examination, examination.start)
    if examination.optimum is None:
        return [*lines, "there is no solution"]
    return [*lines, f"cheapest plan, cost {examination.optimum}: {' '.join(cheapest)}"]


def _way_through(examination: Examination, state: int) -> tuple[Sequence[str], int]:
    """A plan that leads through a state, and on to a goal if there is a way; and after how many actions it is there."""
    searched, instance = examination.searched, examination.instance
    way = instance.plan(searched.path(state), searched.problem)
    return (*way, *_cheapest(examination, state)), len(way)


def _cheapest(examination: Examination, state: int) -> tuple[str, ...]:
    """The actions of a cheapest way from a state to a goal, by the rules of the world."""
    space, instance = examination.space, examination.instance
    number = int(space.find(examination.searched.state(state))[0])
    prefix = space.path(number)
    whole = instance.plan([*prefix, *space.continuation(number)], space.problem)
    return whole[len(instance.plan(prefix, space.problem)) :]


def _action(examination: Examination, step: int) -> str:
    searched, instance = examination.searched, examination.instance
    before = examination.source(step)
    code = searched.problem.successors(searched.state(before))[step - int(searched.first[before])][2]
    prefix = searched.path(before)
    done = len(instance.plan(prefix, searched.problem))
    return " ".join(instance.plan([*prefix, code], searched.problem)[done:])


def _by_term(examination: Examination, state: int) -> list[str]:
    """The share of each term, where a stack has several."""
    bound = examination.bound
    if bound is None or len(bound.stack.heuristics) < 2:
        return []
    packed, shares = examination.searched.state(state), []
    for heuristic in bound.stack.heuristics:
        term = heuristic.term(bound.problem)
        if term is not None:
            value = BoundStack(bound.stack, bound.problem, (term,)).evaluate(packed)
            changed = registry.assignments(registry.changed(heuristic), ",")
            shares.append(f"{heuristic.registered_name}{f'({changed})' if changed else ''} {value:g}")
    return [f"h = {'the largest of ' if bound.maximum else ''}{(', ' if bound.maximum else ' + ').join(shares)}"]


def _shown(examination: Examination, state: int) -> str:
    searched = examination.searched
    return repr(searched.problem.unpack(searched.state(state)))


def _text(value: int) -> str:
    return "infinite" if value == FAR else f"{value:,}"


def _value(value: int) -> float:
    return float("inf") if value == FAR else float(value)
