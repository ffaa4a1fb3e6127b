"""Result of one instance, and the improved solutions that an anytime search finds before."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.base import DERIVED, NAMES, Declared

_MAX_PLAN = 400
"""Number of characters of a plan in a notebook."""


@dataclass(frozen=True, repr=False)
class Result:
    """Result of one instance. All fields except the last three are columns of metrics.csv, in this order.

    None means "not applicable". docs/metrics.md defines the columns. The metrics that a domain, a heuristic, an
    algorithm or an agent declares are attributes, too.

    Attributes
    ----------
    plan : tuple of str or None
        Names of the actions.
    measured : mapping of str to number or str
        Values of the declared metrics, and texts of the instance (`World.groups`).
    output : str
        Text for a file of its own beside the rows: what a program has printed.
    """

    run_id: str
    world: str
    instance: str
    seed: int | None
    algorithm: str
    heuristic: str
    weighting: str | None
    status: str
    cost: float | None = None
    length: int | None = None
    reward: int | None = None
    valid: bool | None = None
    bound: float | None = None
    expanded: int | None = None
    generated: int | None = None
    evaluated: int | None = None
    reopened: int | None = None
    iterations: int | None = None
    simulated_actions: int | None = None
    initial_h: float | None = None
    peak_nodes: int | None = None
    memory_bytes: int | None = None
    search_seconds: float | None = None
    cpu_seconds: float | None = None
    compile_seconds: float | None = None
    error: str | None = None
    ties: str | None = None
    limits: str | None = None
    parameters: str | None = None
    reason: str | None = None
    moves: str | None = None
    actions: int | None = None
    stack: str | None = None
    expanded_before_last_layer: int | None = None
    repetitions: int | None = None
    spread: float | None = None
    seconds_low: float | None = None
    seconds_high: float | None = None
    peak_bytes: int | None = None
    user_seconds: float | None = None
    system_seconds: float | None = None
    page_faults: int | None = None
    core: int | None = None
    measured_by: str | None = None
    label: str | None = None
    code: str | None = None
    number: int | None = None
    content: str | None = None
    refuted: str | None = None
    plan: tuple[str, ...] | None = None
    measured: Mapping[str, float | str | None] = field(default_factory=dict)
    output: str = ""

    def __getattr__(self, name: str) -> Any:
        """Return a declared metric, or one that follows from the columns."""
        measured: Mapping[str, Any] = self.__dict__.get("measured", {})
        if name in measured:
            return measured[name]
        if name in DERIVED:
            return DERIVED[name].value_in(self.row())
        raise AttributeError(f"a result has no '{name}'")

    def row(self) -> dict[str, Any]:
        """Return the values by the columns of metrics.csv."""
        return {**{name: getattr(self, name) for name in NAMES}, **self.measured}

    def __str__(self) -> str:
        """Return status, metrics and search in one line."""
        row = self.row()
        values = ((metric, metric.value_in(row)) for metric in Declared().main_metrics.values())
        shown = [f"{metric.title} {metric.readable(value)}" for metric, value in values if value is not None]
        how = ", ".join(text for text in (self.algorithm, self.stack or self.heuristic, self.weighting) if text)
        why = self.error or self.reason
        return f"{self.instance}: {self.status}{f' ({why})' if why else ''}, {', '.join(shown)} [{how}]"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows: what is known of the main columns, and the plan."""
        from runner.records.html import html_table

        metrics = Declared().main_metrics.values()
        row = self.row()
        values = {metric: metric.value_in(row) for metric in metrics}
        why = self.error or self.reason
        rows = {
            "instance": f"{self.world}: {self.instance}",
            "algorithm": ", ".join(text for text in (self.algorithm, self.weighting) if text),
            "heuristic": self.stack or self.heuristic,
            "status": f"{self.status} ({why})" if why else self.status,
            **{metric.title: metric.readable(value) for metric, value in values.items() if value is not None},
            **({} if self.plan is None else {"plan": textwrap.shorten(" ".join(self.plan), _MAX_PLAN)}),
        }
        return html_table(rows.items())


@dataclass(frozen=True)
class Improvement:
    """Improved solution that an anytime search finds before its result.

    Attributes
    ----------
    seconds : float
        Time since the start of the search.
    expanded : int or None
        Number of expansions since the start of the search; None if it is unknown.
    """

    cost: float
    bound: float | None
    seconds: float
    expanded: int | None
    plan: tuple[str, ...]
