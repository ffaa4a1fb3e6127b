"""Charts that compare configurations: by instance, by effort, in pairs, by score and over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from runner.base.drawing import INK, literal, tip, tips
from runner.base.messages import plural
from runner.base.metric import Metric
from runner.reports.changes import changes
from runner.reports.chart import COLOURS, Chart, abbreviated, axis_label, colour, fill, legend, scale_axis, short, steps
from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.statistics import Numbers, geometric_mean
from runner.reports.units import scale_of, three_digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_BARS = 30
"""Maximum number of instances with bars."""
MAX_POINTS = 2_000
SHORTEST_PLAN = "shortest plan"
_EFFORTS = ("simulated_actions", "expanded", "generated")


def bars(runs: Runs, metric: Metric) -> Chart | None:
    """Draw a group of bars for each instance. Charts of effort also show the length of the shortest plan."""
    wide = runs.pivot(metric.name)
    if not 1 <= len(wide) <= MAX_BARS or wide.notna().to_numpy().sum() < 2:
        return None
    names, count = runs.configurations, len(runs.configurations)
    values = wide.to_numpy()
    lengths = runs.comparable(runs.declared.all_metrics["length"]).min(axis=1).to_numpy()
    has_lengths = metric.name in _EFFORTS and not np.isnan(lengths).all()
    scale = scale_of(metric, values)

    def draw(axes: Axes) -> None:
        for index, name in enumerate(names):
            places = np.arange(len(wide)) + (index - (count - 1) / 2) * 0.84 / count
            drawn = axes.bar(places, values[:, index] / scale.size, 0.84 / count, label=short(name), **fill(index))
            for bar, instance, value in zip(drawn, wide.index, values[:, index], strict=True):
                tip(bar, f"{instance}, {name}: {scale.quantity(value)}")
        if has_lengths:
            axes.plot(np.arange(len(wide)), lengths, "_-", color=INK, linewidth=0.8, markersize=14, label=SHORTEST_PLAN)
        slanted = len(wide) > 8 or max(map(len, wide.index)) > 12
        axes.set_xticks(
            np.arange(len(wide)), [*map(short, wide.index)], rotation=30 * slanted, ha="right" if slanted else "center"
        )
        axes.set_ylabel(literal(scale.heading))
        scale_axis(axes, "y", metric, values)
        axes.grid(axis="y")
        legend(axes)

    width = min(16.0, max(5.0, 1.2 + 0.14 * len(wide) * (count + 2)))
    return Chart(f"bars_{metric.name}", f"{metric.title} by instance", draw, (width, 3.6))


def cactus(runs: Runs, metric: Metric) -> Chart | None:
    """Draw how many instances each configuration solves with at most a given value of a metric.

    An instance is solved if its row is a success with a plan.
    """
    solved = runs.table.loc[runs.has_plan, [CONFIGURATION, metric.name]]
    curves = [
        np.sort(solved.loc[solved[CONFIGURATION] == name, metric.name].dropna().to_numpy())
        for name in runs.configurations
    ]
    if max(map(len, curves), default=0) < 3:
        return None
    scale = scale_of(metric, np.concatenate(curves))

    def draw(axes: Axes) -> None:
        for index, values in enumerate(curves):
            if len(values):
                text = f"{len(values):,} solved, half of them within {scale.quantity(float(np.median(values)))}"
                counts = np.arange(1.0, len(values) + 1)
                steps(axes, values / scale.size, counts, index, runs.configurations[index], text)
        scale_axis(axes, "x", metric, np.concatenate(curves))
        axes.set_xlabel(literal(scale.heading))
        axes.set_ylabel("instances solved")
        axes.set_ylim(bottom=0)
        axes.grid()
        legend(axes)

    return Chart(
        f"cactus_{metric.name}",
        f"How many instances does each configuration solve with at most this {metric.title}?",
        draw,
        (6.4, 3.8),
    )


def scatter(runs: Runs, metric: Metric, first: str, second: str) -> Chart | None:
    """Draw two configurations against each other, with a point for each instance.

    Below the diagonal, the first configuration needs less.
    """
    wide = runs.comparable(metric)[[second, first]].dropna()
    x, y = wide[second].to_numpy(), wide[first].to_numpy()
    usable = (x > 0) & (y > 0)
    left_out = _left_out(len(x) - int(usable.sum()))
    names = wide.index[usable][:MAX_POINTS]
    x, y = x[usable][:MAX_POINTS], y[usable][:MAX_POINTS]
    if len(x) < 3:
        return None
    scale = scale_of(metric, np.concatenate([x, y]))
    below = int((y < x).sum())

    def draw(axes: Axes) -> None:
        ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())]) / scale.size
        axes.plot(ends, ends, color=INK, alpha=0.5, linewidth=0.8)
        own = colour(runs.configurations.index(first))
        points = axes.scatter(x / scale.size, y / scale.size, s=16, color=own, alpha=0.55, linewidths=0)
        tips(points, [f"{n}: {scale.text(a)} → {scale.text(b)}" for n, a, b in zip(names, x, y, strict=True)])
        scale_axis(axes, "x", metric, np.concatenate([x, y]))
        scale_axis(axes, "y", metric, np.concatenate([x, y]))
        axes.set_xlabel(axis_label(axes, f"{abbreviated(second)}: {scale.heading}"))
        axes.set_ylabel(axis_label(axes, f"{abbreviated(first)}: {scale.heading}"))
        axes.grid()

    title = (
        f"{first} against {second}: below the line, it needs less ({below:,} of {plural(len(x), 'instance')}{left_out})"
    )
    return Chart(f"scatter_{metric.name}", title, draw, (5.0, 4.4))


def ratios(runs: Runs, metric: Metric, first: str, second: str) -> Chart | None:
    """Draw a histogram of the ratios of two configurations."""
    both = runs.comparable(metric)[[first, second]].dropna()
    wide = both[(both > 0).all(axis=1)]
    if len(wide) < 8:
        return None
    quotients = (wide[first] / wide[second]).to_numpy()

    def draw(axes: Axes) -> None:
        spread = max(abs(np.log2(quotients)).max(), 0.1)
        edges = 2.0 ** np.linspace(-spread, spread, 41)
        counts = np.histogram(quotients, edges)[0]
        own = colour(runs.configurations.index(first))
        drawn = axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=own)
        for bar, count, low, high in zip(drawn, counts, edges, edges[1:], strict=False):
            tip(bar, f"{plural(int(count), 'instance')} with ratios from {low:.3g} to {high:.3g}")
        axes.axvline(1, color=INK, alpha=0.5, linewidth=0.8)
        axes.axvline(geometric_mean(quotients), color=INK, linestyle="--", linewidth=1, label="geometric mean")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:g}")
        axes.set_xlabel(axis_label(axes, f"{metric.title}: {abbreviated(first)} / {abbreviated(second)}"))
        axes.set_ylabel("instances")
        legend(axes)

    title = f"By what factor does {first} need more than {second}? {plural(len(wide), 'instance').capitalize()}"
    title += _left_out(len(both) - len(wide))
    return Chart(f"ratios_{metric.name}", title, draw, (6.4, 3.4))


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
            low, mean, high = (getattr(each.comparison.ratio, end) for end in ("low", "mean", "high"))
            own = {"better": COLOURS[2], "worse": COLOURS[5]}.get(each.verdict(metric), COLOURS[0])
            axes.plot([low, high], [place, place], color=own, linewidth=5, alpha=0.45, solid_capstyle="round")
            (dot,) = axes.plot(mean, place, "o", color=own, markersize=6)
            interval = f"{three_digits(low)} to {three_digits(high)}"
            tip(dot, f"{name}: {three_digits(mean)}, 95 % interval {interval}, {each.verdict(metric)}")
        axes.set_yticks(range(len(names)), [*map(short, names)])
        axes.set_ylim(len(names) - 0.5, -0.5)
        label = f"{metric.title}: after / before, geometric mean and 95 % interval"
        axes.set_xlabel(axis_label(axes, label), loc="right")
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")

    title = f"Ratio of {metric.title} after and before the change"
    return Chart(f"change_{metric.name}", title, draw, (8.0, 0.9 + 0.27 * len(names)))


def distribution(runs: Runs) -> Chart | None:
    """Draw the share of games that end with at most a given score."""
    if not runs.is_of_games:
        return None
    groups = {n: runs.table.loc[runs.table[CONFIGURATION] == n, "reward"].dropna() for n in runs.configurations}

    def draw(axes: Axes) -> None:
        for index, (name, values) in enumerate(groups.items()):
            ordered = np.sort(values.to_numpy())
            shares = np.arange(1.0, len(ordered) + 1) / len(ordered)
            steps(axes, ordered, shares, index, name, f"{plural(len(ordered), 'game')}, mean {values.mean():,.1f}")
        axes.set_xlabel(literal(runs.declared.all_metrics["reward"].title))
        axes.set_ylabel("share of games with at most this")
        axes.grid()
        legend(axes)

    return Chart("scores", "Which share of the games ends with at most this score?", draw, (6.4, 3.8))


def quality(curves: Mapping[str, tuple[Numbers, Numbers]], configurations: Sequence[str]) -> Chart:
    """Draw the quality of solutions over time.

    Parameters
    ----------
    curves : mapping of (array, array)
        Times and qualities of each configuration; see `runner.reports.improvements.curves`.
    """

    def draw(axes: Axes) -> None:
        for name, (seconds, values) in curves.items():
            steps(axes, seconds, values, configurations.index(name), name, f"{values[-1]:.3f} at the end")
        axes.set_xscale("log")
        axes.set_xlabel("search time (s)")
        axes.set_ylabel("cost of the best known plan / cost")
        axes.set_ylim(0, 1.03)
        axes.grid()
        legend(axes)

    return Chart("quality", "How good is the best solution after this time?", draw, (6.4, 3.8))
