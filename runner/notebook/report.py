"""Reports in notebooks and scripts: the page, its tables and its charts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from runner.audits import AUDIT
from runner.base.errors import UserError, suggest
from runner.records.given import given_results
from runner.records.reader import METRICS
from runner.reports.aggregates import Grouping
from runner.reports.chart import Chart
from runner.reports.content import Choices, ReportContent, compose
from runner.reports.runs import load
from runner.reports.tables import Table
from runner.reports.writers import WRITERS, page

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
        self.tables: dict[str, pandas.DataFrame] = {each.name: _frame(each) for each in contents.tables}
        self.charts: dict[str, Chart] = {each.name: each for each in contents.figures}

    def save(self, folder: str | os.PathLike[str], *formats: str) -> list[Path]:
        """Write the report into a folder, and return the files.

        Parameters
        ----------
        *formats : str
            Formats of ``python -m runner report``; by default ``"html"``.
        """
        for name in formats:
            if name not in WRITERS:
                raise UserError(f"there is no format '{name}'{suggest(name, WRITERS)}")
        out = Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        return [file for name in formats or ("html",) for file in WRITERS[name](self._contents, out)]

    def __repr__(self) -> str:
        return f"Report({self._contents.title!r}, tables: {', '.join(self.tables)}; charts: {', '.join(self.charts)})"

    def _repr_html_(self) -> str:
        content = escape(page(self._contents, Path.cwd()))
        return f'<iframe srcdoc="{content}" style="width: 100%; height: {_PIXELS}px; border: 0"></iframe>'


def _frame(table: Table) -> pandas.DataFrame:
    """Return a table with all digits of its numbers."""
    import pandas

    values = [[cell.text if cell.value is None else cell.value for cell in row] for row in table.rows]
    found = pandas.DataFrame(values, columns=table.columns)
    return found.set_index(table.columns[0])


def report(
    *folders: str | os.PathLike[str],
    metrics: Sequence[str] = (),
    compare: Sequence[str] = (),
    by: Sequence[str] = (),
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    x: str = "",
    only: Sequence[str] = (),
    where: Sequence[str] = (),
    rename: Sequence[str] = (),
) -> Report:
    """Return the report of runs and sweeps, as ``python -m runner report`` writes it.

    Parameters
    ----------
    *folders : path
        Folders, archives and tables as for `runner.read`; ``"latest"`` is the newest folder in ``outputs``.
    metrics : sequence of str
        Columns to show (``--metric``).
    compare, by, rows, columns, x, only, where, rename
        As the options of the command, see docs/reports.md.

    Raises
    ------
    runner.UserError
        If there are no rows, or a name is unknown.

    Examples
    --------
    >>> runner.report("outputs/sweep/mine").tables["summary"]  # doctest: +SKIP
    """
    grouping = Grouping.chosen(by, rows, columns)
    with given_results(folders, (METRICS, AUDIT)) as given:
        paths = [each.path for each in given]
        runs = load(paths, where, rename) if where or rename else None
        return Report(compose(paths, Choices(metrics, compare, grouping, x, only), runs))
