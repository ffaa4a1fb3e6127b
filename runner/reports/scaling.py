"""Charts of medians and quartiles: by configuration, and against a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base.drawing import literal, tip
from runner.base.errors import UserError, suggest
from runner.base.messages import plural
from runner.base.metric import Metric
from runner.reports.chart import MARKERS, Chart, axis_label, colour, legend, line_of, scale_axis, short
from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.summary import common_values
from runner.reports.units import scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CONFIGURATIONS = 40
_QUARTILES = np.array([0.25, 0.5, 0.75])


def spread(runs: Runs, metric: Metric) -> Chart | None:
    """Draw the median and the quartiles of a metric for each configuration, over the common instances with a plan."""
    common = common_values(runs, metric)
    with_plan = runs.table["instance"][_counts(runs, metric)]
    wide = common.values[common.values.index.isin(with_plan.unique().astype(str))]
    if not 2 <= wide.shape[1] <= MAX_CONFIGURATIONS or len(wide) < 2:
        return None
    names = [str(name) for name in wide]
    found = wide.quantile(_QUARTILES).to_numpy().T
    scale = scale_of(metric, found, are_means=True)

    def draw(axes: Axes) -> None:
        for place, (name, values) in enumerate(zip(names, found, strict=True)):
            low, median, high = values / scale.size
            own = colour(runs.configurations.index(name))
            axes.plot([low, high], [place, place], color=own, linewidth=5, alpha=0.45, solid_capstyle="round")
            (dot,) = axes.plot(median, place, "o", color=own, markersize=6)
            first, middle, third = map(scale.quantity, values)
            tip(dot, f"{name}: median {middle}, quartiles {first} and {third}")
        axes.set_yticks(range(len(names)), [*map(short, names)])
        axes.set_ylim(len(names) - 0.5, -0.5)
        scale_axis(axes, "x", metric, found.ravel())
        if found.min() == 0:
            axes.set_xlim(left=0)
        axes.set_xlabel(axis_label(axes, f"{scale.heading}: median and quartiles"), loc="right")
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")

    over = plural(len(wide), "common instance") if common.is_shared else "all instances, because none is common"
    over += " with a plan" * (len(wide) < len(common.values))
    title = f"{metric.title.capitalize()} by configuration, over {over}"
    return Chart(f"spread_{metric.name}", title, draw, (8.0, 0.9 + 0.27 * len(names)))


def check_parameter(runs: Runs, name: str) -> None:
    """Check the column for `scaling`.

    Raises
    ------
    UserError
        If the column does not exist, or has values that are not numbers.
    """
    numeric = [str(each) for each in runs.table if not _numbers(runs, str(each)).isna().all()]
    if name not in numeric:
        why = "has no numbers" if name in runs.table else "is not a column"
        raise UserError(f"--x: '{name}' {why}{suggest(name, numeric)}")


def scaling(runs: Runs, metric: Metric, parameter: str) -> Chart | None:
    """Draw the median and the quartiles of a metric against a parameter; None for fewer than two of its values.

    Configurations are compared on the instances with a plan on which all have a value, for each value of the parameter.
    """
    rows = pd.DataFrame(
        {
            "x": _numbers(runs, parameter),
            "instance": runs.table["instance"].cat.codes,
            "configuration": runs.table[CONFIGURATION].cat.codes,
            "value": np.where(_counts(runs, metric), runs.table[metric.name].to_numpy(), np.nan),
        }
    ).dropna()
    present = rows["configuration"].nunique()
    shared = rows.groupby(["x", "instance"])["configuration"].transform("nunique") == present
    rows = rows[shared] if shared.any() else rows
    if rows["x"].nunique() < 2:
        return None
    found = rows.groupby(["configuration", "x"])["value"].quantile(_QUARTILES).unstack()
    numbers = rows.groupby(["configuration", "x"])["instance"].nunique()
    scale = scale_of(metric, rows["value"].to_numpy(), are_means=True)

    def draw(axes: Axes) -> None:
        for index, name in enumerate(runs.configurations):
            if index not in found.index.get_level_values(0):
                continue
            lines = found.loc[index]
            x = lines.index.to_numpy(dtype=float)
            low, median, high = (lines[quartile].to_numpy() / scale.size for quartile in _QUARTILES)
            own, marker = colour(index), MARKERS[index // 10 % len(MARKERS)]
            axes.fill_between(x, low, high, color=own, alpha=0.13, linewidth=0)
            axes.plot(x, median, line_of(index), color=own, label=short(name))
            for place, value in zip(x, median, strict=True):
                (dot,) = axes.plot(place, value, marker, color=own, markersize=4)
                count = int(numbers.loc[(index, place)])
                tip(dot, f"{name}, {parameter}={place:g}: median {scale.quantity(value * scale.size)} of {count}")
        scale_axis(axes, "y", metric, rows["value"].to_numpy())
        if rows["value"].min() == 0:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(literal(parameter))
        if len(places := sorted(rows["x"].unique())) <= 12:
            axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.set_ylabel(literal(scale.heading))
        axes.grid()
        legend(axes)

    with_plan = " of instances with a plan" * int(not _counts(runs, metric)[runs.is_comparable(metric)].all())
    title = f"How does {metric.title} grow with {parameter}? Medians and quartiles{with_plan}"
    return Chart(f"scaling_{metric.name}", title, draw, (6.4, 3.8))


def _counts(runs: Runs, metric: Metric) -> NDArray[np.bool_]:
    """Return, for each row, whether its value counts. Effort counts only with a plan, because a proof may need none."""
    counts = runs.is_comparable(metric)
    return counts & runs.has_plan if metric.better == "less" and (counts & runs.has_plan).any() else counts


def _numbers(runs: Runs, name: str) -> pd.Series:
    """Return a column as numbers; NaN for other values."""
    if name not in runs.table:
        return pd.Series(dtype=float)
    column = runs.table[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = pd.to_numeric(pd.Series([*column.cat.categories, ""], dtype=object), errors="coerce").to_numpy(float)
        return pd.Series(values[column.cat.codes.to_numpy()])
    return pd.Series(column.to_numpy(dtype=float))
