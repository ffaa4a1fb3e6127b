"""Columns of results, and the metrics and statuses that others add to the built-in ones.

Worlds, heuristics, algorithms and agents declare metrics and statuses of their own. The terminal, reports,
docs/metrics.md and ``columns.json`` beside each table of results follow from the declarations. `Result` has the
built-in ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from runner.base.errors import UserError, one_line, suggest
from runner.base.formula import MAX_LENGTH, formula
from runner.base.metric import Column, Metric
from runner.base.result import METRICS, NAMES
from runner.base.status import STATUSES, Status

if TYPE_CHECKING:
    import pandas

MAX_DECLARED = 200
"""Number of metrics, and of statuses, that may be declared."""
MAX_NAME = 100
"""Characters of a name."""
MAX_DIGITS = 15
"""Digits after the decimal point."""

Declaration = TypeVar("Declaration", Metric, Status, Column)


@dataclass(frozen=True)
class Declared:
    """Metrics and statuses that some rows have beside the built-in ones.

    Attributes
    ----------
    metrics, statuses : tuple
        Declarations of domains, heuristics, algorithms and agents, in the order in which they were found.
    texts : tuple of str
        Columns of texts that domains and heuristics add.
    """

    metrics: tuple[Metric, ...] = ()
    statuses: tuple[Status, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, metrics: Iterable[Metric] = (), statuses: Iterable[Status] = (), texts: Iterable[str] = ()) -> Declared:
        """Return the declarations, without repetitions.

        Raises
        ------
        UserError
            If a name is taken by a built-in column or status, is not an identifier or is too long; if a name has two
            different declarations; if there are too many declarations; if a metric has too many digits; or if its
            formula is none, or has a name that is no stored metric.
        """
        found = _distinct(metrics, "metric", NAMES)
        taken = (*NAMES, *(metric.name for metric in found))
        declared = cls(
            found,
            _distinct(statuses, "status", [status.name for status in STATUSES]),
            tuple(column.name for column in _distinct(map(Column, texts), "column", taken)),
        )
        _check_formulas(declared)
        return declared

    def __or__(self, other: Declared) -> Declared:
        """Return the union. If both declare a name, the second declaration counts."""
        metrics = {each.name: each for each in (*self.metrics, *other.metrics)}
        statuses = {each.name: each for each in (*self.statuses, *other.statuses)}
        texts = dict.fromkeys((*self.texts, *other.texts))
        return Declared(tuple(metrics.values()), tuple(statuses.values()), tuple(texts))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns of metrics.csv, in order."""
        return (*NAMES, *self.stored)

    @property
    def stored(self) -> tuple[str, ...]:
        """Names of the declared columns that rows have: metrics that are not derived, and texts."""
        return (*(metric.name for metric in self.metrics if not metric.derived), *self.texts)

    @cached_property
    def all_metrics(self) -> dict[str, Metric]:
        """All metrics by name, in the order of the columns; the built-in derived ones come before the declared ones."""
        return METRICS | {each.name: each for each in self.metrics}

    def with_derived(self, table: pandas.DataFrame) -> pandas.DataFrame:
        """Add the derived metrics whose inputs are columns to a table of rows, after the built-in columns.

        Their place does not depend on the declarations, which a copied table lacks. A value that the table has stays
        where none follows.
        """
        import pandas

        place = 1 + max((number for number, each in enumerate(table) if each in NAMES), default=-1)
        for name, metric in self.all_metrics.items():
            if not metric.derived or any(each not in table for each in metric.inputs):
                continue
            inputs = {each: pandas.to_numeric(table[each], errors="coerce") for each in metric.inputs}
            values = pandas.Series(formula(metric.derived).value(inputs), table.index)
            if name in table:
                table[name] = values.fillna(table[name])
            else:
                table.insert(place, name, values)
                place += 1
        return table

    @cached_property
    def main_metrics(self) -> dict[str, Metric]:
        """Metrics that the terminal shows, by name."""
        return {name: metric for name, metric in self.all_metrics.items() if metric.is_main}

    @cached_property
    def all_statuses(self) -> dict[str, Status]:
        """All statuses by name."""
        return {each.name: each for each in (*STATUSES, *self.statuses)}

    def status(self, name: str) -> Status:
        """Return the status of a name. An undeclared status is neither an answer nor a failure."""
        return self.all_statuses.get(name) or Status(name)

    def checked(self, measured: Mapping[str, float | str | None]) -> dict[str, float | str | None]:
        """Return the measured values, after checking them.

        Raises
        ------
        ValueError
            If a metric is not declared, or its value is not a number.
        """
        names = self.stored
        for name, value in measured.items():
            if name not in names:
                raise ValueError(f"'{name}' is not declared: add a Metric to the metrics of the class that measures it")
            if value is not None and not isinstance(value, str if name in self.texts else (int, float)):
                raise ValueError(f"metric '{name}': expected a number, got {value!r}")
        return dict(measured)


def _check_formulas(declared: Declared) -> None:
    """Raise `UserError` if a derived metric does not follow from metrics that rows have."""
    stored = [name for name, metric in declared.all_metrics.items() if not metric.derived]
    for metric in declared.metrics:
        where = f"metric '{metric.name}': derived: '{one_line(metric.derived[:MAX_LENGTH])}'"
        try:
            unknown = [name for name in metric.inputs if metric.derived and name not in stored]
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        if unknown:
            raise UserError(f"{where}: '{unknown[0]}' is no metric of the rows{suggest(unknown[0], stored)}")


def _distinct(declared: Iterable[Declaration], kind: str, taken: Iterable[str]) -> tuple[Declaration, ...]:
    found: dict[str, Declaration] = {}
    for each in declared:
        if not each.name.isidentifier() or len(each.name) > MAX_NAME:
            raise UserError(f"{kind} {each.name!r}: expected at most {MAX_NAME} letters, digits and underscores")
        if isinstance(each, Metric) and not 0 <= each.digits <= MAX_DIGITS:
            raise UserError(f"{kind} '{each.name}': expected 0 to {MAX_DIGITS} digits, got {each.digits}")
        if each.name in taken:
            raise UserError(f"{kind} '{each.name}': is a built-in name; choose another")
        if found.setdefault(each.name, each) != each:
            raise UserError(f"{kind} '{each.name}': is declared twice, with different properties; keep one declaration")
        if len(found) > MAX_DECLARED:
            raise UserError(f"{kind} '{each.name}': more than {MAX_DECLARED} are declared; declare fewer")
    return tuple(found.values())
