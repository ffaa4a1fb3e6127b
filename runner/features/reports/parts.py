"""Tables and charts of reports, in their order. They enter by the doors of plug-ins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from runner.base import Metric, Registry, UserError, error_text
from runner.features.reports import charts, comparisons, fronts, groups, median_times, rates, replications, summaries
from runner.features.reports.charts import Chart
from runner.features.reports.doors import (
    CHARTS,
    TABLES,
    chart,
    check_name,
    entered,
    failures_of,
    is_ours,
    results_of,
    table,
)
from runner.features.reports.parameters import parameter_tables
from runner.features.reports.runs import OF_PLANS, Runs
from runner.features.reports.selection import Selection
from runner.features.reports.tables import Table, TableCell, texts

_MAX_INCHES = 100


def tables_of(runs: Runs, names: Collection[str]) -> Iterator[Table]:
    """Yield the tables of the registered functions that may make what has some names."""
    for name in _asked(TABLES, names):
        for found in results_of(TABLES, name, runs):
            made = as_table(runs, name, TABLES.find(name), found, f"table '{name}'")
            if not is_ours(TABLES, name):
                with failures_of(TABLES, name):
                    _check_table(made)
            if made.rows:
                yield replace(made, family=name)


def charts_of(runs: Runs, names: Collection[str]) -> Iterator[Chart]:
    """Yield the charts of the registered functions that may make what has some names."""
    for name in _asked(CHARTS, names):
        for found in results_of(CHARTS, name, runs):
            if not isinstance(found, Chart):
                raise UserError(f"chart '{name}' returned {type(found).__name__}; expected a Chart or None")
            if not is_ours(CHARTS, name):
                with failures_of(CHARTS, name):
                    _check_chart(found)
            yield replace(found, family=name)


def _asked(door: Registry[Any], names: Collection[str]) -> list[str]:
    """Return the entries with some names; all if a name is no entry's, because any may make a table of this name."""
    entries = entered(door)
    return [name for name in entries if name in names] if set(names).issubset(entries) else entries


def _check_table(made: Table) -> None:
    """Raise `ValueError` if formats cannot write a table."""
    check_name("Table", made.name)
    for line in made.lines:
        if len(line) != len(made.columns) or not all(isinstance(cell, TableCell) for cell in line):
            raise ValueError(f"Table '{made.name}': expected a TableCell for each of the columns, got the row {line!r}")


def _check_chart(made: Chart) -> None:
    """Raise `ValueError` if formats cannot write a chart."""
    check_name("Chart", made.name)
    if len(made.size) != 2 or not all(0 < side <= _MAX_INCHES for side in made.size):
        raise ValueError(f"Chart '{made.name}': expected a width and height up to {_MAX_INCHES} in, got {made.size!r}")


def as_table(runs: Runs, name: str, function: Any, found: object, where: str) -> Table:
    """Return what a function of a table has returned as a table. That of a DataFrame has the title of the function.

    Parameters
    ----------
    where : str
        Where the function was given, and its name, for messages.
    """
    if isinstance(found, Table):
        return found
    if not isinstance(found, pd.DataFrame):
        raise UserError(f"{where} returned {type(found).__name__}; expected a DataFrame")
    title = (inspect.getdoc(function) or name.replace("_", " ")).partition("\n")[0].removesuffix(".")
    try:
        return Table.of_frame(name, title, found, runs.declared.all_metrics)
    except Exception as error:  # a DataFrame may have values of any type
        raise UserError(f"{where} returned a DataFrame that cannot be shown: {error_text(error)}") from None


def _of_metrics(
    make: Callable[[Runs, Metric], Any], metrics: Callable[[Selection], Sequence[Metric]]
) -> Callable[[Runs], Iterator[Any]]:
    """Return a function of the rows that makes a table or a chart of each of some metrics that they show."""
    return lambda runs: (make(runs, metric) for metric in metrics(runs.selection))


def _of_last_pair(make: Callable[[Runs, Metric, str, str], Chart | None]) -> Callable[[Runs], Chart | None]:
    """Return a function of the rows that draws the main metric of the last pair."""

    def draw(runs: Runs) -> Chart | None:
        main, pairs = runs.selection.main, runs.selection.pairs
        return make(runs, main, *pairs[-1]) if main is not None and pairs else None

    return draw


def _counted(shown: Selection) -> Sequence[Metric]:
    return [metric for metric in shown.metrics if metric.log_scale]


