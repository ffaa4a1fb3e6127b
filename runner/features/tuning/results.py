"""Results of a tuning: incumbents.csv, the winner as YAML, and a page that compares it on the instances for testing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from omegaconf import OmegaConf

from runner.base import Metric, atomic_write
from runner.features import reports
from runner.features.reports import Numbers, ReportContent, Table, TableCell, counts, estimates, p_values, texts
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.race import Incumbent
from runner.features.tuning.searches import Ask, Searches
from runner.records import csv_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCUMBENTS = "incumbents.csv"
WINNER = "experiment/tuned.yaml"
HINDSIGHT = 5
"""Configurations with the best values on training instances that are compared on the test instances."""


class Tested(NamedTuple):
    """Configuration with its name on the page and its values on the test instances; infinity if it cannot run."""

    name: str
    configuration: Configuration
    values: Numbers

    @property
    def mean(self) -> float:
        """Mean value."""
        return float(self.values.mean())


def write_incumbents(file: Path, history: Sequence[Incumbent], metric: Metric) -> None:
    """Write the incumbents in the order in which they were found."""
    with atomic_write(file, "wb") as out:
        out.write(csv_line(["spent", metric.name, "instances", "configuration"]))
        for each in history:
            value = shown_value(each.value, metric)
            out.write(csv_line([f"{each.spent:.10g}", f"{value:.10g}", str(each.instances), str(each.configuration)]))


def shown_value(value: float, metric: Metric) -> float:
    """Return the mean of a metric from that of values: less is better."""
    return -value if metric.better == "more" else value


def ablation(searches: Searches, first: Configuration, best: Configuration) -> list[Tested]:
    """Return the path from one configuration to another: in each step, the parameter whose change helps most.

    Each configuration on the path is searched on all test instances, so nothing is estimated by a model (Fawcett and
    Hoos 2016, "Analysing differences between algorithm configurations through ablation").
    """
    current, target = {**searches.scenario.defaults, **first.values}, best.values
    steps = _tested(searches, {"default": first})
    while differing := [name for name in target if current[name] != target[name]]:
        flipped = {f"{name}={best.plain[name]}": {**current, name: target[name]} for name in differing}
        made = {name: Configuration.of(searches.scenario, each) for name, each in flipped.items()}
        steps.append(min(_tested(searches, made), key=lambda each: each.mean))
        current = flipped[steps[-1].name]
    return steps


def _tested(searches: Searches, named: dict[str, Configuration]) -> list[Tested]:
    able = searches.add([*named.values()], "test")
    values = dict(zip(able, map(np.array, searches.values(able, "test")), strict=True))
    return [Tested(name, each, values.get(each, np.array([math.inf]))) for name, each in named.items()]


def comparison(searches: Searches, best: Configuration) -> list[Tested]:
    """Return the default, the best found and the best in hindsight on the test instances.

    The last is the best of these two and of the `HINDSIGHT` best on the training instances, of all that were tried.
    """
    named = {"default": Configuration.of(searches.scenario, searches.scenario.defaults), "best found": best}
    tried = {str(each): each for each in nearest(searches, best)[:HINDSIGHT]}
    tested = _tested(searches, {**named, **tried})
    return [*tested[:2], min(tested, key=lambda each: each.mean)._replace(name="best in hindsight")]


def nearest(searches: Searches, best: Configuration) -> list[Configuration]:
    """Return all that were tried, in the order of their values on training instances less those of the best on them."""
    differences: dict[Configuration, list[float]] = {}
    for each, number in searches.asked:
        if (best, number) in searches.asked:
            mine, its = (found.value for found in searches.ask([Ask(each, number, -1), Ask(best, number, -1)]))
            differences.setdefault(each, []).append(0.0 if mine == its else mine - its)
    return sorted(differences, key=lambda each: float(np.mean(differences[each])))


def write_page(
    folder: Path, searches: Searches, tested: Sequence[Tested], steps: Sequence[Tested], history: Sequence[Incumbent]
) -> list[Path]:  # fmt: skip
    """Write the page of a tuning, as HTML and Markdown."""
    metric, scenario = searches.metric, searches.scenario
    what = "time (s)" if scenario.budget_value[1] else "searches"

    def draw(axes: Axes) -> None:
        axes.step([each.spent for each in history], [shown_value(each.value, metric) for each in history], where="post")
        axes.set(xlabel=what, ylabel=f"mean {metric.title}")
        axes.grid()

    content = ReportContent(
        title=f"Tuning of {', '.join(scenario.parameters)}",
        lead=f"{searches.tried} configurations, {searches.spent():,.0f} {what} on {len(searches.numbers['train'])} "
        f"training instances, by {scenario.by}, seed {scenario.seed}. The comparison is on "
        f"{len(searches.numbers['test'])} others.",
        tables=[_comparison(tested, metric), _ablation(steps, metric)],
        charts=[reports.Chart("anytime", "How good was the incumbent after a part of the budget?", draw, (6.4, 3.4))],
        definitions={metric.title: metric.meaning} if metric.meaning else {},
    )
    return reports.write_report(content, folder, ["html", "markdown"])


def _comparison(tested: Sequence[Tested], metric: Metric) -> Table:
    wide = pd.DataFrame({each.name: np.abs(each.values) for each in tested})
    found = [reports.compare(wide, metric, each.name, tested[0].name) for each in tested]
    columns = [
        ("configuration", texts(each.name for each in tested)),
        _means(tested, metric),
        *estimates("ratio", [each.ratio for each in found]),
        ("wins", counts((each.wins for each in found), "0")),
        ("losses", counts((each.losses for each in found), "0")),
        ("p", p_values(each.p for each in found)),
        ("parameters", texts(str(each.configuration) for each in tested)),
    ]
    notes = [
        "Ratio to the default: geometric mean over the instances, with its 95 % interval. p: two-sided sign test "
        f"against the default. Unsolved counts ten times the limit. Best in hindsight: of the {HINDSIGHT} best on the "
        "training instances, of all that were tried, the one with the best mean here; it is known only afterwards."
    ]
    return Table.of("tuned", "On the test instances", columns, notes)


def _means(tested: Sequence[Tested], metric: Metric) -> tuple[str, list[TableCell]]:
    best = min(each.mean for each in tested)
    shown = [(shown_value(each.mean, metric), each.mean == best) for each in tested]
    return f"mean {metric.title}", [TableCell(f"{mean:,.6g}", mean, is_best) for mean, is_best in shown]


def _ablation(steps: Sequence[Tested], metric: Metric) -> Table:
    total = steps[0].mean - steps[-1].mean
    gains = [0.0, *(before.mean - after.mean for before, after in itertools.pairwise(steps))]
    shares = [f"{each / total:.0%}" if total and math.isfinite(each / total) else "" for each in gains]
    columns = [
        ("change", texts(each.name for each in steps)),
        _means(steps, metric),
        ("share of the gain", texts(shares)),
    ]
    note = "From the default to the best found, one parameter at a time: always the change that helps most."
    return Table.of("ablation", "Which parameters matter (test instances)", columns, [note])


def write_winner(file: Path, searches: Searches, best: Configuration) -> None:
    """Write the best configuration as an experiment: ``--config-dir FOLDER +experiment=tuned``."""
    chosen, is_group = {**searches.scenario.fixed, **best.plain}, searches.request.composer.groups.is_group
    content = OmegaConf.create({"defaults": [{f"override /{key}": chosen[key]} for key in chosen if is_group(key)]})
    for key, value in chosen.items():
        if not is_group(key):
            OmegaConf.update(content, key, value)
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as out:
        out.write("# @package _global_\n# Best configuration that `python -m runner tune` has found.\n")
        out.write(OmegaConf.to_yaml(content))
