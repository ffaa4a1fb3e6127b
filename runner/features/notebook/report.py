"""Reports in notebooks and scripts: the page, its tables and its charts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from runner.config import load_plugins
from runner.features.audits import AUDIT
from runner.features.reports import Chart, Choices, Grouping, ReportContent, TableFunction, compose, page, write_report
from runner.records import GivenResults, RecordFile

if TYPE_CHECKING:
    import pandas

_PIXELS = 700


class Report:
    """Report of runs and sweeps. A notebook shows its page.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        Tables by their names; numbers have all digits.
    charts : dict of str to Chart
        Charts by their names. A notebook shows a chart as a vector graphic.
    """

    def __init__(self, contents: ReportContent) -> None:
        self._contents = contents
        self.tables: dict[str, pandas.DataFrame] = {each.name: each.values for each in contents.tables}
        self.charts: dict[str, Chart] = {each.name: each for each in contents.charts}

    def save(self, folder: str | os.PathLike[str], *formats: str) -> list[Path]:
        """Write the report into a folder, and return the files.

        Parameters
        ----------
        *formats : str
            Formats of ``python -m runner report``; by default ``"html"``.
        """
        return write_report(self._contents, Path(folder), formats or ("html",), "save")

    def __repr__(self) -> str:
        return f"Report({self._contents.title!r}, tables: {', '.join(self.tables)}; charts: {', '.join(self.charts)})"

    def _repr_html_(self) -> str:
        content = escape(page(self._contents))
        return f'<iframe srcdoc="{content}" style="width: 100%; height: {_PIXELS}px; border: 0"></iframe>'


def report(
    *folders: str | os.PathLike[str],
    metrics: Sequence[str] = (),
    compare: Sequence[str] = (),
    by: Sequence[str] = (),
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    x: str = "",
    where: Sequence[str] = (),
    filter: Sequence[str] = (),
    derive: Sequence[str] = (),
    rename: Sequence[str] = (),
    tables: Sequence[str | TableFunction] = (),
    charts: Sequence[str] = (),
) -> Report:
    """Return the report of runs and sweeps, as ``python -m runner report`` writes it.

    Parameters
    ----------
    *folders : path
        Folders, archives and tables as for `runner.read`; ``"latest"`` is the newest folder in ``outputs``.
    metrics : sequence of str
        Columns to show (``--metric``).
    compare, by, rows, columns, x, where, filter, derive, rename, charts
        As the options of the command, see docs/reports.md.
    tables : sequence of str or callable
        Names of tables (``--tables``), and functions of the rows that return a DataFrame. The rows are a DataFrame with
        the columns of the results, `configuration` and unique names in `instance`. The name of the function is the
        name of the table, the first line of its docstring the title. A column with the name of a metric is shown like
        that metric.

    Raises
    ------
    runner.UserError
        If there are no rows, or a name is unknown.

    Examples
    --------
    >>> runner.report("outputs/sweep/mine").tables["summary"]  # doctest: +SKIP
    """
    load_plugins()
    choices = Choices(
        metrics=metrics,
        pair=compare,
        grouping=Grouping.chosen(by, rows, columns),
        parameter=x,
        tables=tables,
        charts=charts,
        where=where,
        filters=filter,
        derive=derive,
        rename=rename,
    )
    with GivenResults.opened(folders, (RecordFile.METRICS, AUDIT)) as given:
        return Report(compose([each.path for each in given], choices))
