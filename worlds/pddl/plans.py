"""Plans as planners and validators write them: an action in brackets on each line, or the numbered lines of FF."""

from __future__ import annotations

import re

from runner.base import one_line
from worlds.interface import plan_texts

_ACTION = re.compile(
    r"""
    (?: [0-9]+ (?: \. [0-9]+ )? \s* : )? \s*   # a number or a time, as in 0.000:
    \( ( [^()]* ) \) \s*                       # the action and its arguments
    (?: \[ [^\[\]]* \] )? \s*                  # a duration or a cost, as in [1]
    """,
    re.ASCII | re.VERBOSE,
)


_STEP = re.compile(r"(step\s+)?([0-9]{1,8})\s*:\s*([^\s()\[\]:;]+(?: [^\s()\[\]:;]+)*)", re.ASCII | re.IGNORECASE)
_EMPTY_PLAN = "goal can be simplified to true"
_REACH_GOAL = "reach-goal"
"""Step of FF behind the plan, if the goal is no conjunction of facts."""


def operators_of_ff(text: str) -> tuple[str, ...]:
    """Return the names of the operators of a plan of FF, in lower case: ``step    0: MOVE A B``, then ``1: MOVE B C``.

    What stands above the line with ``step`` does not belong to the plan, nor what is below an empty line behind it, or
    the cost that Metric-FF adds. If the goal holds at the start, FF says that the empty plan solves it.

    Raises
    ------
    ValueError
        If a line is no step, or a number is missing.
    """
    rows = [" ".join(row.split()) for row in text.splitlines()]
    if _EMPTY_PLAN in text.lower() and not any(map(_STEP.fullmatch, rows)):
        return ()
    first = next((number for number, row in enumerate(rows) if row.lower().split()[:1] == ["step"]), 0)
    names: list[str] = []
    for number, line in enumerate(rows[first:], first + 1):
        if names and (not line or line.lower().startswith("plan cost:")):
            break
        step = _STEP.fullmatch(line)
        if line and (step is None or int(step[2]) != len(names)):
            expected = f"step {len(names)} of FF, such as '{len(names)}: MOVE A B'"
            raise ValueError(f"line {number}: expected {expected}, got '{one_line(line[:60])}'")
        if step is not None:
            names.append(step[3].lower())
    return tuple(names[:-1] if names[-1:] == [_REACH_GOAL] else names)


def operators_in(text: str) -> tuple[str, ...]:
    """Return the names of the operators of a plan, in lower case: PDDL ignores case.

    Comments go from a semicolon to the end of the line.

    Raises
    ------
    ValueError
        If a line has anything else than actions in brackets.
    """
    names: list[str] = []
    found = plan_texts.lines(text)
    for number, line in enumerate(found.items):
        content = line.partition(";")[0].strip()
        at = 0
        while at < len(content):
            action = _ACTION.match(content, at)
            if action is None or not action[1].strip():
                place = found.place(number)
                raise ValueError(
                    f"{place}: '{one_line(content[at:][:60])}' is no action; expected one such as (move a b)"
                )
            names.append(" ".join(action[1].lower().split()))
            at = action.end()
    return tuple(names)
