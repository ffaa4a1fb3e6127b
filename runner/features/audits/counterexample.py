"""Descriptions of counterexamples: the instance, a picture of the state, the values, and an optimal path."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from algorithms.spaces import INFINITY, StateSpace
from heuristics.interface import BoundStack
from runner.base import Result, assignments, changed_parameters
from runner.features.audits.analysis import Analysis, dimensions_of
from runner.features.audits.checks.algorithm import Trial
from runner.features.audits.checks.heuristic import PATH_INDEPENDENT, PLATEAUS
from runner.features.audits.finding import Counterexample
from runner.features.audits.shrink import Witness
from runner.features.audits.solution_sets import costs_text
from worlds.drawing import aside, line_through, with_legend
from worlds.interface import looks_of

Point = tuple[float, float]
_OPTIMAL = "#cc79a7"
_ASIDE = -0.12
_LEGEND_ROWS = 3
_MAX_SUCCESSORS = 20
_MAX_PRINTED = 40
"""Maximum number of lines of what a program has printed."""


def describe(found: Witness, first: Witness) -> Counterexample:
    """Return the counterexample that a witness gives.

    Parameters
    ----------
    first : Witness
        Witness that was simplified; the same one if it could not be.
    """
    analysis, state, origin = found.analysis, found.state, first.analysis.instance
    plan, moment = _plan_through(analysis, state)
    instance = analysis.instance
    if instance != origin:
        instance = replace(instance, id=f"{origin.id}-{found.check.name}")
    violation, explanation = _lines(found)
    says = [found.message] if found.message else []
    lines = [f"{found.check.claim}: violated", *says, *violation, *explanation]
    if not found.is_repeated:
        lines = [f"{found.check.claim}: violated once, did not happen again", *says, *_lines_of_one_time(found)]
    if found is not first:
        lines.append(f"simplified from {origin.id}: audit.shrink=false keeps the instances")
        before = _lines(first)[0]
        real = [f"in {origin.id}: {', '.join(before)}"] if before != violation else []
        has_other_size = dimensions_of(origin.world) != dimensions_of(instance.world)
        lines[1:1] = real if has_other_size else []
        lines += [] if has_other_size else real
    looks = looks_of(instance.world)
    frame = next(islice(looks.frames(plan), moment, None))
    return Counterexample(
        check=found.check.name,
        instance=instance,
        origin=origin.id,
        picture=frame.text,
        draw=frame.draw and partial(_draw, frame.draw, _points(analysis, state), looks.torus_size),
        lines=lines,
        h=analysis.user_cost(analysis.h[state]),
        h_star=analysis.user_cost(analysis.h_star[state]),
    )


def _draw(frame: Callable[[Any], None], points: Sequence[Point], torus: Point | None, axes: Any) -> None:
    """Draw a moment, and a dashed line through points, with a legend. Without points, draw the moment only."""

    def with_line(picture: Any) -> None:
        frame(picture)
        if len(points) > 1:
            line = aside(line_through(points, torus), [each.get_xydata() for each in picture.lines], _ASIDE)
            style: dict[str, Any] = {"color": _OPTIMAL, "linewidth": 2, "linestyle": (0, (2.5, 1.2)), "zorder": 3.5}
            picture.plot(*zip(*line, strict=True), label="optimal path from the state", **style)

    if points:
        with_legend(with_line, axes, rows=_LEGEND_ROWS)
    else:
        frame(axes)


def _points(analysis: Analysis, state: int) -> list[Point]:
    """Return the positions of the states on an optimal path from a state to a goal; empty unless all have one."""
    locate = looks_of(analysis.instance.world).locate
    if locate is None:
        return []
    space = analysis.space
    number = int(space.find(analysis.searched.state(state))[0])
    points = []
    while number >= 0:
        position = locate(space.problem.unpack(space.state(number)))
        if position is None:
            return []
        points.append(position)
        number = int(space.toward[number])
    return points


def _lines(found: Witness) -> tuple[list[str], list[str]]:
    """Return the state or the step with its values, and further explanation. Searches only have explanations."""
    if isinstance(found.subject, Trial):
        return [], _lines_of_search(found.subject)
    if found.check.counted == "steps":
        return _lines_of_step(found)
    first, others = _lines_of_state(found.analysis, found.state)
    return first, [*others, *(_lines_of_successors(found) if found.check.name == PLATEAUS else [])]


def _lines_of_state(analysis: Analysis, state: int) -> tuple[list[str], list[str]]:
    value, optimum = _text(analysis, analysis.h[state]), _text(analysis, analysis.h_star[state])
    path = _optimal_path(analysis, state)
    lines = [f"optimal path: {_listed(path)}"] if path else []
    if int(analysis.h[state]) != INFINITY:
        lines += _terms(analysis, state)
    elif analysis.bound is None:
        lines.append("the preparation by the heuristic reports that the instance is unsolvable")
    return [f"state: {_text_of_state(analysis, state)}", f"h = {value}, h* = {optimum}"], lines


def _lines_of_successors(found: Witness) -> list[str]:
    """Return the value after each step from a state."""
    analysis, searched = found.analysis, found.analysis.searched
    steps = range(*searched.first[found.state : found.state + 2].tolist())
    return [
        f"by {_action(analysis, found.state, step)}: h = {_text(analysis, analysis.h[searched.target[step]])}"
        for step in steps[:_MAX_SUCCESSORS]
    ]


def _lines_of_step(found: Witness) -> tuple[list[str], list[str]]:
    analysis, step = found.analysis, found.place
    searched, before = analysis.searched, found.state
    after = int(searched.target[step])
    lines = [f"before: {line}" for line in _terms(analysis, before)]
    lines += [f"after: {line}" for line in _terms(analysis, after)]
    if found.check.name == PATH_INDEPENDENT:
        value = _text(analysis, analysis.along_steps()[step])
        lines.append(f"h after the step, computed from the value before: {value}")
    return [
        f"from: {_text_of_state(analysis, before)}, h = {_text(analysis, analysis.h[before])}",
        f"by {_action(analysis, before, step)}, cost {_text(analysis, searched.cost[step])}",
        f"to: {_text_of_state(analysis, after)}, h = {_text(analysis, analysis.h[after])}",
    ], lines


def _lines_of_one_time(found: Witness) -> list[str]:
    """Return the explanation of a violation that did not happen again: of a search, with what the program printed."""
    if not isinstance(found.subject, Trial):
        return []
    printed = found.subject.result.output.splitlines()
    more = [f"({len(printed) - _MAX_PRINTED} more lines)"] if len(printed) > _MAX_PRINTED else []
    return [*_lines_of_search(found.subject), *printed[:_MAX_PRINTED], *more]


def _lines_of_search(trial: Trial) -> list[str]:
    result, analysis = trial.result, trial.analysis
    lines = [f"{result.algorithm}: {_outcome(result)}"]
    lines += [f"error: {result.error}"] if result.error else []
    if trial.again is not None and (_outcome(trial.again), trial.again.error) != (_outcome(result), result.error):
        lines.append(f"second start: {_outcome(trial.again)}")
        lines += [f"its error: {trial.again.error}"] if trial.again.error else []
    lines += [f"bound: {result.bound:g}"] if result.bound is not None else []
    lines += [f"plan: {_listed(result.plan)}"] if result.plan and result.cost is not None else []
    lines += [f"front: {' '.join(map(costs_text, trial.vectors))}"] if trial.vectors else []
    lines += [f"invalid plan: {result.reason}"] if result.valid is False else []
    if trial.improvements:
        lines.append(f"improvements: {', '.join(str(each.cost) for each in trial.improvements)}")
    if analysis.optimum is None:
        return [*lines, "there is no solution"]
    cost = analysis.instance.world.user_cost(analysis.optimum)
    return [*lines, f"optimal plan, cost {cost}: {_listed(_optimal_path(analysis, analysis.start))}"]


def _outcome(result: Result) -> str:
    """Return the status of a search, and its cost."""
    return f"{result.status}, cost {result.cost}" if result.cost is not None else result.status


def _listed(actions: Sequence[str]) -> str:
    return (", " if any(" " in action for action in actions) else " ").join(actions)


def _plan_through(analysis: Analysis, state: int) -> tuple[Sequence[str], int]:
    """Return a plan that leads to a state and on to a goal if one can be reached, and its length up to the state."""
    searched = analysis.searched
    prefix = searched.problem.plan(searched.path(state))
    return (*prefix, *_optimal_path(analysis, state)), len(prefix)


def _optimal_path(analysis: Analysis, state: int) -> tuple[str, ...]:
    """Return the actions of an optimal path from a state to a goal by the rules; empty if there is none."""
    space = analysis.space
    number = int(space.find(analysis.searched.state(state))[0])
    return _actions(space, number, space.path_to_goal(number))


def _action(analysis: Analysis, before: int, step: int) -> str:
    """Return the actions of a step from a state. One step may stand for several primitive actions."""
    searched = analysis.searched
    code = searched.problem.successors(searched.state(before))[step - int(searched.first[before])][2]
    return " ".join(_actions(searched, before, [code]))


def _actions(space: StateSpace, state: int, codes: Sequence[int]) -> tuple[str, ...]:
    """Return the actions of a path from a state. Their names may depend on the path to the state."""
    prefix = space.path(state)
    return space.problem.plan([*prefix, *codes])[len(space.problem.plan(prefix)) :]


def _terms(analysis: Analysis, state: int) -> list[str]:
    """Return a line with the value of each heuristic if the stack has several."""
    bound = analysis.bound
    if bound is None or len(bound.stack.heuristics) < 2:
        return []
    packed, terms = analysis.searched.state(state), []
    for heuristic in bound.stack.heuristics:
        term = heuristic.term(bound.problem)
        if term is not None:
            value = BoundStack(bound.stack, bound.problem, (term,)).evaluate(packed)
            value = analysis.user_cost(INFINITY if value == math.inf else int(value))
            changed = assignments(changed_parameters(heuristic), ",")
            terms.append(f"{heuristic.registered_name}{f'({changed})' if changed else ''} {value:g}")
    return [f"h = maximum of {', '.join(terms)}" if bound.maximum else f"h = {' + '.join(terms)}"]


def _text_of_state(analysis: Analysis, state: int) -> str:
    searched = analysis.searched
    return analysis.instance.world.text_of(searched.problem.unpack(searched.state(state)))


def _text(analysis: Analysis, cost: np.signedinteger[Any]) -> str:
    """Return a cost of the engine, or `INFINITY`, as text in the user's units."""
    return "infinite" if cost == INFINITY else f"{analysis.instance.world.user_cost(int(cost)):,}"
