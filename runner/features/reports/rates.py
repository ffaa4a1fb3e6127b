"""The chart `rate`: the share of successes of each configuration for each value of a column of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from runner.features.reports.charts import Chart, dotted_line, few_ticks, labelled
from runner.features.reports.columns import is_text, numbers_of
from runner.features.reports.runs import Runs
from runner.features.reports.selection import is_of_search

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TEAM_SIZE = "agents"
"""Column of the chart, unless another one is chosen."""
_MAX_PANELS = 100
"""Maximum number of groups with a chart each."""


def rates(runs: Runs) -> Iterator[Chart]:
    """Yield a chart of the groups of rows that `--by` or `--rows` chooses, such as the maps, or one of all rows.

    Each group needs two values of the column. The groups are those of texts: the column itself and settings of searches
    make none.
    """
    chart = rate(runs)
    if chart is None:
        return
    grouping = runs.selection.grouping
    parts = {"": runs}
    for column in () if grouping is None else (*grouping.rows, *grouping.columns):
        if column != runs.selection.x and is_text(runs.table[column]) and not is_of_search(column):
            split = ((name, text, rows) for name, part in parts.items() for text, rows in part.by(column).items())
            parts = {f"{name} {text}".strip(): rows for name, text, rows in split}
    panels = {name: rate(rows, needs_failure=False) for name, rows in parts.items()}
    found = {name: panel for name, panel in panels.items() if panel is not None}
    if 1 < len(found) == len(panels) <= _MAX_PANELS:
        yield from (panel.of(name) for name, panel in found.items())
    else:
        yield chart


def rate(runs: Runs, *, needs_failure: bool = True) -> Chart | None:
    """Draw the share of rows that are a success, for each value of a column.

    The column is that of `Selection.x`. Without it, it is the number of agents, if rows have it. There is no chart for
    fewer than two values, nor for results that failures do not have, such as the cost; nor, if it needs a failure, if
    all rows are a success.
    """
    column = runs.selection.x or TEAM_SIZE
    if column not in runs.table or (needs_failure and runs.is_success.all()):
        return None
    numbers = numbers_of(runs.table[column])
    rows = pd.DataFrame({"configuration": runs.codes, "x": numbers, "success": runs.is_success}).dropna()
    if rows["x"].nunique() < 2 or (needs_failure and rows["success"].all()):
        return None
    found = rows.groupby(["configuration", "x"])["success"].agg(["sum", "size"])

    def draw(axes: Axes) -> None:
        for index in found.index.unique("configuration"):
            counts = found.loc[index]
            successes, sizes = counts["sum"].to_numpy(), counts["size"].to_numpy()
            values = [f"{some:,} of {every:,}" for some, every in zip(successes, sizes, strict=True)]
            places = counts.index.to_numpy(np.float64)
            dotted_line(axes, places, successes / sizes, index, runs.configurations[index], column, values)
        few_ticks(axes, rows["x"])
        axes.set_ylim(-0.03, 1.03)
        labelled(axes, column, "share of successes")

    limits = runs.table["limits"].astype(str).unique()
    within = f" within {limits[0]}" if len(limits) == 1 and limits[0] != "nan" else ""
    return Chart("rate", f"Which share of the instances is a success{within}, by {column}?", draw, (6.4, 3.8))
