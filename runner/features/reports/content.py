"""Contents of a report, independent of the format in which it is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from runner.base.errors import UserError, suggest
from runner.base.messages import plural
from runner.base.metric import Metric
from runner.features.audits import RecordedCounterexample
from runner.features.reports import charts, comparisons, groups, replications, summaries
from runner.features.reports.answers import Answer, answers, best_pair
from runner.features.reports.audits import audits
from runner.features.reports.charts import Chart
from runner.features.reports.checklist import Question, questions
from runner.features.reports.columns import by_cause
from runner.features.reports.comparisons import Condition, fulfilled
from runner.features.reports.groups import Grouping
from runner.features.reports.naming import folder_names
from runner.features.reports.origin import MAX_CELLS, Origin, RecordedCell, cells_of, origin_of
from runner.features.reports.parameters import parameter_tables, recorded_below, recorded_parameters
from runner.features.reports.pictures import Picture, pictures
from runner.features.reports.runs import OF_PLANS, Expressions, NothingToReport, Runs, load
from runner.features.reports.tables import Table, listed
from runner.plugin import SECTIONS, read_yaml

SECTION = "reports"
"""Section of a configuration with the expressions and tables of its reports."""
KINDS = ("audit", "best", "by", "pairs", "parameters", "replications", "revisions")
"""Kinds of tables. The name of such a table is its kind, ``_``, and what the table is about."""
MAX_EXPRESSIONS = 50
"""Maximum number of expressions, and of names of tables, in a recorded section."""
_MAX_COMPARED = 24
_MAX_WORLDS = 12
"""Maximum number of worlds that have charts of their own."""
_MAX_ERRORS = 5

TableFunction = Callable[[pd.DataFrame], pd.DataFrame]
"""Table of a user: a function of the rows. Its name is that of the table, the first line of its docstring the title."""


@SECTIONS.register(SECTION)
@dataclass(frozen=True)
class Section:
    """Section `reports` of a configuration: what reports on its rows show, unless their options say otherwise."""

    filter: str | list[str] | None = None
    derive: str | list[str] | dict[str, str] | None = None
    table: str | list[str] | None = None


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
    definitions : dict of str
        Definition of each metric that is shown, by its title.
    tables : list of Table
        Tables of the rows, then of the audits.
    charts : list of Chart
        The first one belongs to the answers.
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
    failures : list of str
        Changes that fulfil a condition of ``--fail-if``.
    checklist : list of Question
        Questions on the experiments, as far as the records answer them.
    """

    title: str
    lead: str = ""
    notes: list[str] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    meanings: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    cells: list[RecordedCell] = field(default_factory=list)
    counterexamples: list[RecordedCounterexample] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    origin: Origin = field(default_factory=Origin)
    failures: list[str] = field(default_factory=list)
    checklist: list[Question] = field(default_factory=list)


@dataclass(frozen=True)
class Choices:
    """Choice of the rows, tables and charts of a report.

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
    tables : sequence of str
        Names or kinds of tables, in their order; by default all of them.
    functions : sequence of callable
        Further tables, as functions of the rows.
    where, filters, derive, rename : sequence of str
        Conditions, derived columns and new names, as for `runner.features.reports.runs.load`.
    conditions : sequence of Condition
        Conditions on changes.
    has_pictures : bool
        Whether to draw instances with their plans, which only pages show.
    """

    metrics: Sequence[str] = ()
    pair: Sequence[str] = ()
    grouping: Grouping | None = None
    parameter: str = ""
    parts: Sequence[str] = ()
    tables: Sequence[str] = ()
    functions: Sequence[TableFunction] = ()
    where: Sequence[str] = ()
    filters: Sequence[str] = ()
    derive: Sequence[str] = ()
    rename: Sequence[str] = ()
    conditions: Sequence[Condition] = ()
    has_pictures: bool = True


def compose(folders: Sequence[Path], choices: Choices | None = None) -> ReportContent:
    """Return the report of the rows and audits below some folders.

    What `choices` leave open comes from the recorded section `reports`, if there is one.
    """
    choices, notes = choices or Choices(), list[str]()
    found = audits(folders, notes)
    file, recorded = _recorded(folders, notes)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the numbers in a table may be of any size
            filters, derive = (
                Expressions(given) if given else Expressions(recorded.get(key, ()), file)
                for key, given in (("filter", choices.filters), ("derive", choices.derive))
            )
            runs = load(folders, choices.where, choices.rename, derive, filters)
            report = replace(of_runs(runs, folders, choices), failures=fulfilled(runs, choices.conditions))
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
    if choices.tables:
        report = replace(report, tables=_chosen(report, choices.tables))
    elif "table" in recorded:
        present = {kind_of(table) for table in report.tables} | {table.name for table in report.tables}
        report = replace(report, tables=_chosen(report, [name for name in recorded["table"] if name in present]))
    return _only(report, choices.parts) if choices.parts else report


