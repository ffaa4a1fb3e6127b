"""Functions `runner.explore` and `runner.replay`, for notebooks and scripts."""

from __future__ import annotations

import reprlib
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from algorithms.engine import Limits
from heuristics.interface import Entries
from runner.base import UserError, one_line, suggest
from runner.config import SearchParts, load_plugins
from runner.execution import Stop, Stopped
from runner.features.explorer.animation import Animation
from runner.features.explorer.exploration import MAX_STATES, Exploration
from runner.features.explorer.planned import record
from runner.features.explorer.recorder import Recording
from worlds.interface import Instance, checked_instance, looks_of

DEFAULT_LIMITS = {"nodes": 1_000_000}
"""The same limits as in conf/explore.yaml."""
_AGAINST = ("algorithm", "heuristic", "weighting", "combine", "limits")


def explore(
    instance: Instance,
    algorithm: str | Mapping[str, Any] = "astar",
    heuristic: Entries = (),
    weighting: float | str | Mapping[str, Any] | None = None,
    *,
    combine: str | Mapping[str, Any] = "sum",
    limits: Mapping[str, Any] | None = None,
    against: Mapping[str, Any] | None = None,
    states: int = MAX_STATES,
) -> Exploration:
    """Record a search, and return a page that plays it. A notebook shows the page; ``save`` writes it to a file.

    Parameters
    ----------
    instance, algorithm, heuristic, weighting, combine, limits
        As for `runner.solve`. By default at most a million expansions are recorded.
    against : mapping, optional
        Arguments in which a second search differs, such as ``{"heuristic": ()}``. The page shows both side by side.
    states : int
        Number of reachable states up to which h_star of every state is computed.

    Returns
    -------
    Exploration

    Raises
    ------
    runner.UserError
        If an argument is not valid, the algorithm is an agent, or code of the user raises an exception.
    KeyboardInterrupt
        On Ctrl-C.
    """
    load_plugins()
    first = {
        "algorithm": algorithm, "heuristic": heuristic, "weighting": weighting, "combine": combine, "limits": limits
    }  # fmt: skip
    wrong = next((name for name in against or () if name not in _AGAINST), None)
    if wrong is not None:
        raise UserError(f"against: there is no argument '{wrong}'{suggest(wrong, _AGAINST)}")
    chosen = [first] if against is None else [first, {**first, **against}]
    stop = Stop(second=signal.default_int_handler)
    try:
        with stop.listening():
            recordings = [_recorded(instance, stop, **each) for each in chosen]
            exploration = Exploration(recordings, states, lambda _: stop.check())
            _ = exploration.html
    except Stopped:
        raise KeyboardInterrupt from None
    return exploration


def replay(instance: Instance, plan: Sequence[str], delay: float = 0.5) -> Animation:
    """Return an animation of a plan. A notebook shows it; ``save`` writes it as GIF, SVG or MP4.

    Parameters
    ----------
    plan : sequence of str
        Names of actions, such as `Result.plan`.
    delay : float
        Seconds between two actions.

    Raises
    ------
    runner.UserError
        If it is no plan of the instance: an action is unknown or not possible. A game that is lost is shown.
    """
    checked_instance(instance)
    try:
        failure = instance.world.replay(plan).failure if instance.world.playable is None else None
        if failure is not None:
            raise UserError(f"plan: {one_line(failure)}")
        return Animation(list(looks_of(instance.world).frames(plan)), delay)
    except (TypeError, ValueError) as error:
        raise UserError(
            f"plan: expected names of actions of {instance.id}, got {reprlib.repr(plan)}: {error}"
        ) from None


def _recorded(
    instance: Instance,
    stop: Stop,
    algorithm: str | Mapping[str, Any],
    heuristic: Entries,
    weighting: float | str | Mapping[str, Any] | None,
    combine: str | Mapping[str, Any],
    limits: Mapping[str, Any] | None,
) -> Recording:
    chosen = SearchParts.of(checked_instance(instance).world.domain, algorithm, heuristic, weighting, combine)
    search = chosen.fitted([instance])
    assert search.algorithm is not None
    bounds = Limits.of({**DEFAULT_LIMITS, **(limits or {})})
    search.stack.build(instance)
    recording = record(instance, search.algorithm, search.stack, search.weighting, bounds, lambda _: stop.requested)
    stop.check()
    return recording