def _facts(name: str, title: str, headings: tuple[str, str], facts: Mapping[str, str]) -> Table:
    return Table.of(name, title, zip(headings, (texts(facts), texts(facts.values())), strict=True))


def _compared(runs: Runs) -> Metric | None:
    """Return the main metric if some instance has values of several configurations."""
    main = runs.selection.main
    return main if main is not None and runs.comparable(main).notna().sum(axis=1).max() > 1 else None


@table("summary")
def _summary(runs: Runs) -> Iterator[Table]:
    for world, rows in (runs.worlds_apart or {"": runs}).items():
        yield summaries.summary(rows, runs.selection.metrics, world)


@table("revisions")
def _revisions(runs: Runs) -> Iterator[Table | None]:
    yield comparisons.coverage(runs)
    yield from (comparisons.revisions(runs, metric) for metric in runs.selection.metrics)


table("measures")(lambda runs: summaries.measures(runs, runs.selection.important))
table("scores")(summaries.scores)


@table("replications")
def _replications(runs: Runs) -> Iterator[Table | None]:
    costs = [metric for metric in runs.selection.metrics if metric.name == "cost"]
    yield from (replications.summary(runs, metric) for metric in dict.fromkeys((*runs.selection.important, *costs)))


table("repetitions")(median_times.summary)
table("coverage")(groups.coverage)


@table("by")
def _by(runs: Runs) -> Iterator[Table]:
    grouping = runs.selection.grouping
    if grouping is not None:
        grouped = runs.for_groups((*grouping.rows, *grouping.columns))
        yield groups.success_counts(grouped, grouping)
        yield from (groups.aggregates(grouped, metric, grouping) for metric in runs.selection.metrics)


@table("pairs")
def _pairs(runs: Runs) -> Table | None:
    metric, pairs = _compared(runs), runs.selection.pairs
    return comparisons.pairs(runs, metric, pairs) if metric is not None and pairs else None


@table("best")
def _best(runs: Runs) -> Table | None:
    metric = _compared(runs)
    return summaries.best(runs, metric) if metric is not None and metric.better != "neither" else None


table("statuses")(summaries.statuses)
table("instances")(_of_metrics(summaries.by_instance, lambda shown: shown.metrics))
table("parameters")(lambda runs: parameter_tables(runs, runs.selection.parameters))
table("names")(lambda runs: _facts("names", "Names", ("configuration", "meaning"), runs.meanings))


@table("metrics")
def _metrics(runs: Runs) -> Table:
    return _facts("metrics", "Metrics", ("metric", "definition"), summaries.definitions(runs.selection.metrics))


@table("origin")
def _origin(runs: Runs) -> Table:
    origin = runs.selection.origin
    commands = {"command" if place == 0 else f"command {place + 1}": text for place, text in enumerate(origin.commands)}
    return _facts("origin", "Origin", ("fact", "value"), {**commands, **origin.facts, **runs.constants})


chart("change")(_of_metrics(charts.revisions, lambda shown: shown.important))


@chart("spread")
def _spread(runs: Runs) -> Chart | None:
    return charts.spread(runs, runs.selection.main) if runs.selection.main is not None else None


@chart("cactus")
def _cactus(runs: Runs) -> Iterator[Chart | None]:
    of_plans = OF_PLANS if runs.is_limited.any() else ()
    for metric in runs.selection.important:
        if metric.better == "less" and metric.name not in of_plans:
            yield charts.cactus(runs, metric)


@chart("distribution")
def _distribution(runs: Runs) -> Iterator[Chart | None]:
    yield from (replications.distribution(runs, metric) for metric in runs.selection.important if metric.log_scale)


chart("rate")(rates.rates)


@chart("scaling")
def _scaling(runs: Runs) -> Iterator[Chart | None]:
    if x := runs.selection.x:
        yield from (charts.scaling(runs, metric, x) for metric in _counted(runs.selection))


chart("scatter")(_of_last_pair(charts.scatter))
chart("ratios")(_of_last_pair(charts.quotients))
chart("scores")(charts.distribution)
chart("informedness")(charts.informedness)


@chart("quality")
def _quality(runs: Runs) -> Chart | None:
    is_unique = not runs.table["run_id"].duplicated().any()  # curves are found by run_id
    return charts.quality(runs, runs.selection.folders) if is_unique else None


chart("fronts")(fronts.charts)
chart("bars")(_of_metrics(charts.bars, _counted))
