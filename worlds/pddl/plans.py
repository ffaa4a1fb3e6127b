"""Plans as planners and validators write them: an action in brackets on each line."""

from __future__ import annotations

import re

from runner.base.errors import one_line
from worlds.plan_texts import lines

_ACTION = re.compile(
    r"""
    (?: [0-9]+ (?: \. [0-9]+ )? \s* : )? \s*   # a number or a time, as in 0.000:
    \( ( [^()]* ) \) \s*                       # the action and its arguments
    (?: \[ [^\[\]]* \] )? \s*                  # a duration or a cost, as in [1]
    """,
    re.ASCII | re.VERBOSE,
)


def operators_in(text: str) -> tuple[str, ...]:
    """Return the names of the operators of a plan, in lower case: PDDL ignores case.

    Comments go from a semicolon to the end of the line.

    Raises
    ------
    ValueError
        If a line has anything else than actions in brackets.
    """
    names: list[str] = []
    found = lines(text)
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
