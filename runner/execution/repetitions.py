"""Repeated searches of one instance (`repeat=N`): one row with the medians of their times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from runner.base.columns import NAMES, Declared
from runner.base.status import ERROR, INTERRUPTED
from runner.records.result import Result

_EQUAL = ("status", "cost", "length", "reward", "actions", "expanded", "generated")
"""Columns that do not depend on time."""


def repeated(search: Callable[[], Result], times: int, declared: Declared, *, has_deadline: bool) -> Result:
    """Search an instance some times, and return one result.

    A search that fails or ends at a limit is not repeated. If a later search does, or is interrupted, it does not count
    in the result.

    Parameters
    ----------
    search : callable
        Searches the instance.
    times : int
        Number of searches.
    has_deadline : bool
        Whether a limit of time may end a search, so that counts may differ.
    """
    results = [search()]
    made = 1
    while made < times and declared.status(results[0].status).is_end:
        result = search()
        if result.status == INTERRUPTED.name:
            break
        made += 1
        if declared.status(result.status).is_end:
            results.append(result)
    if made == 1:
        return results[0]
    return (None if has_deadline else _difference(results)) or _medians(results, made, declared)


def _difference(results: Sequence[Result]) -> Result | None:
    """Return an error if the searches differ, although nothing was random."""
    for number, result in enumerate(results[1:], 2):
        for name in _EQUAL:
            one, other = getattr(results[0], name), getattr(result, name)
            if one != other:
                text = f"search {number} of {len(results)} differs from the first: {name} is {other} instead of {one}"
                return replace(results[0], status=ERROR.name, error=text)
    return None


def _medians(results: Sequence[Result], made: int, declared: Declared) -> Result:
    """Return the first result with the median of each time, and how much the search time varied."""
    first, times = results[0], [result.search_seconds or 0.0 for result in results]
    seconds = {name for name, metric in declared.all_metrics.items() if metric.unit == "s"} - {"compile_seconds"}

    def middle(name: str) -> Any:
        values = [value for result in results if (value := getattr(result, name, None)) is not None]
        return median(values) if values else None

    built_in = {name: middle(name) for name in NAMES if name in seconds}
    measured = {name: middle(name) if name in seconds else value for name, value in first.measured.items()}
    spread = (max(times) - min(times)) / median(times) if median(times) else None
    return replace(first, **built_in, repetitions=made, spread=spread, measured=measured)
