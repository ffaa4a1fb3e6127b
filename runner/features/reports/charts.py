"""Charts of a report, drawn by matplotlib. A configuration has the same colour in all of them.

Texts of axes pass through `literal` or `short`, which escape them; `tip` sets tooltips.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from runner.base import Metric, UserError, one_line, plural, suggest
from runner.features.reports.columns import CONFIGURATION, GROUP, Mask, group_text, numbers_of
from runner.features.reports.comparisons import changes
from runner.features.reports.doors import CHARTS, failures_of
from runner.features.reports.improvements import curves
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Numbers, geometric_mean
from runner.features.reports.tables import listed, scale_of, three_digits
from worlds.drawing import INK, drawn, literal, save_figure, tip, tips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d46", "#5d3a9b", INK, "#b8a800")
"""Colours of Okabe and Ito (2008), with a darker yellow and two more. Further configurations repeat them with other
hatches and line styles."""
HATCHES = ("", "///", "...")
LINES = ("-", "--", ":")
MARKERS = ("o", "s", "^", "D", "v", "P")
MAX_BARS = 30
"""Maximum number of instances with bars."""
MAX_POINTS = 2_000
MAX_SPREAD = 40
"""Maximum number of configurations in a chart of medians."""
SHORTEST_PLAN = "shortest plan"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EFFORTS = ("simulated_actions", "expanded", "generated")
_QUARTILES = np.array([0.25, 0.5, 0.75])
_MAX_STEPS = 300
_MAX_PLACES = 12
_MAX_NAME, _MAX_LABEL = 40, 40
_LETTERS = 12
"""Number of letters of the label of a vertical axis for each inch of the height of a narrow figure."""
_MAX_LETTERS = 50
"""Maximum number of letters of names that fit side by side below an axis in a paper."""
_COLUMN, _PAGE, _LEAST = 3.15, 6.5, 2.1
"""Widths of a column and of a page of a paper in inches, and the least height of a figure without its legend."""
_NARROW, _WIDE = 4.5, 8.0
"""Width of a figure, in inches, below which its legend is below the axes, and above which it is as wide as a page."""
_FEW_DECADES = 60
"""Ratio of values below which a logarithmic axis has labels at 1, 2 and 5."""


@dataclass(frozen=True)
class Chart:
    """Chart, which is drawn when it is written.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
        Caption: the question that it answers.
    draw : callable
        Function that draws it on axes.
    size : tuple of float
        Width and height in inches.
    world : str
        World of its rows, if the report has charts for each world.
    family : str
        Name under which its function is registered.
    """

    name: str
    title: str
    draw: Callable[[Axes], None]
    size: tuple[float, float]
    world: str = ""
    family: str = ""

    def of(self, world: str) -> Chart:
        """Return the chart with the name of a world in its name and title."""
        return replace(self, name=f"{self.name}_{_slug(world)}", title=f"{world}: {self.title}", world=world)

    @property
    def kind(self) -> str:
        """Name without the world."""
        return self.name.removesuffix(f"_{_slug(self.world)}") if self.world else self.name

    @property
    def names(self) -> set[str]:
        """Names by which options choose it: its own, with and without the world, and that of its family."""
        return {self.name, self.kind, self.family}

    @cached_property
    def svg(self) -> str:
        """Drawing as SVG, with tooltips."""
        with failures_of(CHARTS, self.family):
            return drawn(self.draw, self.size, is_chart=True)

    def figure(self, kind: str) -> bytes:
        """Return the figure of a paper, a vector graphic ("pdf") or pixels ("png")."""
        out = io.BytesIO()
        with failures_of(CHARTS, self.family):
            save_figure(self.draw, self.paper_size, out, kind)
        return out.getvalue()

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.svg

    @property
    def paper_size(self) -> tuple[float, float]:
        """Width and height in inches in a paper: as wide as one of two columns, or as the page."""
        width = _PAGE if self.size[0] > _WIDE else _COLUMN
        return width, max(_LEAST, self.size[1] * width / self.size[0]) + (width == _PAGE)


def _slug(world: str) -> str:
    return re.sub(r"\W+", "_", world)


def bars(runs: Runs, metric: Metric) -> Chart | None:
    """Draw a group of bars for each instance. Charts of effort also show the length of the shortest plan."""
    wide = runs.pivot(metric.name).dropna(axis="columns", how="all")
    if not 1 <= len(wide) <= MAX_BARS or wide.notna().to_numpy().sum() < 2:
        return None
    names = [str(name) for name in wide]
    numbers, count = [runs.configurations.index(name) for name in names], len(names)
    values, places = wide.to_numpy(), np.arange(len(wide))
    lengths = runs.comparable(runs.declared.all_metrics["length"]).min(axis=1).to_numpy()
    has_lengths = metric.name in _EFFORTS and not np.isnan(lengths).all()
    scale = scale_of(metric, values)

    def draw(axes: Axes) -> None:
        for index, name in enumerate(names):
            left = places + (index - (count - 1) / 2) * 0.84 / count
            fill = _fill(numbers[index])
            drawn = axes.bar(left, values[:, index] / scale.size, 0.84 / count, label=short(name), **fill)
            for bar, instance, value in zip(drawn, wide.index, values[:, index], strict=True):
                tip(bar, f"{instance}, {name}: {scale.quantity(value)}")
        if has_lengths:
            axes.plot(places, lengths, "_-", color=INK, linewidth=0.8, markersize=14, label=SHORTEST_PLAN)
        slanted = sum(map(len, wide.index)) > _MAX_LETTERS
        ends: Any = {"rotation": 30, "ha": "right"} if slanted else {}
        axes.set_xticks(places, [*map(short, wide.index)], **ends)
        axes.set_ylabel(_axis_label(axes, scale.heading, is_vertical=True))
        scale_axis(axes, "y", metric, values)
        axes.grid(axis="y")
        legend(axes)

    width = min(16.0, max(5.0, 1.2 + 0.14 * len(wide) * (count + 2)))
    return Chart(f"bars_{metric.name}", f"{metric.title} by instance", draw, (width, 3.6))


def cactus(runs: Runs, metric: Metric) -> Chart | None:
    """Draw how many instances each configuration solves, as a success with a plan, with at most a value of a metric.

    They are those that all configurations have tried, if there are any. A row of an instance with k replications counts
    as 1/k.
    """
    tried = " that all have tried" * (runs.of_shared is not runs)
    runs = runs.of_shared
    values = np.where(runs.has_plan & runs.is_comparable(metric), runs.table[metric.name].to_numpy(), np.nan)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    rows = [order[runs.codes[order] == n] for n in range(len(runs.configurations))]
    if max(map(len, rows), default=0) < 3:
        return None
    scale = scale_of(metric, values)

    def draw(axes: Axes) -> None:
        for index, chosen in enumerate(rows):
            if len(chosen):
                each, solved = values[chosen], np.cumsum(1 / runs.replications[chosen])
                half = scale.quantity(float(np.median(each)))
                text = f"{three_digits(float(solved[-1]))} solved, half of them within {half}"
                steps(axes, each / scale.size, solved, index, runs.configurations[index], text)
        scale_axis(axes, "x", metric, values)
        axes.set_ylim(bottom=0)
        labelled(axes, scale.heading, "instances solved")

    title = f"How many instances{tried} does each configuration solve up to a given value of {metric.title}?"
    return Chart(f"cactus_{metric.name}", title, draw, (6.4, 3.8))


def scatter(runs: Runs, metric: Metric, first: str, second: str) -> Chart | None:
    """Draw two configurations against each other, with a point for each instance in the colour of its domain or map.

    Below the diagonal, the first configuration needs less.
    """
    wide = runs.comparable(metric)[[second, first]].dropna()
    usable = (wide > 0).all(axis=1)
    points = wide[usable][:MAX_POINTS]
    x, y = points[second].to_numpy(), points[first].to_numpy()
    if len(x) < 3:
        return None
    both = np.concatenate([x, y])
    scale = scale_of(metric, both)
    found = runs.table.drop_duplicates("instance").set_index("instance")[GROUP]
    groups, names = pd.factorize(found.astype(object).reindex(points.index).fillna(""), sort=True)
    is_grouped = 1 < len(names) <= min(len(x) - 1, len(COLOURS) * len(MARKERS))

    def draw(axes: Axes) -> None:
        ends = np.array([both.min(), both.max()]) / scale.size
        axes.plot(ends, ends, color=INK, alpha=0.5, linewidth=0.8)
        texts = np.array(
            [f"{n}: {scale.text(a)} → {scale.text(b)}" for n, a, b in zip(points.index, x, y, strict=True)], object
        )
        for place, name in enumerate(names if is_grouped else [""]):
            rows = groups == place if is_grouped else np.ones(len(x), bool)
            look: Any = {"color": colour(runs.configurations.index(first))}
            if is_grouped:
                look = {"color": colour(place), "marker": marker(place), "label": short(name or "others")}
            drawn = axes.scatter(x[rows] / scale.size, y[rows] / scale.size, s=16, alpha=0.55, linewidths=0, **look)
            tips(drawn, texts[rows].tolist())
        scale_axis(axes, "x", metric, both)
        scale_axis(axes, "y", metric, both)
        axes.set_xlabel(_axis_label(axes, f"{_abbreviated(second)}: {scale.heading}"))
        axes.set_ylabel(_axis_label(axes, f"{_abbreviated(first)}: {scale.heading}", is_vertical=True))
        axes.grid()
        if is_grouped:
            legend(axes)

    of = f"{int((y < x).sum()):,} of {plural(len(x), 'instance')}{_left_out(int((~usable).sum()))}"
    title = f"{first} against {second}: below the line, it needs less ({of})"
    return Chart(f"scatter_{metric.name}", title, draw, (5.0, 4.4))


def quotients(runs: Runs, metric: Metric, first: str, second: str) -> Chart | None:
    """Draw a histogram of the ratios of two configurations."""
    both = runs.comparable(metric)[[first, second]].dropna()
    wide = both[(both > 0).all(axis=1)]
    if len(wide) < 8:
        return None
    values = (wide[first] / wide[second]).to_numpy()

    def draw(axes: Axes) -> None:
        spread = max(abs(np.log2(values)).max(), 0.1)
        edges = 2.0 ** np.linspace(-spread, spread, 41)
        counts = np.histogram(values, edges)[0]
        own = colour(runs.configurations.index(first))
        drawn = axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=own)
        for bar, count, low, high in zip(drawn, counts, edges, edges[1:], strict=False):
            tip(bar, f"{plural(int(count), 'instance')} with ratios from {low:.3g} to {high:.3g}")
        axes.axvline(1, color=INK, alpha=0.5, linewidth=0.8)
        axes.axvline(geometric_mean(values), color=INK, linestyle="--", linewidth=1, label="geometric mean")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:g}")
        axes.set_xlabel(_axis_label(axes, f"{metric.title}: {_abbreviated(first)} / {_abbreviated(second)}"))
        axes.set_ylabel("instances")
        legend(axes)

    title = f"Ratio of {metric.title}: {first} / {second}, on {plural(len(wide), 'instance')}"
    return Chart(f"ratios_{metric.name}", title + _left_out(len(both) - len(wide)), draw, (6.4, 3.4))


def _left_out(number: int) -> str:
    return f"; {number:,} with the value 0 left out" if number else ""


def revisions(runs: Runs, metric: Metric) -> Chart | None:
    """Draw the ratio after / before of each configuration, with its interval."""
    found = [each for each in changes(runs, metric) if each.comparison.ratio.mean > 0]
    if not found:
        return None
    names = [each.configuration for each in found]
    if len(set(names)) < len(names):
        names = [f"{each.configuration} [{each.after}]" for each in found]

    def draw(axes: Axes) -> None:
        axes.axvline(1, color=INK, alpha=0.5, linewidth=0.8)
        for place, (name, each) in enumerate(zip(names, found, strict=True)):
            mean, low, high = each.comparison.ratio
            verdict = each.verdict(metric)
            own = {"better": COLOURS[2], "worse": COLOURS[5]}.get(verdict, COLOURS[0])
            interval = f", 95 % interval {three_digits(low)} to {three_digits(high)}" if low == low else ""
            text = f"{name}: {three_digits(mean)}{interval}, {verdict}"
            _dot_and_bar(axes, place, (low, mean, high), own, text)
        label = f"{metric.title}: after / before, geometric mean and 95 % interval"
        _named_rows(axes, names, label)

    title = f"Ratio of {metric.title} after and before the change"
    return Chart(f"change_{metric.name}", title, draw, (8.0, 0.9 + 0.27 * len(names)))


def spread(runs: Runs, metric: Metric) -> Chart | None:
    """Draw the median and the quartiles of a metric for each configuration, over the common instances with a plan."""
    values, is_shared = runs.common(metric)
    with_plan = runs.table["instance"][_counts(runs, metric)]
    wide = values[values.index.isin(with_plan.unique().astype(str))]
    if not 2 <= wide.shape[1] <= MAX_SPREAD or len(wide) < 2:
        return None
    names = [str(name) for name in wide]
    found = wide.quantile(_QUARTILES).to_numpy().T
    scale = scale_of(metric, found, are_means=True)

    def draw(axes: Axes) -> None:
        for place, (name, each) in enumerate(zip(names, found, strict=True)):
            first, middle, third = map(scale.quantity, each)
            text = f"{name}: median {middle}, quartiles {first} and {third}"
            _dot_and_bar(axes, place, each / scale.size, colour(runs.configurations.index(name)), text)
        scale_axis(axes, "x", metric, found.ravel())
        if found.min() == 0:
            axes.set_xlim(left=0)
        _named_rows(axes, names, f"{scale.heading}: median and quartiles")

    over = plural(len(wide), "common instance") if is_shared else "all instances, because none is common"
    over += " with a plan" * (len(wide) < len(values))
    title = f"{metric.title.capitalize()} by configuration, over {over}"
    return Chart(f"spread_{metric.name}", title, draw, (8.0, 0.9 + 0.27 * len(names)))


def _dot_and_bar(axes: Axes, place: int, values: Sequence[float] | Numbers, own: str, text: str) -> None:
    """Draw a value in a row, with a bar from a lower to a higher one."""
    low, middle, high = values
    axes.plot([low, high], [place, place], color=own, linewidth=5, alpha=0.45, solid_capstyle="round")
    (dot,) = axes.plot(middle, place, "o", color=own, markersize=6)
    tip(dot, text)


def _named_rows(axes: Axes, names: Sequence[str], label: str) -> None:
    axes.set_yticks(range(len(names)), [*map(short, names)])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(_axis_label(axes, label), loc="right")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def check_parameter(runs: Runs, name: str) -> list[str]:
    """Check the column for `scaling`, and return notes on what is not drawn."""
    numeric = [each for each in map(str, runs.table) if not np.isnan(numbers_of(runs.table[each])).all()]
    if name not in numeric:
        why = "has no numbers" if name in runs.table else "is not a column"
        raise UserError(f"--x: '{name}' {why}{suggest(name, numeric)}")
    column = runs.table[name]
    numbers = numbers_of(column)
    others = [text for text in map(group_text, column[np.isnan(numbers)].unique()) if text]
    notes = [f"--x: {name}: values that are no numbers are not drawn: {listed(others)}"] if others else []
    known = np.unique(numbers[~np.isnan(numbers)])
    if len(known) < 2:
        notes.append(f"--x: no charts against {name}: expected at least two numbers, got {known[0]:g}")
    return notes


def scaling(runs: Runs, metric: Metric, parameter: str) -> Chart | None:
    """Draw the median and the quartiles of a metric against a parameter; None for fewer than two of its values.

    Configurations are compared on the instances with a plan on which all have a value, for each value of the parameter.
    """
    rows = pd.DataFrame(
        {
            "x": numbers_of(runs.table[parameter]),
            "instance": runs.table["instance"].cat.codes,
            "configuration": runs.codes,
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
        for index in found.index.get_level_values(0).unique():
            name, lines = runs.configurations[index], found.loc[index]
            x = lines.index.to_numpy(dtype=float)
            low, median, high = (lines[quartile].to_numpy() / scale.size for quartile in _QUARTILES)
            axes.fill_between(x, low, high, color=colour(index), alpha=0.13, linewidth=0)
            values = [
                f"median {scale.quantity(value * scale.size)} of {int(numbers.loc[(index, place)])}"
                for place, value in zip(x, median, strict=True)
            ]
            dotted_line(axes, x, median, index, name, parameter, values)
        scale_axis(axes, "y", metric, rows["value"].to_numpy())
        if rows["value"].min() == 0:
            axes.set_ylim(bottom=0)
        few_ticks(axes, rows["x"])
        labelled(axes, parameter, scale.heading)

    with_plan = " of instances with a plan" * int(not _counts(runs, metric)[runs.is_comparable(metric)].all())
    title = f"How does {metric.title} grow with {parameter}? Medians and quartiles{with_plan}"
    return Chart(f"scaling_{metric.name}", title, draw, (6.4, 3.8))


def informedness(runs: Runs) -> Chart | None:
    """Draw the mean expansions of each configuration against the seconds that one value of its heuristic takes.

    The instances are those that all configurations with a known time solve, if there are any. None without such a time.
    """
    names = ["expanded", "evaluated", "heuristic_seconds"]
    usable = runs.has_plan & runs.table[names].notna().all(axis=1).to_numpy() & (runs.table["evaluated"] > 0).to_numpy()
    rows = runs.table.loc[usable, names].assign(code=runs.codes[usable], instance=runs.table["instance"][usable])
    is_shared = rows.groupby("instance", observed=True)["code"].transform("nunique") == rows["code"].nunique()
    rows = rows[is_shared] if is_shared.any() else rows
    if rows.empty:
        return None
    found = rows.groupby("code").agg({"expanded": "mean", "evaluated": "sum", "heuristic_seconds": "sum"})
    seconds, expanded = (found["heuristic_seconds"] / found["evaluated"]).to_numpy(), found["expanded"].to_numpy()
    per_value = Metric("seconds_per_value", "s", label="time of one value")
    scales = scale_of(per_value, seconds, are_means=True), scale_of(Metric("expanded"), expanded, are_means=True)

    def draw(axes: Axes) -> None:
        for code, x, y in zip(found.index, seconds, expanded, strict=True):
            look: Any = {"color": colour(code), "markersize": 7, "linestyle": "", "label": short(name_of[code])}
            (dot,) = axes.plot(x / scales[0].size, y / scales[1].size, marker(code), **look)
            tip(dot, f"{name_of[code]}: {scales[1].quantity(y)} expansions, {scales[0].quantity(x)} a value")
        scale_axis(axes, "x", per_value, seconds)
        scale_axis(axes, "y", Metric("expanded"), expanded)
        labelled(axes, scales[0].heading, "mean expansions")

    name_of = runs.configurations
    count = plural(rows["instance"].nunique(), "instance")
    title = f"What does a better heuristic cost? Mean expansions and time of one value, on {count}"
    return Chart("informedness", title, draw, (6.4, 3.8))


def _counts(runs: Runs, metric: Metric) -> Mask:
    """Return, for each row, whether its value counts. Effort counts only with a plan, because a proof may need none."""
    counts = runs.of_all_replications(runs.is_comparable(metric))
    return counts & runs.has_plan if metric.better == "less" and (counts & runs.has_plan).any() else counts


def distribution(runs: Runs) -> Chart | None:
    """Draw the share of games that end with at most a given score."""
    if not runs.is_of_games:
        return None
    groups = {n: runs.table.loc[runs.table[CONFIGURATION] == n, "reward"].dropna() for n in runs.configurations}

    def draw(axes: Axes) -> None:
        for index, (name, values) in enumerate(groups.items()):
            if not len(values):
                continue
            shares = np.arange(1.0, len(values) + 1) / len(values)
            text = f"{plural(len(values), 'game')}, mean {values.mean():,.1f}"
            steps(axes, np.sort(values.to_numpy()), shares, index, name, text)
        labelled(axes, runs.declared.all_metrics["reward"].title, "share of games")

    return Chart("scores", "Which share of the games has at most a given score?", draw, (6.4, 3.8))


def quality(runs: Runs, folders: Sequence[Path]) -> Chart | None:
    """Draw the quality of solutions over time (`improvements.curves`); None without anytime searches."""
    found = curves(runs, folders)
    if not found:
        return None

    def draw(axes: Axes) -> None:
        for name, (seconds, values) in found.items():
            steps(axes, seconds, values, runs.configurations.index(name), name, f"{values[-1]:.3f} at the end")
        axes.set_xscale("log")
        axes.set_ylim(0, 1.03)
        labelled(axes, "search time (s)", "cost of the best known plan / cost")

    return Chart("quality", "How good is the best solution after this time?", draw, (6.4, 3.8))


def steps(axes: Axes, x: Numbers, y: Numbers, index: int, name: str, text: str) -> None:
    """Draw the step function of a configuration with a tooltip, with at most 300 of its points."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MAX_STEPS)).astype(int))
    (line,) = axes.step(x[kept], y[kept], _line(index), where="post", color=colour(index), label=short(name))
    tip(line, f"{name}: {text}")


