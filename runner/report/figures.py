"""The charts of a report, each as an SVG text: the same colour for a configuration in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runner.drawing import drawn
from runner.metric import Metric
from runner.registry import one_line
from runner.report.reading import CONFIGURATION
from runner.report.runs import Runs
from runner.report.statistics import geometric_mean

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d46", "#5d3a9b", "#000000", "#b8a800")
"""Okabe and Ito (2008), with the yellow darkened and two more; further configurations repeat them with hatches."""

HATCHES = ("", "///", "...")
LINES = ("-", "--", ":")
MAX_BARS = 30
_MAX_NAME = 40
MAX_POINTS = 5_000
SHORTEST_PLAN = "shortest plan"


@dataclass(frozen=True)
class Figure:
    """A chart.

    Attributes
    ----------
    name : str
        For file names.
    title : str
    svg : str
    """

    name: str
    title: str
    svg: str


def bars(runs: Runs, metric: Metric) -> Figure | None:
    """Draw a group of bars for each instance, and the length of the shortest plan where that is a lower bound."""
    wide = runs.pivot(metric.name)
    if not 1 <= len(wide) <= MAX_BARS or wide.notna().to_numpy().sum() < 2:
        return None
    names, count = runs.configurations, len(runs.configurations)
    values = wide.to_numpy()
    lengths = runs.comparable(runs.declared.all_metrics["length"]).min(axis=1).to_numpy()
    is_effort = metric.name in ("simulated_actions", "expanded", "generated")

    def draw(axes: Any) -> None:
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
    """Draw how many instances each configuration solves with at most so much: with success, and a plan."""
    solved = runs.table[runs.is_success & runs.table["cost"].notna()]
    curves = []
    for name in runs.configurations:
        values = np.sort(solved.loc[solved[CONFIGURATION] == name, metric.name].dropna().to_numpy())
        curves.append((values, np.arange(1, len(values) + 1)))
    if max((len(values) for values, _ in curves), default=0) < 3:
        return None

    def draw(axes: Any) -> None:
        for index, (values, numbers) in enumerate(curves):
            if len(values):
                kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), 400)).astype(int))
                line = LINES[index // len(COLOURS) % len(LINES)]
                axes.step(
                    values[kept],
                    numbers[kept],
                    line,
                    where="post",
                    color=_colour(index),
                    label=_short(runs.configurations[index]),
                )
        everything = np.concatenate([values for values, _ in curves])
        _scale(axes.set_xscale, metric, everything)
        axes.set_xlabel(metric.heading)
        axes.set_ylabel("instances solved")
        axes.set_ylim(bottom=0)
        axes.grid(color="0.9")
        _legend(axes, len(curves))

    return Figure(f"cactus_{metric.name}", f"Instances solved by {metric.title}", drawn(draw, (6.4, 3.8)))


def scatter(runs: Runs, metric: Metric, ours: str, theirs: str) -> Figure | None:
    """Draw two configurations against each other, a point per instance; below the diagonal the first needs less."""
    wide = runs.comparable(metric)[[theirs, ours]].dropna()
    x, y = wide[theirs].to_numpy(), wide[ours].to_numpy()
    usable = (x > 0) & (y > 0)
    x, y = x[usable][:MAX_POINTS], y[usable][:MAX_POINTS]
    if len(x) < 3:
        return None

    def draw(axes: Any) -> None:
        low, high = min(x.min(), y.min()), max(x.max(), y.max())
        axes.plot([low, high], [low, high], color="0.6", linewidth=0.8)
        axes.scatter(x, y, s=14, color=_colour(runs.configurations.index(ours)), alpha=0.5, linewidths=0)
        for scale in (axes.set_xscale, axes.set_yscale):
            _scale(scale, metric, np.concatenate([x, y]))
        axes.set_xlabel(f"{_short(theirs)}: {metric.heading}")
        axes.set_ylabel(f"{_short(ours)}: {metric.heading}")
        axes.grid(color="0.9")

    return Figure(f"scatter_{metric.name}", f"{ours} against {theirs}", drawn(draw, (4.4, 4.0)))


def ratios(runs: Runs, metric: Metric, ours: str, theirs: str) -> Figure | None:
    """Draw how often one configuration needs how many times as much as the other."""
    wide = runs.comparable(metric)[[ours, theirs]].dropna()
    wide = wide[(wide > 0).all(axis=1)]
    if len(wide) < 8:
        return None
    quotients = (wide[ours] / wide[theirs]).to_numpy()

    def draw(axes: Any) -> None:
        spread = max(abs(np.log2(quotients)).max(), 0.1)
        axes.hist(quotients, 2.0 ** np.linspace(-spread, spread, 41), color=_colour(runs.configurations.index(ours)))
        axes.axvline(1, color="0.6", linewidth=0.8)
        axes.axvline(geometric_mean(quotients), color="k", linestyle="--", linewidth=1, label="geometric mean")
        axes.set_xscale("log", base=2)
        axes.set_xlabel(f"{metric.title}: {_short(ours)} / {_short(theirs)}")
        axes.set_ylabel("instances")
        _legend(axes, 1)

    return Figure(f"ratios_{metric.name}", f"{ours} relative to {theirs}", drawn(draw, (5.6, 3.0)))


def distribution(runs: Runs) -> Figure | None:
    """Draw the scores of games: the share of games that end with at most so much."""
    if not runs.is_of_games:
        return None
    groups = {n: runs.table.loc[runs.table[CONFIGURATION] == n, "reward"].dropna() for n in runs.configurations}

    def draw(axes: Any) -> None:
        for index, (name, values) in enumerate(groups.items()):
            ordered = np.sort(values.to_numpy())
            kept = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), 600)).astype(int))
            line = LINES[index // len(COLOURS) % len(LINES)]
            axes.step(
                ordered[kept], (kept + 1) / len(ordered), line, where="post", color=_colour(index), label=_short(name)
            )
        axes.set_xlabel(runs.declared.all_metrics["reward"].title)
        axes.set_ylabel("share of games with at most this")
        axes.grid(color="0.9")
        _legend(axes, len(groups))

    return Figure("scores", "Distribution of scores", drawn(draw, (6.4, 3.8)))


def quality(curves: Mapping[str, tuple[np.ndarray, np.ndarray]], configurations: Sequence[str]) -> Figure:
    """Draw how good the solutions of anytime searches are over time; see `runner.report.improvements`."""

    def draw(axes: Any) -> None:
        for name, (seconds, values) in curves.items():
            index = configurations.index(name)
            line = LINES[index // len(COLOURS) % len(LINES)]
            kept = np.unique(np.linspace(0, len(seconds) - 1, min(len(seconds), 400)).astype(int))
            axes.step(seconds[kept], values[kept], line, where="post", color=_colour(index), label=_short(name))
        axes.set_xscale("log")
        axes.set_xlabel("search time (s)")
        axes.set_ylabel("cost of the best known plan / cost")
        axes.set_ylim(0, 1.03)
        axes.grid(color="0.9")
        _legend(axes, len(curves))

    return Figure("quality", "Quality of solutions over time", drawn(draw, (6.4, 3.8)))


def _scale(set_scale: Callable[[str], None], metric: Metric, values: np.ndarray) -> None:
    known = values[~np.isnan(values)]
    if metric.log and len(known) and known.min() >= 0 and (known > 0).any():
        set_scale("log" if known.min() > 0 else "symlog")


def _legend(axes: Any, entries: int) -> None:
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8, ncols=1 + entries // 18, borderaxespad=0
    )


def _short(name: str) -> str:
    """Return a name that leaves room for the chart."""
    name = one_line(name)
    if len(name) > _MAX_NAME:
        name = f"{name[: _MAX_NAME // 2]}…{name[-_MAX_NAME // 2 + 1 :]}"
    return name.replace("$", r"\$")  # no formulas


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def _fill(index: int) -> dict[str, Any]:
    hatch = HATCHES[index // len(COLOURS) % len(HATCHES)]
    return {"color": _colour(index), "hatch": hatch, "edgecolor": "white" if hatch else None, "linewidth": 0}
