"""Messages about actions that the rules refuse."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_MAX_ALLOWED = 20
"""Maximum number of allowed actions that a message lists."""


def impossible(number: int, action: str, state: str, allowed: Iterable[str]) -> str:
    """Return the message for an action that is not possible.

    Parameters
    ----------
    number : int
        Position of the action in the plan, from 1.
    action : str
    state : str
        The state before the action, in the words of the domain (`World.text_of`).
    allowed : iterable of str
        Names of the actions that are possible there.
    """
    listed = list(islice(allowed, _MAX_ALLOWED + 1))
    names = ", ".join([*listed[:_MAX_ALLOWED], *(["..."] if len(listed) > _MAX_ALLOWED else [])])
    allows = f"only {names}" if listed else "no action"
    return f"action {number}, {action}: in the state {state} the rules allow {allows}"
