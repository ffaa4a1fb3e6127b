"""Counterexamples for students: in words first, then the state, or both states of a step, then the numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from algorithms.spaces import INFINITY
from runner.base import plural
from runner.features.audits import Analysis, Witness, describe
from runner.features.grading.explain import call_of
from runner.features.grading.marks import number
from worlds.interface import Frame, Looks, looks_of

Draw = Callable[[Any], None]
_ARROW = "  |\n  v"


def told(found: Witness, words: str, verdict: str, *, has_calls: bool = True) -> tuple[str, Draw | None]:
    """Return a counterexample as text, and a function that draws it, if the world has drawings.

    Parameters
    ----------
    words : str
        Sentence about it.
    verdict : str
        How often it was found.
    has_calls : bool
        Whether to show states as calls of the heuristic, with which students can repeat them.
    """
    example, analysis = describe(found, found), found.analysis
    before = _state(analysis, found.state)
    states, shown = [before], example.picture
    draw = _alone(analysis, before) or example.draw
    if found.check.counted == "steps":
        target = int(analysis.searched.target[found.place])
        states.append(_state(analysis, target))
        frames = _moments(analysis, found)
        values = [f"h = {text_of(analysis, analysis.h[each])}" for each in (found.state, target)]
        shown = f"{shown}\n{values[0]}\n{_ARROW}\n{frames[1].text}\n{values[1]}"
        draws = [_alone(analysis, state) or each.draw for state, each in zip(states, frames, strict=True)]
        draw = partial(_draw_step, draws, values) if all(draws) else None
    claim, *lines = example.lines
    for state in states if has_calls else ():
        written, call = f": {state!r}", f": {call_of(state)}"
        place = next((n for n, line in enumerate(lines) if written in line), len(lines))
        lines[place:] = [lines[place].replace(written, call, 1) if lines[place:] else call[2:], *lines[place + 1 :]]
    if example.picture == str(before) and not isinstance(before, str):
        lines.append(f"{analysis.instance.world.domain} has no show(state) and draw(state, axes), which would show it")
    numbers = [f"{claim} {verdict.partition(' ')[2]}", f"instance: {example.instance.id}", *lines]
    return "\n".join([words, "", shown, "", *numbers]), draw


def estimate(found: Witness) -> str:
    """Return the beginning of a sentence: what the heuristic estimates."""
    return f"Your estimate is {text_of(found.analysis, found.analysis.h[found.state])}"


def too_much(found: Witness) -> str:
    """Return a sentence on a state whose value exceeds the cost of an optimal path."""
    analysis, state = found.analysis, found.state
    (number_of_state,) = analysis.space.find(analysis.searched.state(state))
    cost, moves = analysis.h_star[state], len(analysis.space.path_to_goal(int(number_of_state)))
    if not cost:
        return f"{estimate(found)}, but this is a goal, where it must be 0: here"
    if analysis.user_cost(cost) == moves:
        return f"{estimate(found)}, but {plural(moves, 'move')} {'is' if moves == 1 else 'are'} enough: here"
    return f"{estimate(found)}, but a plan of cost {text_of(analysis, cost)} is enough: here"


def too_steep(found: Witness) -> str:
    """Return a sentence on a step over which the value falls by more than the cost."""
    analysis, searched = found.analysis, found.analysis.searched
    after, cost = analysis.h[searched.target[found.place]], text_of(analysis, searched.cost[found.place])
    falls = f"{estimate(found)}, and {text_of(analysis, after)} after one move"
    return f"{falls}. A move of cost {cost} may lower it by at most {cost}: here"


def text_of(analysis: Analysis, cost: Any) -> str:
    """Return a cost of the engine as text in the user's units."""
    return "infinite" if cost == INFINITY else f"{number(analysis.user_cost(int(cost))):,}"


def _moments(analysis: Analysis, found: Witness) -> tuple[Frame, Frame]:
    """Return the moments before and after a step, at the end of a path."""
    searched, state = analysis.searched, found.state
    codes, step = searched.path(state), found.place - int(searched.first[state])
    code = searched.problem.successors(searched.state(state))[step][2]
    frames = list(looks_of(analysis.instance.world).frames(searched.problem.plan([*codes, code])))
    return frames[len(searched.problem.plan(codes))], frames[-1]


def _state(analysis: Analysis, state: int) -> Any:
    return analysis.searched.problem.unpack(analysis.searched.state(state))


def _alone(analysis: Analysis, state: Any) -> Draw | None:
    """Return a function that draws a state without the step that led to it; None if only paths can be drawn."""
    looks = looks_of(analysis.instance.world)
    return looks.drawing_of([state]) if type(looks).frames is Looks.frames else None


def _draw_step(draws: list[Any], values: list[str], axes: Any) -> None:
    """Draw two states with their values, and the step between them."""
    width, height = axes.figure.get_size_inches()
    axes.figure.set_size_inches(2.3 * width, height)
    axes.set_axis_off()
    for draw, value, left in zip(draws, values, (0.0, 0.57), strict=True):
        picture = axes.inset_axes((left, 0, 0.43, 0.88))
        draw(picture)
        picture.set_title(value, fontsize=18)
    pointing = {"arrowstyle": "-|>", "linewidth": 2, "mutation_scale": 16}
    axes.annotate("", (0.56, 0.44), (0.44, 0.44), xycoords="axes fraction", arrowprops=pointing)
