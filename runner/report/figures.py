"""Charts of a report as SVG. A configuration has the same colour in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runner.drawing import drawn
from runner.metric import Metric
from runner.registry import one_line
from runner.report.reading import CONFIGURATION
from runner.report.runs import Runs
from runner.report.statistics import Numbers, geometric_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d46", "#5d3a9b", "#000000", "#b8a800")
"""Colours of Okabe and Ito (2008), with a darker yellow and two more. Further configurations repeat them with other
hatches and line styles."""

HATCHES = ("", "///", "...")
LINES = ("-", "--", ":")
MAX_BARS = 30
"""Maximum number of instances with bars."""
MAX_POINTS = 5_000
_MAX_STEPS = 600
_MAX_NAME = 40
SHORTEST_PLAN = "shortest plan"


@dataclass(frozen=True)
class Figure:
    """Chart or picture.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
        Caption.
    svg : str
        Drawing as SVG.
    """

    name: str
    title: str
    svg: str


def bars(runs: Runs, metric: Metric) -> Figure | None:
    """Draw a group of bars for each instance. Charts of effort also show the length of the shortest plan."""
    wide = runs.pivot(metric.name)
    if not 1 <= len(wide) <= MAX_BARS or wide.notna().to_numpy().sum() < 2:
        return None
    names, count = runs.configurations, len(runs.configurations)
    values = wide.to_numpy()
    lengths = runs.comparable(runs.declared.all_metrics["length"]).min(axis=1).to_numpy()
    is_effort = metric.name in ("simulated_actions", "expanded", "generated")

    def draw(axes: Axes) -> None:
        for index, name in enumerate(names):
            places = np.arange(len(wide)) + (index - (count - 1) / 2) * 0.84 / count
            axes.bar(places, values[:, index], 0.84 / count, label=_short(name), **_fill(index))
        if is_effort and not np.isnan(lengths).all():
            axes.plot(np.arange(len(wide)), lengths, "k_-", linewidth=0.8, markersize=14, label=SHORTEST_PLAN)
        slanted = len(wide) > 8 or max(map(len, wide.index)) > 12
        axes.set_xticks(
            np.arange(len(wide)), map(_short, wide.index), rotation=30 * slanted, ha="right" if slanted else "center"
        )
        axes.set_ylabel(metric.heading)
        _scale(axes.set_yscale, metric, values)
        axes.grid(axis="y", color="0.9")
        _legend(axes, count + is_effort)

    width = min(16.0, max(5.0, 1.2 + 0.14 * len(wide) * (count + 2)))
    return Figure(f"bars_{metric.name}", f"{metric.title} by instance", drawn(draw, (width, 3.6)))


def cactus(runs: Runs, metric: Metric) -> Figure | None:
    """Draw how many instances each configuration solves with at most a given value of a metric.

    An instance is solved if its row is a success with a plan.
    """
    solved = runs.table.loc[runs.is_success & runs.table["cost"].notna(), [CONFIGURATION, metric.name]]
    curves = [
        np.sort(solved.loc[solved[CONFIGURATION] == name, metric.name].dropna().to_numpy())
        for name in runs.configurations
    ]
    if max(map(len, curves), default=0) < 3:
        return None

    def draw(axes: Axes) -> None:
        for index, values in enumerate(curves):
            if len(values):
                _steps(axes, values, np.arange(1.0, len(values) + 1), index, runs.configurations[index])
        _scale(axes.set_xscale, metric, np.concatenate(curves))
        axes.set_xlabel(metric.heading)
        axes.set_ylabel("instances solved")
        axes.set_ylim(bottom=0)
        axes.grid(color="0.9")
        _legend(axes, len(curves))

    return Figure(f"cactus_{metric.name}", f"Instances solved by {metric.title}", drawn(draw, (6.4, 3.8)))


def scatter(runs: Runs, metric: Metric, first: str, second: str) -> Figure | None:
    """Draw two configurations against each other, with a point for each instance.

    Below the diagonal, the first configuration needs less.
    """
    wide = runs.comparable(metric)[[second, first]].dropna()
    x, y = wide[second].to_numpy(), wide[first].to_numpy()
    usable = (x > 0) & (y > 0)
    x, y = x[usable][:MAX_POINTS], y[usable][:MAX_POINTS]
    if len(x) < 3:
        return None

    def draw(axes: Axes) -> None:
        low, high = min(x.min(), y.min()), max(x.max(), y.max())
        axes.plot([low, high], [low, high], color="0.6", linewidth=0.8)
        axes.scatter(x, y, s=14, color=_colour(runs.configurations.index(first)), alpha=0.5, linewidths=0)
        for scale in (axes.set_xscale, axes.set_yscale):
            _scale(scale, metric, np.concatenate([x, y]))
        axes.set_xlabel(f"{_short(second)}: {metric.heading}")
        axes.set_ylabel(f"{_short(first)}: {metric.heading}")
        axes.grid(color="0.9")

    return Figure(f"scatter_{metric.name}", f"{first} against {second}", drawn(draw, (4.4, 4.0)))


def ratios(runs: Runs, metric: Metric, first: str, second: str) -> Figure | None:
    """Draw a histogram of the ratios of two configurations."""
    wide = runs.comparable(metric)[[first, second]].dropna()
    wide = wide[(wide > 0).all(axis=1)]
    if len(wide) < 8:
        return None
    quotients = (wide[first] / wide[second]).to_numpy()

    def draw(axes: Axes) -> None:
        spread = max(abs(np.log2(quotients)).max(), 0.1)
        axes.hist(
            quotients,
            (2.0 ** np.linspace(-spread, spread, 41)).tolist(),
            color=_colour(runs.configurations.index(first)),
        )
        axes.axvline(1, color="0.6", linewidth=0.8)
        axes.axvline(geometric_mean(quotients), color="k", linestyle="--", linewidth=1, label="geometric mean")
        axes.set_xscale("log", base=2)
        axes.set_xlabel(f"{metric.title}: {_short(first)} / {_short(second)}")
        axes.set_ylabel("instances")
        _legend(axes, 1)

    return Figure(f"ratios_{metric.name}", f"{first} relative to {second}", drawn(draw, (5.6, 3.0)))


def distribution(runs: Runs) -> Figure | None:
    """Draw the share of games that end with at most a given score."""
    if not runs.is_of_games:
        return None
    groups = {n: runs.table.loc[runs.table[CONFIGURATION] == n, "reward"].dropna() for n in runs.configurations}

    def draw(axes: Axes) -> None:
        for index, (name, values) in enumerate(groups.items()):
            ordered = np.sort(values.to_numpy())
            _steps(axes, ordered, np.arange(1.0, len(ordered) + 1) / len(ordered), index, name)
        axes.set_xlabel(runs.declared.all_metrics["reward"].title)
        axes.set_ylabel("share of games with at most this")
        axes.grid(color="0.9")
        _legend(axes, len(groups))

    return Figure("scores", "Distribution of scores", drawn(draw, (6.4, 3.8)))


def quality(curves: Mapping[str, tuple[Numbers, Numbers]], configurations: Sequence[str]) -> Figure:
    """Draw the quality of solutions over time.

    Parameters
    ----------
    curves : mapping of (array, array)
        Times and qualities of each configuration; see `runner.report.improvements.curves`.
    """

    def draw(axes: Axes) -> None:
        for name, (seconds, values) in curves.items():
            _steps(axes, seconds, values, configurations.index(name), name)
        axes.set_xscale("log")
        axes.set_xlabel("search time (s)")
        axes.set_ylabel("cost of the best known plan / cost")
        axes.set_ylim(0, 1.03)
        axes.grid(color="0.9")
        _legend(axes, len(curves))

    return Figure("quality", "Quality of solutions over time", drawn(draw, (6.4, 3.8)))


def _steps(axes: Axes, x: Numbers, y: Numbers, index: int, name: str) -> None:
    """Draw the step function of a configuration, with at most `_MAX_STEPS` of its points."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MAX_STEPS)).astype(int))
    line = LINES[index // len(COLOURS) % len(LINES)]
    axes.step(x[kept], y[kept], line, where="post", color=_colour(index), label=_short(name))


def _scale(set_scale: Callable[[str], object], metric: Metric, values: Numbers) -> None:
    """Choose a logarithmic scale if the metric asks for it and no value is negative; linear near 0 if some are 0."""
    known = values[~np.isnan(values)]
    if metric.log and len(known) and known.min() >= 0 and (known > 0).any():
        set_scale("log" if known.min() > 0 else "symlog")


def _legend(axes: Axes, entries: int) -> None:
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8, ncols=1 + entries // 18, borderaxespad=0
    )


def _short(name: str) -> str:
    """Return a name of at most 40 characters, with its middle left out if it is longer."""
    name = one_line(name)
    if len(name) > _MAX_NAME:
        name = f"{name[: _MAX_NAME // 2]}…{name[-_MAX_NAME // 2 + 1 :]}"
    return name.replace("$", r"\$")  # which would begin a formula


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def _fill(index: int) -> dict[str, Any]:
    """Return the style of the bars of a configuration."""
    hatch = HATCHES[index // len(COLOURS) % len(HATCHES)]
    return {"color": _colour(index), "hatch": hatch, "edgecolor": "white" if hatch else None, "linewidth": 0}