def _recorded(folders: Iterable[Path], notes: list[str]) -> tuple[str, dict[str, list[str]]]:
    """Return the section `reports` of the first recorded configuration that has one, and its file.

    The file may be of another person: only texts are taken from it.
    """
    for file in (file for folder in folders for file in recorded_below(folder)[:1]):
        try:
            section = read_yaml(file, "the configuration of a run").get(SECTION)
            if found := {key: texts for key, value in _checked(section or {}) if (texts := _texts(key, value))}:
                return f"{file}: {SECTION}", found
        except UserError as error:
            notes.append(f"{error}; the section {SECTION} is not used")
    return "", {}


def _checked(section: Any) -> Iterator[tuple[str, Any]]:
    keys = [each.name for each in fields(Section)]
    if not isinstance(section, dict):
        raise UserError(f"{SECTION}: expected a mapping with the keys {', '.join(keys)}")
    for key, value in section.items():
        if key not in keys:
            raise UserError(f"{SECTION}: unknown key '{key}'{suggest(str(key), keys)}")
        yield key, value


def _texts(key: str, value: Any) -> list[str]:
    """Return the texts of an entry: one text, a list, or for derived columns a mapping of names to formulas."""
    if key == "derive" and isinstance(value, dict):
        value = [f"{name} = {formula}" for name, formula in value.items()]
    given = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(given, list) or len(given) > MAX_EXPRESSIONS or not all(isinstance(each, str) for each in given):
        raise UserError(f"{SECTION}.{key}: expected a text, or a list of at most {MAX_EXPRESSIONS} texts")
    return [name.strip() for each in given for name in each.split(",")] if key == "table" else given


def _chosen(report: ReportContent, names: Sequence[str]) -> list[Table]:
    """Return the tables with some names or of some kinds, in their order."""
    made: dict[str, Table] = {}
    for name in names:
        found = [table for table in report.tables if name in (table.name, kind_of(table))]
        if not found:
            present = dict.fromkeys(kind_of(table) for table in report.tables)
            raise UserError(f"--table: this report has no table '{name}'{suggest(name, present)}")
        made |= {table.name: table for table in found}
    return list(made.values())


def kind_of(table: Table) -> str:
    """Return the kind of a table; its name if there is only one of the kind."""
    kind = table.name.partition("_")[0]
    return kind if kind in KINDS else table.name


def _only(report: ReportContent, names: Sequence[str]) -> ReportContent:
    """Return a report with some of its tables and charts."""
    present = [*(table.name for table in report.tables), *(n for each in report.charts for n in (each.kind, each.name))]
    for name in names:
        if name not in present:
            raise UserError(f"--only: this report has no table or chart '{name}'{suggest(name, present)}")
    return replace(
        report,
        tables=[table for table in report.tables if table.name in names],
        charts=[chart for chart in report.charts if chart.name in names or chart.kind in names],
    )


def of_runs(runs: Runs, folders: Sequence[Path], choices: Choices | None = None) -> ReportContent:
    """Return the report of rows."""
    choices = choices or Choices()
    shown = _metrics(runs, choices.metrics)
    of_plans = [metric for metric in shown if metric.name in OF_PLANS and runs.is_limited.any()]
    main = next(iter(of_plans), None) or _main(runs, shown)
    compared = _pairs(runs, choices.pair, main)
    seconds = runs.declared.all_metrics["search_seconds"]
    important = list(dict.fromkeys(metric for metric in (*of_plans, main, seconds) if metric in shown))
    if choices.grouping is not None:
        choices.grouping.check(runs)
    if choices.parameter:
        runs.notes.extend(charts.check_parameter(runs, choices.parameter))
    by_world = runs.by_world()
    if 1 < len(by_world) <= _MAX_WORLDS:
        parts = [
            (world, _charts(rows, folders, shown, important, compared, choices)) for world, rows in by_world.items()
        ]
        shown_charts = [chart.of(world) for world, made in parts for chart in made]
    else:
        shown_charts = list(_charts(runs, folders, shown, important, compared, choices))
    pictured = pictures(runs, folders, choices.has_pictures)
    cells = [cell for folder in folders for cell in cells_of(folder)][:MAX_CELLS]
    origin = origin_of(cells)
    parameters = recorded_parameters(runs, folders, runs.notes)
    made = [*_tables(runs, shown, important, main, compared, choices.grouping), *parameter_tables(runs, parameters)]
    definitions = summaries.definitions(shown)
    return ReportContent(
        title=runs.constants.get("label") or origin.experiment or _names(folders),
        lead=_lead(runs),
        notes=[
            *dict.fromkeys(runs.notes),
            *_absent(runs, shown, choices),
            *_faults(runs),
        ],  # those on plans come once for each world
        constants=runs.constants,
        meanings=runs.meanings,
        definitions=definitions,
        tables=[*made, *_of_users(runs, choices.functions)],
        charts=shown_charts,
        pictures=pictured,
        cells=cells,
        answers=answers(runs, important),
        origin=origin,
        checklist=questions(runs, parameters, definitions, [*made, *shown_charts], cells, origin),
    )


