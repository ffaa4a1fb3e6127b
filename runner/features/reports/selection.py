"""Selection of what a report shows of its rows: metrics, pairs of configurations, and groups to sum metrics up by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from runner.base import Metric, UserError, suggest
from runner.features.reports.columns import CONFIGURATION, REVISION, distinct
from runner.features.reports.naming import CHOICES
from runner.features.reports.origin import Origin
from runner.features.reports.statistics import Numbers

MAX_GROUPS = 500
"""Maximum number of rows, and of columns, of a table."""
OF_SEARCHES = frozenset((CONFIGURATION, REVISION, "stack", "label", *CHOICES))
"""Columns that tell searches of the same instance apart. Swept parameters, such as ``algorithm.seed``, do so, too."""


@dataclass(frozen=True)
class Grouping:
    """Columns of the results by which metrics are summed up.

    Attributes
    ----------
    rows, columns : tuple of str
        Columns whose values are the rows and the columns of the tables.
    options : tuple of str
        Options of the command line that name the rows and the columns, for messages.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...] = (CONFIGURATION,)
    options: tuple[str, str] = ("--rows", "--columns")

    @classmethod
    def by(cls, columns: Sequence[str]) -> Grouping:
        """Return the grouping with a row for each configuration and a column for each value of some columns."""
        return cls((CONFIGURATION,), tuple(columns), ("--by", "--by"))

    @classmethod
    def chosen(cls, by: Sequence[str], rows: Sequence[str], columns: Sequence[str]) -> Grouping | None:
        """Return the grouping that the options choose; None without options."""
        if by and (rows or columns):
            raise UserError("--by: cannot be used with --rows or --columns; give one or the other")
        if columns and not rows:
            raise UserError("--columns: needs --rows; give both")
        if rows:
            return cls(tuple(rows), tuple(columns or cls.columns))
        return cls.by(by) if by else None

    @property
    def compares_rows(self) -> bool:
        """Whether the configurations are compared down the columns, because only the rows are settings of searches."""
        return not any(map(is_of_search, self.columns)) and any(map(is_of_search, self.rows))

    @property
    def has_totals(self) -> bool:
        """Whether a total over the rows, or over the columns if these are compared, is one of different instances."""
        return self.compares_rows or not any(map(is_of_search, self.rows))

    @property
    def title(self) -> str:
        """Names of the columns, for headings."""
        return " and ".join(name for name in (*self.rows, *self.columns) if name != CONFIGURATION) or CONFIGURATION

    def check(self, table: pd.DataFrame) -> None:
        """Check that rows have the columns."""
        present = [str(name) for name in table if table[name].notna().any()]
        for option, names in zip(self.options, (self.rows, self.columns), strict=True):
            for name in names:
                if name not in present:
                    why = "has no values here" if name in table else "is not a column"
                    raise UserError(f"{option}: '{name}' {why}{suggest(name, present)}")
            if (groups := len(distinct(table, names)[0])) > MAX_GROUPS:
                limit = f"at most {MAX_GROUPS} are shown"
                raise UserError(f"{option}: {', '.join(names)}: {groups:,} groups of rows; {limit}")


def is_of_search(column: str) -> bool:
    """Return whether a column tells searches of the same instance apart."""
    return column in OF_SEARCHES or column.partition(".")[0] in CHOICES


@dataclass(frozen=True)
class Selection:
    """Metrics, configurations and groups of rows that a report shows.

    Attributes
    ----------
    folders : sequence of Path
        Folders of the rows.
    metrics : sequence of Metric
        Metrics that are shown.
    important : sequence of Metric
        Those of them with answers and charts of their own.
    pairs : sequence of (str, str)
        Configurations that are compared.
    grouping : Grouping or None
        Columns by which metrics are summed up.
    x : str
        Column for charts against a parameter; empty for none.
    parameters : mapping of str to mapping
        Hyper-parameters of each configuration.
    origin : Origin
        Commands, versions and machines.
    fronts : mapping of str to array
        Costs of the plans of the fronts of searches, by run_id.
    """

    folders: Sequence[Path] = ()
    metrics: Sequence[Metric] = ()
    important: Sequence[Metric] = ()
    pairs: Sequence[tuple[str, str]] = ()
    grouping: Grouping | None = None
    x: str = ""
    parameters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)
    fronts: Mapping[str, Numbers] = field(default_factory=dict)

    @property
    def main(self) -> Metric | None:
        """Metric by which configurations are compared; None if no metric is shown."""
        return next(iter(self.important), None)
