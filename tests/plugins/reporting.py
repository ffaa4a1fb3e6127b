"""Adds a table, a chart and a format to reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas
from matplotlib.axes import Axes

from runner.plugin import Chart, ReportContent, Runs, chart, report_format, table


@table("rates")
def rates(runs: Runs) -> pandas.DataFrame:
    """Expansions in a second."""
    means = runs.table.groupby("configuration", observed=True)[["expanded", "search_seconds"]].mean()
    return pandas.DataFrame({"rate": means["expanded"] / means["search_seconds"]})


@table("nothing")
def nothing(runs: Runs) -> None:
    """Nothing."""


@table("broken")
def broken(runs: Runs) -> Iterator[int]:
    """Fails if a configuration has the name `broken`."""
    if "broken" in runs.configurations:
        yield from map(int, runs.configurations)


@chart("points")
def points(runs: Runs) -> Chart:
    def draw(axes: Axes) -> None:
        axes.plot(runs.table["expanded"])

    return Chart("points", "Expansions", draw, (4.0, 3.0))


@report_format("names")
def names(report: ReportContent, out: Path) -> list[Path]:
    file = out / "names.txt"
    file.write_text(
        "\n".join([*(each.name for each in report.tables), *(each.name for each in report.charts)]), encoding="utf-8"
    )
    return [file]
