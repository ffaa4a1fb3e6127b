"""Doors of reports: tables, charts and formats, which plug-ins add as our own modules do.

A table is a function of the rows that returns a DataFrame or a `Table`, or None if it has nothing to show. A DataFrame
has the first line of the function's docstring as its title::

    @table("rates")
    def rates(runs: Runs) -> pandas.DataFrame:
        means = runs.table.groupby("configuration", observed=True)[["expanded", "search_seconds"]].mean()
        return means.assign(rate=means["expanded"] / means["search_seconds"])

A chart is a function that returns a `Chart` or None. Functions that make several tables or charts yield them. A format
is a function that writes the contents of a report into a folder and returns the files::

    @report_format("title")
    def title(report: ReportContent, out: Path) -> list[Path]:
        file = out / "title.txt"
        file.write_text(report.title, encoding="utf-8")
        return [file]

Plug-ins come by ``--plugins``, or are installed. Those that rows record are not imported: records are data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from runner.base.errors import PluginError, UserError
from runner.base.metric import Metric
from runner.base.registry import Registry

if TYPE_CHECKING:
    import pandas

    from runner.features.reports.charts import Chart
    from runner.features.reports.content import ReportContent
    from runner.features.reports.groups import Grouping
    from runner.features.reports.parameters import Parameters
    from runner.features.reports.runs import Runs
    from runner.features.reports.tables import Table

    TableDoor = Callable[[Runs], Table | pandas.DataFrame | Iterable[Table | None] | None]
    ChartDoor = Callable[[Runs], Chart | Iterable[Chart | None] | None]
    FormatDoor = Callable[[ReportContent, Path], list[Path]]

Function = TypeVar("Function", bound=Callable[..., Any])

TABLES: Registry[TableDoor] = Registry("table")
CHARTS: Registry[ChartDoor] = Registry("chart")
REPORT_FORMATS: Registry[FormatDoor] = Registry("format")


@dataclass(frozen=True)
class View:
    """What a report shows of its rows.

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
        Column for charts of metrics against a parameter; empty for none.
    parameters : dict of str to dict
        Hyper-parameters of each configuration.
    """

    folders: Sequence[Path] = ()
    metrics: Sequence[Metric] = ()
    important: Sequence[Metric] = ()
    pairs: Sequence[tuple[str, str]] = ()
    grouping: Grouping | None = None
    x: str = ""
    parameters: Parameters = field(default_factory=dict)

    @property
    def main(self) -> Metric | None:
        """Metric by which configurations are compared; None if no metric is shown."""
        return next(iter(self.important), None)


def table(name: str) -> Callable[[Function], Function]:
    """Add a function of the rows to the tables of reports. Options choose its tables by this name."""
    return _enter(TABLES, name)


def chart(name: str) -> Callable[[Function], Function]:
    """Add a function of the rows to the charts of reports."""
    return _enter(CHARTS, name)


def report_format(name: str) -> Callable[[Function], Function]:
    """Add a function of the contents of a report and of a folder to the formats of reports."""
    return _enter(REPORT_FORMATS, name)


def _enter(door: Registry[Any], name: str) -> Callable[[Function], Function]:
    if not re.fullmatch(r"\w+", name):
        raise ValueError(f"{door.kind} '{name}': expected a name of letters, digits and _, because files have it")

    def register(function: Function) -> Function:
        try:
            door.add(name, function)
        except ValueError as error:  # a plug-in may come before our own entries
            raise UserError(f"{error}; rename one of the two") from None
        return function

    return register


def entered(door: Registry[Any]) -> list[str]:
    """Return the names of the entries of a door, in the order of their registration, ours first."""
    return [name for _, name, each in sorted(door.entries(), key=lambda entry: not _is_ours(entry[2]))]


def results_of(door: Registry[Any], name: str, *arguments: object) -> Iterator[Any]:
    """Call the function of an entry, and yield what it returns or yields, without None.

    Raises
    ------
    PluginError
        If the function of a plug-in raises an exception.
    """
    function = door.find(name)
    try:
        found = function(*arguments)
        yield from (each for each in (found if isinstance(found, (Iterator, list)) else [found]) if each is not None)
    except UserError:
        raise
    except Exception as error:
        if _is_ours(function):
            raise
        raise PluginError(f"{door.kind} '{name}' of a plug-in failed", error) from None


def write_report(report: ReportContent, out: Path, formats: Iterable[str], where: str = "--format") -> list[Path]:
    """Write a report into a folder in some formats, and return the files."""
    from runner.features.reports import formats as ours  # noqa: F401  (registers our formats)

    names = list(dict.fromkeys(formats))
    for name in names:
        REPORT_FORMATS.find(name, where=where)
    out.mkdir(parents=True, exist_ok=True)
    return [file for name in names for file in results_of(REPORT_FORMATS, name, report, out)]


def _is_ours(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith("runner.")
