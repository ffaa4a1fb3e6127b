"""Repeated searches of one instance (`repeat=N`): one row with the medians of their times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from runner.base.columns import Declared
from runner.base.status import ERROR
from runner.records.result import Result

_EQUAL = ("status", "cost", "expanded", "generated")
"""Columns that do not depend on time."""


def repeated(
    first: Result, search: Callable[[], Result], times: int, declared: Declared, *, has_deadline: bool
) -> Result:
    """Search an instance again, and return one result for all searches.

    Only answers are repeated. A search that does not end with one, such as a search that is interrupted, is the result.

    Parameters
    ----------
    first : Result
        Result of the first search.
    search : callable
        Searches the instance again.
    times : int
        Number of searches in all.
    has_deadline : bool
        Whether a limit of time may end a search, so that counts may differ.
    """
    results = [first]
    while declared.status(results[-1].status).is_answer and len(results) < times:
        results.append(search())
    if times == 1 or not declared.status(results[-1].status).is_answer:
        return results[-1]
    return _difference(results, has_deadline=has_deadline) or _medians(results, declared)


def _difference(results: Sequence[Result], *, has_deadline: bool) -> Result | None:
    """Return an error if the searches differ, although nothing was random."""
    for number, result in enumerate(results[1:], 2):
        for name in _EQUAL:
            one, other = getattr(results[0], name), getattr(result, name)
            if one != other and not has_deadline:
                text = f"search {number} of {len(results)} differs from the first: {name} is {other} instead of {one}"
                return replace(results[0], status=ERROR.name, error=text)
    return None


def _medians(results: Sequence[Result], declared: Declared) -> Result:
    """Return the first result with the median of each time, and how much the search time varied."""
    first, times = results[0], [result.search_seconds or 0.0 for result in results]
    middle = median(times)
    seconds = [
        name for name, metric in declared.all_metrics.items() if metric.unit == "s" and name != "compile_seconds"
    ]
    found: dict[str, Any] = {}
    for name in seconds:
        values = [value for result in results if (value := getattr(result, name, None)) is not None]
        found[name] = median(values) if values else None
    own = {name: value for name, value in found.items() if name in first.measured}
    spread = (max(times) - min(times)) / middle if middle else None
    built_in = {name: value for name, value in found.items() if name not in own}
    return replace(first, **built_in, repetitions=len(results), spread=spread, measured={**first.measured, **own})
