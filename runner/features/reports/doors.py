"""Doors of reports: tables, charts and formats, which plug-ins add as our own modules do.

A table is a function of the rows that returns a DataFrame or a `Table`, or None if it has nothing to show. A DataFrame
has the first line of the function's docstring as its title::

    @table("rates")
    def rates(runs: Runs) -> pandas.DataFrame:
        means = runs.table.groupby("configuration", observed=True)[["expanded", "search_seconds"]].mean()
        return means.assign(rate=means["expanded"] / means["search_seconds"])

A chart is a function that returns a `Chart` or None. Functions that make several tables or charts yield them;
those of one name are numbered. A format is a function that writes the contents of a report into a folder and returns
the files::

    @report_format("title")
    def title(report: ReportContent, out: Path) -> list[Path]:
        file = out / "title.txt"
        file.write_text(report.title, encoding="utf-8")
        return [file]

Plug-ins come by ``--plugins``, or are installed. Those that rows record are not imported: records are data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from runner.base import NameTaken, PluginError, Registry, UserError, directory_kept, is_own_module

Function = TypeVar("Function", bound=Callable[..., Any])

TABLES: Registry[Callable[..., Any]] = Registry("table")
CHARTS: Registry[Callable[..., Any]] = Registry("chart")
REPORT_FORMATS: Registry[Callable[..., Any]] = Registry("format")
TABLES_OF_PAGE = ("summary", "revisions", "by", "pairs", "audit")
CHARTS_OF_PAGE = ("change", "spread", "rate", "scaling", "scores", "quality", "fronts")
"""Tables and charts of a report for which none is named. All others are made if they are named."""


def table(name: str) -> Callable[[Function], Function]:
    """Add a function of the rows to the tables of reports. Reports have its tables if this name is given."""
    return _enter(table, TABLES, name)


def chart(name: str) -> Callable[[Function], Function]:
    """Add a function of the rows to the charts of reports. Reports have its charts if this name is given."""
    return _enter(chart, CHARTS, name)


def report_format(name: str) -> Callable[[Function], Function]:
    """Add a function of the contents of a report and of a folder to the formats of reports."""
    return _enter(report_format, REPORT_FORMATS, name)


def _enter(decorator: Callable[..., Any], door: Registry[Any], name: str) -> Callable[[Function], Function]:
    if callable(name):
        raise TypeError(f'@{decorator.__name__} needs a name: write @{decorator.__name__}("NAME")')
    check_name(f"{door.kind} '{name}'", name)

    def register(function: Function) -> Function:
        try:
            door.add(name, function)
        except NameTaken:
            if not is_own_module(function.__module__):
                raise
            early = door.find(name)  # a plug-in may come before our own entries
            raise NameTaken(
                f"plugins: '{early.__module__}': {door.kind} '{name}' is registered already, by search-runner; "
                "choose another name"
            ) from None
        return function

    return register


def check_name(owner: str, name: str) -> None:
    """Raise `ValueError` if a name of a plug-in cannot be the name of a file in the folder of a report."""
    if not (isinstance(name, str) and re.fullmatch(r"\w+", name)):
        raise ValueError(f"{owner}: the name '{name}' must have only letters, digits and _, because files have it")


def entered(door: Registry[Any]) -> list[str]:
    """Return the names of the entries of a door, in the order of their registration, ours first."""
    return [name for _, name, each in sorted(door.entries(), key=lambda entry: not is_own_module(entry[2].__module__))]


def results_of(door: Registry[Any], name: str, *arguments: object) -> Iterator[Any]:
    """Call the function of an entry, and yield what it returns or yields, without None.

    Raises
    ------
    PluginError
        If the function of a plug-in raises an exception.
    """
    with failures_of(door, name):
        found = door.find(name)(*arguments)
        yield from (each for each in (found if isinstance(found, (Iterator, list)) else [found]) if each is not None)


@contextmanager
def failures_of(door: Registry[Any], name: str) -> Iterator[None]:
    """Raise a `PluginError` for an exception in this context, if the entry is one of a plug-in."""
    try:
        with directory_kept():
            yield
    except UserError:
        raise
    except Exception as error:
        if is_ours(door, name):
            raise
        raise PluginError(f"{door.kind} '{name}' of a plug-in failed", error) from None


def is_ours(door: Registry[Any], name: str) -> bool:
    """Return whether an entry is no plug-in's. An empty name stands for what has not entered by the door."""
    return not name or is_own_module(door.find(name).__module__)