def _absent(runs: Runs, shown: Sequence[Metric], choices: Choices) -> list[str]:
    """Note the files without a column that the report shows. Others may be of another version or program."""
    used = {name for metric in shown for name in metric.inputs} | {choices.parameter}
    if choices.grouping is not None:
        used |= {*choices.grouping.rows, *choices.grouping.columns}
    notes = []
    for file, absent in runs.absent.items():
        names = [name for name in absent if name in used]
        if names:
            notes.append(f"{file}: has no column {', '.join(names)}; its rows have no value there")
    return notes


def _charts(
    runs: Runs,
    folders: Sequence[Path],
    shown: Sequence[Metric],
    important: Sequence[Metric],
    compared: Sequence[tuple[str, str]],
    choices: Choices,
) -> Iterator[Chart]:
    """Yield the charts. The first important metric is that by which configurations are compared."""
    plans = OF_PLANS if runs.is_limited.any() else ()
    drawn: list[Chart | None] = [charts.revisions(runs, metric) for metric in important]
    drawn += [charts.spread(runs, metric) for metric in important[:1]]
    drawn += [
        charts.cactus(runs, metric) for metric in important if metric.better == "less" and metric.name not in plans
    ]
    drawn += [replications.distribution(runs, metric) for metric in important if metric.log]
    drawn += [charts.scaling(runs, metric, choices.parameter) for metric in shown if choices.parameter and metric.log]
    for metric in important[:1] if compared else ():
        drawn += [charts.scatter(runs, metric, *compared[-1]), charts.quotients(runs, metric, *compared[-1])]
    drawn += [charts.distribution(runs)]
    if not runs.table["run_id"].duplicated().any():  # curves are found by run_id
        drawn.append(charts.quality(runs, folders))
    drawn += [charts.bars(runs, metric) for metric in shown if metric.log]
    yield from (chart for chart in drawn if chart is not None)


def _tables(
    runs: Runs,
    shown: Sequence[Metric],
    important: Sequence[Metric],
    main: Metric | None,
    compared: Sequence[tuple[str, str]],
    grouping: Grouping | None,
) -> list[Table]:
    """Return the tables: by configuration, by groups, comparisons, and by instance."""
    parts: list[Table | None] = [summaries.summary(runs, shown, important)]
    parts += [comparisons.coverage(runs), *(comparisons.revisions(runs, metric) for metric in shown)]
    parts += [summaries.measures(runs, important), summaries.scores(runs)]
    costs = [metric for metric in shown if metric.name == "cost"]
    parts += [replications.summary(runs, metric) for metric in dict.fromkeys((*important, *costs))]
    if grouping is not None:
        grouped = runs.for_groups((*grouping.rows, *grouping.columns))
        parts += [groups.success_counts(grouped, grouping)]
        parts += [groups.aggregates(grouped, metric, grouping) for metric in shown]
    if main is not None and runs.comparable(main).notna().sum(axis=1).max() > 1:
        parts += [comparisons.pairs(runs, main, compared)] if compared else []
        parts += [summaries.best(runs, main)] if main.better != "neither" else []
    parts += [summaries.statuses(runs), *(summaries.by_instance(runs, metric) for metric in shown)]
    return [table for table in parts if table is not None and table.rows]


def _of_users(runs: Runs, functions: Sequence[TableFunction]) -> Iterator[Table]:
    """Yield the tables of users' functions."""
    for function in functions:
        name = function.__name__
        found = function(runs.table.copy())
        if not isinstance(found, pd.DataFrame):
            raise UserError(f"tables: {name} returned {type(found).__name__}; expected a DataFrame")
        title = (inspect.getdoc(function) or name.replace("_", " ")).partition("\n")[0].removesuffix(".")
        yield Table.of_frame(name, title, found, runs.declared.all_metrics)


def _lead(runs: Runs) -> str:
    instances, rows = runs.table["instance"].cat.codes.nunique(), len(runs.table)
    worlds = [str(name) for name in runs.table["world"].unique()]
    parts = [plural(len(runs.configurations), "configuration"), plural(instances, "instance"), plural(rows, "row")]
    if runs.is_replicated:
        parts.append(f"up to {plural(int(runs.replications.max()), 'seed')} for each instance")
    return f"{listed(worlds)}: {', '.join(parts)}"


def _names(folders: Sequence[Path]) -> str:
    return ", ".join(folder_names(folders))


def _metrics(runs: Runs, names: Sequence[str]) -> list[Metric]:
    present = runs.measured
    for name in names:
        if name not in present:
            why = "has no values here" if name in runs.declared.all_metrics else "is no metric"
            raise UserError(f"--metric: '{name}' {why}{suggest(name, present)}")
    main = [name for name, metric in present.items() if metric.is_main or (name == "bound" and runs.is_limited.any())]
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
    errors = by_cause(runs.table["error"], _MAX_ERRORS)
    found = [f"{plural(count, 'row')} with this error: {error}" for error, count in errors]
    others = int(runs.has_status(lambda status: status.is_failure).sum()) - sum(count for _, count in errors)
    found += [f"{plural(others, 'other row')} with a failure"] if others > 0 else []
    invalid = int((runs.table["valid"].astype(str) == "False").sum())
    return [*found, *([f"{plural(invalid, 'plan')} failed validation"] if invalid else [])]
