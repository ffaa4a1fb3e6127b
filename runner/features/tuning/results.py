"""Results of a tuning: incumbents.csv, the winner as YAML, and a page that compares it on the instances for testing."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import yaml

from runner.base import Metric, atomic_write
from runner.features.reports import (
    Chart,
    Numbers,
    ReportContent,
    Table,
    TableCell,
    counts,
    estimates,
    p_values,
    ratio,
    sign_test,
    texts,
    write_report,
)
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.race import Incumbent
from runner.features.tuning.scenario import Scenario
from runner.features.tuning.searches import Ask, Searches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCUMBENTS = "incumbents.csv"
WINNER = "experiment/tuned.yaml"
HINDSIGHT = 5
"""Configurations with the best values on training instances that are compared on the test instances."""


class Step(NamedTuple):
    """Step of an ablation: the change, and the mean value on the test instances."""

    change: str
    mean: float


class Tested(NamedTuple):
    """Configuration with its name on the page and its values on the test instances."""

    name: str
    configuration: Configuration
    values: Numbers


def write_incumbents(file: Path, history: Sequence[Incumbent], metric: Metric) -> None:
    """Write the incumbents in the order in which they were found."""
    with atomic_write(file) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["spent", metric.name, "instances", "configuration"])
        for each in history:
            writer.writerow(
                [f"{each.spent:.10g}", f"{shown_value(each.value, metric):.10g}", each.instances, each.configuration]
            )


def shown_value(value: float, metric: Metric) -> float:
    """Return the mean of a metric from that of values: less is better."""
    return -value if metric.better == "more" else value


def ablation(searches: Searches, first: Configuration, best: Configuration) -> list[Step]:
    """Return the path from one configuration to another: in each step, the parameter whose change helps most.

    Each configuration on the path is searched on all test instances, so nothing is estimated by a model (Fawcett and
    Hoos 2016, "Analysing differences between algorithm configurations through ablation").
    """
    scenario = searches.scenario
    current, target = {**scenario.defaults, **first.values}, best.values
    steps = [Step("default", *_mean(searches, [first]))]
    while True:
        differing = [name for name in target if current[name] != target[name]]
        if not differing:
            return steps
        flipped = [{**current, name: target[name]} for name in differing]
        made = [Configuration.of(scenario, each) for each in flipped]
        means = _mean(searches, made)
        place = int(np.argmin(means))
        current = flipped[place]
        name = differing[place]
        steps.append(Step(f"{name}={best.plain[name]}", means[place]))


def _mean(searches: Searches, configurations: Sequence[Configuration]) -> list[float]:
    """Return mean values on the test instances; infinity for a configuration that cannot run."""
    able = searches.add(configurations, "test")
    found = dict(zip(able, searches.values(able, "test"), strict=True))
    return [float(np.mean(found[each])) if each in found else math.inf for each in configurations]


def compare(searches: Searches, best: Configuration) -> list[Tested]:
    """Return the default, the best found and the best in hindsight on the test instances.

    The last is the best of these two and of the `HINDSIGHT` best on the training instances, of all that were tried.
    """
    first = Configuration.of(searches.scenario, searches.scenario.defaults)
    able = searches.add([*dict.fromkeys([first, best, *nearest(searches, best)[:HINDSIGHT]])], "test")
    values = dict(zip(able, map(np.array, searches.values(able, "test")), strict=True))
    hindsight = min(able, key=lambda each: float(values[each].mean()))
    named = {"default": first, "best found": best, "best in hindsight": hindsight}
    return [Tested(name, each, values[each]) for name, each in named.items()]


def nearest(searches: Searches, best: Configuration) -> list[Configuration]:
    """Return all that were tried, in the order of their values on training instances less those of the best on them."""
    differences: dict[Configuration, list[float]] = {}
    for each, number in searches.asked:
        if (best, number) in searches.asked:
            mine, its = (found.value for found in searches.ask([Ask(each, number, -1), Ask(best, number, -1)]))
            differences.setdefault(each, []).append(0.0 if mine == its else mine - its)
    return sorted(differences, key=lambda each: float(np.mean(differences[each])))


def write_page(
    folder: Path, searches: Searches, tested: Sequence[Tested], steps: Sequence[Step], history: Sequence[Incumbent]
) -> list[Path]:  # fmt: skip
    """Write the page of a tuning, as HTML and Markdown."""
    metric, scenario = searches.metric, searches.scenario
    what = "time (s)" if scenario.budget_value[1] else "searches"
    content = ReportContent(
        title=f"Tuning of {', '.join(scenario.parameters)}",
        lead=f"{searches.tried} configurations, {searches.spent():,.0f} {what} on {len(searches.numbers['train'])} "
        f"training instances, by {scenario.by}, seed {scenario.seed}. The comparison is on "
        f"{len(searches.numbers['test'])} others.",
        tables=[_comparison(tested, metric), _ablation(steps, metric)],
        charts=[_curve(history, metric, what)],
        definitions={metric.title: metric.meaning} if metric.meaning else {},
    )
    return write_report(content, folder, ["html", "markdown"])


def _comparison(tested: Sequence[Tested], metric: Metric) -> Table:
    first = tested[0].values
    wins = [int((each.values < first).sum()) for each in tested]
    losses = [int((each.values > first).sum()) for each in tested]
    found = [ratio(np.abs(each.values), np.abs(first)) for each in tested]
    columns = [
        ("configuration", texts(each.name for each in tested)),
        (f"mean {metric.title}", _means([float(each.values.mean()) for each in tested], metric)),
        *estimates("ratio", found),
        ("wins", counts(wins, "0")),
        ("losses", counts(losses, "0")),
        ("p", p_values(map(sign_test, wins, losses))),
        ("parameters", texts(str(each.configuration) for each in tested)),
    ]
    notes = [
        "Ratio to the default: geometric mean over the instances, with its 95 % interval. p: two-sided sign test "
        f"against the default. Unsolved counts ten times the limit. Best in hindsight: of the {HINDSIGHT} best on the "
        "training instances, of all that were tried, the one with the best mean here; it is known only afterwards."
    ]
    return Table.of("tuned", "On the test instances", columns, notes)


def _means(values: Sequence[float], metric: Metric) -> list[TableCell]:
    shown = ((each, shown_value(each, metric)) for each in values)
    return [TableCell(f"{number:,.6g}", number, is_best=each == min(values)) for each, number in shown]


def _ablation(steps: Sequence[Step], metric: Metric) -> Table:
    total = steps[0].mean - steps[-1].mean
    gains = [0.0, *(before.mean - after.mean for before, after in itertools.pairwise(steps))]
    shares = [f"{each / total:.0%}" if total and math.isfinite(each / total) else "" for each in gains]
    columns = [
        ("change", texts(each.change for each in steps)),
        (f"mean {metric.title}", _means([each.mean for each in steps], metric)),
        ("share of the gain", texts(shares)),
    ]
    note = "From the default to the best found, one parameter at a time: always the change that helps most."
    return Table.of("ablation", "Which parameters matter (test instances)", columns, [note])


def _curve(history: Sequence[Incumbent], metric: Metric, what: str) -> Chart:
    def draw(axes: Axes) -> None:
        axes.step([each.spent for each in history], [shown_value(each.value, metric) for each in history], where="post")
        axes.set_xlabel(what)
        axes.set_ylabel(f"mean {metric.title}")
        axes.grid()

    return Chart("anytime", "How good was the incumbent after a part of the budget?", draw, (6.4, 3.4))


def write_winner(file: Path, scenario: Scenario, best: Configuration, is_group: Any) -> None:
    """Write the best configuration as an experiment: ``--config-dir FOLDER +experiment=tuned``."""
    defaults: list[dict[str, Any]] = []
    content: dict[str, Any] = {}
    for key, value in {**scenario.fixed, **best.plain}.items():
        if is_group(key):
            defaults.append({f"override /{key}": value})
            continue
        section = content
        *parents, name = key.split(".")
        for parent in parents:
            section = section.setdefault(parent, {})
        section[name] = value
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as out:
        out.write("# @package _global_\n# Best configuration that `python -m runner tune` has found.\n")
        out.write(yaml.safe_dump({"defaults": defaults, **content} if defaults else content, sort_keys=False))
