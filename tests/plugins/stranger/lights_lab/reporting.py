"""A table, a chart and a format of reports."""

from __future__ import annotations

from pathlib import Path

import pandas

from runner.plugin import Chart, ReportContent, Runs, chart, report_format, table


@table("effort")
def effort(runs: Runs) -> pandas.DataFrame:
    """Expansions for each step of the plans."""
    sums = runs.table.groupby("configuration", observed=True)[["expanded", "length"]].sum()
    return pandas.DataFrame({"expansions per step": sums["expanded"] / sums["length"]})


@chart("ladder")
def ladder(runs: Runs) -> Chart:
    """Draw the expansions of all rows."""
    return Chart("ladder", "Expansions", lambda axes: axes.plot(runs.table["expanded"].to_numpy()), (4.0, 3.0))


@report_format("titles")
def titles(report: ReportContent, out: Path) -> list[Path]:
    """Write the titles of the tables."""
    file = out / "titles.txt"
    file.write_text("".join(f"{each.title}\n" for each in report.tables), encoding="utf-8")
    return [file]
