"""Reports: tables and charts of folders of runs. On the command line: ``python -m runner report FOLDER``.

A table is a function of the rows (`Runs`) that returns a `Table`, and a chart one that returns a `Chart`; all formats
follow from that. Ours and those of plug-ins enter by the decorators of `doors`. Texts in charts pass through `literal`
or `short`, which escape them; `tip` sets tooltips. ``python -m tests.runner.features.reports.test_golden`` writes the
expected numbers of the tests again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names

if TYPE_CHECKING:
    from runner.features.reports.charts import Chart as Chart
    from runner.features.reports.columns import GROUP as GROUP
    from runner.features.reports.columns import group_text as group_text
    from runner.features.reports.comparisons import compare as compare
    from runner.features.reports.content import Choices as Choices
    from runner.features.reports.content import ReportContent as ReportContent
    from runner.features.reports.content import TableFunction as TableFunction
    from runner.features.reports.content import compose as compose
    from runner.features.reports.doors import chart as chart
    from runner.features.reports.doors import report_format as report_format
    from runner.features.reports.doors import table as table
    from runner.features.reports.expressions import derived as derived
    from runner.features.reports.expressions import meets as meets
    from runner.features.reports.formats import markdown as markdown
    from runner.features.reports.formats import page as page
    from runner.features.reports.formats import write_report as write_report
    from runner.features.reports.runs import Runs as Runs
    from runner.features.reports.selection import Grouping as Grouping
    from runner.features.reports.statistics import LEVEL as LEVEL
    from runner.features.reports.statistics import Numbers as Numbers
    from runner.features.reports.statistics import explanation as explanation
    from runner.features.reports.statistics import holm as holm
    from runner.features.reports.statistics import sign_test as sign_test
    from runner.features.reports.statistics import signed_rank_test as signed_rank_test
    from runner.features.reports.statistics import t_quantile as t_quantile
    from runner.features.reports.summaries import agile as agile
    from runner.features.reports.tables import Table as Table
    from runner.features.reports.tables import TableCell as TableCell
    from runner.features.reports.tables import counts as counts
    from runner.features.reports.tables import estimates as estimates
    from runner.features.reports.tables import p_values as p_values
    from runner.features.reports.tables import texts as texts

_MODULES = {
    "charts": ("Chart",),
    "columns": ("GROUP", "group_text"),
    "comparisons": ("compare",),
    "content": ("Choices", "ReportContent", "TableFunction", "compose"),
    "doors": ("chart", "report_format", "table"),
    "expressions": ("derived", "meets"),
    "formats": ("markdown", "page", "write_report"),
    "runs": ("Runs",),
    "statistics": (
        "LEVEL",
        "Numbers",
        "explanation",
        "holm",
        "sign_test",
        "signed_rank_test",
        "t_quantile",
    ),
    "summaries": ("agile",),
    "tables": ("Table", "TableCell", "counts", "estimates", "p_values", "texts"),
    "selection": ("Grouping",),
}
"""Names for plug-ins and other features, by their modules, which are slow to import."""

__getattr__ = lazy_names(__name__, _MODULES)
