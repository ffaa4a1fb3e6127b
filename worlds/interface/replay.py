"""Result of playing a plan by the rules, and the message about an action that they refuse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

_MAX_ALLOWED = 20
"""Maximum number of allowed actions that a message lists."""


@dataclass(frozen=True)
class Replay:
    """Result of playing a plan by the rules, independently of the search.

    Attributes
    ----------
    reaches_goal : bool
        Whether every action was possible and the last one reached the goal.
    cost : int
        Sum of the costs of the actions, in the integers of the engine.
    reward : int or None
        Score of the play; None in domains without a score.
    failure : str or None
        Description of the first action that was not possible, or that ended the play without the goal: its number, its
        name, the state before it, and what the rules say. None if there is none.
    """

    reaches_goal: bool
    cost: int
    reward: int | None = None
    failure: str | None = None


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