def dotted_line(
    axes: Axes, x: Numbers, y: Numbers, index: int, name: str, parameter: str, values: Sequence[str]
) -> None:
    """Draw the line of a configuration against a parameter. Its points have tooltips with their values as texts."""
    own = colour(index)
    axes.plot(x, y, _line(index), color=own, label=short(name))
    for place, height, value in zip(x, y, values, strict=True):
        (dot,) = axes.plot(place, height, marker(index), color=own, markersize=4)
        tip(dot, f"{name}, {parameter}={place:g}: {value}")


def labelled(axes: Axes, x: str, y: str) -> None:
    """Label both axes, and add a grid and the legend."""
    axes.set_xlabel(_axis_label(axes, x))
    axes.set_ylabel(_axis_label(axes, y, is_vertical=True))
    axes.grid()
    legend(axes)


def few_ticks(axes: Axes, values: pd.Series) -> None:
    """Label the horizontal axis with the values of a parameter if they are few."""
    if len(places := sorted(values.unique())) <= _MAX_PLACES:
        axes.set_xticks(places, [f"{place:g}" for place in places])


def scale_axis(axes: Axes, which: Literal["x", "y"], metric: Metric, values: Numbers) -> None:
    """Choose a logarithmic scale if the metric asks for it and no value is negative; linear near 0 if some are 0."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    known = values[~np.isnan(values)]
    if not metric.log_scale or not len(known) or known.min() < 0 or not (known > 0).any():
        return
    set_scale, axis = (axes.set_xscale, axes.xaxis) if which == "x" else (axes.set_yscale, axes.yaxis)
    set_scale("log" if known.min() > 0 else "symlog")
    axis.set_major_formatter(FuncFormatter(lambda value, _: _power(value)))
    if known.min() > 0:
        axis.set_minor_formatter(NullFormatter())
        if known.max() / known.min() < _FEW_DECADES:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _power(value: float) -> str:
    """Return a power of ten as plain text. The formulas of matplotlib take ten times as long."""
    return f"10{str(round(math.log10(value))).translate(_SUPERSCRIPTS)}" if value > 0 else f"{value:g}"


def legend(axes: Axes) -> None:
    """Add a legend to the right of axes, or below those of a narrow figure, which grows by its height."""
    figure = axes.get_figure(root=True)
    if figure is None or figure.get_figwidth() >= _NARROW:
        entries = len(axes.get_legend_handles_labels()[0])
        axes.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small", ncols=1 + entries // 18,
            borderaxespad=0,
        )  # fmt: skip
        return
    for columns in (2, 1):
        made = figure.legend(loc="outside lower center", frameon=False, ncols=columns)
        box = made.get_window_extent()
        if box.width <= figure.get_figwidth() * figure.dpi or columns == 1:
            figure.set_figheight(figure.get_figheight() + box.height / figure.dpi)
            return
        made.remove()


def _axis_label(axes: Axes, text: str, is_vertical: bool = False) -> str:
    """Return the label of an axis, escaped, in several lines if it is long and the figure narrow."""
    figure = axes.get_figure(root=True)
    if figure is None or figure.get_figwidth() >= _NARROW:
        return literal(text)
    letters = int(_LETTERS * figure.get_figheight()) if is_vertical else _MAX_LABEL
    return "\n".join(map(literal, wrap(text, letters, break_on_hyphens=False)))


def _abbreviated(name: str) -> str:
    """Return a name of at most 40 characters, with its middle left out if it is longer."""
    name = one_line(name)
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME // 2 - 1]}...{name[-_MAX_NAME // 2 + 2 :]}"


def short(name: str) -> str:
    """Return an abbreviated name, escaped."""
    return literal(_abbreviated(name))


def colour(index: int) -> str:
    """Return the colour of a configuration."""
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """Return the marker of a configuration, which differs if its colour is repeated."""
    return MARKERS[index // len(COLOURS) % len(MARKERS)]


def _line(index: int) -> str:
    return LINES[index // len(COLOURS) % len(LINES)]


def _fill(index: int) -> dict[str, Any]:
    hatch = HATCHES[index // len(COLOURS) % len(HATCHES)]
    return {"color": colour(index), "hatch": hatch, "edgecolor": "white" if hatch else None, "linewidth": 0}
