"""Contents of a report, independent of the format in which it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from runner.audits.finding import RecordedCounterexample
from runner.base.errors import UserError, suggest
from runner.base.messages import plural
from runner.base.metric import Metric
from runner.reports import changes, figures, pairs, scaling, tables
from runner.reports.aggregates import Grouping, aggregates, check, success_counts
from runner.reports.answer import Answer, answers, best_pair
from runner.reports.audits import audits
from runner.reports.chart import Chart
from runner.reports.improvements import quality_over_time
from runner.reports.measures import measures
from runner.reports.origin import MAX_CELLS, Origin, RecordedCell, cells_of, origin_of
from runner.reports.pictures import Picture, pictures
from runner.reports.revisions import folder_names
from runner.reports.runs import NothingToReport, Runs, listed, load
from runner.reports.scores import scores
from runner.reports.summary import summary
from runner.reports.tables import Table

_MAX_COMPARED = 24
_MAX_ERRORS = 5


@dataclass(frozen=True)
class ReportContent:
    """Contents of a report.

    Attributes
    ----------
    title : str
        Label, experiment or folders of the rows.
    lead : str
        What was run: world, configurations, instances and rows.
    notes : list of str
        Problems with the input and failures of the runs.
    constants : dict of str
        Columns that have the same value in all rows, with this value.
    meanings : dict of str
        Full description of each configuration.
    tables : list of Table
        Tables of the rows, then of the audits.
    figures : list of Chart
        Charts; the first one belongs to the answers.
    pictures : list of Picture
        Instances with a plan.
    cells : list of RecordedCell
        Runs and cells.
    counterexamples : list of RecordedCounterexample
        Counterexamples that audits found.
    answers : list of Answer
        Which configurations are the best.
    origin : Origin
        Commands, versions and machines.
    """

    title: str
    lead: str = ""
    notes: list[str] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    meanings: dict[str, str] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    figures: list[Chart] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    cells: list[RecordedCell] = field(default_factory=list)
    counterexamples: list[RecordedCounterexample] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    origin: Origin = field(default_factory=Origin)


@dataclass(frozen=True)
class Choices:
    """Choice of the tables and charts of a report.

    Attributes
    ----------
    metrics : sequence of str
        Columns to show; by default the main metrics.
    pair : sequence of str
        Two configurations to compare; by default each other configuration is compared with the first.
    grouping : Grouping or None
        Columns by which metrics are summed up.
    parameter : str
        Column for charts of metrics against a parameter; empty for none.
    parts : sequence of str
        Names of tables and charts; by default all of them.
    pictures : bool
        Whether to draw instances with their plans, which only pages show.
    """

    metrics: Sequence[str] = ()
    pair: Sequence[str] = ()
    grouping: Grouping | None = None
    parameter: str = ""
    parts: Sequence[str] = ()
    pictures: bool = True


def compose(folders: Sequence[Path], choices: Choices | None = None, runs: Runs | None = None) -> ReportContent:
    """Return the report of the rows and audits below some folders.

    Parameters
    ----------
    runs : Runs, optional
        Rows of the folders, if they have been loaded.

    Raises
    ------
    UserError
        If there is neither a row nor an audit, or if a metric, configuration or column does not exist.
    """
    notes: list[str] = []
    found = audits(folders, notes)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the numbers in a table may be of any size
            report = of_runs(runs or load(folders), folders, choices)
    except NothingToReport as error:
        if not found:
            raise NothingToReport("; ".join([str(error), *notes])) from None
        report = ReportContent(_names(folders))
    report = replace(
        report,
        notes=[*notes, *report.notes],
        tables=[*report.tables, *(each.table for each in found)],
        counterexamples=[example for each in found for example in each.counterexamples],
    )
    return _only(report, choices.parts) if choices and choices.parts else report


def _only(report: ReportContent, names: Sequence[str]) -> ReportContent:
    """Return a report with some of its tables and charts."""
    present = [*(table.name for table in report.tables), *(figure.name for figure in report.figures)]
    for name in names:
        if name not in present:
            listing = "" if suggest(name, present) else f"; there are {', '.join(present)}"
            raise UserError(f"--only: this report has no table or chart '{name}'{suggest(name, present)}{listing}")
    return replace(
        report,
        tables=[table for table in report.tables if table.name in names],
        figures=[figure for figure in report.figures if figure.name in names],
    )


def of_runs(runs: Runs, folders: Sequence[Path], choices: Choices | None = None) -> ReportContent:
    """Return the report of rows.

    Raises
    ------
    UserError
        If a metric, configuration or column does not exist.
    """
    choices = choices or Choices()
    shown = _metrics(runs, choices.metrics)
    main = _main(runs, shown)
    compared = _pairs(runs, choices.pair, main)
    seconds = runs.declared.all_metrics["search_seconds"]
    important = list(dict.fromkeys(metric for metric in (main, seconds) if metric in shown))
    if choices.grouping is not None:
        check(runs, choices.grouping)
    if choices.parameter:
        scaling.check_parameter(runs, choices.parameter)
    charts: list[Chart | None] = [figures.revisions(runs, metric) for metric in important]
    charts += [scaling.spread(runs, main)] if main is not None else []
    charts += [figures.cactus(runs, metric) for metric in important if metric.better == "less"]
    charts += [scaling.scaling(runs, metric, choices.parameter) for metric in shown if choices.parameter and metric.log]
    if main is not None and compared:
        charts += [figures.scatter(runs, main, *compared[-1]), figures.ratios(runs, main, *compared[-1])]
    charts += [figures.distribution(runs)]
    if not runs.table["run_id"].duplicated().any():  # curves are found by run_id
        charts.append(quality_over_time(runs, folders))
    charts += [figures.bars(runs, metric) for metric in shown if metric.log]
    pictured = pictures(runs, folders, choices.pictures)
    cells = [cell for folder in folders for cell in cells_of(folder)][:MAX_CELLS]
    origin = origin_of(cells)
    return ReportContent(
        title=runs.constants.get("label") or origin.experiment or _names(folders),
        lead=_lead(runs),
        notes=[*runs.notes, *_faults(runs)],
        constants=runs.constants,
        meanings=runs.meanings,
        tables=_tables(runs, shown, important, main, compared, choices.grouping),
        figures=[chart for chart in charts if chart is not None],
        pictures=pictured,
        cells=cells,
        answers=answers(runs, important),
        origin=origin,
    )


def _tables(
    runs: Runs,
    shown: Sequence[Metric],
    important: Sequence[Metric],
    main: Metric | None,
    compared: Sequence[tuple[str, str]],
    grouping: Grouping | None,
) -> list[Table]:
    """Return the tables: by configuration, by groups, comparisons, and by instance."""
    parts: list[Table | None] = [summary(runs, shown)]
    parts += [changes.coverage_table(runs), *(changes.revisions(runs, metric) for metric in shown)]
    parts += [measures(runs, important), scores(runs)]
    if grouping is not None:
        grouped = runs.for_groups((*grouping.rows, *grouping.columns))
        parts += [success_counts(grouped, grouping), *(aggregates(grouped, metric, grouping) for metric in shown)]
    if main is not None and runs.comparable(main).notna().sum(axis=1).max() > 1:
        parts += [pairs.comparisons(runs, main, compared)] if compared else []
        parts += [tables.best(runs, main)] if main.better != "neither" else []
    parts += [tables.statuses(runs), *(tables.absolute(runs, metric) for metric in shown)]
    return [table for table in parts if table is not None and table.rows]


def _lead(runs: Runs) -> str:
    instances, rows = runs.table["instance"].cat.codes.nunique(), len(runs.table)
    worlds = [str(name) for name in runs.table["world"].unique()]
    parts = (plural(len(runs.configurations), "configuration"), plural(instances, "instance"), plural(rows, "row"))
    return f"{listed(worlds)}: {', '.join(parts)}"


def _names(folders: Sequence[Path]) -> str:
    return ", ".join(folder_names(folders))


def _metrics(runs: Runs, names: Sequence[str]) -> list[Metric]:
    present = {metric.name: metric for metric in tables.measured(runs)}
    for name in names:
        if name not in present:
            why = "has no values here" if name in runs.declared.all_metrics else "is no metric"
            raise UserError(f"--metric: '{name}' {why}{suggest(name, present)}")
    main = [name for name, metric in present.items() if metric.is_main]
    return [present[name] for name in dict.fromkeys(names or main)] or list(present.values())


def _main(runs: Runs, shown: Sequence[Metric]) -> Metric | None:
    """Return the metric by which configurations are compared: the score of games, otherwise the effort."""
    of_games = [metric for metric in shown if runs.is_of_games and metric.better == "more"]
    return next(iter([*of_games, *(metric for metric in shown if metric.log), *shown]), None)


def _pairs(runs: Runs, pair: Sequence[str], metric: Metric | None) -> list[tuple[str, str]]:
    """Return the chosen pair; by default each configuration and the first one, then the best and the runner-up."""
    names = runs.configurations
    for name in pair:
        if name not in names:
            raise UserError(f"--compare: there is no configuration '{name}'{suggest(name, names)}")
    if pair:
        return [(pair[0], pair[1])]
    made = [(name, names[0]) for name in names[1:]] if len(names) <= _MAX_COMPARED else []
    best = best_pair(runs, metric) if metric is not None else None
    return [*made, best] if best is not None and not {best, best[::-1]}.intersection(made) else made


def _faults(runs: Runs) -> list[str]:
    """Return notes on the most common errors and on plans that failed validation."""
    errors = runs.table["error"].dropna().astype(str).value_counts().head(_MAX_ERRORS)
    found = [f"{plural(count, 'row')} with this error: {error}" for error, count in errors.items()]
    others = int(runs.has_status(lambda status: status.is_failure).sum()) - int(errors.sum())
    found += [f"{plural(others, 'other row')} with a failure"] if others > 0 else []
    invalid = int((runs.table["valid"].astype(str) == "False").sum())
    return [*found, *([f"{plural(invalid, 'plan')} failed validation"] if invalid else [])]
